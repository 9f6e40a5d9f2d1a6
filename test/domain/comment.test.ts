import test from 'ava'
import {
  Comment,
  CommentApproved,
  CommentDeleted,
  CommentEdited,
  type CommentEvent,
  type CommentFacts,
  CommentPosted,
  CommentRemoved,
  deleteComment,
  editComment,
  postComment,
} from '../../src/domain/comment.ts'
import { approveComment, removeComment } from '../../src/domain/comment-moderation.ts'
import { Link, LinkDeleted, type LinkEvent, LinkLocked, LinkRemoved, LinkSubmitted } from '../../src/domain/link.ts'
import { type Standing, stranger } from '../../src/domain/standing.ts'
import { defaultSettings, type SubsiteSettings } from '../../src/domain/subsite-settings.ts'
import { NOW, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Comment)
const DAY = 86_400_000

const submitted = LinkSubmitted({
  link: 't5_9k',
  subsite: 't4_1',
  author: 't2_ann',
  title: 'Tea',
  url: 'http://tea.example/',
  over18: false,
  sendReplies: true,
  filtered: false,
})
const linkTarget = { id: 't5_9k', author: 't2_ann', title: 'Tea', excerpt: '' }
const locked = LinkLocked({ subsite: 't4_1', target: linkTarget })

const threadOf = (...events: readonly LinkEvent[]): Link => {
  const thread = stateAfter(Link, [submitted, ...events])
  if (!thread) throw new Error('a link was submitted')
  return thread
}
const place = { comment: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_bob' }
const reply = { account: 't2_ann', reason: 'post_reply' } as const
const posted = CommentPosted({ ...place, linkAuthor: 't2_ann', parent: null, body: 'nice', filtered: false, notified: [reply] })
const target = { id: 't1_7', author: 't2_bob', excerpt: 'nice', link: 't5_9k' }
const verdict = { subsite: 't4_1', target, link: 't5_9k', notified: ['t2_ann'] }
const removed = CommentRemoved({ ...verdict, spam: true, before: false })
const deleted = CommentDeleted({ ...place, notified: ['t2_ann'] })

const parentAfter = (...events: readonly CommentEvent[]) => stateAfter(Comment, [posted, ...events])

type Change = Partial<Omit<CommentFacts, 'standing' | 'subsite'>> & { standing?: Partial<Standing>; settings?: Partial<SubsiteSettings> }
const post = ({ standing, settings, ...facts }: Change = {}, body = 'nice') =>
  postComment(
    {
      comment: 't1_7',
      author: 't2_bob',
      at: NOW,
      thread: threadOf(),
      parent: undefined,
      mentioned: [],
      wait: undefined,
      ...facts,
      subsite: { settings: { ...defaultSettings, ...settings } },
      standing: { ...stranger, ...standing },
    },
    body,
  )
const postedTo = (parent: string | null, notified: Comment['notified'], filtered = false) =>
  CommentPosted({ ...place, linkAuthor: 't2_ann', parent, body: 'nice', filtered, notified })

test('a comment on a link notifies its author', given().when(post()).records(posted))
test('posting the same id again changes nothing', given(posted).when(post()).recordsNothing)

test(
  'an account without special rights cannot comment on a locked link',
  given()
    .when(post({ thread: threadOf(locked) }))
    .refuses('THREAD_LOCKED', 'parent'),
)
test(
  'a moderator with the permission posts can comment on a locked link',
  given()
    .when(post({ thread: threadOf(locked), standing: { permissions: '+posts' } }))
    .records(posted),
)
test(
  'a moderator without the permission posts cannot comment on a locked link',
  given()
    .when(post({ thread: threadOf(locked), standing: { permissions: '+mail' } }))
    .refuses('THREAD_LOCKED', 'parent'),
)
test(
  'an admin can comment on a locked link',
  given()
    .when(post({ thread: threadOf(locked), standing: { admin: true } }))
    .records(posted),
)
test(
  'an archived link takes no comments',
  given()
    .when(post({ at: NOW + 180 * DAY }))
    .refuses('TOO_OLD', 'parent'),
)
test(
  'a link that is both archived and locked refuses comments as archived',
  given()
    .when(post({ at: NOW + 180 * DAY, thread: threadOf(locked) }))
    .refuses('TOO_OLD', 'parent'),
)
test(
  'a removed link can be commented on',
  given()
    .when(post({ thread: threadOf(LinkRemoved({ subsite: 't4_1', target: linkTarget, spam: true, before: false })) }))
    .records(posted),
)
test(
  'a comment on a deleted link notifies no account',
  given()
    .when(post({ thread: threadOf(LinkDeleted({ link: 't5_9k', subsite: 't4_1', author: 't2_ann' })) }))
    .records(postedTo(null, [])),
)

const answer = { comment: 't1_8', author: 't2_cat' }
const answered = CommentPosted({
  ...place,
  ...answer,
  linkAuthor: 't2_ann',
  parent: 't1_7',
  body: 'nice',
  filtered: false,
  notified: [{ account: 't2_bob', reason: 'comment_reply' }],
})
test(
  'a reply notifies the author of the comment',
  given()
    .when(post({ ...answer, parent: parentAfter() }))
    .records(answered),
)
test(
  'a deleted comment takes no replies',
  given()
    .when(post({ ...answer, parent: parentAfter(deleted) }))
    .refuses('DELETED_COMMENT', 'parent'),
)
test(
  'an account that neither wrote nor moderates a removed comment cannot reply to it',
  given()
    .when(post({ ...answer, parent: parentAfter(removed) }))
    .refuses('DELETED_COMMENT', 'parent'),
)
test(
  'moderators can reply to a removed comment',
  given()
    .when(post({ ...answer, parent: parentAfter(removed), standing: { permissions: '+mail' } }))
    .records(answered),
)
test(
  'the author of a removed comment can reply to it, and is not notified',
  given()
    .when(post({ comment: 't1_8', parent: parentAfter(removed) }))
    .records(
      CommentPosted({ ...place, comment: 't1_8', linkAuthor: 't2_ann', parent: 't1_7', body: 'nice', filtered: false, notified: [] }),
    ),
)

test(
  'a banned account cannot comment',
  given()
    .when(post({ standing: { banned: true } }))
    .refuses('FORBIDDEN'),
)
test(
  'a parent that takes no comments is reported before a ban',
  given()
    .when(post({ standing: { banned: true }, thread: threadOf(locked) }))
    .refuses('THREAD_LOCKED', 'parent'),
)
test(
  'any account can comment in a restricted subsite',
  given()
    .when(post({ settings: { type: 'restricted' } }))
    .records(posted),
)
test(
  'an account that is no member cannot comment in an archived subsite',
  given()
    .when(post({ settings: { type: 'archived' } }))
    .refuses('FORBIDDEN'),
)
test('a blank comment is refused', given().when(post({}, ' \n')).refuses('NO_TEXT', 'text'))
test(
  'a comment of 10,001 characters is refused',
  given()
    .when(post({}, 'x'.repeat(10_001)))
    .refuses('TOO_LONG', 'text'),
)
test(
  'a comment of 10,000 characters is allowed',
  given()
    .when(post({}, 'x'.repeat(10_000)))
    .records(CommentPosted({ ...posted.data, body: 'x'.repeat(10_000) })),
)
test(
  'an invalid text is reported before an invalid parent',
  given()
    .when(post({ thread: threadOf(locked) }, ''))
    .refuses('NO_TEXT', 'text'),
)
test(
  'a waiting time is reported after an invalid text and before an invalid parent',
  given()
    .when(post({ thread: threadOf(locked), wait: { code: 'RATELIMIT', field: 'ratelimit' } }))
    .refuses('RATELIMIT', 'ratelimit'),
)
test(
  'in a subsite that filters all comments a new comment is removed, and records which accounts to notify once it is approved',
  given()
    .when(post({ settings: { spam_comments: 'all' } }))
    .records(postedTo(null, [reply], true)),
)
test(
  'each mentioned account is notified once, not as mentioned if it gets the reply, and the author never',
  given()
    .when(post({ mentioned: ['t2_ann', 't2_bob', 't2_cat'] }))
    .records(postedTo(null, [reply, { account: 't2_cat', reason: 'mention' }])),
)

const mention = (account: string) => ({ account, reason: 'mention' }) as const
const mentioning = CommentPosted({ ...posted.data, notified: [reply, mention('t2_cat')] })
const edit = (mentioned: readonly string[], account = 't2_bob', body = 'nicer') => editComment({ account, mentioned }, body)
const edited = (notified: Comment['notified'], withdrawn: readonly string[]) =>
  CommentEdited({ ...place, body: 'nicer', notified, withdrawn })
test(
  'an edit notifies newly mentioned accounts',
  given(mentioning)
    .when(edit(['t2_cat', 't2_dan']))
    .records(edited([mention('t2_dan')], [])),
)
test(
  'an edit can withdraw the notice of a mention, but not that of a reply',
  given(mentioning)
    .when(edit([]))
    .records(edited([], ['t2_cat'])),
)
test(
  'an account whose mention was withdrawn can be mentioned again',
  given(mentioning, edited([], ['t2_cat']))
    .when(edit(['t2_cat']))
    .records(edited([mention('t2_cat')], [])),
)
test(
  'editing a removed comment notifies no account',
  given(posted, removed)
    .when(edit(['t2_dan']))
    .records(edited([], [])),
)
test('only the author can edit a comment', given(posted).when(edit([], 't2_ann')).refuses('NOT_AUTHOR', 'thing_id'))
test('a deleted comment cannot be edited', given(posted, deleted).when(edit([])).refuses('FORBIDDEN'))
test(
  'a comment cannot be edited to an empty text',
  given(posted)
    .when(edit([], 't2_bob', ' '))
    .refuses('NO_TEXT', 'text'),
)

test('an author can delete a comment', given(posted).when(deleteComment('t2_bob')).records(deleted))
test('deleting a deleted comment changes nothing', given(posted, deleted).when(deleteComment('t2_bob')).recordsNothing)
test('another account cannot delete a comment', given(posted).when(deleteComment('t2_ann')).recordsNothing)

test('a moderator can remove a comment', given(posted).when(removeComment(true)).records(removed))
test(
  'removing a removed comment again records another decision',
  given(posted, removed)
    .when(removeComment(false))
    .records(CommentRemoved({ ...verdict, spam: false, before: true })),
)
test('removing a deleted comment changes nothing', given(posted, deleted).when(removeComment(true)).recordsNothing)
test('a comment that does not exist cannot be removed', given().when(removeComment(true)).refuses('FORBIDDEN'))
test(
  'a moderator can approve a comment',
  given(posted, removed)
    .when(approveComment)
    .records(CommentApproved({ ...verdict, before: true })),
)
test(
  'approving a comment that was not removed records a decision',
  given(posted)
    .when(approveComment)
    .records(CommentApproved({ ...verdict, before: false })),
)
test('approving a deleted comment changes nothing', given(posted, deleted).when(approveComment).recordsNothing)
test('a comment that does not exist cannot be approved', given().when(approveComment).refuses('FORBIDDEN'))
