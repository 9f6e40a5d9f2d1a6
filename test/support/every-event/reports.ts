import {
  CommentApproved,
  CommentDeleted,
  CommentDistinguished,
  CommentReportsIgnored,
  CommentReportsUnignored,
} from '../../../src/domain/comment.ts'
import { LinkDistinguished, LinkRemoved, LinkReportsIgnored, LinkReportsUnignored } from '../../../src/domain/link.ts'
import { ThingReported } from '../../../src/domain/report.ts'
import { CommentStickied, CommentUnstickied } from '../../../src/domain/sticky-comment.ts'
import { ann, bob, carol, dave, pot, praise, tea } from '../example-history.ts'
import { consequence, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { admin, aside, comment, cup, editedComment, late, leaf, mod, spam, target, words } from './terms.ts'

const report = (account: string, thing: string, author: string, reason: string, moderator = false) =>
  inNameOf(account)(ThingReported({ account, thing, subsite: tea, author, moderator, reason }))
const ignored = { subsite: tea, target: words(praise, bob) }

const distinction = (before: 'moderator' | 'admin' | null, after: 'moderator' | 'admin' | null) => ({ subsite: tea, before, after })

const leading = { subsite: tea, link: pot }
export const onReports: readonly LoggedEvent[] = [
  mod(LinkDistinguished({ ...distinction(null, 'moderator'), target: target(leaf, carol) })),
  mod(LinkDistinguished({ ...distinction('moderator', null), target: target(leaf, carol) })),
  inNameOf(carol, 'admin')(LinkDistinguished({ ...distinction(null, 'admin'), target: target(cup, carol) })),
  inNameOf(carol, 'admin')(LinkDistinguished({ ...distinction(null, 'admin'), target: target(leaf, carol) })),
  inNameOf(carol, 'admin')(LinkDistinguished({ ...distinction('admin', null), target: target(leaf, carol) })),
  mod(
    CommentDistinguished({
      ...distinction(null, 'moderator'),
      target: words(aside, carol),
      notified: [{ account: ann, reason: 'post_reply' }],
      removed: true,
    }),
  ),
  inNameOf(dave, 'admin')(CommentDistinguished({ ...distinction(null, 'admin'), target: words(late, dave), notified: [], removed: true })),
  inNameOf(
    dave,
    'admin',
  )(CommentDistinguished({ ...distinction('admin', 'moderator'), target: words(late, dave), notified: [], removed: true })),
  mod(CommentDistinguished({ ...distinction('moderator', null), target: words(aside, carol), notified: [], removed: true })),
  mod(CommentStickied({ ...leading, target: words(late, dave) })),
  mod(CommentUnstickied({ ...leading, target: words(late, dave), reason: 'replaced' })),
  mod(CommentStickied({ ...leading, target: words(aside, carol) })),
  inNameOf(carol)(CommentDeleted({ comment: aside, link: pot, subsite: tea, author: carol, notified: [bob] })),
  consequence(1, inNameOf(null)(CommentUnstickied({ ...leading, target: words(aside, carol), reason: 'deleted' }))),
  admin(CommentStickied({ ...leading, link: leaf, target: { ...words(praise, bob), link: leaf } })),
  report(bob, leaf, carol, 'off topic'),
  report(ann, leaf, carol, 'rude'),
  report(dave, leaf, carol, 'rude'),
  report('t2_eve', leaf, carol, ''),
  report(carol, leaf, carol, 'a moderator’s '.repeat(7), true),
  mod(LinkReportsIgnored({ subsite: tea, target: target(cup, carol) })),
  report(bob, cup, carol, 'unheard'),
  report(bob, spam, dave, 'too late'),
  mod(LinkRemoved({ subsite: tea, target: target(spam, dave), spam: true, before: false })),
  report(ann, spam, dave, 'removed'),
  mod(LinkReportsIgnored({ subsite: tea, target: target(spam, dave) })),
  mod(LinkReportsUnignored({ subsite: tea, target: target(spam, dave) })),
  mod(CommentReportsIgnored(ignored)),
  report(carol, praise, bob, 'unheard', true),
  mod(CommentReportsUnignored(ignored)),
  report(dave, praise, bob, 'heard'),
  mod(CommentReportsIgnored(ignored)),
  editedComment([], []),
  report('t2_eve', 't1_ivy', 't2_ivy', 'x'.repeat(100)),
  report(ann, 't1_ivy', 't2_ivy', 'y'),
  mod(CommentApproved({ subsite: tea, target: words('t1_ivy', 't2_ivy'), link: pot, before: false, notified: [] })),
  mod(CommentReportsIgnored({ subsite: tea, target: words('t1_ivy', 't2_ivy') })),
  comment('t1_fern', dave, {}),
  mod(CommentReportsIgnored({ subsite: tea, target: words('t1_fern', dave) })),
  report(ann, 't1_fern', dave, 'unheard'),
  report(bob, 't1_gone', bob, 'of what is gone'),
  comment('t1_mint', dave, {}),
  report(ann, 't1_mint', dave, 'rude'),
  inNameOf(dave)(CommentDeleted({ comment: 't1_mint', link: pot, subsite: tea, author: dave, notified: [] })),
]
