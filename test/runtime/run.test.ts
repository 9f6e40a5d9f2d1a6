import test from 'ava'
import { either as E } from 'fp-ts'
import { claimUsername, Username } from '../../src/domain/account.ts'
import { type Aggregate, refuse } from '../../src/domain/decision.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import { approveLink, lockLink, removeLink, unlockLink } from '../../src/domain/link-moderation.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { castVote, directions, Vote } from '../../src/domain/vote.ts'
import type { EventStore, Expected, ProposedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { type Command, followUp } from '../../src/runtime/command.ts'
import { awaitProjection, runner } from '../../src/runtime/run.ts'
import { type WriteSide, writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'

const submission = LinkSubmitted({
  link: 't5_1',
  subsite: 't4_1',
  author: 't2_ann',
  title: 'tea',
  text: 'leaves',
  over18: false,
  sendReplies: true,
  filtered: false,
})
const submit = ({ run, by }: WriteSide, link = 't5_1') =>
  run(Link, link, () => E.right([LinkSubmitted({ ...submission.data, link })]), by('t2_ann'))
const rightOf = <T>(result: E.Either<unknown, T>): T => {
  if (E.isLeft(result)) throw new Error(`refused: ${JSON.stringify(result.left)}`)
  return result.right
}
const lock = ({ run, by }: WriteSide) => run(Link, 't5_1', lockLink(Date.now()), by('t2_mod', 'moderator'))

test('a command is loaded, decided and appended with its actor', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const command = side.by('t2_mod', 'moderator')
  const locked = rightOf(await side.run(Link, 't5_1', lockLink(command.at), command))
  t.deepEqual(
    locked.events.map(({ type }) => type),
    ['LinkLocked'],
  )
  t.is(locked.position, await side.events.head())
  const [, event] = await side.log.open(await streamOf(side.events, 'link-t5_1', 0))
  t.like(event, { type: 'LinkLocked', revision: 1, at: command.at, by: { account: 't2_mod', as: 'moderator' } })
  t.like(event?.meta, { commandId: command.id, correlationId: command.id, causationId: command.id, seen: {} })
  t.true((await side.load(Link, 't5_1'))?.locked)
})

test('a command without a change records nothing and has no position', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  await lock(side)
  const head = await side.events.head()
  t.deepEqual(rightOf(await lock(side)), { events: [], position: undefined, recorded: [] })
  t.is(await side.events.head(), head)
})

test('a refusal changes nothing', async (t) => {
  const side = await writeSide(t)
  t.deepEqual(await lock(side), refuse('FORBIDDEN'))
  t.deepEqual(await streamOf(side.events, 'link-t5_1', 0), [])
})

test('an event records the revisions of other streams that its decision used', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const command = side.by('t2_mod', 'moderator')
  await side.load(Username, 'nobody', command)
  const link = await side.load(Link, 't5_1', command)
  if (!link) return t.fail()
  const { recorded } = rightOf(await side.run(Stickies, 't4_1', stickyLink(link), command))
  const [event] = await side.log.open(recorded)
  t.deepEqual(event?.meta.seen, { 'link-t5_1': 0, 'username-nobody': 'none' })
})

test('two runners on one log see each other’s events', async (t) => {
  const side = await writeSide(t)
  const other = { ...side, ...runner({ events: side.events, codec: side.log }) }
  await submit(side)
  await lock(other)
  t.true((await side.load(Link, 't5_1'))?.locked)
  await side.run(Link, 't5_1', unlockLink(Date.now()), side.by('t2_mod'))
  t.false((await other.load(Link, 't5_1'))?.locked)
})

test('a retried command finds what its first try wrote, also after later events', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const command = side.by('t2_mod', 'moderator')
  const first = rightOf(await side.run(Link, 't5_1', removeLink(true), command))
  await side.run(Link, 't5_1', approveLink, side.by('t2_mod', 'moderator'))
  const again = rightOf(await side.run(Link, 't5_1', removeLink(true), { ...command, retried: true }))
  t.deepEqual(again.events, first.events)
  t.is(again.position, first.position)
  t.is((await streamOf(side.events, 'link-t5_1', 0)).length, 3)
})

test('a retried command whose first try wrote nothing decides now', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const result = rightOf(await side.run(Link, 't5_1', removeLink(true), { ...side.by('t2_mod'), retried: true }))
  t.is(result.events.length, 1)
})

/** A store that answers appends as it is told, and otherwise as the real one does. */
const unreliable = (
  events: EventStore,
  answer: (append: () => ReturnType<EventStore['append']>, tries: number) => ReturnType<EventStore['append']>,
) => {
  const appends: { readonly expected: Expected; readonly events: readonly ProposedEvent[] }[] = []
  return {
    appends,
    read: events.read,
    readBackwards: events.readBackwards,
    append: (stream: string, expected: Expected, proposed: readonly ProposedEvent[]) => {
      appends.push({ expected, events: proposed })
      return answer(() => events.append(stream, expected, proposed), appends.length)
    },
  }
}

test('an append whose response was lost is repeated identically, and counts once', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const events = unreliable(side.events, async (append, tries) => {
    const result = await append()
    if (tries === 1) throw new StoreFault('unknown-outcome', 'the answer was lost')
    if (tries === 2) throw new StoreFault('unavailable', 'not now')
    return result
  })
  const { run } = runner({ events, codec: side.log })
  const result = rightOf(await run(Link, 't5_1', lockLink(Date.now()), side.by('t2_mod')))
  t.is(result.position, await side.events.head())
  t.deepEqual(events.appends[1], events.appends[0])
  t.is((await streamOf(side.events, 'link-t5_1', 0)).length, 2)
})

test('an append whose outcome stays unknown fails after five seconds', async (t) => {
  const side = await writeSide(t)
  const events = unreliable(side.events, () => Promise.reject(new StoreFault('unknown-outcome', 'no answer')))
  const { run } = runner({ events, codec: side.log })
  const begun = performance.now()
  t.deepEqual(await run(Username, 'ann', claimUsername('t2_1', 'ann'), side.by('t2_1')), refuse('OUTCOME_UNKNOWN'))
  const seconds = (performance.now() - begun) / 1000
  t.true(seconds >= 5 && seconds < 20, `${seconds} s`)
})

test('waiting in the queue of a stream does not count as a try, so many commands succeed on a slow store', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const slow = unreliable(side.events, async (append) => {
    await new Promise((resolve) => setTimeout(resolve, 150))
    return append()
  })
  const { run } = runner({ events: slow, codec: side.log })
  const crowd = Array.from({ length: 40 }, (_, n) =>
    run(Link, 't5_1', n % 2 ? approveLink : removeLink(true), side.by('t2_mod', 'moderator')),
  )
  t.true((await Promise.all(crowd)).every(E.isRight))
  t.is((await streamOf(side.events, 'link-t5_1', 0)).length, 41)
})

test('other faults are thrown unchanged, and later commands on the stream succeed', async (t) => {
  const side = await writeSide(t)
  const events = unreliable(side.events, (append, tries) =>
    tries === 1 ? Promise.reject(new StoreFault('full', 'the disk is full')) : append(),
  )
  const { run } = runner({ events, codec: side.log })
  const claim = () => run(Username, 'ann', claimUsername('t2_1', 'ann'), side.by('t2_1'))
  await t.throwsAsync(claim(), { instanceOf: StoreFault, message: 'the disk is full' })
  t.true(E.isRight(await claim()))
})

test('an event that an aggregate does not know is a fault, not something to skip', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const misled = { ...Username, category: 'link' } as unknown as Aggregate<Username, never>
  await t.throwsAsync(side.load(misled, 't5_1'), { message: /LinkSubmitted is in link-t5_1/ })
})

/** 64 commands at once from two runners that know nothing of each other, as from two processes. */
const race = async <T>(side: WriteSide, act: (side: WriteSide, i: number) => Promise<T>) => {
  const other = { ...side, ...runner({ events: side.events, codec: side.log }) }
  return Promise.all(Array.from({ length: 64 }, (_, i) => act(i % 2 === 0 ? side : other, i)))
}

test('64 concurrent contradictory votes of one account leave the marks that the log explains', async (t) => {
  const side = await writeSide(t)
  const thing = { id: 't5_1', link: 't5_1', subsite: 't4_1', author: 't2_ann', created: Date.now(), deleted: false }
  const results = await race(side, ({ run, by }, i) =>
    run(Vote, 't2_bob.t5_1', castVote(thing, { voter: 't2_bob', at: Date.now() }, directions[i % 4] ?? 1), by('t2_bob')),
  )
  const votes = await side.log.open(await streamOf(side.events, 'vote-t2_bob.t5_1', 0))
  t.is(
    votes.length,
    results.reduce((sum, result) => sum + rightOf(result).events.length, 0),
  )
  let marks = { insightful: false, funny: false }
  for (const vote of votes) {
    if (vote.type !== 'VoteCast') return t.fail()
    t.deepEqual(vote.data.before, marks)
    marks = { ...vote.data.after }
  }
  t.deepEqual(await side.load(Vote, 't2_bob.t5_1'), marks)
})

test('one of 64 concurrent claims of a name succeeds', async (t) => {
  const side = await writeSide(t)
  const results = await race(side, ({ run, by }, i) => run(Username, 'ann', claimUsername(`t2_${i}`, 'ann'), by(`t2_${i}`)))
  t.is(results.filter(E.isRight).length, 1)
  for (const result of results) if (E.isLeft(result)) t.is(result.left.code, 'USERNAME_TAKEN')
  t.is((await streamOf(side.events, 'username-ann', 0)).length, 1)
})

test('of 64 concurrent removals and approvals each is decided on the one before', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  await race(side, ({ run, by }, i) => run(Link, 't5_1', i % 2 === 0 ? removeLink(true) : approveLink, by('t2_mod', 'moderator')))
  const [, ...verdicts] = await side.log.open(await streamOf(side.events, 'link-t5_1', 0))
  t.is(verdicts.length, 64)
  let removed = false
  for (const verdict of verdicts) {
    if (verdict.type !== 'LinkRemoved' && verdict.type !== 'LinkApproved') return t.fail()
    t.is(verdict.data.before, removed)
    removed = verdict.type === 'LinkRemoved'
  }
  t.is((await side.load(Link, 't5_1'))?.removed, removed)
})

test('of 64 concurrent stickies each succeeds, is displaced or refused as stickied; two stay', async (t) => {
  const side = await writeSide(t)
  const ids = Array.from({ length: 32 }, (_, i) => `t5_${i.toString(36)}`)
  await Promise.all(ids.map((id) => submit(side, id)))
  const results = await race(side, async ({ run, load, by }, i) => {
    const link = await load(Link, ids[i % 32] ?? '')
    if (!link) throw new Error('it was submitted')
    return run(Stickies, 't4_1', stickyLink(link), by('t2_mod', 'moderator'))
  })
  for (const result of results) if (E.isLeft(result)) t.is(result.left.code, 'CONFLICT')
  t.is((await side.load(Stickies, 't4_1'))?.length, 2)
})

test('a response waits for reactions and read models, and fails because of neither', async (t) => {
  const side = await writeSide(t)
  const reported: unknown[] = []
  const waited: string[] = []
  const report = (fault: unknown) => reported.push(fault)
  const waitUntilProjected = async (position: string) => waited.push(position) > 0
  const claim = (answer: ReturnType<typeof awaitProjection>, name: string, command: Command) =>
    answer.run(Username, name, claimUsername('t2_1', name), command)
  const far = '99999999999999999999'
  const following = awaitProjection(side, { follow: async () => far, waitUntilProjected, report })
  t.is(rightOf(await claim(following, 'ann', side.by('t2_1'))).position, far)
  const failing = awaitProjection(side, { follow: () => Promise.reject(new Error('no luck')), waitUntilProjected, report })
  t.is(rightOf(await claim(failing, 'bob', side.by('t2_1'))).position, await side.events.head())
  t.deepEqual(waited, [far])
  t.deepEqual(reported.map(String), ['Error: no luck'])
  t.is(rightOf(await claim(following, 'ann', side.by('t2_1'))).position, undefined)
})

test('consequences of an event are searched after that event only, however long the stream', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  for (let i = 0; i < 120; i++) await side.run(Link, 't5_1', removeLink(true), side.by('t2_mod', 'moderator'))
  const cause = (await side.log.open((await side.events.readBackwards('link-t5_1', undefined, 1)).events))[0]
  if (!cause) throw new Error('it was removed')
  let read = 0
  const counted = async (page: ReturnType<EventStore['read']>) => {
    read += (await page).events.length
    return page
  }
  const { run } = runner({
    events: {
      append: side.events.append,
      read: (...args) => counted(side.events.read(...args)),
      readBackwards: (...args) => counted(side.events.readBackwards(...args)),
    },
    codec: side.log,
  })
  await run(Link, 't5_1', approveLink, followUp(cause, 'approve', { account: 't2_mod', as: 'moderator' }))
  const cold = read
  t.true(cold < 121 + 20)
  for (let i = 0; i < 3; i++) {
    const again = rightOf(await run(Link, 't5_1', approveLink, followUp(cause, 'approve', { account: 't2_mod', as: 'moderator' })))
    t.is(again.events.length, 1)
  }
  t.true(read - cold <= 3 * 20)
  t.is((await streamOf(side.events, 'link-t5_1')).length, 122)
})
