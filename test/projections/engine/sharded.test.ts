import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { syntheticLog } from '../../../bench/synthetic-log.ts'
import { projections } from '../../../projections/all.ts'
import { readersOf } from '../../../projections/engine/batch.ts'
import { openFeed } from '../../../projections/engine/feed.ts'
import { parked } from '../../../projections/engine/parked.ts'
import { partitionOf } from '../../../projections/engine/partitions.ts'
import { openRunner, type Ports } from '../../../projections/engine/runner.ts'
import { collectionsOf } from '../../../projections/engine/sets.ts'
import { openShardedRunner } from '../../../projections/engine/sharded-runner.ts'
import { SHARD_COUNT, shardCheckpoints, shardOf, shardsTouchedBy } from '../../../projections/engine/shards.ts'
import { openWorker } from '../../../projections/engine/worker.ts'
import type { Logged } from '../../../src/domain/events.ts'
import { Vote } from '../../../src/domain/vote.ts'
import { UnreadableEvent } from '../../../src/log/codec.ts'
import { StoreFault } from '../../../src/ports/faults.ts'
import { randomFrom } from '../../support/event-load.ts'
import { everyEvent } from '../../support/every-event/every-event.ts'
import { positionOf } from '../../support/logged-events.ts'
import { allOf, catchUp, contentsOf, openFile, watchForeignLog } from '../../support/read-models.ts'

const history = (seed: number): readonly Logged[] =>
  [...syntheticLog({ seed, links: 20, subsites: 2, accounts: 9 })].map((event, i) => ({ ...event, position: positionOf(i + 1) }) as Logged)

/** Folds the log with one runner, without shards. */
const straight = async (t: ExecutionContext, events: readonly Logged[]) => {
  const { ports, stores, append } = openFile(t)
  await append(events)
  await stores.documents.prepare(collectionsOf(projections))
  await catchUp(await openRunner(ports, projections, { checkpoint: 'all', onPoison: 'stop' }))
  return contentsOf(stores.documents, projections)
}

const every = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard))
const isVote = ({ stream }: Pick<Logged, 'stream'>): boolean => stream.startsWith(`${Vote.category}-`)
const crash = () => new StoreFault('unknown-outcome', 'crash')

test('shards are evenly filled, also by ids that differ in their last letter only', (t) => {
  const counts = new Map<number, number>()
  for (let n = 0; n < 16_000; n++) {
    const shard = shardOf(`t4_${(1_000_000 + n).toString(36)}`)
    counts.set(shard, (counts.get(shard) ?? 0) + 1)
  }
  t.deepEqual(
    [...counts.keys()].sort((a, b) => a - b),
    [...every],
  )
  for (const count of counts.values()) t.true(count > 800 && count < 1_200, `${count}`)
})

test('any moves of shards and interruptions of writes give the same documents', async (t) => {
  for (const seed of [1, 2]) {
    const random = randomFrom(seed)
    const events = history(seed)
    const { ports, stores, append } = openFile(t)
    const { documents } = stores
    await documents.prepare(collectionsOf(projections))
    let dummies = 0
    /** A store that dies before, in the midst of, or right after a batch. */
    const dying: Ports['documents'] = {
      ...documents,
      write: async (changes, moves) => {
        const dice = random()
        if (dice < 0.1) throw crash()
        if (dice < 0.25) {
          const some = changes.filter(() => random() < 0.5)
          await documents.write(some, { name: `dummy ${dummies++}`, from: undefined, to: positionOf(1) })
          throw crash()
        }
        const result = await documents.write(changes, moves)
        if (dice < 0.35) throw crash()
        return result
      },
    }
    const runners = [1, 2, 3].map(() =>
      openShardedRunner({ ...ports, documents: dying }, openFeed(watchForeignLog(stores.events)), projections),
    )
    let written = 0
    for (let n = 0; n < 60; n++) {
      const more = Math.floor(random() * 12)
      await append(events.slice(written, written + more))
      written = Math.min(events.length, written + more)
      const runner = runners[Math.floor(random() * runners.length)]
      const some = new Set([...every].filter(() => random() < 0.5))
      await runner?.turn(some).catch((fault) => {
        if (!(fault instanceof StoreFault)) throw fault
        runner.forget()
      })
    }
    await append(events.slice(written))
    const last = openShardedRunner(ports, openFeed(watchForeignLog(stores.events)), projections)
    while ((await last.turn(every)) !== 'waited');
    t.is(new Set(last.places().values()).size, 1)
    t.deepEqual(await contentsOf(documents, projections), await straight(t, events))
  }
})

test('a runner is fenced if another advanced its shards, and continues from there', async (t) => {
  const { ports, stores, append } = openFile(t)
  const events = history(4)
  await stores.documents.prepare(collectionsOf(projections))
  const [one, two] = [1, 2].map(() => openShardedRunner(ports, openFeed(watchForeignLog(stores.events)), projections))
  await append(events.slice(0, 10))
  t.is(await one?.turn(every), 'moved')
  t.is(await two?.turn(every), 'waited')
  await append(events.slice(10))
  t.is(await two?.turn(every), 'moved')
  t.is(await one?.turn(every), 'fenced')
  t.is(await one?.turn(every), 'waited')
  t.deepEqual(one?.places(), two?.places())
  t.deepEqual(await contentsOf(stores.documents, projections), await straight(t, events))
})

test('every batch advances every shard, and a command waits for its own shards only', async (t) => {
  const { ports, stores, append } = openFile(t)
  const events = history(5)
  await stores.documents.prepare(collectionsOf(projections))
  await append(events)
  const runner = openShardedRunner(ports, openFeed(watchForeignLog(stores.events)), projections)
  while ((await runner.turn(every)) !== 'waited');
  const stand = await stores.documents.checkpoints(shardCheckpoints(projections))
  t.is(stand.size, SHARD_COUNT)
  t.deepEqual([...new Set(stand.values())], [await stores.events.head()])
  const votes = events.filter(({ type }) => type === 'VoteCast').slice(0, 1)
  const touched = shardsTouchedBy(readersOf(projections), votes)
  t.true(touched !== undefined && touched.size > 0 && touched.size < 8)
})

test('a vote changes documents of one shard alone, that of the partition of its thing', (t) => {
  const readers = readersOf(projections)
  const votes = everyEvent.filter(isVote)
  t.true(votes.length > 0)
  for (const vote of votes) t.deepEqual(shardsTouchedBy(readers, [vote]), new Set([partitionOf(vote.stream)]), vote.stream)
})

test('a worker is not sent votes of other partitions, and its checkpoints pass them at the end of the log, too', async (t) => {
  const { ports, stores, append } = openFile(t)
  const all = history(5)
  const events = all.slice(0, all.findLastIndex(isVote) + 1)
  const foreign = partitionOf(events.at(-1)?.stream ?? '')
  await append(events)
  await stores.documents.prepare(collectionsOf(projections))
  const received = new Set<string>()
  const watched = watchForeignLog(stores.events)
  const subscribe: typeof watched.subscribe = async function* (...given) {
    for await (const batch of watched.subscribe(...given)) {
      for (const { stream } of batch.events) received.add(stream)
      yield batch
    }
  }
  const shards = new Set([...every].filter((shard) => shard !== foreign))
  const runner = openShardedRunner(ports, openFeed({ ...watched, subscribe }), projections)
  while ((await runner.turn(shards)) !== 'waited');
  const expected = events.filter((event) => !isVote(event) || partitionOf(event.stream) !== foreign)
  t.true(expected.length < events.length)
  t.deepEqual(received, new Set(expected.map(({ stream }) => stream)))
  const names = shardCheckpoints(projections)
  const stand = await stores.documents.checkpoints([...shards].map((shard) => names[shard] ?? ''))
  t.deepEqual([...new Set(stand.values())], [await stores.events.head()])
  while ((await runner.turn(every)) !== 'waited');
  t.deepEqual(await contentsOf(stores.documents, projections), await straight(t, events))
})

test('a command waits for all shards exactly if what it writes is shown in the order of the log', (t) => {
  const readers = readersOf(projections)
  const waitsForAll = (event: Logged) => shardsTouchedBy(readers, [event]) === undefined
  const types = (some: readonly Logged[]) => new Set(some.map(({ type }) => type))
  const [all, some] = [everyEvent.filter(waitsForAll), everyEvent.filter((event) => !waitsForAll(event))].map(types)
  for (const type of ['LinkRemoved', 'UserBanned', 'WikiPageRevised', 'AccountTextsErased'] as const) t.true(all?.has(type), type)
  for (const type of ['VoteCast', 'CommentPosted', 'LinkSubmitted', 'MessageSent', 'ThingSaved'] as const) t.true(some?.has(type), type)
})

test('workers share the shards, follow a growing log, and continue if one leaves', async (t) => {
  const { ports, stores, append } = openFile(t)
  const events = history(6)
  const faults: unknown[] = []
  const report = (fault: unknown) => void faults.push(fault)
  const [first, second] = [new AbortController(), new AbortController()]
  await append(events.slice(0, 40))
  const one = openWorker({ ...ports, ...stores, events: watchForeignLog(stores.events), report }, projections, first.signal)
  const two = openWorker({ ...ports, ...stores, events: watchForeignLog(stores.events), report }, projections, second.signal)
  const until = async (holds: () => boolean) => {
    for (let tries = 0; tries < 300 && !holds(); tries++) await sleep(20)
    t.true(holds())
  }
  await until(() => one.places().size === SHARD_COUNT / 2 && two.places().size === SHARD_COUNT / 2)
  await append(events.slice(40, 80))
  first.abort()
  await one.done
  await append(events.slice(80))
  await until(() => two.places().size === SHARD_COUNT)
  const head = await stores.events.head()
  await until(() => [...two.places().values()].every((position) => position >= head))
  second.abort()
  await two.done
  t.deepEqual(faults, [])
  t.deepEqual(await contentsOf(stores.documents, projections), await straight(t, events))
})

test('a worker refuses read models that are ahead of the log', async (t) => {
  const { ports, stores, append } = openFile(t)
  const events = history(7)
  await append(events.slice(0, 5))
  await stores.documents.prepare(collectionsOf(projections))
  const moves = shardCheckpoints(projections).map((name) => ({ name, from: undefined, to: positionOf(1_000) }))
  await stores.documents.write([], moves)
  const worker = openWorker({ ...ports, ...stores, report: () => {} }, projections, new AbortController().signal)
  const fault = await t.throwsAsync(worker.done, { instanceOf: StoreFault })
  t.regex(fault?.message ?? '', /npx rostra rebuild/)
})

test('an unreadable event parks its stream from there on, also for shards that reach it later', async (t) => {
  const events = history(8)
  const links = events.filter(({ stream }) => stream.startsWith('link-'))
  const counts = Map.groupBy(links, ({ stream }) => stream)
  const [, second] = [...counts.values()].find((all) => all.length > 1) ?? []
  if (!second) throw new Error('no link has two events')
  const failing = ({ open }: Pick<Ports, 'open'>): Ports['open'] => {
    return (recorded) => {
      const unreadable = recorded.find(({ id }) => id === second.id)
      return unreadable ? Promise.reject(new UnreadableEvent(unreadable, 'no reason')) : open(recorded)
    }
  }
  const whole = openFile(t)
  await whole.append(events)
  await whole.stores.documents.prepare(collectionsOf(projections))
  await catchUp(await openRunner({ ...whole.ports, open: failing(whole.ports) }, projections, { checkpoint: 'all', onPoison: 'park' }))

  const { ports, stores, append } = openFile(t)
  await append(events)
  await stores.documents.prepare(collectionsOf(projections))
  const open = failing(ports)
  const [even, odd] = [0, 1].map((rest) => new Set([...every].filter((shard) => shard % 2 === rest)))
  const [one, two] = [1, 2].map(() => openShardedRunner({ ...ports, open }, openFeed(watchForeignLog(stores.events)), projections))
  while ((await one?.turn(even ?? every)) !== 'waited');
  t.is(one?.parked(), 1)
  while ((await two?.turn(odd ?? every)) !== 'waited');
  t.deepEqual(await contentsOf(stores.documents, projections), await contentsOf(whole.stores.documents, projections))
  // the batches of the two begin at different places
  const stopped = async (documents: typeof stores.documents) => (await allOf(documents, parked)).map(({ after: _, ...entry }) => entry)
  t.deepEqual(await stopped(stores.documents), await stopped(whole.stores.documents))
})

test('another version is built beside the old one without changing its documents', async (t) => {
  const events = history(9)
  const { ports, stores, append } = openFile(t)
  const { documents } = stores
  await append(events.slice(0, 60))
  const next = projections.map((one) =>
    one.collection.name === 'links' ? { ...one, collection: { ...one.collection, version: one.collection.version + 1 } } : one,
  )
  await documents.prepare([...collectionsOf(projections), ...collectionsOf(next)])
  const old = openShardedRunner(ports, openFeed(watchForeignLog(stores.events)), projections)
  while ((await old.turn(every)) !== 'waited');
  const before = await contentsOf(documents, projections)
  const fresh = openShardedRunner(ports, openFeed(watchForeignLog(stores.events)), next)
  while ((await fresh.turn(every)) !== 'waited');
  t.deepEqual(await contentsOf(documents, projections), before)
  t.deepEqual(await contentsOf(documents, next), before)
  await append(events.slice(60))
  while ((await fresh.turn(every)) !== 'waited');
  while ((await old.turn(every)) !== 'waited');
  t.deepEqual(await contentsOf(documents, next), await straight(t, events))
  t.deepEqual(await contentsOf(documents, projections), await straight(t, events))
})
