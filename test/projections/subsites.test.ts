import test from 'ava'
import { relationsProjection } from '../../projections/relations.ts'
import { subsitesProjection } from '../../projections/subsites.ts'
import { timersProjection } from '../../projections/timers.ts'
import { trafficProjection } from '../../projections/traffic.ts'
import {
  ModeratorAdded,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
} from '../../src/domain/moderators.ts'
import { BanChanged, BanExpired, BanNoteChanged, ContributorAdded, ContributorRemoved, UserUnbanned } from '../../src/domain/relation.ts'
import { Subscribed, Unsubscribed } from '../../src/domain/subscription.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { ann, bob, carol, dave, story, tea, told } from '../support/example-history.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'
import { project } from '../support/project.ts'

const after = (...more: readonly LoggedEvent[]) => loggedFrom([...told, ...more])
const event = (type: string) => story.find((one) => one.type === type)
const relationsOf = (...more: readonly LoggedEvent[]) =>
  Object.fromEntries(project(relationsProjection, after(...more)).map(({ id, ...relation }) => [id, relation]))
const mod = inNameOf(carol, 'moderator')

test('a subsite’s document has its settings, some as separate fields, and its number of subscribers', (t) => {
  const [subsite] = project(subsitesProjection, story)
  t.like(subsite, {
    id: tea,
    seq: Number.parseInt('tea', 36),
    name: 'Tea',
    lower: 'tea',
    creator: carol,
    created: event('SubsiteCreated')?.at ?? 0,
    title: 'All about tea',
    public_description: '',
    type: 'public',
    allowTop: true,
    over18: true,
    subscribers: 2,
  })
  t.true(subsite?.settings.over_18)
})

test('a changed setting changes its field', (t) => {
  const changes = [
    mod(SubsiteSettingChanged({ subsite: tea, setting: 'type', before: 'public', after: 'private' })),
    mod(SubsiteSettingChanged({ subsite: tea, setting: 'allow_top', before: true, after: false })),
    mod(SubsiteSettingChanged({ subsite: tea, setting: 'public_description', before: '', after: 'leaves' })),
    inNameOf(bob)(Unsubscribed({ account: bob, subsite: tea })),
  ]
  const [subsite] = project(subsitesProjection, after(...changes))
  t.like(subsite, { type: 'private', allowTop: false, public_description: 'leaves', subscribers: 1 })
})

test('each relation of an account to a subsite is one document', (t) => {
  t.deepEqual(relationsOf(), {
    [`${tea}.${carol}.moderator`]: {
      subsite: tea,
      account: carol,
      type: 'moderator',
      since: event('ModeratorAdded')?.at ?? 0,
      revision: event('ModeratorAdded')?.revision ?? -1,
      note: '',
      noteBy: null,
      permissions: '+all',
      until: null,
    },
    [`${tea}.${ann}.moderator`]: {
      subsite: tea,
      account: ann,
      type: 'moderator',
      since: event('ModeratorInvitationAccepted')?.at ?? 0,
      revision: event('ModeratorInvitationAccepted')?.revision ?? -1,
      note: '',
      noteBy: null,
      permissions: '+posts',
      until: null,
    },
    [`${tea}.${dave}.banned`]: {
      subsite: tea,
      account: dave,
      type: 'banned',
      since: event('UserBanned')?.at ?? 0,
      revision: event('UserBanned')?.revision ?? -1,
      note: 'advertising',
      noteBy: carol,
      permissions: '',
      until: Date.UTC(2026, 2, 8),
    },
  })
})

test('an invitation is stored until it is withdrawn, and its permissions can change', (t) => {
  const invited = mod(ModeratorInvited({ subsite: tea, account: bob, permissions: '+mail' }))
  const changed = mod(ModeratorPermissionsChanged({ subsite: tea, account: bob, invitation: true, before: '+mail', after: '+wiki' }))
  const id = `${tea}.${bob}.moderator_invite`
  t.like(relationsOf(invited)[id], { permissions: '+mail' })
  t.like(relationsOf(invited, changed)[id], { permissions: '+wiki' })
  t.is(relationsOf(invited, mod(ModeratorInvitationWithdrawn({ subsite: tea, account: bob })))[id], undefined)
  t.is(
    relationsOf(invited, inNameOf('t2_root', 'admin')(ModeratorAdded({ subsite: tea, account: bob, permissions: '+all', founder: false })))[
      id
    ],
    undefined,
  )
})

test('a moderator’s permissions can change, and removal deletes the relation', (t) => {
  const changed = mod(ModeratorPermissionsChanged({ subsite: tea, account: ann, invitation: false, before: '+posts', after: '' }))
  const id = `${tea}.${ann}.moderator`
  t.like(relationsOf(changed)[id], { permissions: '' })
  t.is(relationsOf(inNameOf(ann)(ModeratorRemoved({ subsite: tea, account: ann, left: true })))[id], undefined)
})

test('a contributor is stored until removed', (t) => {
  const id = `${tea}.${bob}.contributor`
  const added = mod(ContributorAdded({ subsite: tea, account: bob, founder: false }))
  t.like(relationsOf(added)[id], { type: 'contributor', permissions: '', until: null })
  t.is(relationsOf(added, inNameOf(bob)(ContributorRemoved({ subsite: tea, account: bob, left: true })))[id], undefined)
})

test('changing a ban’s end and note keeps its beginning', (t) => {
  const id = `${tea}.${dave}.banned`
  const since = event('UserBanned')?.at ?? 0
  const forGood = mod(
    BanChanged({ subsite: tea, account: dave, until: null, days: null, note: 'again', previousUntil: Date.UTC(2026, 2, 8) }),
  )
  t.like(relationsOf(forGood)[id], { until: null, note: 'again', since })
  t.like(relationsOf(mod(BanNoteChanged({ subsite: tea, account: dave })))[id], { note: '', until: Date.UTC(2026, 2, 8) })
  t.is(relationsOf(mod(UserUnbanned({ subsite: tea, account: dave })))[id], undefined)
})

test('a temporary ban sets a timer; an unban, an expiry or a permanent ban stops it', (t) => {
  const timers = (...more: readonly LoggedEvent[]) => project(timersProjection, after(...more))
  const banned = event('UserBanned')
  t.deepEqual(timers(), [
    { id: `ban.${tea}.${dave}`, due: Date.UTC(2026, 2, 8), effect: 'ban', aggregate: `${tea}.${dave}`, cause: banned?.id ?? '' },
  ])
  const change = (until: number | null) =>
    mod(BanChanged({ subsite: tea, account: dave, until, days: until && 9, previousUntil: Date.UTC(2026, 2, 8) }))
  t.is(timers(change(Date.UTC(2026, 2, 10)))[0]?.due, Date.UTC(2026, 2, 10))
  t.deepEqual(timers(change(null)), [])
  t.deepEqual(timers(mod(UserUnbanned({ subsite: tea, account: dave }))), [])
  t.deepEqual(timers(inNameOf(null)(BanExpired({ subsite: tea, account: dave, bannedBy: carol }))), [])
})

test('what happens in a subsite is counted by the day in UTC on which it happened, in whatever order it is in the log', (t) => {
  const [evening, night] = [Date.UTC(2026, 11, 31, 23, 59, 59, 999), Date.UTC(2027, 0, 1)]
  const told = [
    { ...inNameOf(dave)(Subscribed({ account: dave, subsite: tea })), at: night },
    { ...inNameOf(ann)(Subscribed({ account: ann, subsite: tea })), at: evening },
    { ...inNameOf(dave)(Unsubscribed({ account: dave, subsite: tea })), at: night },
    { ...inNameOf(dave)(Subscribed({ account: dave, subsite: 't4_milk' })), at: night },
  ]
  const none = { posts: 0, comments: 0, votes: 0, removals: 0, subscribed: 0, unsubscribed: 0 }
  t.deepEqual(project(trafficProjection, loggedFrom(told)), [
    { id: 't4_milk.2027-01-01#0', subsite: 't4_milk', day: '2027-01-01', ...none, subscribed: 1 },
    { id: `${tea}.2026-12-31#0`, subsite: tea, day: '2026-12-31', ...none, subscribed: 1 },
    { id: `${tea}.2027-01-01#0`, subsite: tea, day: '2027-01-01', ...none, subscribed: 1, unsubscribed: 1 },
  ])
})
