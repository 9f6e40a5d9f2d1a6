import test from 'ava'
import { byService } from '../../src/domain/event.ts'
import {
  addContributor,
  addWikiContributor,
  isMuted,
  isWikiBanned,
  isWikiContributor,
  MuteExpired,
  MuteNoteChanged,
  Relation,
  removeWikiContributor,
  UserBanned,
  UserMuted,
  UserUnmuted,
  UserWikiBanned,
  UserWikiUnbanned,
  WikiBanChanged,
  WikiBanExpired,
  WikiBanNoteChanged,
  WikiContributorAdded,
  WikiContributorRemoved,
} from '../../src/domain/relation.ts'
import { expireMute, expireWikiBan, MUTE_HOURS, muteUser, unmuteUser, wikiBanUser, wikiUnbanUser } from '../../src/domain/restrictions.ts'
import { NOW, pastEvent, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Relation)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const between = { subsite: 't4_1', account: 't2_bob' }
const moderator = { account: 't2_ann', as: 'moderator' } as const
const facts = { moderator: false, at: NOW }
const end = NOW + MUTE_HOURS * HOUR
const muted = UserMuted({ ...between, until: end })
const before = { until: end, by: 't2_0' }
const ranOut = MuteExpired({ ...between, before })

test(
  'a mute lasts 72 hours',
  given()
    .when(muteUser(between, facts, { note: '' }))
    .records(muted),
)
test(
  'a mute for a message names that message',
  given()
    .when(muteUser(between, facts, { note: 'rude', over: 't6_1' }))
    .records(UserMuted({ ...muted.data, note: 'rude', over: 't6_1' })),
)
test(
  'a moderator cannot be muted',
  given()
    .when(muteUser(between, { ...facts, moderator: true }, { note: '' }))
    .refuses('CANT_RESTRICT_MODERATOR', 'name'),
)
test(
  'muting a muted account does not prolong the mute',
  given(muted).when(muteUser(between, { ...facts, at: NOW + DAY }, { note: '' })).recordsNothing,
)
test(
  'muting a muted account with another note changes the note',
  given(muted)
    .when(muteUser(between, facts, { note: 'why' }))
    .records(MuteNoteChanged({ ...between, note: 'why', before })),
)
test(
  'muting a muted account for another message changes nothing',
  given(muted).when(muteUser(between, facts, { note: 'why', over: 't6_2' })).recordsNothing,
)
test(
  'a mute after an expired one first records its expiry, by the service',
  given(muted)
    .when(muteUser(between, { ...facts, at: end }, { note: '' }))
    .records(byService(ranOut), UserMuted({ ...between, until: end + MUTE_HOURS * HOUR })),
)
test(
  'a mute can be lifted',
  given(muted)
    .when(unmuteUser(between, NOW))
    .records(UserUnmuted({ ...between, before })),
)
test(
  'the note of a lifted mute is recorded, by who wrote it',
  given(muted, pastEvent(MuteNoteChanged({ ...between, note: 'why' }), { by: moderator }))
    .when(unmuteUser(between, NOW))
    .records(UserUnmuted({ ...between, before: { ...before, note: 'why', noteBy: 't2_ann' } })),
)
test('lifting an expired mute changes nothing', given(muted).when(unmuteUser(between, end)).recordsNothing)
test('unmuting an account that is not muted changes nothing', given().when(unmuteUser(between, NOW)).recordsNothing)
test('a mute expires at its end', given(muted).when(expireMute(between, end)).records(ranOut))
test('a mute does not expire before its end', given(muted).when(expireMute(between, end - 1)).recordsNothing)
test('the expiry of a mute is recorded once', given(muted, ranOut).when(expireMute(between, end)).recordsNothing)
test('a mute has an effect until its end, even if its expiry is recorded later', (t) => {
  const state = stateAfter(Relation, [muted])
  t.true(isMuted(state, end - 1))
  t.false(isMuted(state, end))
  t.false(isMuted(undefined, NOW))
})

for (const [what, event, code] of [
  ['banned', UserBanned({ ...between, until: null, days: null }), 'BANNED_FROM_SUBSITE'],
  ['muted', muted, 'MUTED_FROM_SUBSITE'],
] as const) {
  const wiki = addWikiContributor(between, { at: NOW })
  test(`an account that is ${what} cannot become a wiki contributor`, given(event).when(wiki).refuses(code, 'name'))
  const contributor = addContributor(between, { founder: false, at: NOW })
  test(`an account that is ${what} cannot become a contributor`, given(event).when(contributor).refuses(code, 'name'))
}
const fromSite = { at: NOW, bannedFromSite: true }
for (const [what, decide] of [
  ['wiki contributor', addWikiContributor(between, fromSite)],
  ['contributor', addContributor(between, { founder: false, ...fromSite })],
] as const)
  test(`an account that is banned from the whole site cannot become a ${what}`, given().when(decide).refuses('BANNED_FROM_SUBSITE', 'name'))
test(
  'an account whose mute has ended can become a wiki contributor',
  given(muted)
    .when(addWikiContributor(between, { at: end }))
    .records(WikiContributorAdded(between)),
)

const added = WikiContributorAdded(between)
test(
  'a wiki contributor can be added',
  given()
    .when(addWikiContributor(between, { at: NOW }))
    .records(added),
)
test('adding a wiki contributor again changes nothing', given(added).when(addWikiContributor(between, { at: NOW })).recordsNothing)
test('a wiki contributor can be removed', given(added).when(removeWikiContributor(between)).records(WikiContributorRemoved(between)))
test('removing an account that is not a wiki contributor changes nothing', given().when(removeWikiContributor(between)).recordsNothing)

const banned = UserWikiBanned({ ...between, until: NOW + 3 * DAY, days: 3 })
const asBanned = { until: NOW + 3 * DAY, by: 't2_0' }
const byAnn = pastEvent(banned, { by: moderator })
test(
  'an account can be banned from the wiki for some days',
  given()
    .when(wikiBanUser(between, NOW, { days: 3, note: '' }))
    .records(banned),
)
test(
  'a wiki ban can be made permanent',
  given(banned)
    .when(wikiBanUser(between, NOW, { days: null, note: '' }))
    .records(WikiBanChanged({ ...between, until: null, days: null, previousUntil: NOW + 3 * DAY, before: asBanned })),
)
test(
  'a wiki ban with another note changes only the note',
  given(banned)
    .when(wikiBanUser(between, NOW + HOUR, { days: 3, note: 'why' }))
    .records(WikiBanNoteChanged({ ...between, note: 'why', before: asBanned })),
)
test(
  'a wiki ban can be lifted',
  given(banned)
    .when(wikiUnbanUser(between, NOW))
    .records(UserWikiUnbanned({ ...between, before: asBanned })),
)
test(
  'a wiki ban expires at its end',
  given(byAnn)
    .when(expireWikiBan(between, NOW + 3 * DAY))
    .records(WikiBanExpired({ ...between, bannedBy: 't2_ann', before: { ...asBanned, by: 't2_ann' } })),
)
test('expiring a mute does not end a wiki ban', given(byAnn).when(expireMute(between, NOW + 99 * DAY)).recordsNothing)
test('a wiki ban applies until its end, a wiki contributor without an end', (t) => {
  const state = stateAfter(Relation, [banned, added])
  t.true(isWikiBanned(state, NOW))
  t.false(isWikiBanned(state, NOW + 3 * DAY))
  t.true(isWikiContributor(state))
  t.false(isWikiContributor(undefined))
})
