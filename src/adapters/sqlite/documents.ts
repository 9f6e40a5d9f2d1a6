import {
  type Collection,
  type Document,
  type DocumentStore,
  pairsBy,
  type Query,
  type SearchQuery,
  type Value,
  type VersionedDocument,
} from '../../ports/documents.ts'
import type { Position } from '../../ports/event-store.ts'
import { openSearchEnds } from '../../ports/search-ends.ts'
import type { DataFile } from './connection.ts'
import { type DocumentRows, documentIn } from './document-rows.ts'
import { documentOf, type HeldDocuments, noHeldDocuments } from './held-documents.ts'
import { inspectTable } from './inspect.ts'
import type { KnownValues } from './known-values.ts'
import { countOf, gatherCounted, gatherPage, readPage } from './listing.ts'
import { toPosition } from './log.ts'
import { planCount, planQuery, toPortValue } from './query-plan.ts'
import { fileDifferences } from './schema-differences.ts'
import { searchIds } from './search.ts'
import { findTable, type TableLayout } from './tables.ts'

/** The reading half of the document store. */
export type DocumentReads = Pick<
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

const MAX_IDS = 1_000

/** Reads rows over one connection, and the documents that are held beside them in memory. Each read is of one state. */
export const documentReads = (
  connection: DataFile,
  stored: DocumentRows,
  held: HeldDocuments = noHeldDocuments,
  values?: Pick<KnownValues, 'excludes'>,
): DocumentReads => {
  const { rows } = connection
  const searchEnds = openSearchEnds<number>()

  /** Reads the file. The first statement takes the snapshot, then every held change is taken in that it may have. */
  const snapshot = <T>(work: (version: number) => T): T => {
    if (connection.db.isTransaction) return work(stored.version())
    held.dropFlushed()
    return connection.read(() => {
      const version = stored.version()
      held.receiveChanges()
      return work(version)
    })
  }

  /** Returns the state of an id that is certain without a look into the file; `null` if it was deleted. */
  const certain = (from: TableLayout, id: string): VersionedDocument<Document> | undefined => {
    const changed = held.heldIn(from.name)?.get(id)
    if (changed) return { position: toPosition(changed.position), document: documentOf(changed) }
    const known = stored.known(from, id)
    return known && { position: toPosition(known.position), document: known.document }
  }

  /** Returns documents, and tombstones that are held. */
  const getMany = (from: TableLayout, ids: readonly string[]): ReadonlyMap<string, VersionedDocument<Document>> => {
    const found = new Map<string, VersionedDocument<Document>>()
    const isComplete = ids.every((id) => {
      const versioned = certain(from, id)
      if (versioned) found.set(id, versioned)
      return versioned !== undefined
    })
    if (isComplete) return found
    found.clear()
    return snapshot((version) => {
      for (const id of ids) {
        const versioned = certain(from, id)
        if (versioned) {
          found.set(id, versioned)
          continue
        }
        const row = stored.current(from, id, version)
        if (row) found.set(id, { position: toPosition(row.position), document: row.document })
      }
      return found
    })
  }

  const documentsById = async <D extends Document>(collection: Collection<D>, ids: readonly string[]) => {
    if (ids.length > MAX_IDS) throw new Error(`${ids.length} ids in one call; ${MAX_IDS} are allowed`)
    const found = new Map<string, D>()
    for (const [id, { document }] of getMany(stored.table(collection), ids)) if (document) found.set(id, document as D)
    return found
  }

  return {
    getMany: documentsById,
    getPairs: pairsBy(documentsById),
    find: async <D extends Document>(collection: Collection<D>, { where, order, page }: Query) => {
      const from = stored.table(collection)
      const plan = planQuery(from, where, order)
      if (values?.excludes(from, plan.equal)) return []
      const gathering = gatherPage(plan, page, held.heldIn(from.name))
      if (gathering) await gathering
      return snapshot((version) => {
        const changed = held.heldIn(from.name)
        return readPage(connection, from, plan, page, ['id', '$row'], changed).flatMap((row) => {
          const [id, n] = row as [string, number | null]
          const one = changed?.get(id)
          const document = one ? documentOf(one) : stored.at(from, id, n ?? 0, version)?.document
          return document ? [document as D] : []
        })
      })
    },
    select: async <T>(collection: Collection<Document>, { where, order, page }: Query, fields: readonly string[]) => {
      const from = stored.table(collection)
      const plan = planQuery(from, where, order)
      const missing = fields.find((field) => !plan.index.carries.has(field))
      if (missing !== undefined) throw new Error(`${plan.index.name} does not carry ${missing}`)
      const item = (row: readonly unknown[]): T => {
        const values: Record<string, Value> = {}
        fields.forEach((field, i) => {
          values[field] = toPortValue(field, row[i])
        })
        return values as T
      }
      const gathering = gatherPage(plan, page, held.heldIn(from.name))
      if (gathering) await gathering
      return snapshot(() => readPage(connection, from, plan, page, fields, held.heldIn(from.name)).map(item))
    },
    count: async (collection, where, max) => {
      const from = stored.table(collection)
      const plan = planCount(from, where)
      const gathering = gatherCounted(plan, held.heldIn(from.name))
      if (gathering) await gathering
      return snapshot(() => countOf(connection, from, plan, max, held.heldIn(from.name)))
    },
    search: async <D extends Document>(collection: Collection<D>, query: SearchQuery) => {
      const from = stored.table(collection)
      await held.flush()
      return snapshot(() => {
        const steps = searchIds(connection, from, query, searchEnds)
        let step = steps.next()
        while (!step.done) step = steps.next()
        const documents = getMany(from, step.value)
        return step.value.flatMap((id) => (documents.get(id)?.document as D | undefined) ?? [])
      })
    },
    walk: async <D extends Document>(collection: Collection<D>, after: string | undefined, limit: number) => {
      const from = stored.table(collection)
      await held.flush()
      const bodies = connection.read(() =>
        rows(`SELECT body FROM ${from.name} WHERE id > ? ORDER BY id LIMIT ? + 0`).all(after ?? '', limit),
      )
      return bodies.map((row) => documentIn<D>(from, (row as unknown as [string])[0]))
    },
    inspect: async (collection, after = '', limit) => {
      await held.flush()
      return connection.read(() => {
        const declared = findTable(connection, collection)
        return declared ? inspectTable(connection, declared, after, limit) : []
      })
    },
    differences: async (collections) => {
      await held.flush()
      return fileDifferences(connection, collections)
    },
    load: async (collection, ids) => {
      const from = stored.table(collection)
      const unknown = ids.filter((id) => certain(from, id) === undefined)
      if (unknown.length === 0) return getMany(from, ids)
      return snapshot(() => {
        const documents = new Map(getMany(from, ids))
        for (const id of unknown) {
          const grave = documents.has(id) ? undefined : stored.grave(from, id)
          if (grave !== undefined) documents.set(id, { position: toPosition(grave), document: undefined })
        }
        return documents
      })
    },
    checkpoints: async (names) => {
      await held.flush()
      return connection.read(() => {
        const found = rows('SELECT name, position FROM checkpoint WHERE name IN (SELECT value FROM json_each(?))')
        return new Map(found.all(JSON.stringify(names)) as unknown as readonly [string, Position][])
      })
    },
    checkpoint: async (name) => {
      await held.flush()
      return connection.read(() => readCheckpoint(connection, name))
    },
  }
}

/** Returns the position of a checkpoint in the file. */
export const readCheckpoint = ({ rows }: DataFile, name: string): Position | undefined =>
  (rows('SELECT position FROM checkpoint WHERE name = ?').get(name) as unknown as [Position] | undefined)?.[0]
