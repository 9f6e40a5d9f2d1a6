import { AccountTextsErased } from '../../../src/domain/account.ts'
import { CommentErased, CommentRemoved } from '../../../src/domain/comment.ts'
import { LinkFlairChanged } from '../../../src/domain/flair.ts'
import { ImageErased } from '../../../src/domain/images.ts'
import { LinkErased, LinkLocked } from '../../../src/domain/link.ts'
import { MessageErased } from '../../../src/domain/message.ts'
import { WikiPageRevised } from '../../../src/domain/wiki-page.ts'
import { WikiRevisionErased } from '../../../src/domain/wiki-revision.ts'
import { ann, carol, dave, pot, tea } from '../example-history.ts'
import { consequence, idOf, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { beforeErasure, onErasure } from './erasure.ts'
import { hashOf } from './subsites.ts'
import { admin, comment, link, message, mod, target, words } from './terms.ts'

const reason = 'ordered by a court'
const page = { subsite: tea, page: 'ordered' }
const before: readonly LoggedEvent[] = [...beforeErasure, ...onErasure]
/** Entries of the moderation log that quote them, and a revision: the events of these numbers below. */
const [onComment, onLink, onFlair, revision] = [6, 7, 8, 9].map((n) => idOf(before.length + n)) as [string, string, string, string]

const erasureEvent = (thing: string, more: object) =>
  consequence(
    1,
    inNameOf(null)(
      AccountTextsErased({
        account: dave,
        things: [],
        entries: [],
        contacts: [],
        multis: [],
        places: [],
        next: null,
        pass: 1,
        thing,
        ...more,
      }),
    ),
  )
const mail = { subsite: null, modmail: false }

/** One thing of each kind is erased. */
export const onThingErasure: readonly LoggedEvent[] = [
  link('t5_ordered', dave, { text: 'Forbidden.' }),
  comment('t1_ordered', dave, {}),
  message('t6_ordered', dave, { ...mail, to: ann, inboxes: [ann] }),
  message('t6_answer', ann, {
    ...{ ...mail, to: dave, inboxes: [dave], parent: 't6_ordered', root: 't6_ordered', subject: '' },
    quotedSubject: { author: dave, text: 're: About tea' },
  }),
  message('t6_further', dave, { ...mail, to: ann, inboxes: [ann], parent: 't6_answer', root: 't6_ordered', subject: 're: About tea' }),
  mod(CommentRemoved({ subsite: tea, target: words('t1_ordered', dave), link: pot, before: false, notified: [], spam: false })),
  mod(LinkLocked({ subsite: tea, target: target('t5_ordered', dave) })),
  mod(LinkFlairChanged({ subsite: tea, target: target('t5_ordered', dave), author: dave, text: 'forbidden', css: '' })),
  mod(WikiPageRevised({ ...page, author: carol, content: 'Forbidden.', reason: 'because', previous: null })),
  admin(LinkErased({ subsite: tea, target: { id: 't5_ordered', author: dave }, reason })),
  erasureEvent('t5_ordered', { things: ['t5_ordered'], entries: [onLink, onFlair], places: [{ kind: 'link-flair', id: 't5_ordered' }] }),
  admin(CommentErased({ subsite: tea, target: { id: 't1_ordered', author: dave, link: pot }, reason })),
  erasureEvent('t1_ordered', { things: ['t1_ordered'], entries: [onComment] }),
  admin(MessageErased({ message: 't6_further', author: dave, subsite: null, reason })),
  erasureEvent('t6_further', { places: [{ kind: 'body', id: 't6_further' }] }),
  admin(MessageErased({ message: 't6_ordered', author: dave, subsite: null, reason })),
  erasureEvent('t6_ordered', {
    things: ['t6_ordered'],
    places: [
      { kind: 'subject', id: 't6_answer' },
      { kind: 'subject', id: 't6_further' },
    ],
  }),
  admin(WikiRevisionErased({ ...page, revision, author: carol, hidden: false, reason })),
  erasureEvent(revision, { account: carol, places: [{ kind: 'entry', id: revision }] }),
  admin(ImageErased({ subsite: tea, hash: hashOf('e'), images: [{ use: 'icon', name: '' }], reason })),
  admin(ImageErased({ subsite: tea, hash: hashOf('a'), images: [], reason })),
  admin(ImageErased({ subsite: tea, hash: hashOf('c'), images: [{ use: 'img', name: 'pot' }], reason })),
]
