import test from 'ava'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { projections } from '../../projections/all.ts'
import { openFeed } from '../../projections/engine/feed.ts'
import type { Ports } from '../../projections/engine/runner.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { openShardedRunner } from '../../projections/engine/sharded-runner.ts'
import { SHARD_COUNT, shardCheckpoints } from '../../projections/engine/shards.ts'
import { MAX_RECORDED_IDS } from '../../src/adapters/mongodb/batch-records.ts'
import type { Logged } from '../../src/domain/events.ts'
import type { BatchRecord, Collection, Document, Progress, SharedDocumentStore } from '../../src/ports/documents.ts'
import { LOG_START, type Position } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { cacheReads } from '../../src/queries/read-cache.ts'
import { openRecordedChanges, readChangesBetween } from '../../src/runtime/recorded-changes.ts'
import { randomFrom } from '../support/event-load.ts'
import { positionOf } from '../support/logged-events.ts'
import { contentsOf, openFile, watchForeignLog } from '../support/read-models.ts'
import { recordedStore } from '../support/recorded-store.ts'

const P = positionOf

/** The record of a batch that moved shards from one position to another. */
const record = (shards: readonly string[], from: number | undefined, to: number, ...ids: readonly string[]): BatchRecord => ({
  moves: shards.map((name) => ({ name, from: from === undefined ? undefined : P(from), to: P(to) })),
  ids: new Map([['links', ids]]),
})
const at = (...positions: readonly number[]): ReadonlyMap<string, Position> =>
  new Map(positions.map((position, shard) => ['abc'[shard] ?? '', position === 0 ? LOG_START : P(position)]))
const changed = (from: ReadonlyMap<string, Position>, positions: ReadonlyMap<string, Position>, records: Progress['records']) => {
  const found = readChangesBetween(from, { positions, records })
  return found && [...(found.get('links') ?? [])]
}

test('the documents of all batches between two looks have changed', (t) => {
  const records = [record(['a', 'b'], 1, 2, 'x'), record(['a', 'b'], 2, 5, 'y', 'x'), record(['c'], 1, 4, 'z')]
  t.deepEqual(changed(at(1, 1, 1), at(5, 5, 4), records), ['x', 'y', 'z'])
  t.deepEqual(changed(at(1, 1, 1), at(1, 1, 1), []), [])
})

test('a record that arrives before its checkpoint changes nothing', (t) => {
  t.deepEqual(changed(at(1, 1), at(1, 1), [record(['a', 'b'], 1, 2, 'x')]), [])
  t.deepEqual(changed(at(1, 1), at(2, 1), [record(['a'], 1, 2, 'x'), record(['b'], 1, 3, 'y')]), ['x'])
})

test('a move without a record ends everything, and so do too many records', (t) => {
  t.is(changed(at(1), at(2), []), undefined)
  t.is(changed(at(1), at(4), [record(['a'], 1, 2, 'x'), record(['a'], 3, 4, 'y')]), undefined, 'one in the middle')
  t.is(changed(at(1, 1), at(2, 2), [record(['a'], 1, 2, 'x')]), undefined, 'of another shard')
  t.is(changed(at(1), at(2), undefined), undefined)
  const ids = Array.from({ length: 3_000 }, (_, n) => `t${n}`)
  t.is(changed(at(1), at(3), [record(['a'], 1, 2, ...ids), record(['a'], 2, 3, ...ids)]), undefined)
})

test('of two workers on one shard both records count, also of the one whose checkpoint did not move', (t) => {
  t.deepEqual(changed(at(1), at(3), [record(['a'], 1, 2, 'x'), record(['a'], 1, 3, 'y')]), ['x', 'y'])
  t.deepEqual(changed(at(1), at(4), [record(['a'], 1, 3, 'x'), record(['a'], 1, 2, 'y'), record(['a'], 2, 4, 'z')]), ['x', 'y', 'z'])
  t.is(changed(at(1), at(4), [record(['a'], 1, 3, 'x'), record(['a'], 2, 4, 'z')]), undefined)
})

test('a rebuild ends everything: checkpoints that go back, are gone, or begin again', (t) => {
  t.is(changed(at(5), at(2), [record(['a'], 1, 2, 'x')]), undefined)
  t.is(changed(at(5), new Map(), []), undefined)
  t.is(changed(at(0), at(2), [record(['a'], undefined, 2, 'x')]), undefined)
  t.is(changed(at(0), at(2), [{ ...record(['a'], 1, 2, 'x'), moves: [{ name: 'a', from: LOG_START, to: P(2) }] }]), undefined)
})

type Thing = Document & { readonly group: string; readonly text: string }
const fetches = () => {
  const asked: string[] = []
  const fetch = async (collection: string, ids: readonly string[], whole: boolean) => {
    asked.push(`${collection} ${whole ? 'whole' : 'indexed'}: ${ids.join(' ')}`)
    return new Map(ids.filter((id) => id !== 'gone').map((id): [string, Thing] => [id, { id, group: 'g', text: whole ? 'long' : '' }]))
  }
  return { asked, fetch }
}

test('only documents that caches can use are fetched, once for each collection', async (t) => {
  const { asked, fetch } = fetches()
  const { attend, changes, generation, take } = openRecordedChanges(fetch, [])
  const [held, followed] = [new Set<string>(), new Set<string>()]
  attend({ holds: (_, id) => held.has(id), follows: (name) => followed.has(name) })
  await take(new Map(), { positions: at(1), records: [] })
  const began = generation('links')
  let now = 1
  const move = async (...ids: readonly string[]) => {
    await take(at(now), { positions: at(now + 1), records: [record(['a'], now, now + 1, ...ids)] })
    now += 1
    const last = changes('links', began)?.slice(-ids.length)
    return last?.map(({ id, known, document }) => `${id} ${known ?? (document() ? 'whole' : 'deleted')}`)
  }
  t.deepEqual(await move('x'), ['x nothing'])
  followed.add('links')
  t.deepEqual(await move('x', 'gone'), ['x indexed', 'gone deleted'])
  held.add('y')
  t.deepEqual(await move('x', 'y'), ['x whole', 'y whole'])
  followed.clear()
  t.deepEqual(await move('x', 'y'), ['x nothing', 'y whole'])
  t.deepEqual(asked, ['links indexed: x gone', 'links whole: x y', 'links whole: y'])
  t.deepEqual(changes('comments', began), [])
  t.is(generation('comments'), began, 'another collection did not change')
  followed.add('links')
  t.is(await move(...Array.from({ length: 501 }, (_, n) => `t${n}`)), undefined, 'too many to fetch')
  t.is(asked.length, 3)
})

test('what is read in the order of the log changes when a shard that was behind catches up', async (t) => {
  const { attend, generation, take } = openRecordedChanges(fetches().fetch, ['mod_log'])
  attend({ holds: () => false, follows: () => false })
  await take(new Map(), { positions: at(1, 1), records: [] })
  const seen = () => [generation('mod_log'), generation('links')] as const
  const first = seen()
  await take(at(1, 1), { positions: at(2, 1), records: [record(['a'], 1, 2)] })
  t.deepEqual(seen(), first)
  await take(at(2, 1), { positions: at(2, 2), records: [record(['b'], 1, 2)] })
  t.true(generation('mod_log') > first[0])
  t.is(generation('links'), first[1])
})

const every = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard))
const crash = () => new StoreFault('unknown-outcome', 'crash')

/** A store of whose batches some stop: before everything, in the midst of the documents, before or after their checkpoints move. */
const dyingStore = (documents: SharedDocumentStore, random: () => number): Ports['documents'] => {
  let dummies = 0
  return {
    ...documents,
    write: async (changes, moves, isCurrent, rewritten) => {
      const dice = random()
      if (dice < 0.05) throw crash()
      if (dice < 0.3) {
        const some = dice < 0.15 ? changes.filter(() => random() < 0.5) : changes
        await documents.write(some, { name: `dummy ${dummies++}`, from: undefined, to: P(1) })
        // the record is there, and its checkpoints stay
        if (dice > 0.2) await documents.write([], [...[moves].flat(), { name: 'nowhere', from: P(1), to: P(2) }], isCurrent, rewritten)
        throw crash()
      }
      const result = await documents.write(changes, moves, isCurrent, rewritten)
      if (dice < 0.4) throw crash()
      return result
    },
  }
}

test('whatever workers do and however they stop, what is cached is what the store has', async (t) => {
  for (const [seed, losing] of [
    [1, 0],
    [2, 0],
    [3, 0.1],
  ] as const) {
    const random = randomFrom(seed)
    const events = [...syntheticLog({ seed, links: 20, subsites: 2, accounts: 9 })].map(
      (event, i) => ({ ...event, position: P(i + 1) }) as Logged,
    )
    const { ports, stores, append } = openFile(t)
    const documents = recordedStore(stores.documents, () => random() < losing)
    await documents.prepare(collectionsOf(projections))
    const runnerOn = (on: Ports['documents']) =>
      openShardedRunner({ ...ports, documents: on }, openFeed(watchForeignLog(stores.events)), projections)
    const runners = [1, 2, 3].map(() => runnerOn(dyingStore(documents, random)))

    const names = shardCheckpoints(projections)
    const collections = new Map<string, Collection<Document>>(collectionsOf(projections).map((one) => [one.name, one]))
    const following = openRecordedChanges(async (name, ids, whole) => {
      const collection = collections.get(name)
      if (!collection) throw new Error(`no collection ${name}`)
      return whole ? documents.getMany(collection, ids) : documents.getIndexed(collection, ids)
    }, [])
    let known: ReadonlyMap<string, Position> = new Map()
    let asked = 0
    const counting = {
      ...documents,
      getMany: <D extends Document>(collection: Collection<D>, ids: readonly string[]) => {
        asked += ids.length
        return documents.getMany(collection, ids)
      },
    }
    const cached = cacheReads(counting, following)
    const look = async () => {
      const progress = await documents.progress(names, known)
      await following.take(known, progress)
      known = progress.positions
    }
    const agree = async (title: string) => {
      await look()
      for (const [name, all] of Object.entries(await contentsOf(documents, projections))) {
        const collection = collections.get(name) as Collection<Document>
        const ids = all.map(({ id }) => id)
        const found = await cached.getMany(collection, ids)
        for (const one of all) t.deepEqual(found.get(one.id), one, `${title}: ${name} ${one.id}`)
      }
    }

    let written = 0
    let documentsRead = 0
    for (let n = 0; n < 40; n++) {
      const more = Math.floor(random() * 12)
      await append(events.slice(written, written + more))
      written = Math.min(events.length, written + more)
      const runner = runners[Math.floor(random() * runners.length)]
      await runner?.turn(new Set([...every].filter(() => random() < 0.5))).catch((fault) => {
        if (!(fault instanceof StoreFault)) throw fault
        runner.forget()
      })
      await look()
      if (n % 8 !== 7) continue
      // the store is as of the checkpoints once all shards are at the end of the log
      const last = runnerOn(documents)
      while ((await last.turn(every)) !== 'waited');
      await agree(`round ${n}`)
      documentsRead += Object.values(await contentsOf(documents, projections)).flat().length
    }
    if (losing === 0) t.true(asked < documentsRead * 0.8, `${asked} of ${documentsRead} documents were asked for`)
  }
})

test('a batch of more than 5,000 documents is not recorded', async (t) => {
  const { stores } = openFile(t)
  const documents = recordedStore(stores.documents)
  const collection: Collection<Document> = { name: 'many', version: 1, indexes: [] }
  await documents.prepare([collection])
  const batch = async (from: number, count: number) => {
    const changes = Array.from({ length: count }, (_, n) => ({ collection, id: `t${n}`, position: P(from + 1), document: { id: `t${n}` } }))
    await documents.write(changes, { name: 'a', from: from === 0 ? undefined : P(from), to: P(from + 1) }, undefined, [])
    return (await documents.progress(['a'], at(from))).records?.length
  }
  t.is(await batch(0, 1), 0, 'nor is one that makes its checkpoint')
  t.is(await batch(1, MAX_RECORDED_IDS), 1)
  t.is(await batch(2, MAX_RECORDED_IDS + 1), 0)
})
