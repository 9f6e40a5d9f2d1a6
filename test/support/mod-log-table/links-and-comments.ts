import {
  CommentApproved,
  CommentDistinguished,
  CommentErased,
  CommentRemoved,
  CommentReportsIgnored,
  CommentReportsUnignored,
} from '../../../src/domain/comment.ts'
import {
  LinkApproved,
  LinkDistinguished,
  LinkErased,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkUnlocked,
} from '../../../src/domain/link.ts'
import {
  LinkContestModeSet,
  LinkContestModeUnset,
  LinkMarkedNsfw,
  LinkSortSuggested,
  LinkUnmarkedNsfw,
} from '../../../src/domain/link-options.ts'
import { LinkStickied, LinkUnstickied } from '../../../src/domain/stickies.ts'
import { CommentStickied, CommentUnstickied } from '../../../src/domain/sticky-comment.ts'
import { ann, bob, pot, praise } from '../example-history.ts'
import { inNameOf } from '../logged-events.ts'
import { mod, type Row, subsite, target, thing } from './terms.ts'

const comment = { id: praise, author: bob, excerpt: 'What a pot!', link: pot }

const verdict = { subsite, target: comment, link: pot, notified: [] }

const sticky = { subsite, target, slot: 1 }
const leading = { subsite, link: pot, target: comment }

const reply = { id: praise, author: bob, title: null, excerpt: 'What a pot!', link: pot }

export const ofThings: readonly Row[] = [
  [
    'remove a link',
    mod(LinkRemoved({ subsite, target, spam: false, before: false })),
    { action: 'removelink', target: thing, details: 'remove' },
  ],
  [
    'remove it as spam',
    mod(LinkRemoved({ subsite, target, spam: true, before: false })),
    { action: 'removelink', target: thing, details: 'spam' },
  ],
  [
    'confirm a link as spam',
    mod(LinkRemoved({ subsite, target, spam: true, before: true })),
    { action: 'removelink', target: thing, details: 'confirm_spam' },
  ],
  [
    'turn a filtered link into a removed one',
    mod(LinkRemoved({ subsite, target, spam: false, before: true })),
    { action: 'removelink', target: thing, details: 'remove' },
  ],
  [
    'erase a link',
    mod(LinkErased({ subsite, target: { id: target.id, author: target.author }, reason: 'ordered' })),
    { action: 'removelink', target: { ...thing, title: null, excerpt: null }, details: 'erase', description: 'ordered' },
  ],
  [
    'erase a comment',
    mod(CommentErased({ subsite, target: { id: praise, author: bob, link: pot }, reason: 'ordered' })),
    { action: 'removecomment', target: { ...reply, excerpt: null }, details: 'erase', description: 'ordered' },
  ],
  [
    'approve a removed link',
    mod(LinkApproved({ subsite, target, before: true })),
    { action: 'approvelink', target: thing, details: 'unspam' },
  ],
  [
    'approve a link',
    mod(LinkApproved({ subsite, target, before: false })),
    { action: 'approvelink', target: thing, details: 'confirm_ham' },
  ],
  ['lock a link', mod(LinkLocked({ subsite, target })), { action: 'lock', target: thing }],
  ['unlock a link', mod(LinkUnlocked({ subsite, target })), { action: 'unlock', target: thing }],
  ...(
    [
      [null, 'moderator', {}],
      ['moderator', null, { details: 'remove' }],
      [null, 'admin', 'none'],
      ['admin', null, 'none'],
      ['admin', 'moderator', {}],
      ['special', null, 'none'],
      ['moderator', 'special', 'none'],
    ] as const
  ).flatMap(([before, after, said]): readonly Row[] => {
    const change = { subsite, before, after }
    const saidOf = (about: typeof thing | typeof reply) =>
      said === 'none' ? said : { action: 'distinguish' as const, target: about, ...said }
    return [
      [`distinguish a link: ${before} to ${after}`, mod(LinkDistinguished({ ...change, target })), saidOf(thing)],
      [
        `distinguish a comment: ${before} to ${after}`,
        mod(CommentDistinguished({ ...change, target: comment, notified: [], removed: false })),
        saidOf(reply),
      ],
    ]
  }),
  ['mark a link as nsfw', mod(LinkMarkedNsfw({ subsite, target })), { action: 'marknsfw', target: thing }],
  ['unmark it', mod(LinkUnmarkedNsfw({ subsite, target })), { action: 'marknsfw', target: thing, details: 'remove' }],
  ['mark an own link as nsfw', inNameOf(ann)(LinkMarkedNsfw({ subsite, target })), 'none'],
  ['unmark an own link', inNameOf(ann)(LinkUnmarkedNsfw({ subsite, target })), 'none'],
  ['set the contest mode', mod(LinkContestModeSet({ subsite, target })), { action: 'setcontestmode', target: thing }],
  ['unset the contest mode', mod(LinkContestModeUnset({ subsite, target })), { action: 'unsetcontestmode', target: thing }],
  ['suggest an order', mod(LinkSortSuggested({ subsite, target, before: '', after: 'qa' })), { action: 'setsuggestedsort', target: thing }],
  ['ignore reports on a link', mod(LinkReportsIgnored({ subsite, target })), { action: 'ignorereports', target: thing }],
  ['heed reports on a link', mod(LinkReportsUnignored({ subsite, target })), { action: 'unignorereports', target: thing }],
  ['ignore reports on a comment', mod(CommentReportsIgnored({ subsite, target: comment })), { action: 'ignorereports', target: reply }],
  ['heed reports on a comment', mod(CommentReportsUnignored({ subsite, target: comment })), { action: 'unignorereports', target: reply }],
  [
    'remove a comment',
    mod(CommentRemoved({ ...verdict, spam: false, before: false })),
    { action: 'removecomment', target: reply, details: 'remove' },
  ],
  [
    'remove a comment as spam again',
    mod(CommentRemoved({ ...verdict, spam: true, before: true })),
    { action: 'removecomment', target: reply, details: 'confirm_spam' },
  ],
  [
    'approve a removed comment',
    mod(CommentApproved({ ...verdict, before: true })),
    { action: 'approvecomment', target: reply, details: 'unspam' },
  ],
  ['sticky a link', mod(LinkStickied(sticky)), { action: 'sticky', target: thing }],
  ['unsticky a link', mod(LinkUnstickied({ ...sticky, reason: 'asked' })), { action: 'unsticky', target: thing }],
  ['displace a sticky', mod(LinkUnstickied({ ...sticky, reason: 'replaced' })), { action: 'unsticky', target: thing, details: 'replaced' }],
  ['remove a sticky', mod(LinkUnstickied({ ...sticky, reason: 'removed' })), { action: 'unsticky', target: thing }],
  ['sticky a comment', mod(CommentStickied(leading)), { action: 'sticky', target: reply }],
  ['unsticky a comment', mod(CommentUnstickied({ ...leading, reason: 'asked' })), { action: 'unsticky', target: reply }],
  [
    'displace a stickied comment',
    mod(CommentUnstickied({ ...leading, reason: 'replaced' })),
    { action: 'unsticky', target: reply, details: 'replaced' },
  ],
  ['delete an own stickied comment', inNameOf(null)(CommentUnstickied({ ...leading, reason: 'deleted' })), 'none'],
  ['delete an own sticky', inNameOf(null)(LinkUnstickied({ ...sticky, reason: 'deleted' })), 'none'],
]
