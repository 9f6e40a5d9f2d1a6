import test from 'ava'
import {
  Comment,
  CommentApproved,
  CommentEdited,
  CommentPosted,
  CommentRemoved,
  deleteComment,
  editComment,
} from '../../src/domain/comment.ts'
import { approveComment, removeComment } from '../../src/domain/thing-moderation.ts'
import { deleted, place, posted, removed, reply, verdict } from '../support/posted-comment.ts'
import { specification } from '../support/specification.ts'

const { given } = specification(Comment)

const mention = (account: string) => ({ account, reason: 'mention' }) as const
const mentioning = CommentPosted({ ...posted.data, notified: [reply, mention('t2_cat')] })
const edit = (mentioned: readonly string[], account = 't2_bob', body = 'nicer') =>
  editComment({ account, mentioned, audience: 'everybody' }, body)
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
