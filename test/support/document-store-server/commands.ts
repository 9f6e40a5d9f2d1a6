import { BSON, ObjectId } from 'mongodb'
import { applyUpdate, type Fits, filterTest, valuesIn } from './matching.ts'
import { documentOf, type Found, type IndexDescription, openRows, type Row, type Rows, topOf } from './rows.ts'
import { type Command, cursorAnswer, decodeDeep, decodeShallow, documentsOf, type Json, withId } from './wire.ts'

/** The commands that the service and its bench send, as a MongoDB of one member answers them. */

const DUPLICATE_KEY = 11_000
const NAMESPACE_NOT_FOUND = 26
const INDEX_NOT_FOUND = 27
const COMMAND_NOT_FOUND = 59

export class Refused extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const OK = BSON.serialize({ ok: 1 })
const answer = (fields: Json): Uint8Array => BSON.serialize({ ok: 1, ...fields })

const helloOf = (address: string): Uint8Array =>
  answer({
    ...{ helloOk: true, isWritablePrimary: true, setName: 'rs0', setVersion: 1, hosts: [address], me: address, primary: address },
    ...{ minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30 },
    ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
  })

const choosePath = (document: Json, path: string): Json => {
  const [name = '', ...rest] = path.split('.')
  const value = document[name]
  if (value === undefined) return {}
  return { [name]: rest.length === 0 ? value : choosePath((value ?? {}) as Json, rest.join('.')) }
}

const mergeDocuments = (one: Json, other: Json): Json => {
  const merged: Record<string, unknown> = { ...one }
  for (const [name, value] of Object.entries(other))
    merged[name] = name in merged && name !== '_id' ? mergeDocuments(merged[name] as Json, value as Json) : value
  return merged
}

/** The bytes of a row with the fields of a projection; those of most rows are as they were written. */
const projectRow = (row: Row, projection: Json): Uint8Array => {
  const paths = Object.keys(projection)
  const without = paths.filter((path) => !projection[path])
  if (without.length === paths.length) {
    const top = topOf(row)
    if (!without.some((path) => path in top)) return row.bytes
    return BSON.serialize(Object.fromEntries(Object.entries(documentOf(row)).filter(([name]) => !without.includes(name))))
  }
  const chosenPaths = [...(projection._id === 0 ? [] : ['_id']), ...paths.filter((path) => projection[path])]
  return BSON.serialize(chosenPaths.reduce<Json>((made, path) => mergeDocuments(made, choosePath(documentOf(row), path)), {}))
}

type WriteError = { readonly index: number; readonly code: number; readonly errmsg: string }

const duplicate = (index: number): WriteError => ({ index, code: DUPLICATE_KEY, errmsg: 'E11000 duplicate key error index: _id_' })

const isReplacement = (update: Json): boolean => !Object.keys(update).some((name) => name.startsWith('$'))

/** The fields that a filter fixes, of which an upsert makes a document. */
const fixedBy = (filter: Json): Json =>
  Object.fromEntries(
    Object.keys(filter).flatMap((path) => (valuesIn(filter, path)?.length === 1 ? [[path, valuesIn(filter, path)?.[0]]] : [])),
  )

export const openCommands = (address: () => string) => {
  const databases = new Map<string, Map<string, Rows>>()

  const databaseOf = (name: unknown): Map<string, Rows> => {
    const known = databases.get(String(name)) ?? new Map<string, Rows>()
    databases.set(String(name), known)
    return known
  }
  const rowsOf = ({ $db }: Json, name: unknown): Rows => {
    const database = databaseOf($db)
    const known = database.get(String(name)) ?? openRows()
    database.set(String(name), known)
    return known
  }
  const existing = ({ $db }: Json, name: unknown): Rows => {
    const known = databaseOf($db).get(String(name))
    if (!known) throw new Refused(NAMESPACE_NOT_FOUND, `ns does not exist: ${$db}.${name}`)
    return known
  }

  const queryOf = (fields: Json): Found => ({
    filter: decodeDeep(fields.filter ?? fields.query ?? fields.q),
    sort: decodeDeep(fields.sort),
    skip: Number(fields.skip ?? 0),
    limit: Number(fields.limit ?? 0),
    hint: fields.hint,
  })

  const find = (fields: Json): Uint8Array => {
    const found = rowsOf(fields, fields.find).find(queryOf(fields))
    const projection = decodeDeep(fields.projection)
    return cursorAnswer(
      `${fields.$db}.${fields.find}`,
      found.map((row) => projectRow(row, projection)),
    )
  }

  const aggregate = (fields: Json): Uint8Array => {
    const stages = (fields.pipeline as readonly unknown[]).map(decodeDeep)
    const [match, ...others] = stages
    if (!match || !others.some(({ $group }) => $group)) throw new Refused(COMMAND_NOT_FOUND, 'only counting is known here')
    const limit = Number(others.find(({ $limit }) => $limit !== undefined)?.$limit ?? 0)
    const found = rowsOf(fields, fields.aggregate).find({ filter: decodeDeep(match.$match), sort: {}, skip: 0, limit, hint: fields.hint })
    const counted = found.length === 0 ? [] : [BSON.serialize({ _id: 1, n: found.length })]
    return cursorAnswer(`${fields.$db}.${fields.aggregate}`, counted)
  }

  const insert = (command: Command): Uint8Array => {
    const rows = rowsOf(command.fields, command.fields.insert)
    const documents = documentsOf(command, 'documents')
    const writeErrors = documents.flatMap((bytes, index) =>
      rows.insert('_id' in decodeShallow(bytes) ? bytes : withId(new ObjectId(), bytes)) ? [] : [duplicate(index)],
    )
    return answer({ n: documents.length - writeErrors.length, ...(writeErrors.length > 0 && { writeErrors }) })
  }

  /** Undefined where an upsert finds its id taken by a document that does not meet the filter. */
  const updateOne = (rows: Rows, { q, u, upsert, multi, hint }: Json): { readonly n: number; readonly upserted?: unknown } | undefined => {
    const filter = decodeDeep(q)
    const fits: Fits = filterTest(filter)
    const update = Array.isArray(u) ? u.map(decodeDeep) : u
    const top = Array.isArray(update) ? { $set: 1 } : update instanceof Uint8Array ? decodeShallow(Buffer.from(update)) : (update as Json)
    const replaces = isReplacement(top)
    const bytesFor = (id: unknown, before: Json): Buffer => {
      if (!replaces) return Buffer.from(BSON.serialize(applyUpdate(before, Array.isArray(update) ? update : decodeDeep(update))))
      const bytes = Buffer.from(update instanceof Uint8Array ? update : BSON.serialize(update as Json))
      return '_id' in top ? bytes : withId(id, bytes)
    }
    // the guards of a replacement are at the top of a document, which need not be taken apart for them
    const byId = rows.byId(filter)?.filter((row) => fits(replaces ? topOf(row) : documentOf(row)))
    const found = byId ?? rows.find({ filter, sort: {}, skip: 0, limit: multi ? 0 : 1, hint })
    for (const row of found) rows.replace(row, bytesFor(topOf(row)._id, replaces ? {} : documentOf(row)))
    if (found.length > 0 || !upsert) return { n: found.length }
    const fixed = fixedBy(filter)
    const id = fixed._id ?? top._id ?? new ObjectId()
    return rows.insert(bytesFor(id, { _id: id, ...fixed })) ? { n: 1, upserted: id } : undefined
  }

  const update = (command: Command): Uint8Array => {
    const rows = rowsOf(command.fields, command.fields.update)
    const writeErrors: WriteError[] = []
    const upserted: { readonly index: number; readonly _id: unknown }[] = []
    let n = 0
    for (const [index, bytes] of documentsOf(command, 'updates').entries()) {
      const result = updateOne(rows, decodeShallow(bytes))
      if (result === undefined) writeErrors.push(duplicate(index))
      else n += result.n
      if (result?.upserted !== undefined) upserted.push({ index, _id: result.upserted })
      if (result === undefined && command.fields.ordered !== false) break
    }
    return answer({
      n,
      nModified: n - upserted.length,
      ...(upserted.length > 0 && { upserted }),
      ...(writeErrors.length > 0 && { writeErrors }),
    })
  }

  const remove = (command: Command): Uint8Array => {
    const rows = rowsOf(command.fields, command.fields.delete)
    let n = 0
    for (const bytes of documentsOf(command, 'deletes'))
      for (const row of rows.find(queryOf(decodeShallow(bytes)))) {
        rows.delete(row)
        n += 1
      }
    return answer({ n })
  }

  const findAndModify = (fields: Json): Uint8Array => {
    if (fields.remove !== true) throw new Refused(COMMAND_NOT_FOUND, 'findAndModify only removes here')
    const rows = rowsOf(fields, fields.findAndModify)
    const [row] = rows.find({ ...queryOf(fields), limit: 1 })
    if (row) rows.delete(row)
    return answer({ value: row ? documentOf(row) : null, lastErrorObject: { n: row ? 1 : 0 } })
  }

  const listCollections = (fields: Json): Uint8Array => {
    const { name } = decodeDeep(fields.filter)
    const names = [...databaseOf(fields.$db).keys()].filter((one) => name === undefined || one === name)
    const described = names.map((one) => BSON.serialize({ name: one, type: 'collection', options: {}, info: { readOnly: false } }))
    return cursorAnswer(`${fields.$db}.$cmd.listCollections`, described)
  }

  const handlers: Readonly<Record<string, (command: Command) => Uint8Array>> = {
    hello: () => helloOf(address()),
    ping: () => OK,
    endSessions: () => OK,
    find: ({ fields }) => find(fields),
    aggregate: ({ fields }) => aggregate(fields),
    insert,
    update,
    delete: remove,
    findAndModify: ({ fields }) => findAndModify(fields),
    listCollections: ({ fields }) => listCollections(fields),
    listIndexes: ({ fields }) =>
      cursorAnswer(
        `${fields.$db}.${fields.listIndexes}`,
        existing(fields, fields.listIndexes)
          .indexes()
          .map((index) => BSON.serialize(index)),
      ),
    createIndexes: ({ fields }) => {
      const rows = rowsOf(fields, fields.createIndexes)
      for (const index of fields.indexes as readonly unknown[]) rows.createIndex(decodeDeep(index) as IndexDescription)
      return OK
    },
    dropIndexes: ({ fields }) => {
      if (existing(fields, fields.dropIndexes).dropIndex(String(fields.index))) return OK
      throw new Refused(INDEX_NOT_FOUND, `index not found with name [${fields.index}]`)
    },
    drop: ({ fields }) => {
      databaseOf(fields.$db).delete(String(fields.drop))
      return OK
    },
    listDatabases: () => answer({ databases: [...databases].filter(([, { size }]) => size > 0).map(([name]) => ({ name })) }),
    dropDatabase: ({ fields }) => {
      databases.delete(String(fields.$db))
      return OK
    },
  }
  const named: typeof handlers = { ...handlers, ismaster: () => helloOf(address()), isMaster: () => helloOf(address()) }

  return {
    answer: (command: Command): Uint8Array => {
      const [name = ''] = Object.keys(command.fields)
      const handle = named[name]
      if (!handle) throw new Refused(COMMAND_NOT_FOUND, `no such command: '${name}'`)
      return handle(command)
    },
    expire: (now: number): void => {
      for (const database of databases.values()) for (const rows of database.values()) rows.expire(now)
    },
  }
}
