import test from 'ava'
import { BSON } from 'mongodb'
import { connectToMongo } from '../../src/adapters/mongodb/connection.ts'
import { mongoVault } from '../../src/adapters/mongodb/vault.ts'
import { type Fate, type Hello, scriptedMongo } from '../support/scripted-mongodb.ts'
import { openScripted, outcome, refusedWrite, type Scripted } from '../support/scripted-writes.ts'

const written = { n: 1, nModified: 1 }
const unconfirmed = (code: number, codeName: string, errorLabels: readonly string[] = []): Fate => ({
  ...written,
  writeConcernError: { code, codeName, errmsg: codeName },
  errorLabels,
})

const RETRYABLE = ['RetryableWriteError']
const NOTHING = ['RetryableWriteError', 'NoWritesPerformed']

const setting = ({ vault }: Scripted): Promise<string> => outcome(vault.putIf('lease', 'a', 7, { value: 1 }))

const certain: Readonly<Record<string, readonly [readonly Fate[], outcome: string, tries: number]>> = {
  'a try that was answered': [[written], 'true', 1],
  'a try that found another version': [[{ n: 0, nModified: 0 }], 'false', 1],
  'a broken connection, and a repetition that was answered': [['cut', written], 'true', 2],
  'two broken connections': [['cut', 'cut'], 'unknown-outcome', 2],
  'a broken connection, then a server that is no primary any more': [
    ['cut', refusedWrite(10_107, 'NotWritablePrimary', RETRYABLE)],
    'unknown-outcome',
    2,
  ],
  'a broken connection, then a server that says nothing was written by the repetition': [
    ['cut', refusedWrite(10_107, 'NotWritablePrimary', NOTHING)],
    'unknown-outcome',
    2,
  ],
  'a broken connection, then a user without the right': [['cut', refusedWrite(13, 'Unauthorized')], 'unknown-outcome', 2],
  'a server that is no primary': [[refusedWrite(10_107, 'NotWritablePrimary')], 'unavailable', 1],
  'a user without the right': [[refusedWrite(13, 'Unauthorized')], 'unavailable', 1],
  'a primary that steps down in between, and says that nothing was written': [
    [refusedWrite(11_602, 'InterruptedDueToReplStateChange', ['NoWritesPerformed'])],
    'unavailable',
    1,
  ],
  'a primary that steps down in between': [[refusedWrite(11_602, 'InterruptedDueToReplStateChange')], 'unknown-outcome', 1],
  'a primary that is shutting down, twice': [[refusedWrite(11_600, 'InterruptedAtShutdown', RETRYABLE)], 'unknown-outcome', 2],
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
  'a full disk': [[refusedWrite(14_031, 'OutOfDiskSpace')], 'full', 1],
  'something nobody has heard of': [[refusedWrite(8, 'UnknownError')], 'loud: MongoServerError: UnknownError', 1],
}

for (const [title, [fates, expected, tries]] of Object.entries(certain))
  test(`a write in the vault after ${title}: ${expected}`, async (t) => {
    const stores = await openScripted(t, fates)
    t.is(await setting(stores), expected)
    t.is(stores.asked.filter((name) => name === 'update').length, tries)
  })

test('a write that reached no server is reported as not made', async (t) => {
  const stores = await openScripted(t, ['cut'])
  await stores.vault.get('lease', 'a').catch(() => undefined)
  await stores.close()
  t.is(await setting(stores), 'unavailable')
  t.false(stores.asked.includes('update'))
})

test('a write whose repetition finds no server is reported as possibly made', async (t) => {
  const stores: Scripted = await openScripted(t, ['silence'])
  const setOnce = setting(stores)
  while (!stores.asked.includes('update')) await new Promise((resolve) => setTimeout(resolve, 10))
  await stores.close()
  t.is(await setOnce, 'unknown-outcome')
})

test('a write in flight when its connection is closed locally is reported as possibly made', async (t) => {
  const stores = await openScripted(t, ['silence'])
  const setOnce = setting(stores)
  while (!stores.asked.includes('update')) await new Promise((resolve) => setTimeout(resolve, 10))
  await stores.documents.close()
  t.is(await setOnce, 'unknown-outcome')
  t.is(await setting(stores), 'unavailable', 'what comes later is not sent')
})

test('every vault query that is not by id names its index', async (t) => {
  const commands: Readonly<Record<string, unknown>>[] = []
  const server = await scriptedMongo((command) => {
    commands.push(command)
    return { n: 0, nModified: 0, value: null, cursor: { id: BSON.Long.ZERO, ns: 'rostra.vault_lease', firstBatch: [] } }
  })
  const { client, db } = await connectToMongo(server.url)
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
        return refusedWrite(10_107, 'NotWritablePrimary', NOTHING)
      }
      return name === 'update' ? written : { cursor: { id: BSON.Long.ZERO, ns: 'rostra.vault_lease', firstBatch: [] } }
    }
  const members = await Promise.all([0, 1, 2].map((which) => scriptedMongo(fateAt(which), () => member(which))))
  addresses.push(...members.map(({ address }) => address))
  const { client, db } = await connectToMongo(`mongodb://${addresses.join(',')}/rostra?replicaSet=rs0`)
  t.teardown(async () => {
    await client.close()
    await Promise.all(members.map(({ close }) => close()))
  })
  const vault = mongoVault(db)
  t.true(await vault.putIf('lease', 'a', 7, { value: 1 }))
  t.is(await vault.get('lease', 'a'), undefined)
  t.deepEqual(seen, ['update@0', 'update@1', 'find@1'])
})
