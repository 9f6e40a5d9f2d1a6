import test from 'ava'
import { either as E } from 'fp-ts'
import { Account, registerAccount } from '../../src/domain/account.ts'
import { InboxCleared, InboxEntry, Mailbox, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import { approveLink, deleteLink, Link, LinkSubmitted, removeLink } from '../../src/domain/link.ts'
import {
  acceptInvitation,
  addModerator,
  foundModeration,
  inviteModerator,
  leaveModeration,
  Moderators,
  removeModerator,
} from '../../src/domain/moderators.ts'
import { addContributor, banUser, Relation, unbanUser } from '../../src/domain/relation.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { createSubsite, Subsite } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { banExpiry } from '../../src/reactions/expiry.ts'
import { following } from '../../src/reactions/follow.ts'
import { processReactions } from '../../src/reactions/process.ts'
import { queuedReactions } from '../../src/reactions/queue.ts'
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
  const ports = { ...side, open: side.log.open, hadParticipated: async (account: string) => participants.has(account) }
  return { ...side, participants, follow: following(ports) }
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
    (await side.load(Stickies, 't4_1'))?.map(({ target }) => target.id),
    ['t5_2'],
  )
  const events = await all(side)
  const removal = events.find(({ type }) => type === 'LinkRemoved')
  const freed = events.find(({ type }) => type === 'LinkUnstickied')
  t.like(freed, { by: { account: 't2_cat', as: 'moderator' }, at: removal?.at, data: { reason: 'removed', slot: 1 } })
  t.is(freed?.meta.causationId, removal?.id)
  t.is(freed?.meta.correlationId, removal?.meta.correlationId)
})

test('a link that was approved and stickied after its removal keeps its slot when the removal is looked at again', async (t) => {
  const side = await site(t)
  await side.run(Link, 't5_1', removeLink(true), moderating(side))
  await react(side)
  await side.run(Link, 't5_1', approveLink, moderating(side))
  await sticky(side, 't5_1')
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
})

test('what was marked unread after the inbox was cleared stays so when the clearing is looked at again', async (t) => {
  const side = await site(t)
  const clearing = InboxCleared({ account: 't2_ann', things: ['t6_1', 't6_2'] })
  await side.run(InboxEntry, 't2_ann.t6_1', markRead('t2_ann', 't6_1'), side.by('t2_ann'))
  await side.run(Mailbox, 't2_ann', () => E.right([clearing]), side.by('t2_ann'))
  await react(side)
  for (const entry of ['t6_1', 't6_2'] as const)
    await side.run(InboxEntry, `t2_ann.${entry}`, markUnread('t2_ann', entry), side.by('t2_ann'))
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
})

test('a deleted link leaves its slot without a moderator action', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', deleteLink('t2_ann'), side.by('t2_ann'))
  await react(side)
  const freed = (await all(side)).find(({ type }) => type === 'LinkUnstickied')
  t.like(freed, { by: { account: null, as: 'system' }, data: { reason: 'deleted' } })
})

test('a sticky that raced the removal of its link does not stay', async (t) => {
  const side = await site(t)
  const command = moderating(side)
  const link = await side.load(Link, 't5_1', command)
  if (!link) return t.fail()
  await side.run(Link, 't5_1', removeLink(true), moderating(side))
  await react(side)
  await side.run(Stickies, 't4_1', stickyLink(link), command) // decided on what it was before
  await react(side)
  t.deepEqual(await side.load(Stickies, 't4_1'), [])
})

test('each reaction has its effect once, however often and wherever it runs', async (t) => {
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

test('an invited account is notified by the subsite, its moderators by the service', async (t) => {
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

test('other actions send a message to the account concerned', async (t) => {
  const side = await site(t)
  const { run, by } = side
  await run(Moderators, 't4_1', inviteModerator(between, { banned: false }, '+posts'), moderating(side))
  await run(Moderators, 't4_1', acceptInvitation(between, { banned: false }), by('t2_bob'))
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

test('bans that have run out are recorded once, at their end, as an act of the service', async (t) => {
  const side = await site(t)
  await ban(side, 1)
  const [set] = await side.log.open(await streamOf(side.events, 'relation-t4_1.t2_bob', 0))
  if (set?.type !== 'UserBanned') return t.fail()
  const due = set.data.until ?? 0
  const dueBans = async (now: number, after: unknown) => (now >= due && !after ? [{ ...between, id: 'bob', cause: set.id, due }] : [])
  const report = (fault: unknown) => t.fail(String(fault))
  const look = (now: number) => banExpiry({ run: side.run, dueBans, clock: () => now, report })()
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
  await side.run(Moderators, 't4_1', inviteModerator({ ...between, account: 't2_cat' }, { banned: false }, ''), moderating(side))
  await until(() => sent(4))
  await stopAgain()
  t.deepEqual(followed, ['ModeratorInvited'])
})

test('an event whose consequences fail waits in a queue, holds nothing else up, and is done when it can be', async (t) => {
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

test('one of several consequences of an event that fails keeps no other of it from being done', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', inviteModerator(between, { banned: false }, ''), moderating(side))
  await ban(side, 3)
  const [, second] = await streamOf(side.events, 'moderators-t4_1', 0)
  const run: Site['run'] = (aggregate, ...rest) =>
    aggregate.category === 'moderators' ? Promise.reject(new Error('cannot')) : side.run(aggregate, ...rest)
  const follow = following({ ...side, open: side.log.open, run, hadParticipated: async () => true })
  await t.throwsAsync(follow(await streamOf(side.events, 'relation-t4_1.t2_bob', 0)), { message: 'cannot' })
  t.is(second?.type, 'ModeratorInvited')
  t.is((await messages(side)).length, 1, 'the ban message')
})

test('what waits is forgotten with the history it belongs to', async (t) => {
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

test('a ban whose end cannot be recorded keeps no other from ending, however many there are', async (t) => {
  const side = await site(t)
  const facts = { moderator: false, at: Date.now() - 5 * DAY }
  const bans = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const account = `t2_${n}`
      const term = { days: 1, note: '', message: '' }
      await side.run(Relation, `t4_1.${account}`, banUser({ subsite: 't4_1', account }, facts, term), moderating(side))
      return { id: account, cause: `00000000-0000-5000-8000-00000000000${n}`, due: facts.at + DAY, subsite: 't4_1', account }
    }),
  )
  for (const n of [0, 1, 2]) {
    const unreadable = { id: `00000000-0000-5000-8000-0000000000f${n}`, type: 'TeaSpilt', data: '{}', meta: '{}' }
    await side.events.append(`relation-t4_1.t2_${n}`, 0, [unreadable])
  }
  const faults: unknown[] = []
  const pages = (_: number, after: { readonly id: string } | undefined) => {
    const from = after ? bans.findIndex(({ id }) => id === after.id) + 1 : 0
    return Promise.resolve(bans.slice(from, from + 2))
  }
  const look = banExpiry({ run: side.run, dueBans: pages, clock: Date.now, report: (fault) => faults.push(fault) })
  await look()
  await look()
  t.is(faults.length, 3, 'each is tried again after a while only')
  for (const n of [3, 4, 5]) t.is((await side.load(Relation, `t4_1.t2_${n}`))?.ban, undefined)
})

const invite = inviteModerator(between, { banned: false }, '+posts')
const seats = async (side: Site) => (await side.load(Moderators, 't4_1'))?.moderators.map(({ account }) => account)
const relationSeen = async (side: Site, command: ReturnType<Site['by']>) => {
  await side.load(Relation, 't4_1.t2_bob', command)
  return command
}

test('a ban withdraws the invitation that was pending then, by the same moderator and caused by the ban', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', invite, moderating(side))
  await side.run(
    Relation,
    't4_1.t2_bob',
    banUser(between, { moderator: false, at: Date.now() }, { days: null, note: '', message: '' }),
    side.by('t2_cat', 'moderator'),
  )
  await react(side)
  const events = await all(side)
  const cause = events.find(({ type }) => type === 'UserBanned')
  const withdrawn = events.find(({ type }) => type === 'ModeratorInvitationWithdrawn')
  t.like(withdrawn, { by: { account: 't2_cat', as: 'moderator' }, at: cause?.at, data: between })
  t.is(withdrawn?.meta.causationId, cause?.id)
})

test('a ban leaves an invitation alone that was made after it had ended', async (t) => {
  const side = await site(t)
  await ban(side, null)
  await side.run(Relation, 't4_1.t2_bob', unbanUser(between, Date.now()), moderating(side))
  await side.run(Moderators, 't4_1', invite, moderating(side))
  await react(side)
  t.is((await side.load(Moderators, 't4_1'))?.invitations.length, 1)
})

test('an invitation that raced a ban is withdrawn', async (t) => {
  const side = await site(t)
  const command = await relationSeen(side, moderating(side))
  await ban(side, null)
  await react(side)
  await side.run(Moderators, 't4_1', invite, command)
  await react(side)
  t.deepEqual((await side.load(Moderators, 't4_1'))?.invitations, [])
})

test('an acceptance that raced a ban is undone by the service', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', invite, moderating(side))
  const command = await relationSeen(side, side.by('t2_bob'))
  await ban(side, null)
  await side.run(Moderators, 't4_1', acceptInvitation(between, { banned: false }), command)
  await react(side)
  t.deepEqual(await seats(side), ['t2_ann'])
  t.like(
    (await all(side)).find(({ type }) => type === 'ModeratorRemoved'),
    { by: { account: null, as: 'system' }, data: { left: false } },
  )
})

test('a seat accepted without a check for bans is kept', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', invite, moderating(side))
  await ban(side, null)
  await side.run(Moderators, 't4_1', acceptInvitation(between, { banned: false }), side.by('t2_bob'))
  await react(side)
  t.deepEqual(await seats(side), ['t2_ann', 't2_bob'])
})
