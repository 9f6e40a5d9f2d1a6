import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { projections } from '../../../projections/all.ts'
import { openFeed } from '../../../projections/engine/feed.ts'
import { dropLeftovers, forgetParked, leftoversOf, openSweeper, registerShards } from '../../../projections/engine/leftovers.ts'
import { parked, parkedBy } from '../../../projections/engine/parked.ts'
import type { Projection } from '../../../projections/engine/projection.ts'
import type { Ports } from '../../../projections/engine/runner.ts'
import { checkpointOf, collectionsOf, openReadModels } from '../../../projections/engine/sets.ts'
import { openShardedRunner } from '../../../projections/engine/sharded-runner.ts'
import { SHARDS, shardCheckpoints, shardSetOf } from '../../../projections/engine/shards.ts'
import { openWorker } from '../../../projections/engine/worker.ts'
import { subscriptions } from '../../../projections/subscriptions.ts'
import { Subscribed, Unsubscribed } from '../../../src/domain/subscription.ts'
import type { Change, DocumentStore } from '../../../src/ports/documents.ts'
import type { EventStore } from '../../../src/ports/event-store.ts'
import { ann, bob, tea } from '../../support/example-history.ts'
import { by, loggedFrom, positionOf } from '../../support/logged-events.ts'
import { allOf, catchUp, looking, openFile } from '../../support/read-models.ts'

const SUBSITES = ['t4_a', 't4_b', 't4_c', 't4_d', 't4_e'] as const

/** Ann subscribes to five subsites and to tea, and leaves the five again. */
const told = [
  ...[...SUBSITES, tea].map((subsite) => by(ann)(Subscribed({ account: ann, subsite }))),
  ...SUBSITES.map((subsite) => by(ann)(Unsubscribed({ account: ann, subsite }))),
]
const more = [...told, by(bob)(Subscribed({ account: bob, subsite: tea }))]

const named = (name: string): readonly Projection[] => projections.filter(({ collection }) => collection.name === name)
const old: readonly Projection[] = [...named('subscriptions'), ...named('messages')]
const next = old.map((one) =>
  one.collection.name === 'messages' ? { ...one, collection: { ...one.collection, version: one.collection.version + 1 } } : one,
)

const [MESSAGES = '', NEXT_MESSAGES = ''] = [old, next].map((all) => {
  const { name, version } = all[1]?.collection ?? { name: '', version: 0 }
  return `${name}_v${version}`
})

const every = new Set(Array.from({ length: SHARDS }, (_, shard) => shard))

const upToDate = async (ports: Ports, log: EventStore, projections: readonly Projection[]): Promise<void> => {
  const runner = openShardedRunner(ports, openFeed(looking(log)), projections)
  while ((await runner.turn(every)) !== 'waited');
}

const tombstones = ({ connection }: ReturnType<typeof openFile>): number =>
  Number(Object.values(connection.db.prepare('SELECT count(*) FROM tombstone').get() ?? {})[0])

const opened = async (t: Parameters<typeof openFile>[0], projections = old) => {
  const file = openFile(t)
  await file.append(loggedFrom(told))
  await file.stores.documents.prepare([...collectionsOf(old), ...collectionsOf(next)])
  await registerShards(file.stores.documents, projections)
  return file
}

/** A round that takes what was passed just now. */
const sweepAtOnce = async (documents: DocumentStore, projections: readonly Projection[], limit?: number): Promise<number> => {
  const sweeper = openSweeper(documents, projections, 0)
  await sweeper.look()
  return sweeper.sweep(limit)
}

test('a process sweeps nothing for an hour after its start', async (t) => {
  const { stores, ports } = await opened(t)
  await upToDate(ports, stores.events, old)
  let now = 0
  const sweeper = openSweeper(stores.documents, old, 3_600_000, () => now)
  await sweeper.look()
  now = 3_599_999
  t.is(await sweeper.sweep(), 0)
  now = 3_600_000
  t.true((await sweeper.sweep()) > 0)
})

test('only tombstones that every shard passed an hour ago are swept', async (t) => {
  const file = await opened(t)
  const { stores, ports, append } = file
  const HOUR = 3_600_000
  let now = 0
  const sweeper = openSweeper(stores.documents, old, HOUR, () => now)
  await sweeper.look()
  await upToDate(ports, stores.events, old)
  now += 60_000
  await sweeper.look()
  now = HOUR
  await append(loggedFrom([...told, by(ann)(Unsubscribed({ account: ann, subsite: tea }))]).slice(told.length))
  await upToDate(ports, stores.events, old)
  await sweeper.look()
  t.is(await sweeper.sweep(), 0, 'an hour ago the shards stood at the beginning')
  now += 60_000
  await sweeper.look()
  t.is(tombstones(file), 6)
  t.is(await sweeper.sweep(), 5, 'an hour ago they had passed the first five')
  now += HOUR
  t.is(await sweeper.sweep(), 0, 'what was not looked at is not known')
  await sweeper.look()
  t.is(await sweeper.sweep(), 1)
})

test('a round sweeps a bounded number of tombstones of a collection', async (t) => {
  const file = await opened(t)
  const { stores, ports } = file
  t.is(await sweepAtOnce(stores.documents, old), 0, 'the shards stand at the beginning')
  await upToDate(ports, stores.events, old)
  t.is(tombstones(file), 5)
  t.is(await sweepAtOnce(stores.documents, old, 3), 3)
  t.is(await sweepAtOnce(stores.documents, old, 3), 2)
  t.is(await sweepAtOnce(stores.documents, old, 3), 0)
  t.is(tombstones(file), 0)
  t.deepEqual(
    (await allOf(stores.documents, subscriptions)).map(({ subsite }) => subsite),
    [tea],
  )
})

test('a version added later reads the log from its beginning, and restores no swept document', async (t) => {
  const file = await opened(t)
  const { stores, ports, append } = file
  await upToDate(ports, stores.events, old)
  await sweepAtOnce(stores.documents, old)
  await registerShards(stores.documents, next)
  const written: Change[] = []
  const noting: Ports = {
    ...ports,
    documents: {
      ...ports.documents,
      write: (changes, moves) => {
        written.push(...changes.filter(({ collection }) => collection.name === subscriptions.name))
        return ports.documents.write(changes, moves)
      },
    },
  }
  await upToDate(noting, stores.events, next)
  t.deepEqual(written, [])
  await append(loggedFrom(more).slice(told.length))
  await upToDate(noting, stores.events, next)
  t.deepEqual(
    written.map(({ id }) => id),
    [`${bob}.${tea}`],
  )
  t.is((await allOf(stores.documents, subscriptions)).length, 2)
})

test('a version still being built delays the sweep', async (t) => {
  const file = await opened(t)
  const { stores, ports } = file
  await upToDate(ports, stores.events, old)
  await registerShards(stores.documents, next)
  t.is(await sweepAtOnce(stores.documents, old), 0)
  t.is(tombstones(file), 5)
  await upToDate(ports, stores.events, next)
  t.is(await sweepAtOnce(stores.documents, old), 5)
})

test('a version added during a sweep stops it before anything is deleted', async (t) => {
  const file = await opened(t)
  const { stores, ports } = file
  const { documents } = stores
  await upToDate(ports, stores.events, old)
  const coming: typeof documents = {
    ...documents,
    write: async (changes, moves) => {
      const result = await documents.write(changes, moves)
      await registerShards(documents, next)
      return result
    },
  }
  t.is(await sweepAtOnce(coming, old), 0)
  t.is(tombstones(file), 5)
})

test('a worker sweeps tombstones while it projects', async (t) => {
  const file = await opened(t)
  const { stores, ports } = file
  const faults: unknown[] = []
  const stop = new AbortController()
  const wereCurrent: (boolean | undefined)[] = []
  const write: DocumentStore['write'] = (changes, moves, isCurrent) => {
    if (changes.some(({ collection }) => collection.name === subscriptions.name)) wereCurrent.push(isCurrent?.())
    return stores.documents.write(changes, moves, isCurrent)
  }
  const worker = openWorker(
    {
      ...ports,
      ...stores,
      documents: { ...stores.documents, write },
      events: looking(stores.events),
      report: (fault) => void faults.push(fault),
    },
    old,
    stop.signal,
    { every: 20, settled: 0 },
  )
  const isSwept = async () => tombstones(file) === 0 && (await allOf(stores.documents, subscriptions)).length === 1
  for (let tries = 0; tries < 300 && !(await isSwept()); tries++) await sleep(20)
  stop.abort()
  await worker.done
  t.true(await isSwept())
  t.deepEqual(faults, [])
  t.deepEqual(new Set(wereCurrent), new Set([true]), 'each write asks whether the worker still has its shards')
})

test('collections of another version are listed, and dropped with their checkpoints', async (t) => {
  const { stores, ports, append } = await opened(t)
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
  t.is((await documents.checkpoints(shardCheckpoints(next))).size, SHARDS)
  t.is((await allOf(documents, subscriptions)).length, 1)

  await documents.prepare(collectionsOf(old))
  await registerShards(documents, old)
  await append(loggedFrom(more).slice(told.length))
  await upToDate(ports, stores.events, old)
  t.is((await allOf(documents, subscriptions)).length, 2, 'who goes back builds anew what is gone')
})

test('parked events of a dropped collection are deleted, and no others', async (t) => {
  const { stores } = await opened(t)
  const { documents } = stores
  const entry = (key: string, at: number): Change => {
    const document = parkedBy({ collection: key, document: 'd' }, { id: 'e', type: 'T', position: positionOf(at) }, new Error('bad'))
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
