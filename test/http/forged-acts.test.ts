import { randomUUID } from 'node:crypto'
import { v4, v5 } from 'uuid'
import { streamOf } from '../../src/audit/rules/streams.ts'
import { AccountErased, AccountSuspended, AccountTextsErased } from '../../src/domain/account.ts'
import { AudienceApplied } from '../../src/domain/audience.ts'
import { CommentApproved, CommentEdited, CommentPosted, CommentRemoved } from '../../src/domain/comment.ts'
import { CreditsGranted } from '../../src/domain/credits.ts'
import type { Actor, AnyEvent, SeenRevisions } from '../../src/domain/event.ts'
import type { DomainEvent, EventName, Logged } from '../../src/domain/events.ts'
import { LinkFlairChanged, UserFlairChanged } from '../../src/domain/flair.ts'
import { GoldExtended } from '../../src/domain/gold.ts'
import { LinkApproved, LinkDeleted, LinkDistinguished, LinkErased, LinkLocked, LinkRemoved, LinkUnlocked } from '../../src/domain/link.ts'
import { LinkContestModeSet, LinkMarkedNsfw } from '../../src/domain/link-options.ts'
import { MessageCollapsed, MessageSent, ModmailRead } from '../../src/domain/message.ts'
import {
  ModeratorAdded,
  ModeratorInvitationAccepted,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
} from '../../src/domain/moderators.ts'
import { BanExpired, ContributorAdded, UserBanned, UserMuted, UserWikiBanned } from '../../src/domain/relation.ts'
import { RuleCreated } from '../../src/domain/rules.ts'
import { LinkStickied } from '../../src/domain/stickies.ts'
import { StylesheetSaved } from '../../src/domain/stylesheet.ts'
import { Subscribed } from '../../src/domain/subscription.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { FlairTemplateAdded } from '../../src/domain/subsite-flair.ts'
import { VoteCast } from '../../src/domain/vote.ts'
import { WikiPageListingChanged, WikiPageRevised } from '../../src/domain/wiki-page.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { auditedOf, findingsOf } from '../support/auditing.ts'
import { type Cast, startTea } from '../support/cast.ts'
import { appoint, postForm } from '../support/community.ts'
import { firstMail } from '../support/mail.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import { testOn } from '../support/test-on.ts'

// Acts that nobody of that standing may do, written into the log as the service writes: the audit names each, and nothing else.

const others = ['root', 'poster', 'mailer', 'former', 'punished', 'cook', 'eve', 'dan', 'keeper', 'pardoned'] as const
type Stage = Cast<'ann' | 'bob' | (typeof others)[number]> & {
  readonly tea: string
  readonly coffee: string
  readonly mate: string
  readonly den: string
  readonly link: string
  readonly comment: string
  readonly elsewhere: string
  readonly hidden: string
  readonly letter: string
}

const test = testOn(async (): Promise<Stage> => {
  const cast = await startTea(others)
  const { ann, bob, cook, dan, poster, mailer, former, punished, root, keeper, pardoned } = cast
  const coffee = await foundSubsite(cook, 'coffee')
  await appoint(ann, 'tea', poster, '+posts')
  await appoint(ann, 'tea', mailer, '+mail')
  await appoint(ann, 'tea', keeper, '+wiki')
  for (const one of [former, punished]) await appoint(ann, 'tea', one, '+all')
  const link = await submit(bob, 'tea')
  const comment = await say(bob, link)
  // acts of each, as the service records them
  await postForm(former, '/api/lock', { id: link })
  await postForm(punished, '/api/unlock', { id: link })
  await postForm(root, '/api/remove', { id: comment, spam: false })
  await postForm(root, '/api/approve', { id: comment })
  await postForm(ann, '/s/tea/api/unfriend', { type: 'moderator', name: former.name })
  await postForm(root, '/api/suspend_user', { name: punished.name })
  await postForm(ann, '/s/tea/api/friend', { type: 'banned', name: pardoned.name })
  await postForm(ann, '/s/tea/api/unfriend', { type: 'banned', name: pardoned.name })
  await appoint(ann, 'tea', pardoned, '+flair')
  const mate = await foundSubsite(dan, 'mate')
  const den = await foundSubsite(cook, 'den', { type: 'private' })
  const hidden = await submit(cook, 'den')
  await postForm(bob, '/api/compose', { to: '/s/tea', subject: 'Hello', text: 'there' })
  const letter = String((await firstMail(bob, 'sent'))?.data.name)
  const tea = String((await ann.get('/s/tea/about')).at('data.name'))
  return { ...cast, tea, coffee, mate, den, link, comment, hidden, letter, elsewhere: await submit(cook, 'coffee') }
})

/** `follows`: what it names as its cause. */
type Forged = {
  readonly by: Actor
  readonly event: AnyEvent
  readonly seen?: SeenRevisions
  readonly after?: number
  readonly follows?: Pick<Logged, 'id' | 'at' | 'meta'>
}

/** Appends an event as the service would, in the name of the given actor. Returns its id. */
const forge = async ({ site }: Stage, { by, event, seen = {}, after = 0, follows }: Forged): Promise<string> => {
  const { stores } = site.running
  const stream = streamOf(event as DomainEvent)
  const revision = ((await stores.events.readBackwards(stream, undefined, 1)).events[0]?.revision ?? -1) + 1
  const commandId = v4()
  const id = v5(`${stream}@${revision}`, commandId)
  const at = follows?.at ?? Date.now() + after
  const correlationId = follows?.meta.correlationId ?? commandId
  const sealed = await codec(openKeyring(stores.vault)).seal([
    { id, event, at, by, seen, commandId, correlationId, causationId: follows?.id ?? commandId },
  ])
  const appended = await stores.events.append(stream, revision === 0 ? 'none' : revision - 1, sealed)
  if (appended.outcome !== 'appended') throw new Error(`${event.type} was not appended`)
  return id
}

const none = { insightful: false, funny: false }
const HOUR = 3_600_000

type Forgery = readonly [what: string, forged: Forged, expected: RegExp]

const forgeries = ({ tea, coffee, link, comment, elsewhere, ...cast }: Stage): readonly Forgery[] => {
  const { ann, bob, root, poster, mailer, former, punished, cook, eve, dan, keeper } = cast
  const mod = (who: { readonly id: string }, event: AnyEvent, more: object = {}): Forged => ({
    by: { account: who.id, as: 'moderator' },
    event,
    ...more,
  })
  const user = (who: { readonly id: string }, event: AnyEvent): Forged => ({ by: { account: who.id, as: 'user' }, event })
  const admin = (who: { readonly id: string }, event: AnyEvent, more: object = {}): Forged => ({
    by: { account: who.id, as: 'admin' },
    event,
    ...more,
  })
  const service = (event: AnyEvent): Forged => ({ by: { account: null, as: 'system' }, event })
  const target = { id: link, author: bob.id }
  const onLink = { subsite: tea, target }
  const onComment = { subsite: tea, target: { id: comment, author: bob.id, link }, link, before: false, notified: [] }
  const here = (who: { readonly id: string }) => ({ subsite: tea, account: who.id })
  const moderators = `moderators-${tea}`
  const removal = LinkRemoved({ ...onLink, spam: false, before: false })
  const written = { comment, link, subsite: tea }
  const mail = {
    message: 't6_zzzz1',
    to: bob.id,
    subsite: tea,
    parent: null,
    root: 't6_zzzz1',
    subject: 'Hello',
    body: 'there',
    inboxes: [],
    modmail: true,
  }
  return [
    ['a removal by an account that never moderated', mod(eve, removal), /does not hold the permission posts in t4_/],
    [
      'an approval by a moderator of another subsite',
      mod(cook, LinkApproved({ ...onLink, before: true })),
      /does not hold the permission posts/,
    ],
    ['one in the name of the other subsite', mod(cook, LinkLocked({ subsite: coffee, target })), /as the subsite of t5_\w+, which is t4_/],
    ['an act without the permission', mod(mailer, LinkUnlocked(onLink)), /does not hold the permission posts/],
    ['an act of a dismissed moderator', mod(former, CommentRemoved({ ...onComment, spam: false })), /does not hold the permission posts/],
    [
      'one that names the seat of before, long after',
      mod(former, CommentApproved({ ...onComment, before: true }), { seen: { [moderators]: 10 }, after: HOUR }),
      /does not hold the permission posts in t4_\w+, for 3\d{3} seconds/,
    ],
    [
      'an act decided before the seat was given',
      mod(poster, LinkContestModeSet(onLink), { seen: { [moderators]: 0 } }),
      /as of revision 0 of moderators-t4_/,
    ],
    [
      'an act of a suspended moderator',
      mod(punished, removal, { seen: { [`account-${punished.id}`]: 1 } }),
      /is suspended, as of revision 1 of account-/,
    ],
    ['an act of an admin who is none', admin(eve, LinkApproved({ ...onLink, before: true })), /is not an admin/],
    [
      'one at a revision at which there was no such admin',
      admin(eve, removal, { seen: { 'admins-site': 0 } }),
      /is not an admin, as of revision 0/,
    ],
    [
      'a suspension by an ordinary account',
      user(eve, AccountSuspended({ account: bob.id, until: 1, days: 1 })),
      /users do not record a AccountSuspended/,
    ],
    [
      'a suspension by a moderator',
      mod(ann, AccountSuspended({ account: bob.id, until: 1, days: 1 })),
      /moderators do not record a AccountSuspended/,
    ],
    ['a ban by an ordinary account', user(eve, UserBanned({ ...here(bob), days: null, until: null })), /users do not record a UserBanned/],
    ['a mute without one of its permissions', mod(mailer, UserMuted({ ...here(eve), until: 1 })), /the permission access and mail/],
    ['a ban from the wiki', mod(poster, UserWikiBanned({ ...here(eve), days: null, until: null })), /the permission wiki/],
    ['an approval as contributor', mod(mailer, ContributorAdded({ ...here(eve), founder: false })), /the permission access/],
    ['the approval of a founder who founded nothing', user(cook, ContributorAdded({ ...here(cook), founder: true })), /did not found t4_/],
    [
      'an edit of another’s comment',
      user(eve, CommentEdited({ ...written, author: bob.id, body: 'x', notified: [], withdrawn: [] })),
      /not an act of/,
    ],
    [
      'one that claims to be its author',
      user(eve, CommentEdited({ ...written, author: eve.id, body: 'x', notified: [], withdrawn: [] })),
      /as the author of t1_/,
    ],
    ['a deletion of another’s link', user(eve, LinkDeleted({ link: elsewhere, subsite: coffee, author: cook.id })), /not an act of/],
    ['a mark by somebody else', user(eve, LinkMarkedNsfw(onLink)), /not an act of/],
    [
      'a vote of another account',
      user(
        eve,
        VoteCast({
          thing: link,
          link,
          subsite: tea,
          author: bob.id,
          voter: ann.id,
          before: none,
          after: { ...none, funny: true },
          karma: true,
        }),
      ),
      /not an act of/,
    ],
    ['a subscription of another account', user(eve, Subscribed({ account: cook.id, subsite: tea })), /not an act of/],
    [
      'a comment under another subsite',
      user(
        eve,
        CommentPosted({
          ...{ comment: 't1_zzzz1', link, subsite: coffee, author: eve.id, linkAuthor: bob.id, parent: null, body: 'x' },
          ...{ filtered: false, notified: [] },
        }),
      ),
      /as the subsite of t5_/,
    ],
    [
      'a distinction of another’s link',
      mod(ann, LinkDistinguished({ ...onLink, before: null, after: 'moderator' })),
      /it is an act of t2_/,
    ],
    [
      'an acceptance without an invitation',
      mod(dan, ModeratorInvitationAccepted({ ...here(dan), permissions: '+posts' })),
      /was not invited/,
    ],
    [
      'an invitation without all permissions',
      mod(poster, ModeratorInvited({ ...here(cook), permissions: '+all' })),
      /does not hold all permissions/,
    ],
    [
      'an acceptance of other permissions',
      mod(cook, ModeratorInvitationAccepted({ ...here(cook), permissions: '+all,+x' })),
      /the invitation gives/,
    ],
    [
      'an appointment by a moderator',
      mod(ann, ModeratorAdded({ ...here(bob), permissions: '+posts', founder: false })),
      /moderators do not record/,
    ],
    [
      'a founder’s seat in an old subsite',
      user(root, ModeratorAdded({ ...here(root), permissions: '+all', founder: true })),
      /did not found t4_/,
    ],
    ['the dismissal of a senior', mod(root, ModeratorRemoved({ ...here(poster), left: false })), /has moderated t4_\w+ for longer/],
    ['a resignation of another', mod(ann, ModeratorRemoved({ ...here(mailer), left: true })), /it is an act of t2_/],
    [
      'permissions that a moderator gives to itself',
      mod(root, ModeratorPermissionsChanged({ ...here(root), invitation: false, before: '+all', after: '+posts' })),
      /nobody changes their own permissions/,
    ],
    [
      'a setting',
      mod(poster, SubsiteSettingChanged({ subsite: tea, setting: 'title', before: 'tea', after: 'x' })),
      /the permission config/,
    ],
    ['a rule', user(eve, RuleCreated({ subsite: tea, name: 'x', description: '', kind: 'all' })), /users do not record a RuleCreated/],
    [
      'a rule of the service',
      service(RuleCreated({ subsite: tea, name: 'y', description: '', kind: 'all' })),
      /the service itself does not record/,
    ],
    [
      'a stylesheet',
      mod(
        poster,
        StylesheetSaved({ subsite: tea, author: poster.id, source: '', reason: '', css: null, images: [], previous: null, before: null }),
      ),
      /the permission config/,
    ],
    ['a sticky', mod(mailer, LinkStickied({ ...onLink, slot: 1 })), /the permission posts/],
    [
      'flair of another',
      mod(poster, UserFlairChanged({ ...here(bob), text: 'x', css: '', shown: true, csv: false })),
      /the permission flair/,
    ],
    ['flair of another’s link', user(eve, LinkFlairChanged({ ...onLink, author: bob.id, text: 'x', css: '' })), /not an act of/],
    [
      'a template of flair',
      mod(poster, FlairTemplateAdded({ subsite: tea, kind: 'user', template: 'a', text: 'x', css: '', editable: false })),
      /the permission flair/,
    ],
    ['a listing of a page', mod(poster, WikiPageListingChanged({ subsite: tea, page: 'index', listed: false })), /the permission wiki/],
    [
      'a page of the moderators',
      user(eve, WikiPageRevised({ subsite: tea, page: 'config/automoderator', author: eve.id, content: 'x', previous: null })),
      /may not edit config\/automoderator/,
    ],
    [
      'a page of the moderators with config, by one without it',
      mod(keeper, WikiPageRevised({ subsite: tea, page: 'config/automoderator', author: keeper.id, content: 'y', previous: null })),
      /may not edit config\/automoderator/,
    ],
    [
      'a page that only admins make',
      user(eve, WikiPageRevised({ subsite: tea, page: 'special/x', author: eve.id, content: 'x', previous: null })),
      /users may not edit special\/x/,
    ],
    [
      'a page in another’s name',
      user(eve, WikiPageRevised({ subsite: tea, page: 'leaves', author: bob.id, content: 'x', previous: null })),
      /not an act of/,
    ],
    [
      'a message in the name of the subsite',
      user(eve, MessageSent({ ...mail, author: eve.id, fromSubsite: true, distinguished: null })),
      /not an act of/,
    ],
    [
      'a message that says to be of an admin',
      user(
        eve,
        MessageSent({ ...mail, message: 't6_zzzz2', root: 't6_zzzz2', author: eve.id, fromSubsite: false, distinguished: 'admin' }),
      ),
      /is not an admin/,
    ],
    ['a mark on mail by somebody else', mod(former, ModmailRead({ message: 't6_zzzz2', subsite: tea })), /does not hold a seat/],
    ['credits from a user', user(eve, CreditsGranted({ account: eve.id, csites: 5, balance: 5 })), /users do not record a CreditsGranted/],
    ['gold that nobody paid', service(GoldExtended({ account: eve.id, days: 31, until: 1 })), /of which nothing is the cause/],
    [
      'texts erased without an erasure',
      service(
        AccountTextsErased({
          account: cook.id,
          things: [elsewhere],
          entries: [],
          contacts: [],
          multis: [],
          places: [],
          next: null,
          pass: 1,
        }),
      ),
      /of which nothing is the cause/,
    ],
    [
      'mail without an author',
      service(MessageSent({ ...mail, message: 't6_zzzz3', root: 't6_zzzz3', author: null, fromSubsite: false, distinguished: null })),
      /of which nothing is the cause/,
    ],
    ['the end of a ban before its time', service(BanExpired({ ...here(bob), bannedBy: ann.id })), /it lasts until it is lifted/],
    ['an erasure by a moderator', mod(ann, LinkErased({ ...onLink, reason: 'x' })), /moderators do not record a LinkErased/],
    ['an erasure of another account', user(eve, AccountErased({ account: cook.id, seats: [] })), /not an act of/],
  ]
}

test.serial('the audit finds no difference before', async (t) => {
  const { findings, races, summary } = await auditedOf(t, t.context.site.running)
  t.deepEqual(findings, [])
  t.deepEqual([races.length, summary.racedAuthority, summary.notJudged], [0, 0, 0])
})

test.serial('an act that raced a dismissal is counted and named, and is no difference', async (t) => {
  const { tea, link, bob, former } = t.context
  const event = LinkLocked({ subsite: tea, target: { id: link, author: bob.id } })
  const id = await forge(t.context, { by: { account: former.id, as: 'moderator' }, event, seen: { [`moderators-${tea}`]: 10 } })
  const { findings, races, summary } = await auditedOf(t, t.context.site.running)
  t.deepEqual(findings, [])
  t.is(summary.racedAuthority, 1)
  t.deepEqual(
    races.map((race) => [race.id, race.problem]),
    [[id, `when it was recorded, but not yet when it was decided, ${former.id} does not hold the permission posts in ${tea}`]],
  )
})

test.serial('the audit names each act of somebody who may not do it', async (t) => {
  t.timeout(300_000)
  const forged = new Map<string, Forgery>()
  for (const forgery of forgeries(t.context)) forged.set(await forge(t.context, forgery[1]), forgery)
  const findings = await findingsOf(t, t.context.site.running)
  for (const [id, [what, , expected]] of forged)
    t.true(
      findings.some((finding) => finding.includes(` ${id} `) && expected.test(finding)),
      `${what}: ${findings.filter((finding) => finding.includes(id)).join('; ')}`,
    )
  t.deepEqual(
    findings.filter((finding) => finding.includes('without authority') && ![...forged.keys()].some((id) => finding.includes(` ${id} `))),
    [],
  )
})

test.serial('nor does it believe streams, times and causes that make an act seem allowed', async (t) => {
  t.timeout(300_000)
  const { site, bob, cook, eve, former, pardoned, tea, coffee, mate, den, link, hidden, letter } = t.context
  const logged = await codec(openKeyring(site.running.stores.vault)).open(await site.running.stores.events.readAll(LOG_START, 1_000))
  const requestId = randomUUID()
  const request = { id: requestId, at: Date.now(), meta: { correlationId: requestId } as Logged['meta'] }
  const last = (type: EventName, stream: string): Logged => {
    const event = logged.findLast((one) => one.type === type && one.stream === stream)
    if (event === undefined) throw new Error(`no ${type} on ${stream}`)
    return event
  }
  const moderators = `moderators-${tea}`
  const dismissal = logged.findLast(({ type, data }) => type === 'ModeratorRemoved' && 'account' in data && data.account === former.id)
  const target = { id: link, author: bob.id }
  const service = { account: null, as: 'system' } as const
  const elsewhere = { [`moderators-${coffee}`]: 0, [`moderators-${mate}`]: 0 }
  const mail = {
    message: 't6_zzzz9',
    to: bob.id,
    subsite: null,
    parent: null,
    root: 't6_zzzz9',
    subject: 'a',
    body: 'b',
    inboxes: [],
    modmail: false,
  }
  const forgeries: readonly Forgery[] = [
    [
      'a mark on mail of a third subsite by a moderator of two others',
      { by: { account: eve.id, as: 'moderator' }, event: MessageCollapsed({ message: letter, side: 'recipient' }), seen: elsewhere },
      /not mail of a subsite that it was decided by/,
    ],
    [
      'a private message as of a moderator',
      {
        by: { account: cook.id, as: 'user' },
        event: MessageSent({ ...mail, author: cook.id, fromSubsite: false, distinguished: 'moderator' }),
        seen: { [`moderators-${coffee}`]: 0 },
      },
      /only in mail of a subsite/,
    ],
    [
      'the end of a seat because of a ban that its decision knew to be over',
      {
        by: service,
        event: ModeratorRemoved({ subsite: tea, account: pardoned.id, left: false }),
        follows: last('UserBanned', `relation-${tea}.${pardoned.id}`),
      },
      /given after the ban, by somebody who had seen it/,
    ],
    [
      'a private link for everybody',
      {
        by: service,
        event: AudienceApplied({ subsite: den, audience: 'everybody', change: 9, things: [hidden], entries: [] }),
        follows: last('LinkSubmitted', `link-${hidden}`),
      },
      /which has no such consequence/,
    ],
    [
      'a subscription to a default subsite, which earlier versions recorded with another request as its cause',
      { by: { account: bob.id, as: 'user' }, event: Subscribed({ account: bob.id, subsite: coffee }), follows: request },
      /^$/,
    ],
    [
      'a subscription of another account that names a request as its cause',
      { by: { account: eve.id, as: 'user' }, event: Subscribed({ account: cook.id, subsite: coffee }), follows: request },
      /not an act of/,
    ],
    [
      'an end of a ban by the service that follows from a request',
      { by: { account: null, as: 'system' }, event: BanExpired({ subsite: tea, account: cook.id, bannedBy: bob.id }), follows: request },
      /which has no such consequence/,
    ],
    [
      'an act long after',
      { by: { account: bob.id, as: 'user' }, event: Subscribed({ account: bob.id, subsite: tea }), after: 3 * HOUR },
      /^$/,
    ],
    [
      'an act of a dismissed moderator that names a time before the dismissal',
      {
        by: { account: former.id, as: 'moderator' },
        event: LinkLocked({ subsite: tea, target }),
        seen: { [moderators]: (dismissal?.revision ?? 0) - 1 },
        after: -HOUR,
      },
      /does not hold the permission posts in t4_\w+, for \d{4,} seconds/,
    ],
  ]
  const forged = new Map<string, Forgery>()
  for (const forgery of forgeries) forged.set(await forge(t.context, forgery[1]), forgery)
  const findings = await findingsOf(t, site.running)
  for (const [id, [what, , expected]] of forged)
    t.regex(findings.filter((finding) => finding.includes(` ${id} `)).join('; '), expected, what)
})
