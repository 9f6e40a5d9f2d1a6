import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openSweeper, registerShards } from '../../../projections/engine/leftovers.ts'
import type { Ports } from '../../../projections/engine/runner.ts'
import { openWorker } from '../../../projections/engine/worker.ts'
import { subscriptions } from '../../../projections/subscriptions.ts'
import { Unsubscribed } from '../../../src/domain/subscription.ts'
import type { DocumentChange, DocumentStore } from '../../../src/ports/documents.ts'
import { ann, bob, tea } from '../../support/example-history.ts'
import { inNameOf, loggedFrom } from '../../support/logged-events.ts'
import { more, next, old, openVersions, sweepAtOnce, told, upToDate } from '../../support/read-model-versions.ts'
import { allOf, type openFile, watchForeignLog } from '../../support/read-models.ts'

const tombstones = ({ connection }: ReturnType<typeof openFile>): number =>
  Number(Object.values(connection.db.prepare('SELECT count(*) FROM tombstone').get() ?? {})[0])

test('a process sweeps nothing for an hour after its start', async (t) => {
  const { stores, ports } = await openVersions(t)
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
  const file = await openVersions(t)
  const { stores, ports, append } = file
  const HOUR = 3_600_000
  let now = 0
  const sweeper = openSweeper(stores.documents, old, HOUR, () => now)
  await sweeper.look()
  await upToDate(ports, stores.events, old)
  now += 60_000
  await sweeper.look()
  now = HOUR
  await append(loggedFrom([...told, inNameOf(ann)(Unsubscribed({ account: ann, subsite: tea }))]).slice(told.length))
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
  const file = await openVersions(t)
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
  const file = await openVersions(t)
  const { stores, ports, append } = file
  await upToDate(ports, stores.events, old)
  await sweepAtOnce(stores.documents, old)
  await registerShards(stores.documents, next)
  const written: DocumentChange[] = []
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
  const file = await openVersions(t)
  const { stores, ports } = file
  await upToDate(ports, stores.events, old)
  await registerShards(stores.documents, next)
  t.is(await sweepAtOnce(stores.documents, old), 0)
  t.is(tombstones(file), 5)
  await upToDate(ports, stores.events, next)
  t.is(await sweepAtOnce(stores.documents, old), 5)
})

test('a version added during a sweep stops it before anything is deleted', async (t) => {
  const file = await openVersions(t)
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
  const file = await openVersions(t)
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
      events: watchForeignLog(stores.events),
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
