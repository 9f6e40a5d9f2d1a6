import test from 'ava'
import { Account, AccountRegistered, claimUsername, registerAccount, Username, UsernameClaimed } from '../../src/domain/account.ts'
import { checkSubsiteName, checkUsername, claimOf } from '../../src/domain/names.ts'
import { specification } from '../support/specification.ts'

{
  const { given } = specification(Username)
  const claimed = UsernameClaimed({ account: 't2_1', name: 'Ann' })
  test('an account can claim a free username', given().when(claimUsername('t2_1', 'Ann')).records(claimed))
  test('claiming a name that the account has already changes nothing', given(claimed).when(claimUsername('t2_1', 'Ann')).recordsNothing)
  test('a name cannot be claimed by two accounts', given(claimed).when(claimUsername('t2_2', 'ANN')).refuses('USERNAME_TAKEN', 'user'))
}
{
  const { given } = specification(Account)
  const registered = AccountRegistered({ account: 't2_1', name: 'Ann' })
  test('registering an account records an event', given().when(registerAccount('t2_1', 'Ann')).records(registered))
  test('registering an account again changes nothing', given(registered).when(registerAccount('t2_1', 'Ann')).recordsNothing)
}

test('names that differ only by case are the same claim', (t) => t.is(claimOf('AnN_1'), claimOf('aNn_1')))
test('usernames are 3 to 20 letters, digits, hyphens and underscores', (t) => {
  for (const name of ['ann', 'A-_9', 'x'.repeat(20)]) t.is(checkUsername(name), undefined, name)
  for (const name of ['', 'ab', 'x'.repeat(21)]) t.is(checkUsername(name)?.code, 'USERNAME_TOO_SHORT', name)
  for (const name of ['a b', 'änn', 'ann!', 'ann\n', '日本語']) t.is(checkUsername(name)?.code, 'USERNAME_INVALID_CHARACTERS', name)
})
test('subsite names are 3 to 21 letters, digits and underscores, do not begin with an underscore and are not reserved', (t) => {
  for (const name of ['tea', '9tea_', 'x'.repeat(21)]) t.is(checkSubsiteName(name), undefined, name)
  for (const name of ['', 'te', '_tea', 'te-a', 'x'.repeat(22), 'tée', 't:tea', 'tea\n'])
    t.is(checkSubsiteName(name)?.code, 'BAD_SR_NAME', name)
  for (const name of ['all', 'ALL', 'friends', 'random', 'MyRandom']) t.is(checkSubsiteName(name)?.code, 'SUBSITE_EXISTS', name)
})
