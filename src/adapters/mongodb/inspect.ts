import type { Db, Filter, Collection as Stored } from 'mongodb'
import type { Collection, Deviation, Document, StoredRow } from '../../ports/documents.ts'
import type { ChangeRow } from './changes.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { declaredIndexes, readIndexes, shapeOf } from './indexes.ts'
import { indexedFields, valueAt } from './query.ts'
import { searchWordsOf } from './search-words.ts'

type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

const FIELDS: ReadonlySet<string> = new Set(['_id', 'position', 'live', 'tombstone', 'body', 'words'] satisfies (keyof ChangeRow)[])

/** Returns the fields beside the body that a document or a tombstone should have. */
const expectedFields = (collection: Collection<Document>, { _id, position, body }: ChangeRow): Partial<ChangeRow> => {
  if (body === undefined) return { tombstone: position }
  const words = isBody(body) ? searchWordsOf(collection, { ...body, id: _id }) : undefined
  return { live: true, ...(words !== undefined && { words }) }
}

const deviationsOf = (collection: Collection<Document>, row: ChangeRow): readonly Deviation[] => {
  const expected = expectedFields(collection, row)
  const beside = (['live', 'tombstone', 'words'] as const).filter((part) => JSON.stringify(row[part]) !== JSON.stringify(expected[part]))
  const foreign = Object.entries(row).filter(([part]) => !FIELDS.has(part))
  const unindexable = [...indexedFields(collection)]
    .map((field) => [field, valueAt(row.body, field)] as const)
    .filter(([, value]) => isBody(value) || Array.isArray(value))
  return [
    ...beside.map((part) => ({ part, stored: row[part], made: expected[part] })),
    ...foreign.map(([part, stored]) => ({ part, stored, made: undefined })),
    ...unindexable.map(([field, stored]) => ({ part: `index of ${field}`, stored, made: 'a field that cannot be indexed' })),
  ]
}

/** Returns rows and tombstones, whatever is in them. */
export const inspectCollection = async (
  rows: Stored<ChangeRow>,
  collection: Collection<Document>,
  after: string | undefined,
  limit: number,
): Promise<readonly StoredRow[]> => {
  const match: Filter<ChangeRow> = { _id: after === undefined ? { $gte: '' } : { $gt: after } }
  const found = await rows.find(match, { sort: { _id: 1 }, limit, batchSize: limit, hint: '_id_', maxTimeMS: READ_TIMEOUT_MS }).toArray()
  return found.map((row) => ({
    id: row._id,
    position: String(row.position),
    isTombstone: row.body === undefined && row.live === undefined,
    document: isBody(row.body) ? row.body : undefined,
    deviations: deviationsOf(collection, row),
  }))
}

const indexDifferences = async (rows: Stored<ChangeRow>, collection: Collection<Document>): Promise<readonly string[]> => {
  const indexes = await readIndexes(rows)
  const name = rows.collectionName
  const wrong: string[] = []
  for (const index of declaredIndexes(collection)) {
    const shape = indexes.get(index.name)
    if (shape === shapeOf(index)) continue
    wrong.push(`the index "${index.name}" of ${name} ${shape === undefined ? 'is missing' : `is not as this program makes it: ${shape}`}`)
  }
  const unique = (await rows.indexes()).filter((index) => index.unique === true && index.name !== '_id_')
  return [...wrong, ...unique.map((index) => `the unique index "${index.name}" of ${name} was not made by this program`)]
}

/**
 * Lists the differences between a collection and one that this program made. Other indexes are left to the server's operator, unless they
 * refuse documents.
 */
export const collectionDifferences = async (
  db: Db,
  rows: Stored<ChangeRow>,
  collection: Collection<Document>,
): Promise<readonly string[]> => {
  const name = rows.collectionName
  const [info] = await db.listCollections({ name }, { nameOnly: false }).toArray()
  if (info === undefined) return [`the collection ${name} is missing`]
  const options = Object.entries(info.options ?? {}).filter(([option]) => option !== 'uuid')
  const other =
    info.type === 'collection' && options.length === 0
      ? []
      : [`${name} is not as this program makes it: ${info.type} ${JSON.stringify(info.options)}`]
  const numbered = await rows.findOne({ _id: { $not: { $type: 'string' } } } as unknown as Filter<ChangeRow>, {
    projection: { _id: 1 },
    maxTimeMS: READ_TIMEOUT_MS,
  })
  const strange = numbered === null ? [] : [`${name} holds a document whose id is no text: ${String(numbered._id)}`]
  return [...other, ...strange, ...(await indexDifferences(rows, collection))]
}
