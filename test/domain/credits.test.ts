import test from 'ava'
import {
  Credits,
  CreditsGranted,
  GoldGiven,
  gildThing,
  giveGold,
  grantCredits,
  MAX_CREDITS_PER_ACCOUNT,
  ThingGilded,
} from '../../src/domain/credits.ts'
import { expireGold, extendGold, Gold, GoldExpired, GoldExtended, hasGold } from '../../src/domain/gold.ts'
import { specification } from '../support/specification.ts'

const DAY = 86_400_000
const payer = { account: 't2_bob', staff: false }
const staff = { account: 't2_bob', staff: true }
const thing = { id: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_ann', deleted: false }
const gilded = (csites: number, balance: number) =>
  ThingGilded({ account: 't2_bob', csites, balance, thing: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_ann' })

{
  const { given } = specification(Credits)
  const granted = (csites: number, balance = csites) => CreditsGranted({ account: 't2_bob', csites, balance })
  test('credits can be granted to an account without any', given().when(grantCredits('t2_bob', 3)).records(granted(3)))
  test('a grant adds to the balance', given(granted(3)).when(grantCredits('t2_bob', 4)).records(granted(4, 7)))
  test('a grant is at least one credit', given().when(grantCredits('t2_bob', 0)).refuses('BAD_NUMBER', 'csites'))
  test(
    'a grant that makes the balance too large is refused',
    given(granted(MAX_CREDITS_PER_ACCOUNT)).when(grantCredits('t2_bob', 1)).refuses('BAD_NUMBER', 'csites'),
  )
  test('gilding costs one credit', given(granted(3)).when(gildThing(payer, thing)).records(gilded(1, 2)))
  test(
    'gilding the same thing again costs another credit',
    given(granted(2), gilded(1, 1)).when(gildThing(payer, thing)).records(gilded(1, 0)),
  )
  test(
    'gilding is refused once the balance is zero',
    given(granted(1), gilded(1, 0)).when(gildThing(payer, thing)).refuses('INSUFFICIENT_CSITES'),
  )
  test('gilding is refused to an account that never had credits', given().when(gildThing(payer, thing)).refuses('INSUFFICIENT_CSITES'))
  test('gilding costs admins nothing', given().when(gildThing(staff, thing)).records(gilded(0, 0)))
  test(
    'a deleted thing cannot be gilded',
    given(granted(1))
      .when(gildThing(payer, { ...thing, deleted: true }))
      .refuses('NO_THING_ID', 'fullname'),
  )
  const gift = (csites: number, balance: number) => GoldGiven({ account: 't2_bob', csites, balance, to: 't2_ann', months: 3 })
  test(
    'giving gold costs one credit a month',
    given(granted(3))
      .when(giveGold(payer, 't2_ann', 3))
      .records(gift(3, 0)),
  )
  test(
    'giving more months of gold than the balance pays for is refused',
    given(granted(2))
      .when(giveGold(payer, 't2_ann', 3))
      .refuses('INSUFFICIENT_CSITES', 'months'),
  )
}

{
  const { given } = specification(Gold)
  const extended = (days: number, until: number) => GoldExtended({ account: 't2_ann', days, until })
  test(
    'gold begins when it is given to an account without gold',
    given()
      .when(extendGold('t2_ann', 31, 1_000))
      .records(extended(31, 1_000 + 31 * DAY)),
  )
  test(
    'further gold begins at the end of the present gold',
    given(extended(31, 50_000))
      .when(extendGold('t2_ann', 31, 1_000))
      .records(extended(31, 50_000 + 31 * DAY)),
  )
  test(
    'gold given after the former gold ended begins when it is given',
    given(extended(31, 500))
      .when(extendGold('t2_ann', 1, 1_000))
      .records(extended(1, 1_000 + DAY)),
  )
  test(
    'the expiry of gold is recorded at its end',
    given(extended(31, 500))
      .when(expireGold('t2_ann', 500))
      .records(GoldExpired({ account: 't2_ann' })),
  )
  test('gold does not expire before its end', given(extended(31, 501)).when(expireGold('t2_ann', 500)).recordsNothing)
  test(
    'the expiry of gold is recorded once',
    given(extended(31, 500), GoldExpired({ account: 't2_ann' })).when(expireGold('t2_ann', 900)).recordsNothing,
  )
  test('gold does not expire for an account that never had it', given().when(expireGold('t2_ann', 900)).recordsNothing)
  test('gold has an effect until its end, whether or not its expiry is recorded', (t) => {
    t.deepEqual(
      [undefined, { until: 0 }, { until: 5 }, { until: 6 }].map((gold) => hasGold(gold, 5)),
      [false, false, false, true],
    )
  })
}
