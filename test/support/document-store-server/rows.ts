import { BSON } from 'mongodb'
import { firstIndex } from '../../../src/ports/first-index.ts'
import { compareValues, type Fits, filterTest, valueAt, valuesIn } from './matching.ts'
import { decodeDeep, decodeShallow, type Json } from './wire.ts'

/** The documents of one collection in memory, and its indexes. */

export type IndexDescription = Json & { readonly name: string; readonly key: Readonly<Record<string, number>> }

export type Row = {
  readonly key: string
  bytes: Buffer
  top: Json | undefined
  document: Json | undefined
}

type Entry = { readonly values: readonly unknown[]; readonly row: Row }

type Index = {
  readonly description: IndexDescription
  readonly terms: readonly (readonly [path: string, direction: number])[]
  /** In order; undefined until the index is first read. */
  entries: Entry[] | undefined
  /** Rows that were written since the index was read, with what the entries have of them. */
  readonly behind: Map<Row, readonly Entry[]>
  readonly of: Map<Row, readonly Entry[]>
}

/** A part of this size or more of an index is sorted anew instead of being put in one by one. */
const MANY_BEHIND = 1 / 16

export const topOf = (row: Row): Json => {
  row.top ??= decodeShallow(row.bytes)
  return row.top
}

export const documentOf = (row: Row): Json => {
  row.document ??= BSON.deserialize(row.bytes)
  return row.document
}

const keyOf = (id: unknown): string => (typeof id === 'string' ? `s${id}` : `${typeof id} ${JSON.stringify(id)}`)

const compareEntries =
  ({ terms }: Pick<Index, 'terms'>) =>
  (a: readonly unknown[], b: readonly unknown[]): number => {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      const difference = compareValues(a[at], b[at]) * (terms[at]?.[1] ?? 1)
      if (difference !== 0) return difference
    }
    return 0
  }

/** Returns the index of the first entry that is not before these values. */
const placeOf = (entries: readonly Entry[], isBefore: (entry: Entry) => boolean): number =>
  firstIndex(entries.length, (n) => !isBefore(entries[n] as Entry))

/** A list has an entry for each of its members. */
const entriesOf = ({ terms, description }: Index, row: Row): readonly Entry[] => {
  const document = documentOf(row)
  const values = terms.map(([path]) => valueAt(document, path))
  if (description.sparse === true && values.every((value) => value === undefined)) return []
  const list = values.findIndex(Array.isArray)
  if (list < 0) return [{ values, row }]
  return [...new Set(values[list] as readonly unknown[])].map((member) => ({ values: values.with(list, member), row }))
}

const caughtUp = (index: Index, rows: ReadonlyMap<string, Row>): readonly Entry[] => {
  const compare = compareEntries(index)
  const inOrder = (a: Entry, b: Entry) => compare(a.values, b.values) || (a.row.key < b.row.key ? -1 : 1)
  const add = (row: Row): readonly Entry[] => {
    const newEntries = rows.get(row.key) === row ? entriesOf(index, row) : []
    if (newEntries.length > 0) index.of.set(row, newEntries)
    else index.of.delete(row)
    return newEntries
  }
  if (index.entries === undefined || index.behind.size > 16 + index.entries.length * MANY_BEHIND) {
    const upToDate = index.entries?.filter(({ row }) => !index.behind.has(row)) ?? []
    const written = index.entries === undefined ? rows.values() : index.behind.keys()
    index.entries = [...upToDate, ...[...written].flatMap(add)].sort(inOrder)
  } else {
    const { entries } = index
    for (const [row, before] of index.behind) {
      for (const entry of before)
        entries.splice(
          placeOf(entries, (one) => inOrder(one, entry) < 0 && one !== entry),
          1,
        )
      for (const entry of add(row))
        entries.splice(
          placeOf(entries, (one) => inOrder(one, entry) < 0),
          0,
          entry,
        )
    }
  }
  index.behind.clear()
  return index.entries
}

export type Found = { readonly filter: Json; readonly sort: Json; readonly skip: number; readonly limit: number; readonly hint?: unknown }

export const openRows = () => {
  const rows = new Map<string, Row>()
  const indexes = new Map<string, Index>()

  const touch = (row: Row): void => {
    for (const index of indexes.values())
      if (index.entries !== undefined && !index.behind.has(row)) index.behind.set(row, index.of.get(row) ?? [])
  }

  const byId = (filter: Json): readonly Row[] | undefined =>
    valuesIn(filter, '_id')?.flatMap((id) => {
      const row = rows.get(keyOf(id))
      return row ? [row] : []
    })

  /** The rows in the order of an index, from the values on that the filter gives of its first fields. */
  const scan = function* (index: Index, filter: Json, backwards: boolean): Generator<Row, void, undefined> {
    const entries = caughtUp(index, rows)
    const compare = compareEntries(index)
    const prefix: unknown[] = []
    for (const [path] of index.terms) {
      const [value, ...others] = valuesIn(filter, path) ?? []
      if (value === undefined || others.length > 0) break
      prefix.push(value)
    }
    const from = placeOf(entries, ({ values }) => compare(values, prefix) < 0)
    const to = placeOf(entries, ({ values }) => compare(values, prefix) <= 0)
    for (let at = 0; at < to - from; at++) {
      const entry = entries[backwards ? to - 1 - at : from + at]
      if (entry) yield entry.row
    }
  }

  /** Tells whether an index gives an order, read forwards (1) or backwards (-1). */
  const directionOf = (index: Index, filter: Json, sort: readonly (readonly [string, unknown])[]): 1 | -1 | undefined => {
    const free = index.terms.filter(([path]) => valuesIn(filter, path)?.length !== 1)
    const freeSort = sort.filter(([path]) => valuesIn(filter, path)?.length !== 1)
    const [direction = 1] = freeSort.map(([, way], at) => Math.sign(Number(way)) * (free[at]?.[1] ?? 1))
    const fits = freeSort.every(([path, way], at) => free[at]?.[0] === path && Math.sign(Number(way)) * (free[at]?.[1] ?? 1) === direction)
    return fits ? (direction < 0 ? -1 : 1) : undefined
  }

  const indexNamed = (hint: unknown): Index | undefined => (typeof hint === 'string' ? indexes.get(hint) : undefined)

  const find = ({ filter, sort, skip, limit, hint }: Found): readonly Row[] => {
    const fits: Fits = filterTest(filter)
    const order = Object.entries(sort)
    const index = indexNamed(hint)
    const direction = index && directionOf(index, filter, order)
    const most = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY
    const early = order.length === 0 || direction !== undefined
    const found = new Set<Row>()
    for (const row of byId(filter) ?? (index ? scan(index, filter, direction === -1) : rows.values())) {
      if (early && found.size >= most) break
      if (fits(documentOf(row))) found.add(row)
    }
    const sorted = early
      ? [...found]
      : [...found].sort((a, b) => {
          for (const [path, way] of order) {
            const difference = compareValues(valueAt(documentOf(a), path), valueAt(documentOf(b), path)) * Number(way)
            if (difference !== 0) return difference
          }
          return 0
        })
    return sorted.slice(skip, most)
  }

  const remove = (row: Row): void => {
    rows.delete(row.key)
    touch(row)
  }

  return {
    rows,
    /** Deletes what an index of times says is over, as a server does every minute. */
    expire: (now: number): void => {
      for (const { description, terms } of indexes.values()) {
        const [[path] = ['']] = terms
        const seconds = description.expireAfterSeconds
        for (const row of seconds === undefined ? [] : rows.values()) {
          const at = valueAt(documentOf(row), path)
          if (at instanceof Date && at.getTime() + Number(seconds) * 1_000 < now) remove(row)
        }
      }
    },
    indexes: () => [{ v: 2, key: { _id: 1 }, name: '_id_' }, ...[...indexes.values()].map(({ description }) => description)],
    find,
    byId,
    /** False for an id that is taken. */
    insert: (bytes: Buffer): boolean => {
      const top = decodeShallow(bytes)
      const key = keyOf(typeof top._id === 'string' ? top._id : decodeDeep(bytes)._id)
      if (rows.has(key)) return false
      const row: Row = { key, bytes, top, document: undefined }
      rows.set(key, row)
      touch(row)
      return true
    },
    replace: (row: Row, bytes: Buffer): void => {
      row.bytes = bytes
      row.top = undefined
      row.document = undefined
      touch(row)
    },
    delete: remove,
    createIndex: (description: IndexDescription): void => {
      const terms = Object.entries(description.key)
      indexes.set(description.name, { description, terms, entries: undefined, behind: new Map(), of: new Map() })
    },
    dropIndex: (name: string): boolean => indexes.delete(name),
  }
}

export type Rows = ReturnType<typeof openRows>
