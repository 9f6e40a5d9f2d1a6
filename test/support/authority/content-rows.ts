import type { EventName } from '../../../src/domain/events.ts'
import { postForm } from '../community.ts'
import { foundSubsite } from '../posting.ts'
import type { User } from '../site.ts'
import { type Account, accountsOf, anyUser, authorityBy, authorityOf, holders, members, moderators, users } from './roles.ts'
import { id, type Row, type Rows } from './row.ts'
import { makeAllowed, type Stage } from './stage.ts'
import { answerToTea, comment, link, type Make, mail, mailToTea, makeAfter, newName, ownComment, ownLink } from './things.ts'

const posts = holders('posts')
const asPosts = { by: posts, as: 'staff' } as const satisfies Row
const markers = [...posts, ...accountsOf('author')]

/** A subsite in which one of the accounts may submit as a contributor. */
const makeRestricted = async ({ founder }: Stage) => {
  const { status } = await founder.get('/s/strict/about')
  if (status === 404) {
    await foundSubsite(founder, 'strict', { type: 'restricted' })
    await postForm(founder, '/s/strict/api/friend', { type: 'contributor', name: 'contributor' })
  }
  return 'strict'
}
/** A subsite that the caller may leave as a contributor. */
const makeContributed = async (stage: Stage, self: User) => {
  await makeRestricted(stage)
  return makeAllowed(stage, self, async () => {
    if (self !== stage.founder) await postForm(stage.founder, '/s/strict/api/friend', { type: 'contributor', name: self.name })
    return String((await stage.founder.get('/s/strict/about')).at('data.name'))
  })
}
/** A link for somebody who wants their visits to be stored; and who has gold. */
const makeVisitor: Make = async (stage, self) => {
  await self.request('PATCH', '/api/v1/me/prefs', { json: { store_visits: true } })
  return link(stage, self)
}
const visitingWithGold: Make = async (stage, self) => {
  await postForm(stage.host, `/api/v1/gold/give/${self.name}`, { months: 1 })
  return makeVisitor(stage, self)
}
/** Reports hide what is reported from those who do not moderate it; those of banned accounts do nothing else. */
const reportEvents = (role: Account): readonly EventName[] => {
  if (role === 'banned') return ['ThingHidden']
  return authorityOf(role) === 'user' ? ['ThingHidden', 'ThingReported'] : ['ThingReported']
}

/** Links and comments: who writes, votes, marks and keeps them. */
/** Only an admin gives gold without paying for it. */
const atNoCost = authorityBy(accountsOf('root'))

export const contentRows: Rows = {
  'POST /api/submit': [
    { by: members, records: 'LinkSubmitted', form: () => ({ sr: 'tea', kind: 'self', title: 'a title', text: 'some words' }) },
    {
      what: 'in a restricted subsite',
      by: accountsOf('contributor', 'founder', 'root'),
      records: 'LinkSubmitted',
      on: makeRestricted,
      form: (sr) => ({ sr, kind: 'self', title: 'a title', text: 'some words' }),
    },
  ],
  'POST /api/comment': [
    { by: members, records: 'CommentPosted', on: link, form: (target) => ({ thing_id: target, text: 'some words' }) },
    {
      what: 'on a locked link',
      by: posts,
      records: 'CommentPosted',
      on: makeAfter(link, 'founder', '/api/lock'),
      form: (target) => ({ thing_id: target, text: 'some words' }),
    },
    {
      what: 'in reply to a message',
      by: users,
      records: 'MessageSent',
      on: mail,
      form: (target) => ({ thing_id: target, text: 'some words' }),
    },
    {
      what: 'in reply to mail to the moderators',
      by: holders('mail'),
      as: 'staff',
      records: 'MessageSent',
      on: mailToTea,
      form: (target) => ({ thing_id: target, text: 'some words' }),
    },
    {
      what: 'in reply to an answer to mail of the moderators',
      by: holders('mail'),
      as: 'staff',
      records: 'MessageSent',
      on: answerToTea,
      form: (target) => ({ thing_id: target, text: 'some words' }),
    },
  ],
  'POST /api/editusertext': [
    { by: accountsOf('author'), records: 'LinkEdited', on: link, form: (target) => ({ thing_id: target, text: 'other words' }) },
    {
      what: 'of an own comment',
      by: anyUser,
      records: 'CommentEdited',
      on: ownComment,
      form: (target) => ({ thing_id: target, text: 'other words' }),
    },
  ],
  'POST /api/del': [
    { by: accountsOf('author'), records: 'CommentDeleted', on: comment, form: id },
    { what: 'an own link', by: anyUser, records: 'LinkDeleted', on: ownLink, form: id },
  ],
  'POST /api/vote': { by: users, records: 'VoteCast', on: link, form: (target) => ({ id: target, dir: -1 }) },
  'POST /api/report': [
    {
      by: users,
      records: reportEvents,
      recordsThoughRefused: { suspended: 'ThingHidden', suspendedAdmin: 'ThingHidden' },
      on: link,
      form: (target) => ({ thing_id: target, reason: 'rude' }),
    },
    {
      what: 'mail to the moderators',
      by: moderators,
      records: 'MessageReported',
      on: mailToTea,
      form: (target) => ({ thing_id: target, reason: 'rude' }),
    },
    {
      what: 'a message to the author',
      by: accountsOf('author'),
      records: 'MessageReported',
      on: mail,
      form: (target) => ({ thing_id: target, reason: 'rude' }),
    },
  ],
  'POST /api/save': { by: anyUser, records: 'ThingSaved', on: link, form: id },
  'POST /api/unsave': { by: anyUser, records: 'ThingUnsaved', on: makeAfter(link, 'self', '/api/save'), form: id },
  'POST /api/hide': { by: anyUser, records: 'ThingHidden', on: link, form: id },
  'POST /api/unhide': { by: anyUser, records: 'ThingUnhidden', on: makeAfter(link, 'self', '/api/hide'), form: id },
  'POST /api/store_visits': [
    { what: 'with gold', by: anyUser, changesVault: 'visits', on: visitingWithGold, form: (links) => ({ links }) },
    {
      what: 'without gold',
      by: [],
      changesVault: 'visits',
      isOwn: true,
      needsFreshCaller: true,
      on: makeVisitor,
      form: (links) => ({ links }),
    },
  ],
  'POST /api/sendreplies': [
    { by: accountsOf('author'), records: 'LinkRepliesSet', on: link, form: (target) => ({ id: target, state: false }) },
    {
      what: 'to a comment',
      by: accountsOf('author'),
      records: 'CommentRepliesSet',
      on: comment,
      form: (target) => ({ id: target, state: false }),
    },
  ],
  'POST /api/marknsfw': { by: markers, as: 'staff', records: 'LinkMarkedNsfw', on: link, form: id },
  'POST /api/unmarknsfw': {
    by: markers,
    as: 'staff',
    records: 'LinkUnmarkedNsfw',
    on: makeAfter(link, 'author', '/api/marknsfw'),
    form: id,
  },
  'POST /api/set_contest_mode': [
    { ...asPosts, records: 'LinkContestModeSet', on: link, form: (target) => ({ id: target, state: true }) },
    {
      what: 'no longer',
      ...asPosts,
      records: 'LinkContestModeUnset',
      on: makeAfter(link, 'founder', '/api/set_contest_mode', { state: true }),
      form: (target) => ({ id: target, state: false }),
    },
  ],
  'POST /api/set_suggested_sort': {
    ...asPosts,
    records: 'LinkSortSuggested',
    on: link,
    form: (target) => ({ id: target, sort: 'new' }),
  },
  'POST /api/lock': { ...asPosts, records: 'LinkLocked', on: link, form: id },
  'POST /api/unlock': { ...asPosts, records: 'LinkUnlocked', on: makeAfter(link, 'founder', '/api/lock'), form: id },
  'POST /api/leavecontributor': { by: anyUser, records: 'ContributorRemoved', on: makeContributed, form: id },
  'POST /api/v1/gold/gild/{fullname}': {
    by: users,
    as: atNoCost,
    records: 'ThingGilded',
    on: link,
    path: (fullname) => ({ fullname }),
  },
  'POST /api/v1/gold/give/{username}': {
    by: users,
    as: atNoCost,
    records: 'GoldGiven',
    on: newName,
    path: (username) => ({ username }),
    form: () => ({ months: 1 }),
  },
  'POST /api/v1/gold/grant/{username}': {
    by: accountsOf('root'),
    as: 'staff',
    records: 'CreditsGranted',
    on: newName,
    path: (username) => ({ username }),
    form: () => ({ csites: 3 }),
  },
}
