import test from 'ava'
import { either as E } from 'fp-ts'
import { snapshots } from '../../projections/snapshots.ts'
import { Account, registerAccount, suspendAccount } from '../../src/domain/account.ts'
import { Comment, CommentPosted, deleteComment } from '../../src/domain/comment.ts'
import { approveComment, distinguishComment, removeComment } from '../../src/domain/comment-moderation.ts'
import { InboxCleared, InboxEntry, Mailbox, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import { deleteLink, Link, LinkSubmitted } from '../../src/domain/link.ts'
import { approveLink, removeLink } from '../../src/domain/link-moderation.ts'
import {
  acceptInvitation,
  addModerator,
  foundModeration,
  inviteModerator,
  leaveModeration,
  Moderators,
  removeModerator,
} from '../../src/domain/moderators.ts'
import { addContributor, Relation } from '../../src/domain/relation.ts'
import { banUser, muteUser, unbanUser, wikiBanUser } from '../../src/domain/restrictions.ts'
import { Stickies, stickyLink, unstickyLink } from '../../src/domain/stickies.ts'
import { StickyComment, stickyComment } from '../../src/domain/sticky-comment.ts'
import { createSubsite, Subsite } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { timedEffects } from '../../src/domain/timed-effects.ts'
import type { EventStore, RecordedEvent } from '../../src/ports/event-store.ts'
import { recordExpiry } from '../../src/reactions/expiry.ts'
import { following } from '../../src/reactions/follow.ts'
import { processReactions } from '../../src/reactions/process.ts'
import { queuedReactions } from '../../src/reactions/queue.ts'
import { runner } from '../../src/runtime/run.ts'
import { readModels, type WriteSide, writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'

const DAY = 86_400_000
const between = { subsite: 't4_1', account: 't2_bob' }
const moderating = (side: WriteSide) => side.by('t2_ann', 'moderator')

/** A subsite of ann's, with a link of hers, and bob. */
const site = async (t: Parameters<typeof writeSide>[0], projector?: URL) => {
  const side = await writeSide(t, projector)
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

test('removing a stickied link unstickies it, by the same moderator and caused by the removal', async (t) => {
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

test('a removal reads a bounded part of the subsite’s stickies, however long their stream', async (t) => {
  const side = await site(t, readModels)
  const link = await side.load(Link, 't5_1')
  if (!link) throw new Error('it was submitted')
  for (let n = 0; n < 150; n += 1) {
    await sticky(side, 't5_1')
    await side.run(Stickies, 't4_1', unstickyLink(link), moderating(side))
  }
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', removeLink(true), moderating(side))
  t.true(await side.waitUntilProjected(await side.events.head(), 60_000))

  let read = 0
  const counted = async (stream: string, page: ReturnType<EventStore['read']>) => {
    if (stream.startsWith('stickies-')) read += (await page).events.length
    return page
  }
  const events: EventStore = {
    ...side.events,
    read: (...args) => counted(args[0], side.events.read(...args)),
    readBackwards: (...args) => counted(args[0], side.events.readBackwards(...args)),
  }
  const snapshotOf = async (stream: string) => (await side.documents.getMany(snapshots, [stream])).get(stream)
  const anew = runner({ events, codec: side.log, snapshots: snapshotOf })
  const removal = (await side.events.readAll('0'.repeat(20), 1_000)).slice(-1)
  await following({ ...side, ...anew, events, open: side.log.open, hadParticipated: async () => false })(removal)
  t.deepEqual(await side.load(Stickies, 't4_1'), [])
  t.is((await streamOf(side.events, 'stickies-t4_1')).length, 302)
  t.true(read > 0 && read < 60, `${read} events were read`)
})

test('a link approved and stickied after its removal keeps its slot when the removal is processed again', async (t) => {
  const side = await site(t)
  await side.run(Link, 't5_1', removeLink(true), moderating(side))
  await react(side)
  await side.run(Link, 't5_1', approveLink, moderating(side))
  await sticky(side, 't5_1')
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
})

test('entries marked as unread after the inbox was cleared stay unread when the clearing is processed again', async (t) => {
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

test('deleting a stickied link unstickies it without a moderator action', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', deleteLink('t2_ann'), side.by('t2_ann'))
  await react(side)
  const freed = (await all(side)).find(({ type }) => type === 'LinkUnstickied')
  t.like(freed, { by: { account: null, as: 'system' }, data: { reason: 'deleted' } })
})

test('a sticky concurrent with the removal of its link is undone', async (t) => {
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

const comment = async (side: Site, id = 't1_1') => {
  const posted = { comment: id, link: 't5_1', subsite: 't4_1', author: 't2_cat', linkAuthor: 't2_ann', parent: null, body: 'x' }
  await side.run(Comment, id, () => E.right([CommentPosted({ ...posted, filtered: false, notified: [] })]), side.by('t2_cat'))
  await side.run(Comment, id, distinguishComment('t2_cat', { deleted: false }, 'moderator'), moderating(side))
}
const lead = async (side: Site, command = moderating(side)) => {
  const found = await side.load(Comment, 't1_1', command)
  if (!found) throw new Error('it was posted')
  return () => side.run(StickyComment, 't5_1', stickyComment(found), command)
}
const leading = async (side: Site) => (await side.load(StickyComment, 't5_1'))?.stickied?.target.id

const leavings = {
  removed: (side: Site) => side.run(Comment, 't1_1', removeComment(false), side.by('t2_cat', 'moderator')),
  deleted: (side: Site) => side.run(Comment, 't1_1', deleteComment('t2_cat'), side.by('t2_cat')),
  asked: (side: Site) => side.run(Comment, 't1_1', distinguishComment('t2_cat', { deleted: false }, null), side.by('t2_cat', 'moderator')),
} as const

for (const reason of ['removed', 'deleted', 'asked'] as const) {
  test(`a stickied comment is unstickied, with the reason ${reason}`, async (t) => {
    const side = await site(t)
    await comment(side)
    await (await lead(side))()
    t.is(await leading(side), 't1_1')
    await leavings[reason](side)
    await react(side)
    t.is(await leading(side), undefined)
    const left = (await all(side)).filter(({ type }) => type === 'CommentUnstickied')
    const by = reason === 'deleted' ? { account: null, as: 'system' } : { account: 't2_cat', as: 'moderator' }
    t.is(left.length, 1)
    t.like(left[0], { by, data: { reason } })
    await react(side)
    t.is((await all(side)).filter(({ type }) => type === 'CommentUnstickied').length, 1)
  })

  test(`a comment stickied at the same time is unstickied, with the reason ${reason}`, async (t) => {
    const side = await site(t)
    await comment(side)
    const act = await lead(side)
    await leavings[reason](side)
    await react(side)
    await act() // decided on what it was before
    await react(side)
    t.is(await leading(side), undefined)
  })
}

test('a comment approved and stickied after its removal stays sticky when the removal is processed again', async (t) => {
  const side = await site(t)
  await comment(side)
  await leavings.removed(side)
  await react(side)
  await side.run(Comment, 't1_1', approveComment, moderating(side))
  await (await lead(side))()
  await react(side)
  t.is(await leading(side), 't1_1')
})

test('each reaction has its effect once, however often and wherever it runs', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', removeLink(true), moderating(side))
  await side.run(Moderators, 't4_1', inviteModerator(between, { banned: false, muted: false }, '+posts'), moderating(side))
  await ban(side, 3)
  await Promise.all([react(side), react(side), react(side)])
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
  t.is((await messages(side)).length, 3)
})

test('an invited account is notified by the subsite, its moderators by the service', async (t) => {
  const side = await site(t)
  await side.run(Moderators, 't4_1', inviteModerator(between, { banned: false, muted: false }, '+posts'), moderating(side))
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

test('bans, mutes and other acts send a message to the account concerned', async (t) => {
  const side = await site(t)
  const { run, by } = side
  await run(Moderators, 't4_1', inviteModerator(between, { banned: false, muted: false }, '+posts'), moderating(side))
  await run(Moderators, 't4_1', acceptInvitation(between, { banned: false }), by('t2_bob'))
  await run(Moderators, 't4_1', removeModerator(between, { actor: 't2_ann', admin: false }), moderating(side))
  await run(Moderators, 't4_1', addModerator(between, { banned: false, muted: false }, '+all'), by('t2_root', 'admin'))
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

test('a ban and its changes notify accounts that took part in the subsite, and no others', async (t) => {
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

test('the expiry of a ban is recorded once, at its end, as an act of the service', async (t) => {
  const side = await site(t)
  await ban(side, 1)
  const [set] = await side.log.open(await streamOf(side.events, 'relation-t4_1.t2_bob', 0))
  if (set?.type !== 'UserBanned') return t.fail()
  const due = set.data.until ?? 0
  const timer = { id: 'bob', effect: 'ban', aggregate: 't4_1.t2_bob', cause: set.id, due } as const
  const dueTimers = async (now: number, after: unknown) => (now >= due && !after ? [timer] : [])
  const report = (fault: unknown) => t.fail(String(fault))
  const look = (now: number) => recordExpiry({ run: side.run, dueTimers, clock: () => now, report })()
  await look(due - 1)
  t.is((await streamOf(side.events, 'relation-t4_1.t2_bob', 0)).length, 1)
  await Promise.all([look(due + 5 * DAY), look(due + 6 * DAY)])
  await look(due + 7 * DAY)
  const [, expired, ...more] = await side.log.open(await streamOf(side.events, 'relation-t4_1.t2_bob', 0))
  t.like(expired, { type: 'BanExpired', at: due, by: { account: null, as: 'system' }, data: { bannedBy: 't2_ann' } })
  t.is(expired?.meta.causationId, set.id)
  t.deepEqual(more, [])
  t.is((await side.load(Relation, 't4_1.t2_bob'))?.banned, undefined)
})

test('two concurrent processes record the expiry of one effect once', async (t) => {
  const side = await site(t)
  const at = Date.now()
  const relation = 't4_1.t2_bob'
  const moderator = { moderator: false, at }
  const { run } = side
  await run(Relation, relation, banUser(between, moderator, { days: 1, note: '', message: '' }), moderating(side))
  await run(Relation, relation, wikiBanUser(between, at, { days: 1, note: '' }), moderating(side))
  await run(Relation, relation, muteUser(between, moderator, { note: '' }), moderating(side))
  await run(Account, 't2_bob', suspendAccount({ days: 1, at, note: '' }), side.by('t2_root', 'admin'))
  const set = await all(side)
  const timers = (['ban', 'wikiBan', 'mute', 'suspension'] as const).map((effect) => {
    const event = set.find(({ type }) => (timedEffects[effect].setBy as readonly string[]).includes(type))
    if (!event || !('until' in event.data)) throw new Error(`${effect} was not set`)
    const aggregate = effect === 'suspension' ? 't2_bob' : relation
    return { id: effect, effect, aggregate, cause: event.id, due: Number(event.data.until) }
  })
  for (const timer of timers) {
    // both have decided before either appends
    let arrived = 0
    const both = Promise.withResolvers<void>()
    const process = () => {
      const append: typeof side.events.append = async (...proposal) => {
        arrived += 1
        if (arrived === 2) both.resolve()
        await both.promise
        return side.events.append(...proposal)
      }
      const events = { ...side.events, append }
      const report = (fault: unknown) => t.fail(String(fault))
      const dueTimers = async (_: number, after: unknown) => (after ? [] : [timer])
      return recordExpiry({ run: runner({ events, codec: side.log }).run, dueTimers, clock: () => timer.due, report })
    }
    await Promise.all([process()(), process()()])
    t.is(arrived, 2, timer.effect)
  }
  const recorded = (await all(side)).slice(set.length)
  t.deepEqual(
    recorded.map(({ type, by }) => [type, by.as]),
    ['BanExpired', 'WikiBanExpired', 'MuteExpired', 'AccountSuspensionExpired'].map((type) => [type, 'system']),
  )
})

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

test('a ban whose expiry cannot be recorded does not prevent others from expiring', async (t) => {
  const side = await site(t)
  const facts = { moderator: false, at: Date.now() - 5 * DAY }
  const bans = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const account = `t2_${n}`
      const term = { days: 1, note: '', message: '' }
      await side.run(Relation, `t4_1.${account}`, banUser({ subsite: 't4_1', account }, facts, term), moderating(side))
      return {
        id: account,
        cause: `00000000-0000-5000-8000-00000000000${n}`,
        due: facts.at + DAY,
        effect: 'ban',
        aggregate: `t4_1.${account}`,
      } as const
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
  const look = recordExpiry({ run: side.run, dueTimers: pages, clock: Date.now, report: (fault) => faults.push(fault) })
  await look()
  await look()
  t.is(faults.length, 3, 'each is tried again after a while only')
  for (const n of [3, 4, 5]) t.is((await side.load(Relation, `t4_1.t2_${n}`))?.banned, undefined)
})

const invite = inviteModerator(between, { banned: false, muted: false }, '+posts')
const seats = async (side: Site) => (await side.load(Moderators, 't4_1'))?.moderators.map(({ account }) => account)
const relationSeen = async (side: Site, command: ReturnType<Site['by']>) => {
  await side.load(Relation, 't4_1.t2_bob', command)
  return command
}

test('a ban withdraws a pending invitation, by the same moderator and caused by the ban', async (t) => {
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

test('a ban does not withdraw an invitation made after its end', async (t) => {
  const side = await site(t)
  await ban(side, null)
  await side.run(Relation, 't4_1.t2_bob', unbanUser(between, Date.now()), moderating(side))
  await side.run(Moderators, 't4_1', invite, moderating(side))
  await react(side)
  t.is((await side.load(Moderators, 't4_1'))?.invitations.length, 1)
})

test('an invitation concurrent with a ban is withdrawn', async (t) => {
  const side = await site(t)
  const command = await relationSeen(side, moderating(side))
  await ban(side, null)
  await react(side)
  await side.run(Moderators, 't4_1', invite, command)
  await react(side)
  t.deepEqual((await side.load(Moderators, 't4_1'))?.invitations, [])
})

test('an acceptance concurrent with a ban is undone by the service', async (t) => {
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
