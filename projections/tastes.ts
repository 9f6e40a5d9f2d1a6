import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/** An account's subscriptions, newest first, under the account's id. Only the newest fifty are kept; none, after it left everything. */
export type TasteDocument = Document & { readonly subsites: readonly string[] }

const MAX_TASTE_SUBSITES = 50

export const tastes = collection<TasteDocument>({ name: 'tastes', version: 1, indexes: [] })

const changed = (id: string, update: (subsites: readonly string[]) => readonly string[]): Touch<TasteDocument> => ({
  id,
  change: (before) => ({ id, subsites: update(before?.subsites ?? []) }),
})

export const tastesProjection: Projection<TasteDocument> = {
  collection: tastes,
  on: {
    Subscribed: ({ data: { account, subsite } }) => [changed(account, (subsites) => [subsite, ...subsites].slice(0, MAX_TASTE_SUBSITES))],
    Unsubscribed: ({ data: { account, subsite } }) => [changed(account, (subsites) => subsites.filter((one) => one !== subsite))],
  },
}
