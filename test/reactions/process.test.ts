import test from 'ava'
import { inviteModerator, Moderators } from '../../src/domain/moderators.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'
import { following } from '../../src/reactions/follow.ts'
import { processReactions } from '../../src/reactions/process.ts'
import { queuedReactions } from '../../src/reactions/queue.ts'
import { ban, between, messages, moderating, type Site, site } from '../support/reaction-site.ts'
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
    return undefined
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

test('a process handles past and new events, and the next continues where it stopped', async (t) => {
  const side = await site(t)
  const report = (fault: unknown) => t.fail(String(fault))
  const followed: string[] = []
  const start = () => {
    const stop = new AbortController()
    const follow: Site['follow'] = (recorded) => {
      followed.push(...recorded.map(({ type }) => type))
      return side.follow(recorded)
    }
    const done = processReactions({ ...side, follow, report, clock: Date.now }, stop.signal)
    return async () => {
      stop.abort()
      await done
    }
  }
  const sent = async (n: number) => (await messages(side)).length === n
  await ban(side, 3)
  const stop = start()
  await until(() => sent(1))
  await ban(side, null)
  await until(() => sent(2))
  const [last] = await streamOf(side.events, 'relation-t4_1.t2_bob', 1)
  if (!last) return t.fail()
  await until(async () => ((await side.documents.checkpoint('reactions')) ?? '') >= last.position)
  await stop()
  followed.length = 0
  const stopAgain = start()
  await side.run(
    Moderators,
    't4_1',
    inviteModerator({ ...between, account: 't2_cat' }, { banned: false, muted: false }, ''),
    moderating(side),
  )
  await until(() => sent(4))
  await stopAgain()
  t.deepEqual(followed, ['ModeratorInvited'])
})

test('an event whose consequences fail waits in a queue, delays no other, and is retried until it succeeds', async (t) => {
  const side = await site(t)
  const faults: string[] = []
  let broken = true
  const follow: Site['follow'] = async (recorded) => {
    if (broken && recorded.some(({ type }) => type === 'UserBanned')) throw new Error('cannot')
    return side.follow(recorded)
  }
  const start = () => {
    const stop = new AbortController()
    const report = (_: unknown, event: { readonly type: string } | undefined) => faults.push(event?.type ?? '')
    const done = processReactions({ ...side, follow, clock: Date.now, report }, stop.signal)
    return async () => {
      stop.abort()
      await done
    }
  }
  await ban(side, 3)
  await ban(side, 30)
  const stop = start()
  await until(async () => (await messages(side)).length === 1)
  t.is((await messages(side))[0]?.data.subject, 'your ban from /s/Tea has changed')
  await until(async () => faults.length >= 3)
  const [set] = await streamOf(side.events, 'relation-t4_1.t2_bob', 0)
  if (!set) return t.fail()
  await until(async () => ((await side.documents.checkpoint('reactions')) ?? '') > set.position)
  await stop()
  const [waiting, ...more] = await queuedReactions(side.vault)
  t.like(waiting, { id: set.id, type: 'UserBanned', stream: set.stream, revision: 0, error: 'cannot' })
  t.true((waiting?.tries ?? 0) >= 3)
  t.deepEqual(more, [])
  t.deepEqual(new Set(faults), new Set(['UserBanned']), 'each failure is reported')

  broken = false
  const stopAgain = start()
  await until(async () => (await messages(side)).length === 2)
  await until(async () => (await queuedReactions(side.vault)).length === 0)
  await stopAgain()
})

test('a failing consequence of an event does not prevent its other consequences', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', inviteModerator(between, { banned: false, muted: false }, ''), moderating(side))
  await ban(side, 3)
  const [, second] = await streamOf(side.events, 'moderators-t4_1', 0)
  const run: Site['run'] = (aggregate, ...rest) =>
    aggregate.category === 'moderators' ? Promise.reject(new Error('cannot')) : side.run(aggregate, ...rest)
  const follow = following({ ...side, open: side.log.open, run, hadParticipated: async () => true })
  await t.throwsAsync(follow(await streamOf(side.events, 'relation-t4_1.t2_bob', 0)), { message: 'cannot' })
  t.is(second?.type, 'ModeratorInvited')
  t.is((await messages(side)).length, 1, 'the ban message')
})

test('waiting events are discarded if the log is replaced by another', async (t) => {
  const side = await site(t)
  const entry = { id: 'x', type: 'UserBanned', stream: 's', revision: 0, position: '9'.repeat(20), error: 'cannot', tries: 1, since: 0 }
  await side.vault.put('reaction', entry.id, { value: entry, owner: 'reactions' })
  await side.documents.write([], { name: 'reactions', from: undefined, to: '9'.repeat(20) }) // of a log that was longer
  const stop = new AbortController()
  const done = processReactions({ ...side, clock: Date.now, report: () => {} }, stop.signal)
  await until(async () => (await side.documents.checkpoint('reactions')) === (await side.events.head()))
  t.deepEqual(await queuedReactions(side.vault), [])
  stop.abort()
  await done
  t.is(await side.documents.checkpoint('reactions'), await side.events.head(), 'all is looked at again')
})
