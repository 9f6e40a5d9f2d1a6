import {
  type Collection,
  type Document,
  type DocumentStore,
  type Page,
  pairsBy,
  type Query,
  type SearchQuery,
  type Value,
  type VersionedDocument,
} from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { openSearchEnds } from '../../ports/search-ends.ts'
import { type CachedDocument, documentCache, frozen } from './cache.ts'
import type { Connection } from './connection.ts'
import { fileDifferences } from './differences.ts'
import { bodyOf, inspectRows } from './inspect.ts'
import { toPosition } from './log.ts'
import { merged } from './merge.ts'
import { clauseOf, orderClause, type Plan, planCount, planQuery, type Stretch, shown, stretches, whereClause } from './plan.ts'
import { searchIds } from './search.ts'
import { columnOf, type Direction, describeTable, findTable, type Table, tableKey } from './tables.ts'

/** The reading half of the document store over one connection, and what the writing half needs of it. */
export type DocumentReader = {
  readonly table: (collection: Collection<Document>) => Table
  readonly learn: (table: Table) => void
  readonly getMany: (table: Table, ids: readonly string[]) => ReadonlyMap<string, CachedDocument>
  /** One document as it stands at a data version. */
  readonly current: (table: Table, id: string, version: number) => CachedDocument | undefined
  /** Remember what was written as read. */
  readonly remember: (table: Table, cached: CachedDocument, bytes: number) => void
  readonly forget: (table: Table, id: string) => void
  readonly forgetAll: () => void
  readonly reads: Pick<
    DocumentStore,
    | 'getMany'
    | 'getPairs'
    | 'find'
    | 'select'
    | 'count'
    | 'search'
    | 'walk'
    | 'inspect'
    | 'differences'
    | 'load'
    | 'checkpoint'
    | 'checkpoints'
  >
}

const MAX_IDS = 1_000

const documentIn = <D extends Document>({ collection }: Table, text: string): D => {
  const body = bodyOf(text)
  if (body === undefined) throw new StoreFault('damaged', `a document of ${tableKey(collection)} is damaged: run npm run audit`)
  return frozen(body as unknown as D)
}

export const documentReader = (connection: Connection, cacheBytes: number): DocumentReader => {
  const { rows } = connection
  const tables = new Map<string, Table>()
  const cache = documentCache(cacheBytes)

  const searchEnds = openSearchEnds<number>()
  const table = (collection: Collection<Document>): Table => {
    const known = tables.get(tableKey(collection))
    if (!known) throw new Error(`${tableKey(collection)} was not prepared`)
    return known
  }

  /** The document of a row of this snapshot; read anew only if it has changed since it was last read. */
  const at = (from: Table, n: number, known: CachedDocument | undefined, version: number): CachedDocument | undefined => {
    if (known?.n === n) {
      if (known.seen === version) return known
      const [position] = (rows(`SELECT pos FROM ${from.name} WHERE n = ?`).get(n) ?? []) as unknown as [number?]
      if (position === known.position) {
        known.seen = version
        return known
      }
    }
    const row = rows(`SELECT pos, body FROM ${from.name} WHERE n = ?`).get(n) as unknown as [number, string] | undefined
    if (!row) return undefined
    const [position, body] = row
    const cached = { n, position, document: documentIn(from, body), seen: version }
    cache.set(from.name, cached, body.length)
    return cached
  }

  const current = (from: Table, id: string, version: number): CachedDocument | undefined => {
    const known = cache.get(from.name, id)
    if (known?.seen === version) return known
    if (known) {
      const [n] = (rows(`SELECT n FROM ${from.name} WHERE id = ?`).get(id) ?? []) as unknown as [number?]
      return n === undefined ? undefined : at(from, n, known, version)
    }
    const row = rows(`SELECT n, pos, body FROM ${from.name} WHERE id = ?`).get(id) as unknown as [number, number, string] | undefined
    if (!row) return undefined
    const [n, position, body] = row
    const cached = { n, position, document: documentIn(from, body), seen: version }
    cache.set(from.name, cached, body.length)
    return cached
  }

  const getMany = (from: Table, ids: readonly string[]): ReadonlyMap<string, CachedDocument> =>
    connection.read(() => {
      const version = connection.dataVersion()
      const found = new Map<string, CachedDocument>()
      for (const id of ids) {
        const cached = current(from, id, version)
        if (cached) found.set(id, cached)
      }
      return found
    })

  const listed = <D extends Document>(from: Table, found: readonly (readonly unknown[])[]): readonly D[] => {
    const version = connection.dataVersion()
    return found.flatMap((row) => {
      const [id, n] = row as [string, number]
      const cached = at(from, n, cache.get(from.name, id), version)
      return cached ? [cached.document as D] : []
    })
  }

  const buried = (from: Table, ids: readonly string[]): readonly (readonly [string, VersionedDocument<Document>])[] => {
    const tombstone = rows('SELECT pos FROM tombstone WHERE collection = ? AND id = ?')
    return ids.flatMap((id) => {
      const [position] = (tombstone.get(from.number, id) ?? []) as unknown as [number?]
      return position === undefined ? [] : [[id, { position: toPosition(position), document: undefined }] as const]
    })
  }

  const documentsById = async <D extends Document>(collection: Collection<D>, ids: readonly string[]) => {
    if (ids.length > MAX_IDS) throw new Error(`${ids.length} ids in one call; ${MAX_IDS} are allowed`)
    return new Map([...getMany(table(collection), ids)].map(([id, { document }]) => [id, document as D]))
  }

  return {
    table,
    learn: (known) => {
      tables.set(tableKey(known.collection), known)
    },
    getMany,
    current,
    remember: (from, cached, bytes) => cache.set(from.name, cached, bytes),
    forget: (from, id) => cache.delete(from.name, id),
    forgetAll: () => cache.clear(),
    reads: {
      getMany: documentsById,
      getPairs: pairsBy(documentsById),
      find: async <D extends Document>(collection: Collection<D>, { where, order, page }: Query) => {
        const from = table(collection)
        const plan = planQuery(from, where, order)
        return connection.read(() => listed<D>(from, scan(connection, from, plan, page, ['id', '$row'])))
      },
      select: async <T>(collection: Collection<Document>, { where, order, page }: Query, fields: readonly string[]) => {
        const from = table(collection)
        const plan = planQuery(from, where, order)
        const missing = fields.find((field) => !plan.index.carries.has(field))
        if (missing !== undefined) throw new Error(`${plan.index.name} does not carry ${missing}`)
        const item = (row: readonly unknown[]): T => {
          const values: Record<string, Value> = {}
          fields.forEach((field, i) => {
            values[field] = shown(field, row[i])
          })
          return values as T
        }
        return connection.read(() => scan(connection, from, plan, page, fields).map(item))
      },
      count: async (collection, where, max) => {
        const from = table(collection)
        return connection.read(() => countRows(connection, from, planCount(from, where), max))
      },
      search: async <D extends Document>(collection: Collection<D>, query: SearchQuery) => {
        const from = table(collection)
        return connection.read(() => {
          const steps = searchIds(connection, from, query, searchEnds)
          let step = steps.next()
          while (!step.done) step = steps.next()
          const found = getMany(from, step.value)
          return step.value.flatMap((id) => (found.get(id)?.document as D | undefined) ?? [])
        })
      },
      walk: async <D extends Document>(collection: Collection<D>, after: string | undefined, limit: number) => {
        const from = table(collection)
        const found = connection.read(() => rows(`SELECT body FROM ${from.name} WHERE id > ? ORDER BY id LIMIT ?`).all(after ?? '', limit))
        return found.map((row) => documentIn<D>(from, (row as unknown as [string])[0]))
      },
      inspect: async (collection, after = '', limit) =>
        connection.read(() => {
          const declared = findTable(connection, collection)
          return declared ? inspectRows(connection, declared, after, limit) : []
        }),
      differences: async (collections) => fileDifferences(connection, collections),
      load: async (collection, ids) =>
        connection.read(() => {
          const from = table(collection)
          const live = getMany(from, ids)
          const documents = [...live].map(([id, { position, document }]) => [id, { position: toPosition(position), document }] as const)
          return new Map<string, VersionedDocument<Document>>([
            ...documents,
            ...buried(
              from,
              ids.filter((id) => !live.has(id)),
            ),
          ])
        }),
      checkpoints: async (names) =>
        connection.read(() => {
          const found = rows('SELECT name, position FROM checkpoint WHERE name IN (SELECT value FROM json_each(?))')
          return new Map(found.all(JSON.stringify(names)) as unknown as readonly [string, Position][])
        }),
      checkpoint: async (name) => {
        const row = connection.read(() => rows('SELECT position FROM checkpoint WHERE name = ?').get(name)) as unknown as
          | [Position]
          | undefined
        return row?.[0]
      },
    },
  }
}

/** Load the layouts of collections that another connection made. */
export const learnTables = (connection: Connection, reader: DocumentReader, collections: readonly Collection<Document>[]): void =>
  connection.read(() => {
    for (const collection of collections) reader.learn(describeTable(connection, collection))
  })

type Row = readonly unknown[]

const flipped = (order: readonly Direction[]): readonly Direction[] =>
  order.map(({ field, descending }) => ({ field, descending: !descending }))

const read = (
  { rows }: Connection,
  table: Table,
  plan: Plan,
  columns: string,
  order: readonly Direction[],
  parts: readonly Stretch[],
  limit: number,
): Row[] => {
  const found: Row[] = []
  for (const part of parts) {
    if (found.length === limit) break
    const { terms, parameters } = clauseOf(part)
    const text = `SELECT ${columns} FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(terms)}${orderClause(order)} LIMIT ?`
    const page = rows(text).all(...parameters, limit - found.length) as unknown as Row[]
    found.push(...page)
  }
  return found
}

/** Read one page of an index: the named fields of each row, in listing order. */
const scan = (connection: Connection, table: Table, plan: Plan, page: Page, fields: readonly string[]): Row[] => {
  if (page.after && page.before) throw new Error('a page starts after one item or ends before one, not both')
  const order = page.before ? flipped(plan.order) : plan.order
  const from = page.after ?? page.before
  const found = plan.membership
    ? merged(connection, table, plan, order, fields, page.limit, from)
    : read(connection, table, plan, fields.map(columnOf).join(', '), order, stretches(plan, plan.equal, order, from), page.limit)
  return page.before ? found.reverse() : found
}

const countRows = (connection: Connection, table: Table, plan: Plan, max: number): number => {
  const { terms, parameters } = clauseOf({ equal: plan.equal })
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${table.name} INDEXED BY ${plan.index.name}${whereClause(terms)} LIMIT ?)`
  const [count] = connection.rows(text).get(...parameters, max) as unknown as [number]
  return count
}
