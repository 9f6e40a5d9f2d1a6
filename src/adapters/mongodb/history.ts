import { Binary, type Db, type Document } from 'mongodb'
import { StoreFault } from '../../ports/faults.ts'
import { type HistoryRow, type HistoryStore, isSameRow, type RowKind, type TreeState } from '../../ports/history.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { callStore, isDuplicate } from './errors.ts'
import { type DeclaredIndex, ensureIndexes, toBuildOptions } from './indexes.ts'

type StoredHistoryRow = Document & {
  readonly _id: string
  readonly tree: string
  readonly kind: RowKind
  readonly number: number
  readonly name: string | null
}
type State = Document & { readonly _id: string; readonly size: number }

const ROWS = 'history_rows'
const STATES = 'history_states'

const ROW_INDEXES: readonly DeclaredIndex[] = [
  { name: 'number', key: { tree: 1, kind: 1, number: 1 } },
  { name: 'name', key: { name: 1, tree: 1 } },
]

export const prepareHistory = async (db: Db): Promise<void> =>
  callStore('write', async () => {
    const building = await toBuildOptions(db)
    await ensureIndexes(db.collection(ROWS), ROW_INDEXES, building)
  })

const bytesOf = (value: unknown): Uint8Array => (value instanceof Binary ? value.value() : (value as Uint8Array))
const stateOf = ({ _id, size, value }: State): TreeState => ({ tree: _id, size, value: bytesOf(value) })
const idOf = ({ tree, kind, number }: Pick<HistoryRow, 'tree' | 'kind' | 'number'>): string => `${tree} ${kind} ${number}`
/** Decodes a row. A row under an id that is not its own is damage: only another program can have stored it. */
const rowOf = ({ _id, tree, kind, number, name, value }: StoredHistoryRow): HistoryRow => {
  const row = { tree, kind, number, ...(name !== null && { name }), value: bytesOf(value) }
  if (_id !== idOf(row)) throw new StoreFault('damaged', `the history has the row ${_id} in place of ${idOf(row)}`)
  return row
}
/** Returns the range of names with a prefix. Names consist of digits, letters and slashes, all below the `~` after it. */
const rangeOfPrefix = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}~` })
const READ = { maxTimeMS: READ_TIMEOUT_MS } as const

export const mongoHistory = (db: Db): HistoryStore => {
  const rows = db.collection<StoredHistoryRow>(ROWS)
  const states = db.collection<State>(STATES)

  const readRows = async (ids: readonly string[]): Promise<ReadonlyMap<string, HistoryRow>> => {
    if (ids.length === 0) return new Map()
    const storedRows = await callStore('read', () => rows.find({ _id: { $in: [...ids] } }, { ...READ, hint: { _id: 1 } }).toArray())
    return new Map(storedRows.map((row) => [row._id, rowOf(row)]))
  }

  return {
    add: async (added) => {
      const documents = added.map(({ name = null, value, ...row }) => ({ _id: idOf(row), ...row, name, value: new Binary(value) }))
      try {
        if (documents.length > 0) await callStore('write', () => rows.insertMany(documents, { ordered: false }))
      } catch (error) {
        if (!isDuplicate(error)) throw error
        const existing = await readRows(added.map(idOf))
        for (const row of added) {
          const stored = existing.get(idOf(row))
          if (!stored) throw error
          if (!isSameRow(stored, row))
            throw new StoreFault('damaged', `the history already has another row ${row.kind} ${row.number} of the tree ${row.tree}`)
        }
      }
    },
    get: async (tree, kind, numbers) => {
      const found = await readRows(numbers.map((number) => idOf({ tree, kind, number })))
      return new Map([...found.values()].map((row) => [row.number, row]))
    },
    list: async (tree, kind, from, limit, order = 'up') => {
      const [bound, direction] = order === 'up' ? [{ $gte: from }, 1 as const] : [{ $lte: from }, -1 as const]
      const options = { ...READ, hint: 'number', sort: { number: direction }, limit } as const
      return (await callStore('read', () => rows.find({ tree, kind, number: bound }, options).toArray())).map(rowOf)
    },
    named: async (prefix, names) => {
      if (names.length === 0) return new Map()
      const filter = { name: { $in: [...names] }, tree: rangeOfPrefix(prefix) }
      const found = await callStore('read', () => rows.find(filter, { ...READ, hint: 'name' }).toArray())
      return new Map(found.map((row) => [row.name ?? '', rowOf(row)]))
    },
    state: async (tree) => {
      const stored = await callStore('read', () => states.findOne({ _id: tree }, READ))
      return stored === null ? undefined : stateOf(stored)
    },
    grow: (from, { tree, size, value }) =>
      callStore('write', async () => {
        const set = { size, value: new Binary(value) }
        const { matchedCount } = await states.updateOne({ _id: tree, size: from }, { $set: set })
        if (matchedCount === 1 || from !== 0) return matchedCount === 1
        try {
          await states.insertOne({ _id: tree, ...set })
          return true
        } catch (error) {
          if (isDuplicate(error)) return false
          throw error
        }
      }),
    states: async (prefix, last, limit) =>
      (
        await callStore('read', () =>
          states.find({ _id: { ...rangeOfPrefix(prefix), $gt: last } }, { ...READ, hint: { _id: 1 }, sort: { _id: 1 }, limit }).toArray(),
        )
      ).map(stateOf),
    close: async () => {},
  }
}
