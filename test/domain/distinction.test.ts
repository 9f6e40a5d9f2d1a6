import test from 'ava'
import {
  Comment,
  CommentDeleted,
  CommentDistinguished,
  CommentPosted,
  CommentRemoved,
  distinguishComment,
} from '../../src/domain/comment.ts'
import { distinguishLink, Link, LinkDeleted, LinkDistinguished, LinkSubmitted } from '../../src/domain/link.ts'
import { specification } from '../support/specification.ts'

{
  const { given } = specification(Link)
  const place = { link: 't5_9k', subsite: 't4_1', author: 't2_ann' }
  const posted = LinkSubmitted({ ...place, title: 'Tea', text: 'leaves', over18: false, sendReplies: true, filtered: false })
  const about = { subsite: 't4_1', target: { id: 't5_9k', author: 't2_ann', title: 'Tea', excerpt: 'leaves' } }
  const spoken = LinkDistinguished({ ...about, before: null, after: 'moderator' })
  const { when } = given(posted)
  test('a link is distinguished by its author', when(distinguishLink('t2_ann', 'moderator')).records(spoken))
  test('a link that is not distinguished stays so', when(distinguishLink('t2_ann', null)).recordsNothing)
  test('nobody distinguishes the link of somebody else', when(distinguishLink('t2_bob', 'moderator')).refuses('FORBIDDEN'))
  test('a distinguished link stays so', given(posted, spoken).when(distinguishLink('t2_ann', 'moderator')).recordsNothing)
  test(
    'a distinguished link is made plain again',
    given(posted, spoken)
      .when(distinguishLink('t2_ann', null))
      .records(LinkDistinguished({ ...about, before: 'moderator', after: null })),
  )
  test(
    'a deleted link is not distinguished',
    given(posted, LinkDeleted(place)).when(distinguishLink('t2_ann', 'admin')).refuses('NOT_FOUND'),
  )
  test('nor one that does not exist', given().when(distinguishLink('t2_ann', 'admin')).refuses('NOT_FOUND'))
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
  const thread = { deleted: false }
  const distinguish = distinguishComment('t2_bob', thread, 'moderator')
  test('the first time, the author of the link is told', given(posted).when(distinguish).records(first))
  test(
    'not if that author was told of the comment already',
    given(postedAs({ notified: [ann] }))
      .when(distinguish)
      .records(silent),
  )
  test(
    'not of a reply to another comment',
    given(postedAs({ parent: 't1_6' }))
      .when(distinguish)
      .records(silent),
  )
  test(
    'not of an own comment',
    given(postedAs({ linkAuthor: 't2_bob' }))
      .when(distinguish)
      .records(silent),
  )
  test(
    'not under a deleted link',
    given(posted)
      .when(distinguishComment('t2_bob', { deleted: true }, 'moderator'))
      .records(silent),
  )
  test('not the second time', given(posted, first, undone).when(distinguish).records(silent))
  test('a distinguished comment stays so', given(posted, first).when(distinguish).recordsNothing)
  test(
    'a distinguished comment is made plain again',
    given(posted, first)
      .when(distinguishComment('t2_bob', thread, null))
      .records(undone),
  )
  test(
    'of a removed comment the author of the link is told, and sees it once it is approved',
    given(posted, CommentRemoved({ subsite: 't4_1', target, link: 't5_9k', before: false, notified: [], spam: true }))
      .when(distinguish)
      .records(CommentDistinguished({ ...about, removed: true, notified: [ann] })),
  )
  test(
    'nobody distinguishes the comment of somebody else',
    given(posted)
      .when(distinguishComment('t2_ann', thread, 'admin'))
      .refuses('FORBIDDEN'),
  )
  test(
    'a deleted comment is not distinguished',
    given(posted, CommentDeleted({ ...place, notified: [] }))
      .when(distinguish)
      .refuses('NOT_FOUND'),
  )
  test('a comment that does not exist is not distinguished', given().when(distinguish).refuses('NOT_FOUND'))
}
