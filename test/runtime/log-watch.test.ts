import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { Account, AccountErased } from '../../src/domain/account.ts'
import { Link, LinkLocked } from '../../src/domain/link.ts'
import { lockLink, removeLink } from '../../src/domain/thing-moderation.ts'
import { castVote, type Direction, Vote } from '../../src/domain/vote.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { watchLog } from '../../src/runtime/log-watch.ts'
import { runner } from '../../src/runtime/run.ts'
import { writeSide } from '../support/commanding.ts'
import { eventually } from '../support/community.ts'
import { streamOf } from '../support/stream-of.ts'
import { teaSubmitted } from '../support/submitted-link.ts'

/** A process that watches the log, beside another one that writes to it. `lateness`: milliseconds until an event arrives. */
const watching = async (t: ExecutionContext, lateness = 0) => {
  const side = await writeSide(t)
  let reads = 0
  let headAnswers = true
  const events: EventStore = {
    ...side.events,
    read: (stream, from) => {
      reads += 1
      return side.events.read(stream, from)
    },
    subscribe: async function* (after, signal, leftOut) {
      for await (const batch of side.events.subscribe(after, signal, leftOut)) {
        if (lateness > 0) await sleep(lateness, undefined, { signal })
        yield batch
      }
    },
    glance: (after, leftOut) =>
      headAnswers ? side.events.glance(after, leftOut) : Promise.reject(new StoreFault('unavailable', 'no answer')),
  }
  const link = (id: string) => side.run(Link, id, () => E.right([teaSubmitted(id)]), side.by('t2_ann'))
  await link('t5_1')
  const watch = watchLog(events, () => {})
  t.teardown(watch.close)
  const { run, load, loadRecent, loadReached } = runner({ events, codec: side.log, watch })
  await sleep(100)
  return {
    side,
    run,
    load,
    loadRecent,
    loadReached,
    /** Counts the reads of the log meanwhile. */
    readsIn: async (work: () => Promise<unknown>) => {
      const before = reads
      await work()
      return reads - before
    },
    lock: () => side.run(Link, 't5_1', lockLink(Date.now()), side.by('t2_mod', 'moderator')),
    silence: () => {
      headAnswers = false
    },
  }
}

test('a cached stream is not read again while the log has no new event', async (t) => {
  const { load, loadRecent, readsIn } = await watching(t)
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 1)
  await sleep(300)
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 0)
  t.is((await loadRecent(Link, 't5_1'))?.id, 't5_1')
  t.is(await readsIn(() => load(Link, 't5_1')), 1, 'authority is always read')
})

test('appends of another process are seen within one second', async (t) => {
  const { loadRecent, readsIn, lock } = await watching(t)
  await loadRecent(Link, 't5_1')
  await sleep(300)
  t.falsy((await loadRecent(Link, 't5_1'))?.locked)
  await lock()
  await sleep(200)
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 1)
  t.true((await loadRecent(Link, 't5_1'))?.locked)
})

test('a stream that does not exist is read again only once it is written, by this process or another', async (t) => {
  const { side, run, loadRecent, readsIn, lock } = await watching(t)
  await sleep(300)
  t.is(await readsIn(() => loadRecent(Link, 't5_2')), 1)
  t.is(await readsIn(() => loadRecent(Link, 't5_2')), 0)
  t.is(await loadRecent(Link, 't5_2'), undefined)
  await lock() // on another stream
  await side.run(Link, 't5_2', () => E.right([teaSubmitted('t5_2')]), side.by('t2_ann'))
  await sleep(200)
  t.is((await loadRecent(Link, 't5_2'))?.id, 't5_2')
  t.is(await loadRecent(Link, 't5_3'), undefined)
  await run(Link, 't5_3', () => E.right([teaSubmitted('t5_3')]), side.by('t2_ann'))
  t.is((await loadRecent(Link, 't5_3'))?.id, 't5_3')
})

test('commands that decide on a stream read it although it was known not to exist', async (t) => {
  const { load, loadRecent, readsIn } = await watching(t)
  await sleep(300)
  await loadRecent(Link, 't5_2')
  t.is(await readsIn(() => load(Link, 't5_2')), 1)
})

test('without a confirmation of the subscription, streams are read from the log', async (t) => {
  const { loadRecent, readsIn, silence } = await watching(t)
  await loadRecent(Link, 't5_1')
  await sleep(300)
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 0)
  silence()
  await sleep(1_400)
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 1)
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 1)
})

test('events written by this process are in its cache at once', async (t) => {
  const { side, run, loadRecent, readsIn } = await watching(t)
  await loadRecent(Link, 't5_1')
  await sleep(300)
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 0)
  t.true(E.isRight(await run(Link, 't5_1', lockLink(Date.now()), side.by('t2_mod', 'moderator'))))
  t.true((await loadRecent(Link, 't5_1'))?.locked)
})

const vote = (direction: Direction) => castVote(votable, { voter: 't2_bob', at: Date.now() }, direction)
const votable = { id: 't5_1', link: 't5_1', subsite: 't4_1', author: 't2_ann', created: Date.now(), deleted: false }

test('a new stream is written without a read, and the next decision uses the written events', async (t) => {
  const { side, run, readsIn } = await watching(t)
  const cast = (direction: Direction) => run(Vote, 't2_bob.t5_1', vote(direction), side.by('t2_bob'))
  t.is(await readsIn(() => cast(1)), 0)
  t.is(await readsIn(() => cast(-1)), 0)
  t.deepEqual(await side.load(Vote, 't2_bob.t5_1'), { insightful: true, funny: true })
  t.is(await readsIn(() => cast(11)), 0)
  t.is(await readsIn(() => cast(-11)), 0)
  t.deepEqual(await side.load(Vote, 't2_bob.t5_1'), { insightful: false, funny: false })
})

test('a stream just written is not read again, and is cached as the log has it', async (t) => {
  const { side, run, loadRecent, readsIn } = await watching(t)
  await sleep(300)
  t.true(
    E.isRight(
      await run(
        Link,
        't5_2',
        () => E.right([teaSubmitted('t5_2'), LinkLocked({ subsite: 't4_1', target: { id: 't5_2', author: 't2_ann' } })]),
        side.by('t2_ann'),
      ),
    ),
  )
  t.is(await readsIn(() => loadRecent(Link, 't5_2')), 0)
  t.deepEqual(await loadRecent(Link, 't5_2'), await side.load(Link, 't5_2'))
  t.true((await loadRecent(Link, 't5_2'))?.locked)
})

test('written events are cached only if they follow the cached ones', async (t) => {
  const { side, run, loadRecent, lock } = await watching(t)
  await sleep(300)
  await loadRecent(Link, 't5_1')
  const [locked, removed] = await Promise.all([
    lock(), // in another process
    run(Link, 't5_1', removeLink(false), side.by('t2_mod', 'moderator')),
  ])
  t.true(E.isRight(locked) && E.isRight(removed))
  const link = await loadRecent(Link, 't5_1')
  t.deepEqual(link, await side.load(Link, 't5_1'))
  t.true(link?.locked && link.removed)
})

test('a decision on an outdated cached stream is repeated on the log’s state', async (t) => {
  const { side, run, load } = await watching(t)
  await side.run(Vote, 't2_bob.t5_1', vote(1), side.by('t2_bob')) // before it is heard
  t.deepEqual(await run(Vote, 't2_bob.t5_1', vote(1), side.by('t2_bob')), E.right({ events: [], position: undefined, recorded: [] }))
  t.is((await streamOf(side.events, 'vote-t2_bob.t5_1', 0)).length, 1)
  await load(Link, 't5_1')
  await side.run(Link, 't5_1', lockLink(Date.now()), side.by('t2_mod', 'moderator'))
  const again = await run(Link, 't5_1', lockLink(Date.now()), side.by('t2_mod', 'moderator'))
  t.deepEqual(again, E.right({ events: [], position: undefined, recorded: [] }))
})

test('no request is refused without reading the log', async (t) => {
  const { side, run, readsIn } = await watching(t)
  const refused = () => run(Link, 't5_2', lockLink(Date.now()), side.by('t2_mod', 'moderator'))
  t.is(await readsIn(async () => t.true(E.isLeft(await refused()))), 1)
})

test('while others only vote, what was read stays trusted; a vote is never taken for known', async (t) => {
  const { side, loadRecent, readsIn } = await watching(t)
  await loadRecent(Link, 't5_1')
  await loadRecent(Vote, 't2_bob.t5_1')
  for (const began = Date.now(); Date.now() - began < 1_500; await sleep(20))
    for (const direction of [1, 11] as const) await side.run(Vote, 't2_bob.t5_1', vote(direction), side.by('t2_bob'))
  t.is(await readsIn(() => loadRecent(Link, 't5_1')), 0)
  await loadRecent(Vote, 't2_bob.t5_1')
  t.is(await readsIn(() => loadRecent(Vote, 't2_bob.t5_1')), 1)
})

test('an erasure by another process ends what this one has cached, also among votes, and nothing else does', async (t) => {
  const { side, lock } = await watching(t)
  let erasures = 0
  const watch = watchLog(
    side.events,
    () => {},
    () => {
      erasures += 1
    },
  )
  t.teardown(watch.close)
  await sleep(300)
  await side.run(Vote, 't2_bob.t5_1', vote(1), side.by('t2_bob'))
  await lock()
  await sleep(300)
  t.is(erasures, 0)
  const erase = () => E.right([AccountErased({ account: 't2_ann', seats: [] })])
  await side.run(Account, 't2_ann', erase, side.by('t2_root', 'admin'))
  await side.run(Vote, 't2_bob.t5_1', vote(11), side.by('t2_bob'))
  t.true(await eventually(async () => erasures > 0))
  t.is(erasures, 1)
})

test('a state as of an event is cached if the subscription has received that event', async (t) => {
  const { loadReached, readsIn, lock, side } = await watching(t)
  await loadReached(await side.events.head())(Link, 't5_1')
  t.is(await readsIn(async () => loadReached(await side.events.head())(Link, 't5_1')), 0)
  await lock()
  const locked = await loadReached(await side.events.head())(Link, 't5_1')
  t.true(locked?.locked, 'written before that event')
})

test('a state as of an event is read if the event does not arrive soon', async (t) => {
  const { loadReached, readsIn, lock, side } = await watching(t, 300)
  await loadReached(await side.events.head())(Link, 't5_1')
  await lock()
  const position = await side.events.head()
  let locked: Link | undefined
  t.is(await readsIn(async () => (locked = await loadReached(position)(Link, 't5_1'))), 1)
  t.true(locked?.locked)
})
