import test from 'ava'
import { either as E } from 'fp-ts'
import { Account, registerAccount } from '../../src/domain/account.ts'
import { deleteLink, Link, LinkSubmitted, removeLink } from '../../src/domain/link.ts'
import {
  acceptInvitation,
  addModerator,
  foundModeration,
  inviteModerator,
  leaveModeration,
  Moderators,
  removeModerator,
} from '../../src/domain/moderators.ts'
import { addContributor, banUser, Relation, type RelationEvent } from '../../src/domain/relation.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { createSubsite, Subsite } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { expireDueBans } from '../../src/reactions/expiry.ts'
import { following } from '../../src/reactions/follow.ts'
import { processReactions } from '../../src/reactions/process.ts'
import { type WriteSide, writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'

const DAY = 86_400_000
const between = { subsite: 't4_1', account: 't2_bob' }
const moderating = (side: WriteSide) => side.by('t2_ann', 'moderator')

/** A subsite of ann's, with a link of hers, and bob. */
const site = async (t: Parameters<typeof writeSide>[0]) => {
  const side = await writeSide(t)
  const { run, by } = side
  await run(Account, 't2_ann', registerAccount('t2_ann', 'Ann'), by('t2_ann'))
  await run(Account, 't2_bob', registerAccount('t2_bob', 'Bob'), by('t2_bob'))
  await run(Subsite, 't4_1', createSubsite({ subsite: 't4_1', name: 'Tea', creator: 't2_ann', settings: defaultSettings }), by('t2_ann'))
  await run(Moderators, 't4_1', foundModeration({ subsite: 't4_1', account: 't2_ann' }), by('t2_ann'))
  const submitted = { subsite: 't4_1', author: 't2_ann', title: 'tea', text: '', over18: false, sendReplies: true, filtered: false }
  for (const link of ['t5_1', 't5_2']) await run(Link, link, () => E.right([LinkSubmitted({ ...submitted, link })]), by('t2_ann'))
  const participants = new Set(['t2_bob'])
  const ports = { run: side.run, load: side.load, hasParticipated: async (account: string) => participants.has(account) }
  return { ...side, participants, follow: following(ports, side.log) }
}
type Site = Awaited<ReturnType<typeof site>>

const all = async ({ events, log }: Site) => log.open(await events.readAll('0'.repeat(20), 1_000))
const messages = async (side: Site) => (await all(side)).flatMap((event) => (event.type === 'MessageSent' ? [event] : []))

/** Do what follows from the whole log, as a process does that starts anew. */
const react = async (side: Site) => side.follow(await side.events.readAll('0'.repeat(20), 1_000))

const sticky = async (side: Site, id: string) => {
  const link = await side.load(Link, id)
  if (!link) throw new Error('it was submitted')
  return side.run(Stickies, 't4_1', stickyLink(link), moderating(side))
}
const ban = (side: Site, days: number | null, message = '') =>
  side.run(Relation, 't4_1.t2_bob', banUser(between, { moderator: false, at: Date.now() }, { days, note: '', message }), moderating(side))

test('a removed link leaves its slot, by the same moderator and caused by the removal', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await sticky(side, 't5_2')
  await side.run(Link, 't5_1', removeLink(true), side.by('t2_cat', 'moderator'))
  await react(side)
  t.deepEqual(
    (await side.load(Stickies, 't4_1'))?.map(({ id }) => id),
    ['t5_2'],
  )
  const events = await all(side)
  const removal = events.find(({ type }) => type === 'LinkRemoved')
  const freed = events.find(({ type }) => type === 'LinkUnstickied')
  t.like(freed, { by: { account: 't2_cat', as: 'moderator' }, at: removal?.at, data: { reason: 'removed', slot: 1 } })
  t.is(freed?.meta.causationId, removal?.id)
  t.is(freed?.meta.correlationId, removal?.meta.correlationId)
})

test('a deleted link leaves its slot, and that is nobody’s act', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', deleteLink('t2_ann'), side.by('t2_ann'))
  await react(side)
  const freed = (await all(side)).find(({ type }) => type === 'LinkUnstickied')
  t.like(freed, { by: { account: null, as: 'system' }, data: { reason: 'deleted' } })
})

test('a sticky that raced the removal of its link does not stay', async (t) => {
  const side = await site(t)
  const link = await side.load(Link, 't5_1')
  if (!link) return t.fail()
  await side.run(Link, 't5_1', removeLink(true), moderating(side))
  await react(side)
  await side.run(Stickies, 't4_1', stickyLink(link), moderating(side)) // decided on what it was before
  await react(side)
  t.deepEqual(await side.load(Stickies, 't4_1'), [])
})

test('whatever follows follows once, however often and from wherever it is done', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', removeLink(true), moderating(side))
  await side.run(Moderators, 't4_1', inviteModerator(between, { banned: false }, '+posts'), moderating(side))
  await ban(side, 3)
  await Promise.all([react(side), react(side), react(side)])
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
  t.is((await messages(side)).length, 3)
})

test('somebody invited is told by the subsite, its moderators by the service', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', inviteModerator(between, { banned: false }, '+posts'), moderating(side))
  await react(side)
  const [invitation, notice] = await messages(side)
  t.like(invitation?.data, { author: 't2_ann', to: 't2_bob', subsite: 't4_1', fromSubsite: true, modmail: true, inboxes: ['t2_bob'] })
  t.is(invitation?.data.subject, 'invitation to moderate /s/Tea')
  t.like(notice?.data, {
    author: null,
    to: null,
    subsite: 't4_1',
    modmail: true,
    inboxes: [],
    body: '/u/Bob has been invited by /u/Ann to moderate /s/Tea.',
  })
  t.not(invitation?.data.message, notice?.data.message)
})

test('the other acts that somebody is told of', async (t) => {
  const side = await site(t)
  const { run, by } = side
  await run(Moderators, 't4_1', inviteModerator(between, { banned: false }, '+posts'), moderating(side))
  await run(Moderators, 't4_1', acceptInvitation(between), by('t2_bob'))
  await run(Moderators, 't4_1', removeModerator(between, { actor: 't2_ann', admin: false }), moderating(side))
  await run(Moderators, 't4_1', addModerator(between, { banned: false }, '+all'), by('t2_root', 'admin'))
  await run(Moderators, 't4_1', leaveModeration(between), by('t2_bob'))
  await run(Relation, 't4_1.t2_bob', addContributor(between, { founder: false, at: 0 }), moderating(side))
  await run(Relation, 't4_1.t2_ann', addContributor({ ...between, account: 't2_ann' }, { founder: true, at: 0 }), by('t2_ann'))
  await react(side)
  t.deepEqual(
    (await messages(side)).map(({ data: { author, to, distinguished, subject } }) => [author, to, distinguished, subject]),
    [
      ['t2_ann', 't2_bob', 'moderator', 'invitation to moderate /s/Tea'],
      [null, null, null, 'moderator invited'],
      ['t2_bob', null, 'moderator', 'moderator added'],
      ['t2_ann', 't2_bob', 'moderator', 'you have been removed as a moderator of /s/Tea'],
      ['t2_root', 't2_bob', 'admin', 'you are a moderator'],
      ['t2_ann', 't2_bob', 'moderator', 'you are an approved submitter of /s/Tea'],
    ],
  )
})

test('who took part is told of a ban and its changes, with what the moderators add; who did not is not', async (t) => {
  const side = await site(t)
  await ban(side, 3, 'Too much\ncoffee.')
  await ban(side, 30)
  await ban(side, null)
  await react(side)
  const told = (await messages(side)).map(({ data }) => data)
  t.deepEqual(
    told.map(({ subject }) => subject),
    ["you've been temporarily banned from participating in /s/Tea", 'your ban from /s/Tea has changed', 'your ban from /s/Tea has changed'],
  )
  t.true(told[0]?.body.includes('for 3 days') && told[0].body.includes('> Too much\n> coffee.'))
  t.true(told[1]?.body.includes('30 days'))
  t.true(told[2]?.body.includes('permanent'))
  side.participants.clear()
  await side.run(
    Relation,
    't4_1.t2_cat',
    banUser({ ...between, account: 't2_cat' }, { moderator: false, at: 0 }, { days: null, note: '', message: '' }),
    moderating(side),
  )
  await react(side)
  t.is((await messages(side)).length, 3)
})

test('bans that have run out are recorded once, at their end, in the name of who banned', async (t) => {
  const side = await site(t)
  await ban(side, 1)
  const [set] = await side.log.open(await streamOf(side.events, 'relation-t4_1.t2_bob', 0))
  if (set?.type !== 'UserBanned') return t.fail()
  const due = set.data.until ?? 0
  const dueBans = async (now: number) => (now >= due ? [{ ...between, cause: set.id, due }] : [])
  const look = (now: number) => expireDueBans({ run: side.run, dueBans, clock: () => now })
  await look(due - 1)
  t.is((await streamOf(side.events, 'relation-t4_1.t2_bob', 0)).length, 1)
  await Promise.all([look(due + 5 * DAY), look(due + 6 * DAY)])
  await look(due + 7 * DAY)
  const [, expired, ...more] = await side.log.open(await streamOf(side.events, 'relation-t4_1.t2_bob', 0))
  t.like(expired, { type: 'BanExpired', at: due, by: { account: null, as: 'system' }, data: { bannedBy: 't2_ann' } })
  t.is(expired?.meta.causationId, set.id)
  t.deepEqual(more, [])
  t.is((await side.load(Relation, 't4_1.t2_bob'))?.ban, undefined)
})

const until = async (condition: () => Promise<boolean>) => {
  const begun = performance.now()
  while (!(await condition())) {
    if (performance.now() - begun > 10_000) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('a process does what follows from what was and what comes, and the next goes on where it stopped', async (t) => {
  const side = await site(t)
  const report = (fault: unknown) => t.fail(String(fault))
  const followed: string[] = []
  const start = () => {
    const stop = new AbortController()
    const follow: Site['follow'] = (recorded) => {
      followed.push(...recorded.map(({ type }) => type))
      return side.follow(recorded)
    }
    const done = processReactions({ ...side, follow, report }, stop.signal)
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
  await side.run(Moderators, 't4_1', inviteModerator({ ...between, account: 't2_cat' }, { banned: false }, ''), moderating(side))
  await until(() => sent(4))
  await stopAgain()
  t.deepEqual(followed, ['ModeratorInvited'])
})

test('an event whose consequences fail is tried again, then given up loudly, and what comes after is done', async (t) => {
  const side = await site(t)
  const faults: string[] = []
  const follow: Site['follow'] = async (recorded) => {
    if (recorded.some(({ type }) => type === 'UserBanned')) throw new Error('cannot')
    return side.follow(recorded)
  }
  await ban(side, 3)
  const changed: readonly RelationEvent[] = E.getOrElse((): readonly RelationEvent[] => [])(
    E.map(({ events }: { events: readonly RelationEvent[] }) => events)(await ban(side, 30)),
  )
  t.is(changed[0]?.type, 'BanChanged')
  const stop = new AbortController()
  const done = processReactions({ ...side, follow, report: (_, event) => faults.push(event?.type ?? '') }, stop.signal)
  await until(async () => (await messages(side)).length === 1)
  stop.abort()
  await done
  t.deepEqual(faults, Array(5).fill('UserBanned'))
})
