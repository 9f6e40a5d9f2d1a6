import test from 'ava'
import { Comment, CommentPosted, CommentRepliesSet, setCommentReplies } from '../../src/domain/comment.ts'
import { postComment } from '../../src/domain/comment-posting.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import {
  LinkContestModeSet,
  LinkContestModeUnset,
  LinkMarkedNsfw,
  LinkRepliesSet,
  LinkSortSuggested,
  LinkUnmarkedNsfw,
} from '../../src/domain/link-options.ts'
import { stranger } from '../../src/domain/standing.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { markNsfw, setContestMode, setLinkReplies, suggestSort } from '../../src/domain/thing-moderation.ts'
import { NOW, pastEvent, specification, stateAfter } from '../support/specification.ts'

const place = { link: 't5_9k', subsite: 't4_1', author: 't2_ann' }
const posted = LinkSubmitted({ ...place, title: 'Tea', text: 'leaves', over18: false, sendReplies: true, filtered: false })
const about = { subsite: 't4_1', target: { id: 't5_9k', author: 't2_ann', title: 'Tea', excerpt: 'leaves' } }

{
  const { given } = specification(Link)
  const { when } = given(posted)
  test('a link can be marked as nsfw', when(markNsfw(true)).records(LinkMarkedNsfw(about)))
  test('unmarking a link that is not marked changes nothing', when(markNsfw(false)).recordsNothing)
  test('marking a marked link again changes nothing', given(posted, LinkMarkedNsfw(about)).when(markNsfw(true)).recordsNothing)
  test(
    'a link submitted as nsfw can be unmarked',
    given({ ...posted, data: { ...posted.data, over18: true } })
      .when(markNsfw(false))
      .records(LinkUnmarkedNsfw(about)),
  )
  test('contest mode can be set', when(setContestMode(true)).records(LinkContestModeSet(about)))
  test('setting contest mode again changes nothing', given(posted, LinkContestModeSet(about)).when(setContestMode(true)).recordsNothing)
  test(
    'contest mode can be unset',
    given(posted, LinkContestModeSet(about)).when(setContestMode(false)).records(LinkContestModeUnset(about)),
  )
  test('a sort can be suggested', when(suggestSort('qa')).records(LinkSortSuggested({ ...about, before: '', after: 'qa' })))
  const suggested = given(posted, LinkSortSuggested({ ...about, before: '', after: 'qa' }))
  test('suggesting the same sort again changes nothing', suggested.when(suggestSort('qa')).recordsNothing)
  test('a suggested sort can be cleared', suggested.when(suggestSort('')).records(LinkSortSuggested({ ...about, before: 'qa', after: '' })))
  test(
    'the author of a link can switch its reply notices off',
    when(setLinkReplies('t2_ann', false)).records(LinkRepliesSet({ ...place, after: false })),
  )
  test('switching reply notices of a link on again changes nothing', when(setLinkReplies('t2_ann', true)).recordsNothing)
  test('only the author can switch the reply notices of a link', when(setLinkReplies('t2_bob', false)).recordsNothing)
  test('a link that does not exist cannot be marked', given().when(markNsfw(true)).refuses('FORBIDDEN'))
  test(
    'switching reply notices of a link that does not exist changes nothing',
    given().when(setLinkReplies('t2_ann', false)).recordsNothing,
  )
}

{
  const { given } = specification(Comment)
  const words = { comment: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_bob' }
  const said = CommentPosted({ ...words, linkAuthor: 't2_ann', parent: null, body: 'nice', filtered: false, notified: [] })
  const { when } = given(said)
  const off = CommentRepliesSet({ ...words, after: false })
  test('the author of a comment can switch its reply notices off', when(setCommentReplies('t2_bob', false)).records(off))
  test('switching reply notices of a comment on again changes nothing', when(setCommentReplies('t2_bob', true)).recordsNothing)
  test('only the author can switch the reply notices of a comment', when(setCommentReplies('t2_ann', false)).recordsNothing)

  const notifiedBy = (mentioned: readonly string[], ...past: readonly (typeof said | typeof off)[]) => {
    const facts = {
      comment: 't1_8',
      author: 't2_ann',
      at: NOW,
      thread: stateAfter(Link, [pastEvent(posted, { at: NOW })]) as Link,
      parent: stateAfter(
        Comment,
        past.map((event) => pastEvent(event, { at: NOW })),
      ),
      subsite: { settings: defaultSettings },
      standing: stranger,
      mentioned,
      wait: undefined,
    }
    const decision = postComment(facts, 'thanks')(undefined)
    return decision._tag === 'Right' ? decision.right.flatMap((event) => (event.type === 'CommentPosted' ? event.data.notified : [])) : []
  }
  test('a reply notifies the author of the comment unless its reply notices are off; a mention notifies in any case', (t) => {
    t.deepEqual(notifiedBy([], said), [{ account: 't2_bob', reason: 'comment_reply' }])
    t.deepEqual(notifiedBy([], said, off), [])
    t.deepEqual(notifiedBy(['t2_bob'], said, off), [{ account: 't2_bob', reason: 'mention' }])
  })
}
