import type { Document } from '../../ports/documents.ts'
import { frozen } from './cache.ts'

/** A document that is newer than its row: a text until somebody reads it, without one if it was deleted. */
export type HeldDocument = { readonly position: number; readonly text: string | undefined; parsed: Document | undefined }

export const documentOf = (held: HeldDocument): Document | undefined => {
  if (held.text === undefined) return undefined
  held.parsed ??= frozen<Document>(JSON.parse(held.text))
  return held.parsed
}

/** Documents that are in memory and not yet in the file, or not known to be there. */
export type HeldDocuments = {
  /** Those of a table by their ids, undefined if there are none; they hide the rows of the same ids. */
  readonly of: (table: string) => ReadonlyMap<string, HeldDocument> | undefined
  /** Called before a snapshot is taken: lets go of what every later snapshot has. */
  readonly settle: () => void
  /** Called in a snapshot, after it was taken: takes in every change that the snapshot may have. */
  readonly catchUp: () => void
  /** Ends when all of them are in the file. */
  readonly flush: () => Promise<void>
}

/** For a connection all of whose changes are in the file. */
export const nothingHeld: HeldDocuments = { of: () => undefined, settle: () => {}, catchUp: () => {}, flush: async () => {} }

/** Changed documents of one table, as they travel between threads: parallel lists, since there are many. */
export type TableChanges = {
  readonly table: string
  readonly ids: readonly string[]
  readonly positions: readonly number[]
  /** Undefined: deleted. */
  readonly texts: readonly (string | undefined)[]
  /** Whether a search can find other documents of the table than before. */
  readonly isSearchAffected: boolean
}
