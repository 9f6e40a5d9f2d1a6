import test from 'ava'
import { Comment, CommentDeleted, CommentDistinguished, CommentPosted, CommentRemoved } from '../../src/domain/comment.ts'
import { Link, LinkDeleted, LinkDistinguished, LinkSubmitted } from '../../src/domain/link.ts'
import { CommentStickied, CommentUnstickied, StickyComment, stickyComment, unstickyComment } from '../../src/domain/sticky-comment.ts'
import { distinguishComment, distinguishLink } from '../../src/domain/thing-moderation.ts'
import { specification } from '../support/specification.ts'

{
  const { given } = specification(Link)
  const place = { link: 't5_9k', subsite: 't4_1', author: 't2_ann' }
  const posted = LinkSubmitted({ ...place, title: 'Tea', text: 'leaves', over18: false, sendReplies: true, filtered: false })
  const about = { subsite: 't4_1', target: { id: 't5_9k', author: 't2_ann', title: 'Tea', excerpt: 'leaves' } }
  const spoken = LinkDistinguished({ ...about, before: null, after: 'moderator' })
  const { when } = given(posted)
  test('the author of a link can distinguish it', when(distinguishLink('t2_ann', 'moderator')).records(spoken))
  test('undistinguishing a link that is not distinguished changes nothing', when(distinguishLink('t2_ann', null)).recordsNothing)
  test('only the author can distinguish a link', when(distinguishLink('t2_bob', 'moderator')).refuses('FORBIDDEN'))
  test(
    'distinguishing a link in the same way again changes nothing',
    given(posted, spoken).when(distinguishLink('t2_ann', 'moderator')).recordsNothing,
  )
  test(
    'a distinguished link can be undistinguished',
    given(posted, spoken)
      .when(distinguishLink('t2_ann', null))
      .records(LinkDistinguished({ ...about, before: 'moderator', after: null })),
  )
  test(
    'a deleted link cannot be distinguished',
    given(posted, LinkDeleted(place)).when(distinguishLink('t2_ann', 'admin')).refuses('NOT_FOUND', 'id'),
  )
  test('a link that does not exist cannot be distinguished', given().when(distinguishLink('t2_ann', 'admin')).refuses('NOT_FOUND', 'id'))
}

{
  const { given } = specification(Comment)
  const place = { comment: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_bob' }
  const postedAs = (more: object) =>
    CommentPosted({ ...place, linkAuthor: 't2_ann', parent: null, body: 'nice', filtered: false, notified: [], ...more })
  const posted = postedAs({})
  const target = { id: 't1_7', author: 't2_bob', excerpt: 'nice', link: 't5_9k' }
  const about = { subsite: 't4_1', target, before: null, after: 'moderator' as const, removed: false }
  const ann = { account: 't2_ann', reason: 'post_reply' as const }
  const first = CommentDistinguished({ ...about, notified: [ann] })
  const silent = CommentDistinguished({ ...about, notified: [] })
  const undone = CommentDistinguished({ ...about, before: 'moderator', after: null, notified: [] })
  const removed = CommentRemoved({ subsite: 't4_1', target, link: 't5_9k', before: false, notified: [], spam: true })
  const thread = { deleted: false }
  const distinguish = distinguishComment('t2_bob', thread, { after: 'moderator' })
  test('the first distinction notifies the author of the link', given(posted).when(distinguish).records(first))
  test(
    'distinguishing does not notify an author who was already notified of the comment',
    given(postedAs({ notified: [ann] }))
      .when(distinguish)
      .records(silent),
  )
  test(
    'distinguishing a reply to another comment does not notify the author of the link',
    given(postedAs({ parent: 't1_6' }))
      .when(distinguish)
      .records(silent),
  )
  test(
    'distinguishing a comment on the own link notifies no account',
    given(postedAs({ linkAuthor: 't2_bob' }))
      .when(distinguish)
      .records(silent),
  )
  test(
    'distinguishing a comment on a deleted link notifies no account',
    given(posted)
      .when(distinguishComment('t2_bob', { deleted: true }, { after: 'moderator' }))
      .records(silent),
  )
  test('distinguishing a comment for the second time notifies no account', given(posted, first, undone).when(distinguish).records(silent))
  test('distinguishing a comment in the same way again changes nothing', given(posted, first).when(distinguish).recordsNothing)
  test(
    'a distinguished comment can be undistinguished',
    given(posted, first)
      .when(distinguishComment('t2_bob', thread, { after: null }))
      .records(undone),
  )
  test(
    'distinguishing a removed comment records that the author of the link is to be notified once it is approved',
    given(posted, removed)
      .when(distinguish)
      .records(CommentDistinguished({ ...about, removed: true, notified: [ann] })),
  )
  test(
    'only the author can distinguish a comment',
    given(posted)
      .when(distinguishComment('t2_ann', thread, { after: 'admin' }))
      .refuses('FORBIDDEN'),
  )
  test(
    'a deleted comment cannot be distinguished',
    given(posted, CommentDeleted({ ...place, notified: [] }))
      .when(distinguish)
      .refuses('NOT_FOUND', 'id'),
  )
  test('a comment that does not exist cannot be distinguished', given().when(distinguish).refuses('NOT_FOUND', 'id'))
  const leading = distinguishComment('t2_bob', thread, { after: 'moderator', sticky: true })
  test('a comment that is to be sticky can be distinguished', given(posted).when(leading).records(first))
  for (const [what, ...events] of [
    ['a removed comment', posted, removed],
    ['a distinguished comment that was removed', posted, first, removed],
    ['a reply', postedAs({ parent: 't1_6' })],
  ] as const)
    test(
      `${what} that is to be sticky cannot be distinguished`,
      given(...events)
        .when(leading)
        .refuses('COMMENT_NOT_STICKYABLE', 'sticky'),
    )
}

{
  const { given } = specification(StickyComment)
  const target = (id: string, excerpt = 'nice') => ({ id, author: 't2_bob', excerpt, link: 't5_9k' })
  const comment = (id: string, more: Partial<Comment> = {}): Comment => ({
    ...{ id, link: 't5_9k', linkAuthor: 't2_ann', subsite: 't4_1', author: 't2_bob', parent: null, excerpt: 'nice', created: 1 },
    ...{
      notified: [],
      removed: false,
      deleted: false,
      erased: false,
      ignoresReports: false,
      distinguished: 'moderator',
      wasDistinguished: true,
    },
    ...{ sendReplies: true, ...more },
  })
  const about = { subsite: 't4_1', link: 't5_9k' }
  const stickied = (id: string) => CommentStickied({ ...about, target: target(id) })
  const unstickied = (id: string, reason: 'asked' | 'replaced' | 'removed' | 'deleted', excerpt = 'nice') =>
    CommentUnstickied({ ...about, target: target(id, excerpt), reason })
  const stick = stickyComment(comment('t1_7'))
  test('a top-level comment can be made sticky', given().when(stick).records(stickied('t1_7')))
  test('making a sticky comment sticky again changes nothing', given(stickied('t1_7')).when(stick).recordsNothing)
  test(
    'a comment that is no longer distinguished is not made sticky',
    given().when(stickyComment(comment('t1_7', { distinguished: null }))).recordsNothing,
  )
  for (const [what, more] of [
    ['a reply', { parent: 't1_6' }],
    ['a removed comment', { removed: true }],
    ['a deleted comment', { deleted: true }],
  ] as const)
    test(
      `${what} cannot be made sticky`,
      given()
        .when(stickyComment(comment('t1_7', more)))
        .refuses('COMMENT_NOT_STICKYABLE', 'sticky'),
    )
  test(
    'a new sticky comment replaces the former one, which the event describes as it is now',
    given(stickied('t1_6'))
      .when(stickyComment(comment('t1_7'), comment('t1_6', { excerpt: 'edited' })))
      .records(unstickied('t1_6', 'replaced', 'edited'), stickied('t1_7')),
  )
  test(
    'there is one sticky comment a thread',
    given(stickied('t1_6'), unstickied('t1_6', 'asked'), stickied('t1_7')).when(stick).recordsNothing,
  )
  test(
    'a sticky comment can be unstickied',
    given(stickied('t1_7'))
      .when(unstickyComment(comment('t1_7'), 'removed'))
      .records(unstickied('t1_7', 'removed')),
  )
  test(
    'unstickying a comment that is not the sticky one changes nothing',
    given(stickied('t1_6')).when(unstickyComment(comment('t1_7'), 'asked')).recordsNothing,
  )
  test(
    'unstickying can be restricted to the event that made the comment sticky',
    given(stickied('t1_7')).when(unstickyComment(comment('t1_7'), 'removed', () => false)).recordsNothing,
  )
}
