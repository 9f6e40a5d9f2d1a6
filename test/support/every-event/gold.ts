import { CreditsGranted, GoldGiven, ThingGilded } from '../../../src/domain/credits.ts'
import { GoldExpired, GoldExtended } from '../../../src/domain/gold.ts'
import { bob, carol, dave, pot, praise, tea } from '../example-history.ts'
import { consequence, DAWN, inNameOf, type LoggedEvent, MINUTE } from '../logged-events.ts'
import { admin, leaf, root } from './terms.ts'
import { beforeWiki, onWiki } from './wiki.ts'

const gilding = (thing: string, author: string, csites: number, balance: number) =>
  (csites === 0 ? admin : inNameOf(bob))(
    ThingGilded({ account: csites === 0 ? root : bob, csites, balance, thing, link: pot, subsite: tea, author }),
  )
const system = inNameOf(null)
const onGold: readonly LoggedEvent[] = [
  admin(CreditsGranted({ account: bob, csites: 5, balance: 5 })),
  gilding(leaf, carol, 1, 4),
  gilding(leaf, carol, 1, 3),
  gilding(praise, bob, 0, 0),
  inNameOf(bob)(GoldGiven({ account: bob, csites: 2, balance: 1, to: dave, months: 2 })),
]

export const beforeExpiry: readonly LoggedEvent[] = [...beforeWiki, ...onWiki, ...onGold]
const DAY = 86_400_000
/** When something happens that is the `n`th after all that. */
const timeAfter = (n: number) => DAWN + (beforeExpiry.length + n) * MINUTE
export const onExpiry: readonly LoggedEvent[] = [
  consequence(4, system(GoldExtended({ account: carol, days: 31, until: timeAfter(-4) + 31 * DAY }))),
  consequence(4, system(GoldExtended({ account: carol, days: 31, until: timeAfter(-4) + 62 * DAY }))),
  consequence('GoldGiven', system(GoldExtended({ account: dave, days: 62, until: timeAfter(-1) + 62 * DAY }))),
  { ...system(GoldExpired({ account: dave })), at: timeAfter(-1) + 62 * DAY },
]
