import test, { type ExecutionContext } from 'ava'
import { inviteModerator } from '../../src/domain/moderator-invitations.ts'
import { Moderators } from '../../src/domain/moderators.ts'
import { cacheBounds } from '../../src/ports/cache-bounds.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'
import { openFollowOnce } from '../../src/reactions/following-once.ts'
import { carryOut, processReactions } from '../../src/reactions/process.ts'
import { listQueued } from '../../src/reactions/queue.ts'
import { retryQueued } from '../../src/reactions/retries.ts'
import { ban, between, byAnn, messages, moderatorOf, type Site, site } from '../support/reaction-site.ts'
import { streamOf } from '../support/stream-of.ts'

const until = async (condition: () => Promise<boolean>) => {
  const begun = performance.now()
  while (!(await condition())) {
    if (performance.now() - begun > 60_000) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('requests get their turn while a process works through many events that have nothing to wait for', async (t) => {
  const side = await site(t)
  const EVENTS = 200
  const [one] = (await streamOf(side.events, 'moderators-t4_1')) as readonly RecordedEvent[]
  if (!one) return t.fail()
  const page = { events: Array.from({ length: EVENTS }, () => ({ ...one, type: 'UserBanned' })), position: one.position }
  const stop = new AbortController()
  let done = 0
  let before = 0
  let most = 0
  const follow: Site['follow'] = async () => {
    for (const until = performance.now() + 1; performance.now() < until; );
    done += 1
    return { position: undefined, recorded: [], isWhole: false }
  }
  const turn = () => {
    most = Math.max(most, done - before)
    before = done
    if (done < EVENTS) setImmediate(turn)
    else stop.abort()
  }
  setImmediate(turn)
  const subscribe = async function* () {
    yield page
  }
  const report = (fault: unknown) => t.fail(String(fault))
  await processReactions({ ...side, events: { ...side.events, subscribe }, follow, report, clock: Date.now }, stop.signal)
  t.is(done, EVENTS)
  t.true(most < EVENTS / 4, `${most} of ${EVENTS} events in one turn`)
})

/** Runs a process that follows events in this way, until the returned function has stopped it. */
const startProcess = (side: Site, follow: Site['follow'], report: Parameters<typeof processReactions>[0]['report']) => {
  const stop = new AbortController()
  const done = processReactions({ ...side, follow, report, clock: Date.now }, stop.signal)
  return async () => {
    stop.abort()
    await done
  }
}

/** The checkpoint of the reactions has come to the event at a revision of bob's relation, which is returned. */
const processed = async (side: Site, revision: number): Promise<RecordedEvent> => {
  const [event] = await streamOf(side.events, 'relation-t4_1.t2_bob', revision)
  if (!event) throw new Error(`there is no revision ${revision}`)
  await until(async () => ((await side.documents.checkpoint('reactions')) ?? '') >= event.position)
  return event
}

test('a process handles past and new events', async (t) => {
  const side = await site(t)
  await ban(side, 3)
  const stop = startProcess(side, side.follow, (fault) => t.fail(String(fault)))
  await until(async () => (await messages(side)).length === 1)
  await ban(side, null)
  await until(async () => (await messages(side)).length === 2)
  t.is((await messages(side)).at(-1)?.data.subject, 'your ban from /s/Tea has changed')
  await stop()
})

test('a process continues where the one before it stopped', async (t) => {
  const side = await site(t)
  const report = (fault: unknown) => t.fail(String(fault))
  await ban(side, 3)
  const stop = startProcess(side, side.follow, report)
  await processed(side, 0)
  await stop()
  const before = (await messages(side)).length
  const followed: string[] = []
  const follow: Site['follow'] = (recorded) => {
    followed.push(...recorded.map(({ type }) => type))
    return side.follow(recorded)
  }
  const stopAgain = startProcess(side, follow, report)
  await side.run(
    Moderators,
    't4_1',
    inviteModerator({ ...between, account: 't2_cat' }, byAnn, { banned: false, muted: false }, ''),
    moderatorOf(side),
  )
  await until(async () => (await messages(side)).length === before + 2)
  await stopAgain()
  t.deepEqual(followed, ['ModeratorInvited'])
})

/** A process that fails to follow the first ban of two, and what it reports; stopped after it has tried three times. */
const failing = async (t: ExecutionContext) => {
  const side = await site(t)
  const faults: string[] = []
  const follow: Site['follow'] = async (recorded) => {
    if (recorded.some(({ type }) => type === 'UserBanned')) throw new Error('cannot')
    return side.follow(recorded)
  }
  await ban(side, 3)
  await ban(side, 30)
  const stop = startProcess(side, follow, (_, event) => faults.push(event?.type ?? ''))
  await until(async () => (await messages(side)).length === 1)
  await until(async () => faults.length >= 3)
  const set = await processed(side, 0)
  await stop()
  return { side, faults, set }
}

test('an event whose consequences fail waits in a queue, is reported at each try, and delays no other', async (t) => {
  const { side, faults, set } = await failing(t)
  t.deepEqual(
    (await messages(side)).map(({ data }) => data.subject),
    ['your ban from /s/Tea has changed'],
  )
  const [waiting, ...more] = await listQueued(side.vault)
  t.like(waiting, { id: set.id, type: 'UserBanned', stream: set.stream, revision: 0, error: 'cannot' })
  t.true((waiting?.tries ?? 0) >= 3)
  t.deepEqual(more, [])
  t.deepEqual(new Set(faults), new Set(['UserBanned']))
})

test('an event that waits in the queue is retried by the next process, and leaves the queue when it succeeds', async (t) => {
  const { side } = await failing(t)
  const stop = startProcess(side, side.follow, () => {})
  await until(async () => (await messages(side)).length === 2)
  await until(async () => (await listQueued(side.vault)).length === 0)
  t.is((await messages(side)).length, 2)
  await stop()
})

test('events that wait in the queue are tried on demand: what succeeds leaves it, what fails says why', async (t) => {
  const { side } = await failing(t)
  const [before] = await listQueued(side.vault)
  const broken: Site['follow'] = async () => {
    throw new Error('still not')
  }
  t.deepEqual(await retryQueued({ ...side, follow: broken }), { done: 0, left: 1 })
  const [waiting] = await listQueued(side.vault)
  t.like(waiting, { error: 'still not', tries: (before?.tries ?? 0) + 1, since: before?.since })
  t.deepEqual(await retryQueued(side), { done: 1, left: 0 })
  t.deepEqual(await listQueued(side.vault), [])
  t.is((await messages(side)).length, 2)
  t.deepEqual(await retryQueued(side), { done: 0, left: 0 })
})

test('a failing consequence of an event does not prevent its other consequences', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', inviteModerator(between, byAnn, { banned: false, muted: false }, ''), moderatorOf(side))
  await ban(side, 3)
  const [, second] = await streamOf(side.events, 'moderators-t4_1', 0)
  const run: Site['run'] = (aggregate, ...rest) =>
    aggregate.category === 'moderators' ? Promise.reject(new Error('cannot')) : side.run(aggregate, ...rest)
  const follow = carryOut({ ...side, open: side.log.open, run, hadParticipated: async () => true })
  await t.throwsAsync(follow(await streamOf(side.events, 'relation-t4_1.t2_bob', 0)), { message: 'cannot' })
  t.is(second?.type, 'ModeratorInvited')
  t.is((await messages(side)).length, 1, 'the ban message')
})

test('waiting events are discarded if the log is replaced by another', async (t) => {
  const side = await site(t)
  const entry = { id: 'x', type: 'UserBanned', stream: 's', revision: 0, position: '9'.repeat(20), error: 'cannot', tries: 1, since: 0 }
  await side.vault.put('reaction', entry.id, { value: entry, owner: 'reactions' })
  await side.documents.write([], { name: 'reactions', from: undefined, to: '9'.repeat(20) }) // the position is that of a longer log
  const stop = new AbortController()
  const done = processReactions({ ...side, clock: Date.now, report: () => {} }, stop.signal)
  await until(async () => (await side.documents.checkpoint('reactions')) === (await side.events.head()))
  t.deepEqual(await listQueued(side.vault), [])
  stop.abort()
  await done
  t.is(await side.documents.checkpoint('reactions'), await side.events.head(), 'all is looked at again')
})

test('consequences are carried out once for the request and the process, and again if they failed', async (t) => {
  const side = await site(t)
  await ban(side, 3)
  const events = await streamOf(side.events, 'relation-t4_1.t2_bob')
  let tries = 0
  const follow = openFollowOnce(async (recorded) => {
    tries += 1
    await new Promise((resolve) => setImmediate(resolve))
    if (tries === 1) throw new Error('cannot')
    return side.follow(recorded)
  })
  const both = await Promise.allSettled([follow(events), follow(events)])
  t.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.is(tries, 1)
  const [first, same] = await Promise.all([follow(events), follow(events)])
  t.is(first.position, await side.events.head())
  t.deepEqual(same, first)
  t.deepEqual(await follow(events), first)
  t.is(tries, 2)
  t.is((await messages(side)).length, 1)
})

test('what consequences recorded is remembered up to a bound in bytes', async (t) => {
  const side = await site(t)
  await ban(side, 3)
  const [cause] = await streamOf(side.events, 'relation-t4_1.t2_bob')
  if (cause === undefined) throw new Error('there is no ban')
  const large = { ...cause, data: 'x'.repeat(cacheBounds.followedEvents / 8) }
  const followed: string[] = []
  const follow = openFollowOnce(async ([{ id } = cause]) => {
    followed.push(id)
    return { position: undefined, recorded: [large], isWhole: true }
  })
  const ask = (id: string) => follow([{ ...cause, id }])
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await ask(id)
  await ask('f')
  await ask('a')
  t.deepEqual(followed, ['a', 'b', 'c', 'd', 'e', 'f', 'a'])
})
