import test from 'ava'
import { dropLeftovers, forgetParked, leftoversOf, registerShards } from '../../../projections/engine/leftovers.ts'
import { parked, toParked } from '../../../projections/engine/parked.ts'
import { checkpointOf, collectionsOf, openReadModels } from '../../../projections/engine/sets.ts'
import { SHARD_COUNT, shardCheckpoints, shardSetOf } from '../../../projections/engine/shards.ts'
import { subscriptions } from '../../../projections/subscriptions.ts'
import type { DocumentChange } from '../../../src/ports/documents.ts'
import { loggedFrom, positionOf } from '../../support/logged-events.ts'
import { more, next, old, openVersions, sweepAtOnce, told, upToDate } from '../../support/read-model-versions.ts'
import { allOf, catchUp, openFile } from '../../support/read-models.ts'

const [MESSAGES = '', NEXT_MESSAGES = ''] = [old, next].map((all) => {
  const { name, version } = all[1]?.collection ?? { name: '', version: 0 }
  return `${name}_v${version}`
})

test('collections of another version are listed, and dropped with their checkpoints', async (t) => {
  const { stores, ports, append } = await openVersions(t)
  const { documents } = stores
  await upToDate(ports, stores.events, old)
  await sweepAtOnce(documents, old)
  await registerShards(documents, next)
  await upToDate(ports, stores.events, next)
  const left = await leftoversOf(documents, next)
  t.deepEqual(left, { collections: [MESSAGES], sets: [shardSetOf(old)] })
  await dropLeftovers(documents, left)
  t.deepEqual(await leftoversOf(documents, next), { collections: [], sets: [] })
  t.is((await documents.checkpoints(shardCheckpoints(old))).size, 0)
  t.is((await documents.checkpoints(shardCheckpoints(next))).size, SHARD_COUNT)
  t.is((await allOf(documents, subscriptions)).length, 1)

  await documents.prepare(collectionsOf(old))
  await registerShards(documents, old)
  await append(loggedFrom(more).slice(told.length))
  await upToDate(ports, stores.events, old)
  t.is((await allOf(documents, subscriptions)).length, 2, 'who goes back builds anew what is gone')
})

test('parked events of a dropped collection are deleted, and no others', async (t) => {
  const { stores } = await openVersions(t)
  const { documents } = stores
  const entry = (key: string, at: number): DocumentChange => {
    const document = toParked({ collection: key, document: 'd' }, { id: 'e', type: 'T', position: positionOf(at) }, new Error('bad'))
    return { collection: parked, id: document.id, position: document.last, document }
  }
  await documents.write([entry('links_v0', 3), entry('inbox_v0', 12), entry(MESSAGES, 3), entry('*', 3)], [])
  await forgetParked(documents, old, positionOf(11))
  t.deepEqual((await allOf(documents, parked)).map(({ collection }) => collection).sort(), ['*', 'inbox_v0', MESSAGES].sort())
})

test('in one file, going back to a version whose collections were dropped builds them anew', async (t) => {
  const { stores, ports, append } = openFile(t)
  const { documents } = stores
  await append(loggedFrom(told))
  await catchUp(await openReadModels(ports, old))
  await catchUp(await openReadModels(ports, next))
  t.deepEqual(await leftoversOf(documents, next), { collections: [MESSAGES], sets: [checkpointOf(old)] })
  await dropLeftovers(documents, await leftoversOf(documents, next), 0)
  t.is(await documents.checkpoint(checkpointOf(old)), undefined)
  const runner = await openReadModels(ports, old)
  t.is(runner.position(), positionOf(told.length))
  t.deepEqual((await leftoversOf(documents, old)).collections, [NEXT_MESSAGES])
})
