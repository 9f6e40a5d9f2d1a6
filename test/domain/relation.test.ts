import test from 'ava'
import { byService } from '../../src/domain/event.ts'
import {
  addContributor,
  BanChanged,
  BanExpired,
  BanNoteChanged,
  ContributorAdded,
  ContributorRemoved,
  isBanned,
  leaveContributors,
  Relation,
  removeContributor,
  UserBanned,
  UserUnbanned,
} from '../../src/domain/relation.ts'
import { banUser, expireBan, unbanUser } from '../../src/domain/restrictions.ts'
import { NOW, pastEvent, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Relation)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const between = { subsite: 't4_1', account: 't2_bob' }
const moderator = { account: 't2_ann', as: 'moderator' } as const
const other = { account: 't2_carol', as: 'moderator' } as const
const bannedBy = (event: ReturnType<typeof UserBanned>) => pastEvent(event, { by: moderator })

type Term = { days?: number | null; note?: string; message?: string; at?: number; moderator?: boolean }
const ban = ({ days = null, note = '', message = '', at = NOW, moderator: moderates = false }: Term = {}) =>
  banUser(between, { moderator: moderates, at }, { days, note, message })

const permanent = UserBanned({ ...between, until: null, days: null })
const threeDays = UserBanned({ ...between, until: NOW + 3 * DAY, days: 3 })
/** A ban by the account that all acts are by that say nothing else. */
const former = (until: number | null, by = 't2_0') => ({ until, by })
const forEver = former(null)
const forThreeDays = former(NOW + 3 * DAY)
const ranOut = BanExpired({ ...between, bannedBy: 't2_ann', before: former(NOW + 3 * DAY, 't2_ann') })

test('an account can be banned permanently', given().when(ban()).records(permanent))
test(
  'an account can be banned for some days',
  given()
    .when(ban({ days: 3 }))
    .records(threeDays),
)
test(
  'a ban can have a note for moderators and a message for the banned account',
  given()
    .when(ban({ note: 'spam: again', message: 'no tea for you' }))
    .records(UserBanned({ ...permanent.data, note: 'spam: again', message: 'no tea for you' })),
)
test(
  'a moderator cannot be banned',
  given()
    .when(ban({ moderator: true }))
    .refuses('CANT_RESTRICT_MODERATOR', 'name'),
)
test('repeating a permanent ban changes nothing', given(permanent).when(ban()).recordsNothing)
test(
  'a permanent ban can be changed to some days',
  given(permanent)
    .when(ban({ days: 3 }))
    .records(BanChanged({ ...threeDays.data, previousUntil: null, before: forEver })),
)
test(
  'a ban for some days can be made permanent',
  given(threeDays)
    .when(ban())
    .records(BanChanged({ ...permanent.data, previousUntil: NOW + 3 * DAY, before: forThreeDays })),
)
test(
  'a new end within six hours of the old one changes nothing',
  given(threeDays).when(ban({ days: 3, at: NOW + 6 * HOUR - 1 })).recordsNothing,
)
test(
  'a new end six hours or more from the old one changes the ban',
  given(threeDays)
    .when(ban({ days: 3, at: NOW + 6 * HOUR }))
    .records(BanChanged({ ...between, until: NOW + 3 * DAY + 6 * HOUR, days: 3, previousUntil: NOW + 3 * DAY, before: forThreeDays })),
)
test(
  'a ban with another note changes only the note',
  given(permanent)
    .when(ban({ note: 'why' }))
    .records(BanNoteChanged({ ...between, note: 'why', before: forEver })),
)
test(
  'a ban without a note clears the note of the present ban',
  given(UserBanned({ ...permanent.data, note: 'why' }))
    .when(ban())
    .records(BanNoteChanged({ ...between, before: { ...forEver, note: 'why', noteBy: 't2_0' } })),
)
test(
  'a changed ban is recorded with its former note, by who wrote it, and who banned',
  given(bannedBy(threeDays), pastEvent(BanNoteChanged({ ...between, note: 'why' }), { by: other }))
    .when(ban({ note: 'spam' }))
    .records(
      BanChanged({
        ...permanent.data,
        note: 'spam',
        previousUntil: NOW + 3 * DAY,
        before: { ...former(NOW + 3 * DAY, 't2_ann'), note: 'why', noteBy: 't2_carol' },
      }),
    ),
)
test(
  'the note of a ban that was changed without one is not recorded again',
  given(
    bannedBy(UserBanned({ ...permanent.data, note: 'why' })),
    pastEvent(BanChanged({ ...threeDays.data, previousUntil: null }), { by: other }),
  )
    .when(unbanUser(between, NOW))
    .records(UserUnbanned({ ...between, before: former(NOW + 3 * DAY, 't2_carol') })),
)
test(
  'a ban after an expired one first records its expiry, by the service',
  given(bannedBy(threeDays))
    .when(ban({ at: NOW + 3 * DAY }))
    .records(byService(ranOut), permanent),
)

test(
  'the end of a lifted ban, its note and who banned are recorded',
  given(bannedBy(UserBanned({ ...threeDays.data, note: 'why' })))
    .when(unbanUser(between, NOW))
    .records(UserUnbanned({ ...between, before: { ...former(NOW + 3 * DAY, 't2_ann'), note: 'why', noteBy: 't2_ann' } })),
)
test('lifting a ban that does not exist changes nothing', given().when(unbanUser(between, NOW)).recordsNothing)
test('lifting an expired ban changes nothing', given(threeDays).when(unbanUser(between, NOW + 3 * DAY)).recordsNothing)

test(
  'the expiry of a ban names who banned',
  given(bannedBy(threeDays))
    .when(expireBan(between, NOW + 3 * DAY))
    .records(ranOut),
)
test('a ban does not expire before its end', given(bannedBy(threeDays)).when(expireBan(between, NOW + 3 * DAY - 1)).recordsNothing)
test('a permanent ban does not expire', given(bannedBy(permanent)).when(expireBan(between, NOW + 999 * DAY)).recordsNothing)
test('the expiry of a ban is recorded once', given(bannedBy(threeDays), ranOut).when(expireBan(between, NOW + 3 * DAY)).recordsNothing)
test('a ban has an effect until its end, even if its expiry is recorded later', (t) => {
  const state = stateAfter(Relation, [threeDays])
  t.true(isBanned(state, NOW + 3 * DAY - 1))
  t.false(isBanned(state, NOW + 3 * DAY))
  t.false(isBanned(undefined, NOW))
})

const add = addContributor(between, { founder: false, at: NOW })
const added = ContributorAdded({ ...between, founder: false })
test('adding a contributor records an event', given().when(add).records(added))
test('adding a contributor again changes nothing', given(added).when(add).recordsNothing)
test('a banned account cannot become a contributor', given(permanent).when(add).refuses('BANNED_FROM_SUBSITE', 'name'))
test(
  'a banned contributor stays a contributor',
  given(added, permanent)
    .when(removeContributor(between))
    .records(ContributorRemoved({ ...between, left: false })),
)
test(
  'a contributor can leave',
  given(added)
    .when(leaveContributors(between))
    .records(ContributorRemoved({ ...between, left: true })),
)
test(
  'a contributor who left cannot leave again',
  given(added, ContributorRemoved({ ...between, left: true })).when(leaveContributors(between)).recordsNothing,
)
test('removing an account that is not a contributor changes nothing', given().when(removeContributor(between)).recordsNothing)
