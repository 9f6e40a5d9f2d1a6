import test from 'ava'
import * as comment from '../../src/domain/comment.ts'
import { CommentEdited, CommentReportsIgnored, CommentReportsUnignored } from '../../src/domain/comment.ts'
import {
  ignoreLinkReports,
  Link,
  LinkDeleted,
  LinkEdited,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkSubmitted,
  unignoreLinkReports,
} from '../../src/domain/link.ts'
import { MessageReported, Report, reasonOf, reportMessage, reportThing, ThingReported } from '../../src/domain/report.ts'
import { putAway, Shelf, ThingHidden, ThingUnhidden } from '../../src/domain/shelf.ts'
import { specification } from '../support/specification.ts'

const reporter = { account: 't2_bob', moderator: false, banned: false }
const link = { id: 't5_9k', subsite: 't4_1', author: 't2_ann', deleted: false }
const reported = ThingReported({ account: 't2_bob', thing: 't5_9k', subsite: 't4_1', author: 't2_ann', moderator: false, reason: 'rude' })

{
  const { given } = specification(Report)
  test(
    'a link or a comment is reported',
    given()
      .when(reportThing(reporter, link, 'rude'))
      .records(reported),
  )
  test(
    'a second report of one account changes nothing, whatever the reason',
    given(reported).when(reportThing(reporter, link, 'late')).recordsNothing,
  )
  test(
    'the report of somebody who is banned there is dropped',
    given().when(reportThing({ ...reporter, banned: true }, link, 'rude')).recordsNothing,
  )
  test('what its author deleted is not reported', given().when(reportThing(reporter, { ...link, deleted: true }, 'rude')).recordsNothing)
  test(
    'a report says whether a moderator made it',
    given()
      .when(reportThing({ ...reporter, moderator: true }, link, ''))
      .records(ThingReported({ ...reported.data, moderator: true, reason: '' })),
  )

  const message = { message: 't6_1', author: 't2_ann', to: 't2_bob', subsite: null } as Parameters<typeof reportMessage>[1]
  const mail = { ...message, to: null, subsite: 't4_1' }
  const said = { account: 't2_bob', message: 't6_1', reason: 'rude' }
  test(
    'a message is reported by its recipient',
    given()
      .when(reportMessage(reporter, message, 'rude'))
      .records(MessageReported({ ...said, subsite: null })),
  )
  test(
    'mail of moderators is reported by one of them',
    given()
      .when(reportMessage({ ...reporter, moderator: true }, mail, 'rude'))
      .records(MessageReported({ ...said, subsite: 't4_1' })),
  )
  test(
    'a message is not reported twice',
    given(MessageReported({ ...said, subsite: null })).when(reportMessage(reporter, message, 'x')).recordsNothing,
  )
  test(
    'who has nothing to do with a message cannot report it',
    given()
      .when(reportMessage(reporter, mail, 'rude'))
      .refuses('FORBIDDEN'),
  )
}

{
  const { given } = specification(Link)
  const posted = LinkSubmitted({
    link: 't5_9k',
    subsite: 't4_1',
    author: 't2_ann',
    title: 'Tea',
    text: 'leaves',
    over18: false,
    sendReplies: true,
    filtered: false,
  })
  const about = { subsite: 't4_1', target: { id: 't5_9k', author: 't2_ann', title: 'Tea', excerpt: 'leaves' } }
  const ignored = LinkReportsIgnored(about)
  const edited = LinkEdited({ link: 't5_9k', subsite: 't4_1', author: 't2_ann', text: 'leaves' })
  const deleted = LinkDeleted({ link: 't5_9k', subsite: 't4_1', author: 't2_ann' })
  test('reports on a link are ignored', given(posted).when(ignoreLinkReports).records(ignored))
  test('ignoring them twice changes nothing', given(posted, ignored).when(ignoreLinkReports).recordsNothing)
  test('they are heeded again', given(posted, ignored).when(unignoreLinkReports).records(LinkReportsUnignored(about)))
  test('what is heeded already changes nothing', given(posted).when(unignoreLinkReports).recordsNothing)
  test('an edit of the text heeds them again', given(posted, ignored, edited).when(ignoreLinkReports).records(ignored))
  test('reports on a deleted link are neither ignored', given(posted, deleted).when(ignoreLinkReports).recordsNothing)
  test('nor heeded', given(posted, ignored, deleted).when(unignoreLinkReports).recordsNothing)
  test('reports on what does not exist cannot be ignored', given().when(ignoreLinkReports).refuses('FORBIDDEN'))
}

{
  const { given } = specification(comment.Comment)
  const place = { comment: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_bob' }
  const posted = comment.CommentPosted({ ...place, linkAuthor: 't2_ann', parent: null, body: 'nice', filtered: false, notified: [] })
  const about = { subsite: 't4_1', target: { id: 't1_7', author: 't2_bob', excerpt: 'nice', link: 't5_9k' } }
  const ignored = CommentReportsIgnored(about)
  const edited = CommentEdited({ ...place, body: 'nice', notified: [], withdrawn: [] })
  test('reports on a comment are ignored', given(posted).when(comment.ignoreCommentReports).records(ignored))
  test('twice is once', given(posted, ignored).when(comment.ignoreCommentReports).recordsNothing)
  test(
    'reports on a comment are heeded again',
    given(posted, ignored).when(comment.unignoreCommentReports).records(CommentReportsUnignored(about)),
  )
  test('an edit of a comment heeds them again', given(posted, ignored, edited).when(comment.unignoreCommentReports).recordsNothing)
  test('reports on a comment that does not exist cannot be heeded', given().when(comment.unignoreCommentReports).refuses('FORBIDDEN'))
}

{
  const { given } = specification(Shelf)
  const place = { account: 't2_bob', thing: 't5_9k', subsite: 't4_1' }
  test('what is reported is put away', given().when(putAway(place)).records(ThingHidden(place)))
  test('what is hidden already stays where it is', given(ThingHidden(place)).when(putAway(place)).recordsNothing)
  test(
    'what was shown again is put away again',
    given(ThingHidden(place), ThingUnhidden(place)).when(putAway(place)).records(ThingHidden(place)),
  )
}

test('two values of the reason stand for other fields', (t) => {
  const sent = { reason: 'rude', site_reason: 'spam', other_reason: 'a long story' }
  t.is(reasonOf(sent), 'rude')
  t.is(reasonOf({ ...sent, reason: 'site_reason_selected' }), 'spam')
  t.is(reasonOf({ ...sent, reason: 'other' }), 'a long story')
  t.is(reasonOf({ ...sent, reason: '' }), '')
})
