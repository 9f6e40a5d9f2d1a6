import test from 'ava'
import {
  Account,
  AccountDeleted,
  AccountErased,
  AccountRegistered,
  AccountSuspended,
  AccountSuspensionExpired,
  AccountUnsuspended,
  deleteAccount,
  eraseAccount,
  expireSuspension,
  isSuspended,
  suspendAccount,
  unsuspendAccount,
} from '../../src/domain/account.ts'
import { byService } from '../../src/domain/event.ts'
import { specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Account)
const account = 't2_1'
const registered = AccountRegistered({ account, name: 'Ann' })
const deleted = AccountDeleted({ account, seats: ['t4_1'] })
const erased = AccountErased({ account, seats: [] })
const DAY = 86_400_000
const suspended = AccountSuspended({ account, until: 3 * DAY, days: 3 })
const forGood = AccountSuspended({ account, until: null, days: null })
/** As they were, by the account that all acts are by that say nothing else. */
const forThreeDays = { until: 3 * DAY, by: 't2_0' }
const suspend = (days: number | null, note = '') => suspendAccount({ at: 0, days, note })

test(
  'an account is deleted with the seats it has',
  given(registered)
    .when(deleteAccount(['t4_1']))
    .records(deleted),
)
test('deleting a deleted account changes nothing', given(registered, deleted).when(deleteAccount(['t4_1'])).recordsNothing)
test('deleting an account that does not exist changes nothing', given().when(deleteAccount([])).recordsNothing)
test('an account is erased', given(registered).when(eraseAccount([])).records(erased))
test(
  'a deleted account can be erased, and gives up no seats',
  given(registered, deleted)
    .when(eraseAccount(['t4_1']))
    .records(erased),
)
test('erasing an erased account changes nothing', given(registered, erased).when(eraseAccount([])).recordsNothing)
test('deleting an erased account changes nothing', given(registered, erased).when(deleteAccount([])).recordsNothing)
test('an account can be suspended for some days', given(registered).when(suspend(3)).records(suspended))
test(
  'a suspension for some days can be made permanent',
  given(registered, suspended)
    .when(suspend(null))
    .records(AccountSuspended({ ...forGood.data, before: forThreeDays })),
)
test(
  'a suspension that is lifted is recorded as it was, with its note',
  given(registered, AccountSuspended({ ...suspended.data, note: 'spam' }))
    .when(unsuspendAccount(0))
    .records(AccountUnsuspended({ account, before: { ...forThreeDays, note: 'spam', noteBy: 't2_0' } })),
)
test(
  'a permanent suspension gets another note',
  given(registered, AccountSuspended({ ...forGood.data, note: 'spam' }))
    .when(suspend(null, 'adverts'))
    .records(AccountSuspended({ ...forGood.data, note: 'adverts', before: { until: null, by: 't2_0', note: 'spam', noteBy: 't2_0' } })),
)
test(
  'a permanent suspension keeps its note if none is given',
  given(registered, AccountSuspended({ ...forGood.data, note: 'spam' })).when(suspend(null)).recordsNothing,
)
test('suspending a permanently suspended account again changes nothing', given(registered, forGood).when(suspend(null)).recordsNothing)
test(
  'a suspension can have a note',
  given(registered)
    .when(suspend(3, 'spam'))
    .records(AccountSuspended({ account, until: 3 * DAY, days: 3, note: 'spam' })),
)
test('a deleted account cannot be suspended', given(registered, deleted).when(suspend(3)).refuses('USER_DOESNT_EXIST', 'name'))
test(
  'a suspension can be lifted',
  given(registered, forGood)
    .when(unsuspendAccount(0))
    .records(AccountUnsuspended({ account, before: { until: null, by: 't2_0' } })),
)
test(
  'lifting the suspension of an account that is not suspended changes nothing',
  given(registered).when(unsuspendAccount(0)).recordsNothing,
)
test('lifting a suspension that has run out changes nothing', given(registered, suspended).when(unsuspendAccount(3 * DAY)).recordsNothing)
test(
  'a suspension after one that has run out first records its expiry, by the service',
  given(registered, suspended)
    .when(suspendAccount({ at: 3 * DAY, days: null, note: '' }))
    .records(
      byService(AccountSuspensionExpired({ account, before: forThreeDays })),
      AccountSuspended({ account, until: null, days: null }),
    ),
)
test(
  'a suspension expires at its end',
  given(registered, suspended)
    .when(expireSuspension(3 * DAY))
    .records(AccountSuspensionExpired({ account, before: forThreeDays })),
)
test(
  'the end of an earlier suspension does not end the present one',
  given(registered, suspended, forGood).when(expireSuspension(3 * DAY)).recordsNothing,
)
test('a suspension has no effect after its end, even if its expiry is not recorded yet', (t) => {
  const state = stateAfter(Account, [registered, suspended])
  t.true(state && isSuspended(state, 3 * DAY - 1))
  t.false(state && isSuspended(state, 3 * DAY))
})
