// Decision 111.

/**
 * The fourth kind of data, beside the log, the read models and the vault: hash trees over the log, and their signed heads. Rows are only
 * added: never changed, never deleted, never rebuilt. The contract suite in test/contracts/history.ts is the definition.
 */

/**
 * The kinds of rows: complete tiles by level and index, entries by k, milestones of the log, where its leaves begin to bind other trees,
 * heads by size, keys and origins in their order.
 */
export type RowKind = 'tile' | 'entry' | 'milestone' | 'binding' | 'head' | 'cosignature' | 'key' | 'origin'

export type HistoryRow = {
  readonly tree: string
  readonly kind: RowKind
  /** Identifies the row, together with the tree and the kind. */
  readonly number: number
  /** The id of the event of an entry. */
  readonly name?: string
  readonly value: Uint8Array
}

/** The state of a tree, to which its next leaves are added. */
export type TreeState = {
  readonly tree: string
  readonly size: number
  readonly value: Uint8Array
}

export interface HistoryStore {
  /**
   * Adds rows. All of them are durable before a later head is. A row that is there with the same content stays; with other content it is
   * the fault `damaged`.
   */
  add(rows: readonly HistoryRow[]): Promise<void>
  /** Returns rows by their numbers, if they exist. */
  get(tree: string, kind: RowKind, numbers: readonly number[]): Promise<ReadonlyMap<number, HistoryRow>>
  /** Returns rows in the order of their numbers, from the number `from` upwards or downwards. */
  list(tree: string, kind: RowKind, from: number, limit: number, order?: 'up' | 'down'): Promise<readonly HistoryRow[]>
  /** Returns the entries of events, by their ids, in the trees whose names begin with a prefix. */
  named(prefix: string, names: readonly string[]): Promise<ReadonlyMap<string, HistoryRow>>
  state(tree: string): Promise<TreeState | undefined>
  /** Stores a new state of a tree if the stored size is `from` (0 also if no state is stored). Returns false otherwise. */
  grow(from: number, state: TreeState): Promise<boolean>
  /** Returns the states of trees whose names begin with a prefix and come after a name, in the order of their names. */
  states(prefix: string, after: string, limit: number): Promise<readonly TreeState[]>
  close(): Promise<void>
}

/** Tells whether two rows have one name and one value. */
export const isSameRow = (one: HistoryRow, other: HistoryRow): boolean =>
  one.name === other.name && Buffer.compare(Buffer.from(one.value), Buffer.from(other.value)) === 0
