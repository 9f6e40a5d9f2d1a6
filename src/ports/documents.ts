// Decision 99.

import type { Position } from './event-store.ts'

export type Value = string | number | boolean | null

/** A read-model document: plain JSON, named by its id. */
export type Document = { readonly id: string }

/** A field that indexes can hold. */
export type FieldOf<D extends Document> = { [Field in keyof D & string]-?: D[Field] extends Value | undefined ? Field : never }[keyof D &
  string]

/** A field that orders: `-hot` is descending. */
export type OrderField<Field extends string = string> = Field | `-${Field}`

/**
 * An index: equality fields first, then the fields that order, each with its direction (`-hot` is descending). The last field is `id`, or
 * one that its collection declares unique, so that every order is total and no two items share a place in it. `covers` lists further fields
 * that the index carries, so that `select` can be answered from the index alone.
 *
 * `$position` is the position at which the document last changed. Every change moves the document in an order by it, and one event gives
 * the same position to many documents. So only a `feed` of changes has such an order, which ends in `$position` and `id`; users never see
 * it.
 */
export type Index<Field extends string = string> = { readonly covers?: readonly Field[] } & (
  | { readonly fields: readonly OrderField<Field>[]; readonly feed?: undefined }
  | { readonly fields: readonly (OrderField<Field> | '$position')[]; readonly feed: true }
)

/**
 * Full-text search: the text fields (a boolean is the word `true` or `false`), the fields that filter, and the named orders. `only`: only
 * documents in which this boolean field is true are searchable. `ids`: text fields that hold one id each. `common`: text fields in which
 * very many documents hold the same.
 */
export type SearchIndex<Field extends string = string> = {
  readonly text: readonly Field[]
  readonly only?: Field
  readonly ids?: readonly Field[]
  readonly common?: readonly Field[]
  readonly filters: readonly Field[]
  readonly orders: Readonly<Record<string, readonly OrderField<Field>[]>>
}

/** A collection as its projection declares it: its indexes name fields of its documents. */
export type Declaration<Field extends string = string> = {
  readonly name: string
  readonly version: number
  readonly indexes: readonly Index<Field>[]
  /**
   * The fields beside `id` that never change and that no two documents share. Each has the fields within which it is unique: none, if it is
   * unique in the whole collection.
   */
  readonly unique?: { readonly [Unique in Field]?: readonly Field[] }
  /** Fields that hold positions of the log, and so mean nothing outside of it. */
  readonly positions?: readonly Field[]
  readonly search?: SearchIndex<Field>
  /**
   * Fields of texts that are mostly looked for in vain, such as addresses of new links. Each is the first of an index. A store may know
   * without a look that no document has a text.
   */
  readonly seldomFound?: readonly Field[]
}

/** The properties of a collection that a store needs to know. It is stored under `name_v<version>`. The type parameter is its document. */
export type Collection<D extends Document> = Declaration & {
  /** Never set: carries the document type. */
  readonly document?: D
}

/** The most values of one membership condition that every store takes. */
export const MAX_MEMBERSHIP_VALUES = 200

/** A condition on one field: equality, membership (at most `MAX_MEMBERSHIP_VALUES` values, one such field a query), or a range on an order field. */
export type Condition =
  | Value
  | { readonly in: readonly Value[] }
  | { readonly gt?: Value; readonly gte?: Value; readonly lt?: Value; readonly lte?: Value }

export const isRange = (condition: Condition): condition is Exclude<Condition, Value | { readonly in: readonly Value[] }> =>
  typeof condition === 'object' && condition !== null && !('in' in condition)

export const isMembership = (condition: Condition): condition is { readonly in: readonly Value[] } =>
  typeof condition === 'object' && condition !== null && 'in' in condition

export type Filter = Readonly<Record<string, Condition>>

/** The values of the order fields of the item that a page starts after (or ends before). */
export type Anchor = readonly Value[]

/**
 * A page of an ordered listing. With `before`, it is the `limit` items directly preceding that, still in listing order. An anchor need not
 * belong to any document.
 */
export type PageBounds = {
  readonly limit: number
  readonly after?: Anchor
  readonly before?: Anchor
  /** True if nobody asks for the page again, so that no cache keeps it. */
  readonly uncached?: true
}

/** One declared index must serve `where` and `order` together, or the call throws: there is no table scan. */
export type Query = { readonly where: Filter; readonly order: readonly string[]; readonly page: PageBounds }

/** A document and the position of the event that last changed it; `document` is undefined for a tombstone. */
export type VersionedDocument<D> = { readonly position: Position; readonly document: D | undefined }

/** A stored part that differs from the one that the store makes of the document: a column, a copy of its words, a mark. */
export type Deviation = { readonly part: string; readonly stored: unknown; readonly made: unknown }

/** A stored row, as it is. `document` is undefined for a tombstone, and if the row does not hold an object. */
export type StoredRow = {
  readonly id: string
  readonly position: string
  readonly isTombstone: boolean
  readonly document: Readonly<Record<string, unknown>> | undefined
  readonly deviations: readonly Deviation[]
}

/** A write of a projection. `undefined` leaves a hidden tombstone, so that redelivery cannot bring the document back. */
export type DocumentChange = {
  readonly collection: Collection<Document>
  readonly id: string
  readonly position: Position
  readonly document: Document | undefined
  /** True if no document or tombstone existed when the writer looked; the store need not look again. */
  readonly fresh?: boolean
}

/** A move of a named checkpoint from `from` (undefined: it does not exist yet) to `to`, together with the changes. */
export type CheckpointMove = { readonly name: string; readonly from: Position | undefined; readonly to: Position }

/** A document by its collection and id. */
export type DocumentName = Pick<DocumentChange, 'collection' | 'id'>

/** The record of a batch: the checkpoints that it moved, and the ids of the documents that it changed, by the names of their collections. */
export type BatchRecord = { readonly moves: readonly CheckpointMove[]; readonly ids: ReadonlyMap<string, readonly string[]> }

/** The positions of checkpoints, and the records of the batches since others; undefined if those are too many. */
export type Progress = { readonly positions: ReadonlyMap<string, Position>; readonly records: readonly BatchRecord[] | undefined }

/**
 * The condition of a search. A text is adjacent words, in one of the named text fields (absent: in any). Words are compared without case
 * and diacritics; there is no stemming and no syntax. A text without a letter or digit is ignored, and a search without any other text
 * finds nothing. `except` only narrows the matches of `all`.
 */
export type TextSearch =
  | { readonly words: string; readonly fields?: readonly string[] }
  | { readonly all: readonly TextSearch[]; readonly except?: readonly TextSearch[] }
  | { readonly any: readonly TextSearch[] }

/**
 * The most matches of a search that are filtered, ordered and paged: the newest ones. A store may take fewer if it must compare the
 * documents themselves. All pages of a search are of the same matches.
 */
export const MAX_SEARCH_CANDIDATES = 10_000

export type SearchQuery = {
  /** A string stands for its words, cut at white space, all required. */
  readonly terms: string | TextSearch
  /** Equality conditions, or a range. */
  readonly where: Filter
  /** One of the orders the collection declares; a page's anchor holds the values of its fields. */
  readonly order: string
  readonly page: PageBounds
  /**
   * A condition that all matches of the search are known to fulfil: equality, one field of it perhaps membership, over a declared index in
   * the order of the search. A store may look there first; the matches are the same.
   */
  readonly among?: Filter
}

/** Returns a search for the words of a text, cut at white space, all required. */
export const allWords = (text: string): TextSearch => ({
  all: text
    .split(/\s+/u)
    .filter((words) => words !== '')
    .map((words) => ({ words })),
})

/**
 * One end of documents that connect two, such as a voter, and the id of the document for each other end: both ends in either order, with a
 * dot between them.
 */
export type Pair = { readonly one: string; readonly idOf: (other: string) => string }

/** Provides `getPairs` for a store that finds documents by their ids only. */
export const pairsBy =
  (getMany: DocumentStore['getMany']): DocumentStore['getPairs'] =>
  async <D extends Document>(collection: Collection<D>, { idOf }: Pair, others: readonly string[]) => {
    const ids = others.map(idOf)
    const known = await getMany(collection, ids)
    const documents = new Map<string, D>()
    if (known.size === 0) return documents
    for (const [n, other] of others.entries()) {
      const document = known.get(ids[n] ?? '')
      if (document) documents.set(other, document)
    }
    return documents
  }

/**
 * Writes a build. `write` may return before everything is written; `load` shows it all the same. `close` resolves when all is written, or
 * throws.
 */
export type BuildingWriter = Pick<DocumentStore, 'load' | 'write'> & { readonly close: () => Promise<void> }

/**
 * The store of the read models. The contract suite in test/contracts/documents.ts is its definition; every adapter passes it. Documents
 * handed out are frozen and may be shared: one document at one position is the same object while it is cached.
 */
export interface DocumentStore {
  /**
   * Makes collections and their indexes; called once at start, before anything else. With `later` it leaves the indexes out, if that makes
   * filling a collection faster. No query uses the collections until they are prepared again.
   */
  prepare(collections: readonly Collection<Document>[], indexes?: 'now' | 'later'): Promise<void>
  /**
   * Takes in documents as they are at a position of the log; null for one that does not exist. Present in a store that caches, which uses
   * them only if the read models are at that position.
   */
  readonly remember?: (collection: Collection<Document>, known: ReadonlyMap<string, Document | null>, at: Position) => void
  /** Returns the documents that exist, in no promised order, for at most 1,000 ids a call. */
  getMany<D extends Document>(collection: Collection<D>, ids: readonly string[]): Promise<ReadonlyMap<string, D>>
  /** Returns the documents of pairs, by the other end. It equals `getMany` of their ids, but a cache can find them without ids. */
  getPairs<D extends Document>(collection: Collection<D>, pair: Pair, others: readonly string[]): Promise<ReadonlyMap<string, D>>
  find<D extends Document>(collection: Collection<D>, query: Query): Promise<readonly D[]>
  /** Works like `find`, but returns only the named fields, from the index alone. `$position` and `id` may be named. */
  select<T>(collection: Collection<Document>, query: Query, fields: readonly string[]): Promise<readonly T[]>
  /** Counts the documents that match, no further than `max`. It takes only equality conditions over a declared index. */
  count(collection: Collection<Document>, where: Filter, max: number): Promise<number>
  /** Searches for documents. Once `abandoned` aborts, nobody waits for the result: the search ends early, and the call throws. */
  search<D extends Document>(collection: Collection<D>, query: SearchQuery, abandoned?: AbortSignal): Promise<readonly D[]>
  /** Returns the documents after an id (undefined: from the first), in bytewise order of their ids; for audits and digests. */
  walk<D extends Document>(collection: Collection<D>, after: string | undefined, limit: number): Promise<readonly D[]>
  /**
   * Returns the stored rows after an id (undefined: from the first), in bytewise order of the ids, for audits. It takes nothing for granted
   * and repairs nothing. A collection that is not there has no rows; it need not be prepared.
   */
  inspect(collection: Collection<Document>, after: string | undefined, limit: number): Promise<readonly StoredRow[]>
  /**
   * Lists the differences between the store and one that this program made: tables, indexes, triggers, and search indexes, whose words are
   * compared with those of the documents. Each is one line. It is slow, since it reads all documents. It blocks this thread if the store is
   * a file.
   */
  differences(collections: readonly Collection<Document>[]): Promise<readonly string[]>
  /** Returns documents and tombstones with their positions, for the projection runner. */
  load(collection: Collection<Document>, ids: readonly string[]): Promise<ReadonlyMap<string, VersionedDocument<Document>>>
  checkpoint(name: string): Promise<Position | undefined>
  /** Returns the positions of the checkpoints that exist. */
  checkpoints(names: readonly string[]): Promise<ReadonlyMap<string, Position>>
  /**
   * Writes the changes and moves the checkpoint, or several. A change whose position is not greater than its document's does nothing.
   * Returns `fenced` if one of the checkpoints was not where the caller expected; then no checkpoint moves. The same happens if `isCurrent`
   * returns false. It is called before each try of each part that is sent, so that a writer that slept does not send outdated changes.
   * `rewritten` are the documents of the batch that an earlier try or another writer wrote already. With it, a store that other processes
   * read records the batch.
   */
  write(
    changes: readonly DocumentChange[],
    checkpoint: CheckpointMove | readonly CheckpointMove[],
    isCurrent?: () => boolean,
    rewritten?: readonly DocumentName[],
  ): Promise<'written' | 'fenced'>
  /**
   * Returns a writer for collections that are prepared without indexes and that nothing else uses until it is closed. Present in stores
   * that can write while the caller works on. The given `write` writes small numbers of changes.
   */
  readonly building?: (by: Pick<DocumentStore, 'load' | 'write'>) => BuildingWriter
  /** Forgets a collection's documents and a checkpoint, for a rebuild. */
  clear(collections: readonly Collection<Document>[], checkpoint: string): Promise<void>
  /** Removes at most so many tombstones at or before a position that every checkpoint has passed, and returns how many. */
  sweep(collection: Collection<Document>, upTo: Position, limit: number): Promise<number>
  /** Returns the names, `name_v<version>`, of the stored collections that are not among these. */
  obsolete(current: readonly Collection<Document>[]): Promise<readonly string[]>
  /**
   * Removes a collection by such a name, with its tombstones; nothing if there is none. Checkpoints that cover it must be removed before.
   */
  drop(name: string): Promise<void>
  close(): Promise<void>
}

/** A store whose read models other processes keep. */
export type SharedDocumentStore = DocumentStore & {
  /**
   * Reads checkpoints, and the records of the batches that moved them beyond some positions. A batch is recorded before its checkpoints
   * move, for a minute, if it moves existing checkpoints to one position and changes few documents.
   */
  readonly progress: (names: readonly string[], beyond: ReadonlyMap<string, Position>) => Promise<Progress>
  /** Returns of the documents that exist only the fields that are in some index, and the id, for at most 1,000 ids a call. */
  readonly getIndexed: (collection: Collection<Document>, ids: readonly string[]) => Promise<ReadonlyMap<string, Document>>
}

/** Returns a document by its id; undefined if it does not exist. */
export const getOne = async <D extends Document>(
  documents: Pick<DocumentStore, 'getMany'>,
  collection: Collection<D>,
  id: string,
): Promise<D | undefined> => (await documents.getMany(collection, [id])).get(id)

/** Returns the name of what a store keeps of one version of a collection. */
export const collectionKey = ({ name, version }: Collection<Document>): string => `${name}_v${version}`
