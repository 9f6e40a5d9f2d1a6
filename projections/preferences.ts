import type { PreferenceValue } from '../src/domain/preferences.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, put } from './engine/projection.ts'

/** What an account prefers, as far as that differs from a new account; its id is the account's. */
export type PreferencesDocument = Document & {
  readonly preferences: readonly { readonly preference: string; readonly value: PreferenceValue }[]
}

export const preferences = collection<PreferencesDocument>({ name: 'preferences', version: 1, indexes: [] })

export const preferencesProjection: Projection<PreferencesDocument> = {
  collection: preferences,
  on: { PreferencesChanged: ({ data: { account, preferences } }) => [put({ id: account, preferences })] },
}
