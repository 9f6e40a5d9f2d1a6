import { AccountErased, AccountTextsErased } from '../../../src/domain/account.ts'
import { GoldGiven } from '../../../src/domain/credits.ts'
import { UserFlairChanged } from '../../../src/domain/flair.ts'
import { GoldExtended } from '../../../src/domain/gold.ts'
import { ModeratorAdded, ModeratorRemoved } from '../../../src/domain/moderators.ts'
import {
  BanNoteChanged,
  MuteExpired,
  UserBanned,
  UserMuted,
  UserUnmuted,
  UserWikiBanned,
  UserWikiUnbanned,
  WikiBanExpired,
} from '../../../src/domain/relation.ts'
import { carol, tea } from '../example-history.ts'
import { consequence, DAWN, idOf, inNameOf, type LoggedEvent, MINUTE } from '../logged-events.ts'
import { onAudiences } from './audiences.ts'
import { beforeErasure, onErasure } from './erasure.ts'
import { admin, endedByTime, mod, pair, registeredAccount, root, until } from './terms.ts'
import { onThingErasure } from './thing-erasure.ts'

const vic = 't2_vic'
const banned = 't2_tom'
const DAY = 86_400_000
const before = { until, by: carol, note: 'edit war', noteBy: carol }

export const beforeFormerTexts: readonly LoggedEvent[] = [...beforeErasure, ...onErasure, ...onThingErasure, ...onAudiences]
/** Entries of the moderation log that say what was written before an act, and after it. */
const [onBan, onNote, onFlair] = [3, 4, 5].map((n) => idOf(beforeFormerTexts.length + n)) as [string, string, string]

/** When an admin gives gold: the last but one event here. */
const timeOfGift = DAWN + (beforeFormerTexts.length + 17) * MINUTE
/** A moderator is erased whose note another one replaced; restrictions with notes end; an admin gives gold. */
export const onFormerTexts: readonly LoggedEvent[] = [
  registeredAccount(vic, 'Vic'),
  registeredAccount(banned, 'Tom'),
  admin(ModeratorAdded({ ...pair(vic), permissions: '+access', founder: false })),
  inNameOf(vic, 'moderator')(UserBanned({ ...pair(banned), days: null, until: null, note: 'rude' })),
  mod(BanNoteChanged({ ...pair(banned), note: 'very rude', before: { until: null, by: vic, note: 'rude', noteBy: vic } })),
  mod(UserFlairChanged({ ...pair(vic), text: 'Judge', css: '', shown: true, csv: false, before: { account: vic, text: '', css: '' } })),
  inNameOf(vic, 'moderator')(ModeratorRemoved({ ...pair(vic), left: true, permissions: '+access' })),
  admin(AccountErased({ account: vic, seats: [] })),
  consequence(
    1,
    inNameOf(null)(
      AccountTextsErased({
        account: vic,
        things: [],
        entries: [],
        contacts: [],
        multis: [],
        places: [
          { kind: 'note', id: `${tea}.${banned}.banned` },
          { kind: 'entry', id: onBan },
          { kind: 'change', id: onBan },
          { kind: 'change', id: onNote },
          { kind: 'change', id: onFlair },
          { kind: 'flair', id: `${tea}.${vic}` },
        ],
        next: null,
        pass: 1,
      }),
    ),
  ),
  mod(UserWikiBanned({ ...pair(banned), days: 3, until, note: 'edit war' })),
  mod(UserWikiUnbanned({ ...pair(banned), before })),
  mod(UserWikiBanned({ ...pair(banned), days: 3, until, note: 'edit war' })),
  endedByTime(WikiBanExpired({ ...pair(banned), bannedBy: carol, before })),
  mod(UserMuted({ ...pair(banned), until, note: 'edit war' })),
  mod(UserUnmuted({ ...pair(banned), before })),
  mod(UserMuted({ ...pair(banned), until, note: 'edit war' })),
  endedByTime(MuteExpired({ ...pair(banned), before })),
  admin(GoldGiven({ account: root, csites: 0, balance: 0, to: banned, months: 1 })),
  consequence(1, inNameOf(null)(GoldExtended({ account: banned, days: 31, until: timeOfGift + 31 * DAY }))),
]
