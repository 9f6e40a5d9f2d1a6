/**
 * The fourth kind of data, beside the log, the read models and the vault: hash trees over the log, and the heads of them that were signed.
 * Rows are only added: never changed, never deleted, never rebuilt. The contract suite in test/contracts/history.ts is the definition.
 */

/** What rows hold: complete tiles by level and index, entries by k, milestones of the log, heads by size, keys and origins in their order. */
export type RowKind = 'tile' | 'entry' | 'milestone' | 'head' | 'key' | 'origin'

export type HistoryRow = {
  readonly tree: string
  readonly kind: RowKind
  /** With the tree and the kind, what the row is found by. */
  readonly number: number
  /** Of an entry, the id of its event. */
  readonly name?: string
  readonly value: Uint8Array
}

/** How far a tree is: what its next leaves are added to. */
export type TreeState = {
  readonly tree: string
  readonly size: number
  readonly value: Uint8Array
}

export interface HistoryStore {
  /** Add rows, all of which are durable before a later head is. One that is there with the same content stays; with other content: the fault `damaged`. */
  add(rows: readonly HistoryRow[]): Promise<void>
  /** Rows by their numbers, as far as there are any. */
  get(tree: string, kind: RowKind, numbers: readonly number[]): Promise<ReadonlyMap<number, HistoryRow>>
  /** Rows in the order of their numbers, from one on; or backwards, from one down. */
  list(tree: string, kind: RowKind, from: number, limit: number, order?: 'up' | 'down'): Promise<readonly HistoryRow[]>
  /** The entries of events, by their ids, in the trees whose names begin with a prefix. */
  named(prefix: string, names: readonly string[]): Promise<ReadonlyMap<string, HistoryRow>>
  state(tree: string): Promise<TreeState | undefined>
  /** Move a tree on from a size (0: also where there is no state yet), or put another value for it; false when it has another size. */
  grow(from: number, state: TreeState): Promise<boolean>
  /** Trees, by their names, of those with a prefix after a name. */
  states(prefix: string, after: string, limit: number): Promise<readonly TreeState[]>
  close(): Promise<void>
}
