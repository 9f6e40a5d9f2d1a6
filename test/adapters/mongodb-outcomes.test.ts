import test, { type ExecutionContext } from 'ava'
import { BSON } from 'mongodb'
import { connect } from '../../src/adapters/mongodb/connection.ts'
import { mongoDocuments } from '../../src/adapters/mongodb/documents.ts'
import { mongoVault } from '../../src/adapters/mongodb/vault.ts'
import type { Collection, Document } from '../../src/ports/documents.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { type Fate, type Hello, scriptedMongo } from '../support/scripted-mongodb.ts'

// What the driver makes of each failure is its own affair; here it meets them all, and only the outcome that the port promises counts.

type Scripted = {
  readonly vault: Vault
  readonly documents: ReturnType<typeof mongoDocuments>
  readonly asked: readonly string[]
  readonly close: () => Promise<void>
}

/** A store whose server answers the tries of a write one after the other with these fates; the last one goes on. */
const scripted = async (t: ExecutionContext, fates: readonly Fate[]): Promise<Scripted> => {
  let tries = 0
  const indexes: unknown[] = []
  const server = await scriptedMongo((command, name) => {
    if (name === 'listIndexes') return { cursor: { id: BSON.Long.ZERO, ns: 'rostra.things_v1', firstBatch: indexes } }
    if (name === 'createIndexes') return { created: indexes.push(...(command.indexes as readonly unknown[])) }
    const fate = fates[Math.min(tries, fates.length - 1)] ?? 'cut'
    tries += 1
    return fate
  })
  const connection = await connect(server.url)
  t.teardown(async () => {
    await connection.client.close()
    await server.close()
  })
  return {
    vault: mongoVault(connection.db),
    documents: mongoDocuments(connection, (use) => use(connection.db)),
    asked: server.asked,
    close: server.close,
  }
}

const refused = (code: number, codeName: string, errorLabels: readonly string[] = []): Fate => ({
  ok: 0,
  code,
  codeName,
  errmsg: codeName,
  errorLabels,
})

const written = { n: 1, nModified: 1 }
const unconfirmed = (code: number, codeName: string, errorLabels: readonly string[] = []): Fate => ({
  ...written,
  writeConcernError: { code, codeName, errmsg: codeName },
  errorLabels,
})

const RETRYABLE = ['RetryableWriteError']
const NOTHING = ['RetryableWriteError', 'NoWritesPerformed']

const outcome = async (call: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await call)
  } catch (error) {
    return error instanceof StoreFault ? error.kind : `loud: ${error}`
  }
}

const setting = ({ vault }: Scripted): Promise<string> => outcome(vault.putIf('lease', 'a', 7, { value: 1 }))

const certain: Readonly<Record<string, readonly [readonly Fate[], outcome: string, tries: number]>> = {
  'a try that was answered': [[written], 'true', 1],
  'a try that found another version': [[{ n: 0, nModified: 0 }], 'false', 1],
  'a broken connection, and a repetition that was answered': [['cut', written], 'true', 2],
  'two broken connections': [['cut', 'cut'], 'unknown-outcome', 2],
  'a broken connection, then a server that is no primary any more': [
    ['cut', refused(10_107, 'NotWritablePrimary', RETRYABLE)],
    'unknown-outcome',
    2,
  ],
  'a broken connection, then a server that says nothing was written by the repetition': [
    ['cut', refused(10_107, 'NotWritablePrimary', NOTHING)],
    'unknown-outcome',
    2,
  ],
  'a broken connection, then a user without the right': [['cut', refused(13, 'Unauthorized')], 'unknown-outcome', 2],
  'a server that is no primary': [[refused(10_107, 'NotWritablePrimary')], 'unavailable', 1],
  'a user without the right': [[refused(13, 'Unauthorized')], 'unavailable', 1],
  'a primary that steps down in between, and says that nothing was written': [
    [refused(11_602, 'InterruptedDueToReplStateChange', ['NoWritesPerformed'])],
    'unavailable',
    1,
  ],
  'a primary that steps down in between': [[refused(11_602, 'InterruptedDueToReplStateChange')], 'unknown-outcome', 1],
  'a primary that is shutting down, twice': [[refused(11_600, 'InterruptedAtShutdown', RETRYABLE)], 'unknown-outcome', 2],
  'a write that no majority confirmed in time': [[unconfirmed(64, 'WriteConcernTimeout')], 'unknown-outcome', 1],
  'a write that a primary made and then stepped down': [
    [unconfirmed(10_107, 'NotWritablePrimary', RETRYABLE), unconfirmed(10_107, 'NotWritablePrimary', RETRYABLE)],
    'unknown-outcome',
    2,
  ],
  'a write whose confirmation was cut off by a shutdown, then confirmed': [
    [unconfirmed(91, 'ShutdownInProgress', RETRYABLE), written],
    'true',
    2,
  ],
  'a full disk': [[refused(14_031, 'OutOfDiskSpace')], 'full', 1],
  'something nobody has heard of': [[refused(8, 'UnknownError')], 'loud: MongoServerError: UnknownError', 1],
}

for (const [title, [fates, expected, tries]] of Object.entries(certain))
  test(`a write in the vault after ${title}: ${expected}`, async (t) => {
    const stores = await scripted(t, fates)
    t.is(await setting(stores), expected)
    t.is(stores.asked.filter((name) => name === 'update').length, tries)
  })

test('a write that reached no server is reported as not made', async (t) => {
  const stores = await scripted(t, ['cut'])
  await stores.vault.get('lease', 'a').catch(() => undefined)
  await stores.close()
  t.is(await setting(stores), 'unavailable')
  t.false(stores.asked.includes('update'))
})

test('a write whose repetition finds no server is reported as possibly made', async (t) => {
  const stores: Scripted = await scripted(t, ['silence'])
  const setOnce = setting(stores)
  while (!stores.asked.includes('update')) await new Promise((resolve) => setTimeout(resolve, 10))
  await stores.close()
  t.is(await setOnce, 'unknown-outcome')
})

test('a write in flight when its connection is closed locally is reported as possibly made', async (t) => {
  const stores = await scripted(t, ['silence'])
  const setOnce = setting(stores)
  while (!stores.asked.includes('update')) await new Promise((resolve) => setTimeout(resolve, 10))
  await stores.documents.close()
  t.is(await setOnce, 'unknown-outcome')
  t.is(await setting(stores), 'unavailable', 'what comes later is not sent')
})

type Thing = Document & { readonly text: string }
const things: Collection<Thing> = { name: 'things', version: 1, indexes: [] }

/** What a batch comes to whose documents are answered with the first fates, and whose checkpoint with the last. */
const batch = async (t: ExecutionContext, ...fates: readonly Fate[]): Promise<string> => {
  const { documents } = await scripted(t, [{ cursor: { id: BSON.Long.ZERO, ns: 'rostra.checkpoints', firstBatch: [] } }, ...fates])
  await documents.prepare([things])
  const position = '1'.padStart(20, '0')
  const changes = ['a', 'b'].map((id) => ({ collection: things, id, position, document: { id, text: '' } }))
  return outcome(documents.write(changes, { name: 'shard', from: undefined, to: position }))
}

const duplicate = (index: number, name = '_id_') => ({
  index,
  code: 11_000,
  errmsg: `E11000 duplicate key error collection: rostra.things_v1 index: ${name} dup key: { _id: "a" }`,
})
const upserted = { n: 2, nModified: 0, upserted: [0, 1].map((index) => ({ index, _id: index })) }
const inserted = { n: 1 }

test('a batch succeeds when its documents and its checkpoint are confirmed', async (t) => {
  t.is(await batch(t, upserted, inserted), '"written"')
})

test('documents already at a higher position are not a failure', async (t) => {
  t.is(await batch(t, { n: 0, nModified: 0, writeErrors: [duplicate(0), duplicate(1)] }, { n: 0, nModified: 0 }, inserted), '"written"')
})

test('documents not confirmed by a majority fail the batch, whether or not some are at a higher position', async (t) => {
  const late = { writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out' } }
  t.is(await batch(t, { ...upserted, ...late }, inserted), 'unknown-outcome')
  t.is(await batch(t, { n: 1, nModified: 1, writeErrors: [duplicate(0)], ...late }, inserted), 'unknown-outcome')
})

test('a checkpoint not confirmed by a majority is reported as possibly not moved', async (t) => {
  const late = { writeConcernError: { code: 91, codeName: 'ShutdownInProgress', errmsg: 'shutting down' } }
  t.is(await batch(t, upserted, { ...inserted, ...late }), 'unknown-outcome')
  t.is(await batch(t, upserted, { n: 0, writeErrors: [duplicate(0)], ...late }), 'unknown-outcome')
})

test('a worker that is no longer current sends no more of its batch', async (t) => {
  for (const [sent, most] of [
    [0, 0],
    [2, 8],
  ] as const) {
    const none: Fate = { cursor: { id: BSON.Long.ZERO, ns: 'rostra.checkpoints', firstBatch: [] } }
    const { documents, asked } = await scripted(t, [none, upserted])
    await documents.prepare([things])
    const updates = () => asked.filter((name) => name === 'update').length
    const position = '1'.padStart(20, '0')
    const changes = Array.from({ length: 1_000 }, (_, n) => ({
      collection: things,
      id: `${n}`,
      position,
      document: { id: `${n}`, text: '' },
    }))
    t.is(await documents.write(changes, { name: 'shard', from: undefined, to: position }, () => updates() < sent), 'fenced')
    t.true(updates() >= sent && updates() <= most, `${updates()} of 20 parts were sent`)
    t.false(asked.includes('insert'), 'the checkpoint stays')
  }
})

test('a batch fails as fenced if another process moved the checkpoint first', async (t) => {
  t.is(await batch(t, upserted, { n: 0, writeErrors: [duplicate(0)] }), '"fenced"')
})

test('a duplicate in an index other than that of ids is a fault, and so is another error beside duplicates', async (t) => {
  t.regex(await batch(t, { n: 1, nModified: 1, writeErrors: [duplicate(0, 'somebody_1')] }), /^loud: .*E11000/)
  t.regex(await batch(t, { n: 0, nModified: 0, writeErrors: [duplicate(0), { index: 1, code: 17, errmsg: 'not now' }] }), /^loud: .*E11000/)
})

test('a batch interrupted by its primary is reported as possibly written in part', async (t) => {
  t.is(await batch(t, refused(10_107, 'NotWritablePrimary')), 'unknown-outcome')
  t.is(await batch(t, refused(10_107, 'NotWritablePrimary', ['NoWritesPerformed'])), 'unavailable')
})

test('every vault query that is not by id names its index', async (t) => {
  const commands: Readonly<Record<string, unknown>>[] = []
  const server = await scriptedMongo((command) => {
    commands.push(command)
    return { n: 0, nModified: 0, value: null, cursor: { id: BSON.Long.ZERO, ns: 'rostra.vault_lease', firstBatch: [] } }
  })
  const { client, db } = await connect(server.url)
  const vault = mongoVault(db)
  await vault.get('lease', 'a')
  await vault.getMany('lease', ['a', 'b'])
  await vault.list('lease', 'owner')
  await vault.put('lease', 'a', { value: 1 })
  await vault.putIf('lease', 'a', 0, { value: 1 })
  await vault.putIf('lease', 'a', 7, { value: 1 })
  await vault.take('lease', 'a')
  await vault.delete('lease', 'a')
  await vault.deleteAll('lease', 'owner')
  await vault.sweep(1)
  await client.close()
  await server.close()
  const questions = commands.flatMap(({ find, filter, findAndModify, query, hint, updates = [], deletes = [] }) => [
    ...(find || findAndModify ? [{ q: filter ?? query, hint }] : []),
    ...(updates as { q: object; hint: unknown }[]),
    ...(deletes as { q: object; hint: unknown }[]),
  ])
  t.true(questions.length >= 10)
  for (const { q, hint } of questions) t.true(hint !== undefined || Object.keys(q as object).join() === '_id', JSON.stringify(q))
})

test('after a change of the primary writes and reads go to the new one', async (t) => {
  let primary = 0
  const seen: string[] = []
  const addresses: string[] = []
  const member =
    (which: number): Hello =>
    (me) => ({
      setName: 'rs0',
      setVersion: 1,
      hosts: addresses,
      me,
      ...(primary === which
        ? { isWritablePrimary: true, primary: me, electionId: new BSON.ObjectId(`00000000000000000000000${which + 1}`) }
        : {}),
      ...(primary === which ? {} : { isWritablePrimary: false, secondary: true }),
    })
  const fateAt =
    (which: number) =>
    (_: unknown, name: string): Fate => {
      seen.push(`${name}@${which}`)
      if (name === 'update' && which === 0) {
        primary = 1
        return refused(10_107, 'NotWritablePrimary', NOTHING)
      }
      return name === 'update' ? written : { cursor: { id: BSON.Long.ZERO, ns: 'rostra.vault_lease', firstBatch: [] } }
    }
  const members = await Promise.all([0, 1, 2].map((which) => scriptedMongo(fateAt(which), () => member(which))))
  addresses.push(...members.map(({ address }) => address))
  const { client, db } = await connect(`mongodb://${addresses.join(',')}/rostra?replicaSet=rs0`)
  t.teardown(async () => {
    await client.close()
    await Promise.all(members.map(({ close }) => close()))
  })
  const vault = mongoVault(db)
  t.true(await vault.putIf('lease', 'a', 7, { value: 1 }))
  t.is(await vault.get('lease', 'a'), undefined)
  t.deepEqual(seen, ['update@0', 'update@1', 'find@1'])
})
