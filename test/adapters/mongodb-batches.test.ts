import test, { type ExecutionContext } from 'ava'
import { BSON } from 'mongodb'
import { WRITES_IN_FLIGHT } from '../../src/adapters/mongodb/changes.ts'
import type { Collection, Document } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import type { Fate } from '../support/scripted-mongodb.ts'
import { openScripted, outcome, refusedWrite } from '../support/scripted-writes.ts'

type Thing = Document & { readonly text: string }
const things: Collection<Thing> = { name: 'things', version: 1, indexes: [] }

/** The result of a batch whose documents get the first of these answers, and whose checkpoint gets the last. */
const batch = async (t: ExecutionContext, ...fates: readonly Fate[]): Promise<string> => {
  const { documents } = await openScripted(t, [{ cursor: { id: BSON.Long.ZERO, ns: 'rostra.checkpoints', firstBatch: [] } }, ...fates])
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

test('checkpoints are looked up before a batch unless this process has just moved them, and again after they were not moved', async (t) => {
  const at = (n: number) => `${n}`.padStart(20, '0')
  const found = (...firstBatch: readonly object[]): Fate => ({ cursor: { id: BSON.Long.ZERO, ns: 'rostra.checkpoints', firstBatch } })
  const moved = { n: 1, nModified: 1 }
  const { documents, asked } = await openScripted(t, [
    ...[found(), upserted, inserted],
    ...[upserted, moved],
    ...[upserted, { n: 0, nModified: 0 }],
    found({ _id: 'shard', position: at(9) }),
  ])
  await documents.prepare([things])
  const write = async (from: Position | undefined, to: Position) => {
    const before = asked.length
    const changes = ['a', 'b'].map((id) => ({ collection: things, id, position: to, document: { id, text: '' } }))
    const result = await documents.write(changes, { name: 'shard', from, to })
    return [result, ...asked.slice(before)]
  }
  t.deepEqual(await write(undefined, at(1)), ['written', 'find', 'update', 'insert'])
  t.deepEqual(await write(at(1), at(2)), ['written', 'update', 'update'])
  t.deepEqual(await write(at(2), at(3)), ['fenced', 'update', 'update'], 'another has moved it meanwhile')
  t.deepEqual(await write(at(3), at(4)), ['fenced', 'find'])
})

test('a worker that is no longer current sends no more of its batch', async (t) => {
  for (const sent of [0, 2]) {
    // every part that is acknowledged while the worker is current is followed by one more
    const most = sent === 0 ? 0 : sent - 1 + WRITES_IN_FLIGHT
    const none: Fate = { cursor: { id: BSON.Long.ZERO, ns: 'rostra.checkpoints', firstBatch: [] } }
    const { documents, asked } = await openScripted(t, [none, upserted])
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
  t.is(await batch(t, refusedWrite(10_107, 'NotWritablePrimary')), 'unknown-outcome')
  t.is(await batch(t, refusedWrite(10_107, 'NotWritablePrimary', ['NoWritesPerformed'])), 'unavailable')
})
