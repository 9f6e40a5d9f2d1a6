import test from 'ava'
import { claimUsername, Username } from '../../src/domain/account.ts'
import { type Aggregate, refuse } from '../../src/domain/decision.ts'
import { Link } from '../../src/domain/link.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { approveLink, lockLink, removeLink, unlockLink } from '../../src/domain/thing-moderation.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { type Command, followUp } from '../../src/runtime/command.ts'
import { awaitProjection, runner } from '../../src/runtime/run.ts'
import { type WriteSide, writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'
import { rightOf, submit } from '../support/submitted-link.ts'

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

test('an event that an aggregate does not know is a fault, not something to skip', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const misled = { ...Username, category: 'link' } as unknown as Aggregate<Username, never>
  await t.throwsAsync(side.load(misled, 't5_1'), { message: /LinkSubmitted is in link-t5_1/ })
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
  const following = awaitProjection(side, { follow: async () => ({ position: far, recorded: [] }), waitUntilProjected, report })
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
      head: side.events.head,
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
