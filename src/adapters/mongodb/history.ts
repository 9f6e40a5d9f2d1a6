import { Binary, type Db, type Document } from 'mongodb'
import { StoreFault } from '../../ports/faults.ts'
import type { HistoryRow, HistoryStore, RowKind, TreeState } from '../../ports/history.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { calling, isDuplicate } from './errors.ts'
import { buildingOn, type DeclaredIndex, ensureIndexes } from './indexes.ts'

type Row = Document & {
  readonly _id: string
  readonly tree: string
  readonly kind: RowKind
  readonly number: number
  readonly name: string | null
}
type State = Document & { readonly _id: string; readonly size: number; readonly signed: number; readonly isSigned: boolean }

const ROWS = 'history_rows'
const STATES = 'history_states'

const ROW_INDEXES: readonly DeclaredIndex[] = [
  { name: 'number', key: { tree: 1, kind: 1, number: 1 } },
  { name: 'name', key: { name: 1, tree: 1 } },
]
const STATE_INDEXES: readonly DeclaredIndex[] = [{ name: 'unsigned', key: { isSigned: 1, _id: 1 } }]

export const prepareHistory = async (db: Db): Promise<void> =>
  calling('write', async () => {
    const building = await buildingOn(db)
    await ensureIndexes(db.collection(ROWS), ROW_INDEXES, building)
    await ensureIndexes(db.collection(STATES), STATE_INDEXES, building)
  })

const bytesOf = (value: unknown): Uint8Array => (value instanceof Binary ? value.value() : (value as Uint8Array))
const rowOf = ({ tree, kind, number, name, value }: Row): HistoryRow => ({
  tree,
  kind,
  number,
  ...(name !== null && { name }),
  value: bytesOf(value),
})
const stateOf = ({ _id, size, signed, value }: State): TreeState => ({ tree: _id, size, signed, value: bytesOf(value) })
const idOf = ({ tree, kind, number }: Pick<HistoryRow, 'tree' | 'kind' | 'number'>): string => `${tree} ${kind} ${number}`
const isSame = (one: HistoryRow, other: HistoryRow): boolean =>
  one.name === other.name && Buffer.compare(Buffer.from(one.value), Buffer.from(other.value)) === 0
/** Names are of digits, letters and slashes, so that none is above the prefix with this after it. */
const within = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}~` })
const READ = { maxTimeMS: READ_TIMEOUT_MS } as const

export const mongoHistory = (db: Db): HistoryStore => {
  const rows = db.collection<Row>(ROWS)
  const states = db.collection<State>(STATES)

  const put = async (row: HistoryRow): Promise<void> => {
    const { tree, kind, number, name = null, value } = row
    try {
      await calling('write', () => rows.insertOne({ _id: idOf(row), tree, kind, number, name, value: new Binary(value) }))
    } catch (error) {
      if (!isDuplicate(error)) throw error
      const there = await calling('read', () => rows.findOne({ _id: idOf(row) }, READ))
      if (!there || !isSame(rowOf(there), row)) throw new StoreFault('damaged', `the history has another ${kind} ${number} of ${tree}`)
    }
  }

  return {
    add: async (added) => {
      await Promise.all(added.map(put))
    },
    get: async (tree, kind, numbers) => {
      const ids = numbers.map((number) => idOf({ tree, kind, number }))
      const found =
        ids.length === 0 ? [] : await calling('read', () => rows.find({ _id: { $in: ids } }, { ...READ, hint: { _id: 1 } }).toArray())
      return new Map(found.map((row) => [row.number, rowOf(row)]))
    },
    list: async (tree, kind, from, limit, order = 'up') => {
      const [bound, direction] = order === 'up' ? [{ $gte: from }, 1 as const] : [{ $lte: from }, -1 as const]
      const options = { ...READ, hint: 'number', sort: { number: direction }, limit } as const
      return (await calling('read', () => rows.find({ tree, kind, number: bound }, options).toArray())).map(rowOf)
    },
    named: async (prefix, names) => {
      if (names.length === 0) return new Map()
      const filter = { name: { $in: [...names] }, tree: within(prefix) }
      const found = await calling('read', () => rows.find(filter, { ...READ, hint: 'name' }).toArray())
      return new Map(found.map((row) => [row.name ?? '', rowOf(row)]))
    },
    state: async (tree) => {
      const found = await calling('read', () => states.findOne({ _id: tree }, READ))
      return found === null ? undefined : stateOf(found)
    },
    grow: (from, { tree, size, value }) =>
      calling('write', async () => {
        const set = { size, isSigned: size === 0, value: new Binary(value) }
        const { matchedCount } = await states.updateOne({ _id: tree, size: from }, { $set: set })
        if (matchedCount === 1 || from !== 0) return matchedCount === 1
        try {
          await states.insertOne({ _id: tree, signed: 0, ...set })
          return true
        } catch (error) {
          if (isDuplicate(error)) return false
          throw error
        }
      }),
    sign: async (tree, size) => {
      const signed = { $max: ['$signed', size] }
      await calling('write', () =>
        states.updateOne({ _id: tree }, [{ $set: { signed } }, { $set: { isSigned: { $gte: ['$signed', '$size'] } } }]),
      )
    },
    unsigned: async (prefix, limit) =>
      (
        await calling('read', () =>
          states.find({ isSigned: false, _id: within(prefix) }, { ...READ, hint: 'unsigned', sort: { _id: 1 }, limit }).toArray(),
        )
      ).map(stateOf),
    states: async (prefix, last, limit) =>
      (
        await calling('read', () =>
          states.find({ _id: { ...within(prefix), $gt: last } }, { ...READ, hint: { _id: 1 }, sort: { _id: 1 }, limit }).toArray(),
        )
      ).map(stateOf),
    close: async () => {},
  }
}
