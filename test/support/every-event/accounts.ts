import {
  AccountDeleted,
  AccountErased,
  AccountSuspended,
  AccountSuspensionExpired,
  AccountTextsErased,
  AccountUnsuspended,
} from '../../../src/domain/account.ts'
import { UserFlairChanged } from '../../../src/domain/flair.ts'
import { ThingReported } from '../../../src/domain/report.ts'
import { carol, tea } from '../example-history.ts'
import { consequence, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { admin, endedByTime, leaf, mod, registeredAccount, root, until } from './terms.ts'

const zoe = 't2_zoe'
const yan = 't2_yan'
const una = 't2_una'

/** A place whose text an erasure deletes itself, even if the log could still be read. */
const erasedPlaces = [
  { kind: 'report', id: 't5_jug' },
  { kind: 'flair', id: `${tea}.${yan}` },
  { kind: 'link-flair', id: leaf },
] as const
const onJug = { thing: 't5_jug', subsite: tea, author: carol, moderator: false } as const
export const onAccounts: readonly LoggedEvent[] = [
  registeredAccount(zoe, 'Zoe'),
  registeredAccount(yan, 'Yan'),
  registeredAccount(root, 'Root'),
  registeredAccount(una, 'Una'),
  admin(AccountSuspended({ account: zoe, until, days: 3, note: 'rude' })),
  endedByTime(AccountSuspensionExpired({ account: zoe, before: { until, by: root, note: 'rude', noteBy: root } })),
  admin(AccountSuspended({ account: yan, until, days: 3 })),
  admin(AccountSuspended({ account: yan, until: null, days: null, note: 'rude', before: { until, by: root } })),
  admin(AccountUnsuspended({ account: yan, before: { until: null, by: root, note: 'rude', noteBy: root } })),
  admin(AccountSuspended({ account: yan, until, days: 3 })),
  admin(AccountUnsuspended({ account: yan, before: { until, by: root } })),
  admin(AccountSuspended({ account: una, until, days: 3 })),
  inNameOf(zoe)(AccountDeleted({ account: zoe, seats: [] })),
  inNameOf(yan)(ThingReported({ ...onJug, account: yan, reason: 'rude' })),
  inNameOf(zoe)(ThingReported({ ...onJug, account: zoe, reason: 'rude' })),
  inNameOf(una)(ThingReported({ ...onJug, account: una, reason: 'stolen' })),
  mod(UserFlairChanged({ subsite: tea, account: yan, text: 'Glazer', css: '', shown: true, csv: false })),
  admin(AccountErased({ account: yan, seats: [] })),
  consequence(
    1,
    inNameOf(null)(
      AccountTextsErased({ account: yan, things: [], entries: [], contacts: [], multis: [], places: erasedPlaces, next: null, pass: 1 }),
    ),
  ),
]
