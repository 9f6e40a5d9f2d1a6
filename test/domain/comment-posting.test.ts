import test from 'ava'
import { Comment, type CommentEvent, CommentPosted } from '../../src/domain/comment.ts'
import { type CommentFacts, postComment } from '../../src/domain/comment-posting.ts'
import { Link, LinkDeleted, type LinkEvent, LinkLocked, LinkRemoved, LinkSubmitted } from '../../src/domain/link.ts'
import { type Standing, stranger } from '../../src/domain/standing.ts'
import { defaultSettings, type SubsiteSettings } from '../../src/domain/subsite-settings.ts'
import { deleted, place, posted, removed, reply } from '../support/posted-comment.ts'
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
