import type { PreferenceValue } from '../src/domain/preferences.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, putDocument } from './engine/projection.ts'

/** The preferences of an account that differ from those of a new account, under the account's id. */
export type PreferencesDocument = Document & {
  readonly preferences: readonly { readonly preference: string; readonly value: PreferenceValue }[]
}

export const preferences = collection<PreferencesDocument>({ name: 'preferences', version: 1, indexes: [] })

export const preferencesProjection: Projection<PreferencesDocument> = {
  collection: preferences,
  on: { PreferencesChanged: ({ data: { account, preferences } }) => [putDocument({ id: account, preferences })] },
}
