import { AccountErased, AccountTextsErased } from '../../../src/domain/account.ts'
import { CommentRemoved } from '../../../src/domain/comment.ts'
import { Friended } from '../../../src/domain/friends-and-blocks.ts'
import { LinkLocked } from '../../../src/domain/link.ts'
import { ModeratorAdded, ModeratorRemoved } from '../../../src/domain/moderators.ts'
import { defaultContent, MultiCreated } from '../../../src/domain/multi.ts'
import { UserBanned } from '../../../src/domain/relation.ts'
import { ThingSaved } from '../../../src/domain/shelf.ts'
import { SubsiteCreated, SubsiteNameClaimed } from '../../../src/domain/subsite.ts'
import { defaultSettings } from '../../../src/domain/subsite-settings.ts'
import { ann, dave, pot, tea } from '../example-history.ts'
import { consequence, idOf, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { beforeExpiry, onExpiry } from './gold.ts'
import { admin, comment, link, message, mod, pair, registeredAccount, target, words } from './terms.ts'

const xan = 't2_xan'
const milk = { subsite: 't4_milk', name: 'Milk', creator: dave, settings: defaultSettings }
export const beforeErasure: readonly LoggedEvent[] = [...beforeExpiry, ...onExpiry]
/** The entries of the moderation log that an erasure names: the last two events before the note, and the note. */
const [onComment, onLink, onNote] = [8, 9, 10].map((n) => idOf(beforeErasure.length + n)) as [string, string, string]
export const onErasure: readonly LoggedEvent[] = [
  registeredAccount(xan, 'Xan'),
  inNameOf(dave)(SubsiteNameClaimed(milk)),
  inNameOf(dave)(SubsiteCreated(milk)),
  link('t5_xan', xan, { text: 'Mine.' }),
  comment('t1_xan', xan, { notified: [{ account: dave, reason: 'mention' }] }),
  message('t6_xan', xan, { to: ann, subsite: null, modmail: false, inboxes: [ann] }),
  admin(ModeratorAdded({ ...pair(xan), permissions: '+access', founder: false })),
  mod(CommentRemoved({ subsite: tea, target: words('t1_xan', xan), link: pot, before: false, notified: [dave], spam: false })),
  mod(LinkLocked({ subsite: tea, target: target('t5_xan', xan) })),
  inNameOf(xan, 'moderator')(UserBanned({ ...pair('t2_wim'), days: null, until: null, note: 'rude' })),
  inNameOf(dave)(
    MultiCreated({
      ...{ ...defaultContent, account: dave, kind: 'm', name: 'copied', created: 1, copiedFrom: { account: xan, name: 'drinks' } },
      quotedName: { author: xan, text: 'Drinks' },
      quotedDescription: { author: xan, text: 'hot and cold' },
    }),
  ),
  message('t6_wim', 't2_wim', {
    to: xan,
    subsite: null,
    modmail: false,
    inboxes: [xan],
    subject: '',
    quotedSubject: { author: xan, text: 're: Hello' },
  }),
  inNameOf(xan, 'moderator')(ModeratorRemoved({ ...pair(xan), left: true, permissions: '+access' })),
  inNameOf(xan)(Friended({ account: xan, other: ann, note: 'a good friend' })),
  inNameOf(xan)(ThingSaved({ account: xan, thing: pot, subsite: tea, sealedCategory: 'pots of mine' })),
  admin(AccountErased({ account: xan, seats: [] })),
  consequence(
    1,
    inNameOf(null)(
      AccountTextsErased({
        account: xan,
        things: ['t5_xan', 't1_xan', 't6_xan'],
        entries: [onComment, onLink],
        contacts: [`${xan}.${ann}`],
        multis: [],
        places: [
          { kind: 'note', id: `${tea}.t2_wim.banned` },
          { kind: 'entry', id: onNote },
          { kind: 'multi', id: `${dave}.m.copied` },
          { kind: 'subject', id: 't6_wim' },
          { kind: 'category', id: `${xan}.${pot}` },
        ],
        next: null,
        pass: 1,
      }),
    ),
  ),
]
