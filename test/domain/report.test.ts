import test from 'ava'
import { Comment, CommentEdited, CommentPosted, CommentReportsIgnored, CommentReportsUnignored } from '../../src/domain/comment.ts'
import { Link, LinkDeleted, LinkEdited, LinkReportsIgnored, LinkReportsUnignored, LinkSubmitted } from '../../src/domain/link.ts'
import { MessageReported, Report, reasonOf, reportMessage, reportThing, ThingReported } from '../../src/domain/report.ts'
import { putAway, Shelf, ThingHidden, ThingUnhidden } from '../../src/domain/shelf.ts'
import { ignoreCommentReports, ignoreLinkReports, unignoreCommentReports, unignoreLinkReports } from '../../src/domain/thing-moderation.ts'
import { specification } from '../support/specification.ts'

const reporter = { account: 't2_bob', moderator: false, banned: false }
const link = { id: 't5_9k', subsite: 't4_1', author: 't2_ann', deleted: false }
const reported = ThingReported({ account: 't2_bob', thing: 't5_9k', subsite: 't4_1', author: 't2_ann', moderator: false, reason: 'rude' })

{
  const { given } = specification(Report)
  test(
    'a link or a comment can be reported',
    given()
      .when(reportThing(reporter, link, 'rude'))
      .records(reported),
  )
  test(
    'a second report by the same account changes nothing, whatever the reason',
    given(reported).when(reportThing(reporter, link, 'late')).recordsNothing,
  )
  test(
    'a report by a banned account changes nothing',
    given().when(reportThing({ ...reporter, banned: true }, link, 'rude')).recordsNothing,
  )
  test(
    'a report on a deleted thing changes nothing',
    given().when(reportThing(reporter, { ...link, deleted: true }, 'rude')).recordsNothing,
  )
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
    'the recipient of a message can report it',
    given()
      .when(reportMessage(reporter, message, 'rude'))
      .records(MessageReported({ ...said, subsite: null })),
  )
  test(
    'a moderator can report a message to moderators',
    given()
      .when(reportMessage({ ...reporter, moderator: true }, mail, 'rude'))
      .records(MessageReported({ ...said, subsite: 't4_1' })),
  )
  test(
    'a second report of the same message changes nothing',
    given(MessageReported({ ...said, subsite: null })).when(reportMessage(reporter, message, 'x')).recordsNothing,
  )
  test(
    'an account outside the conversation cannot report a message',
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
  test('reports on a link can be ignored', given(posted).when(ignoreLinkReports).records(ignored))
  test('ignoring reports on a link twice changes nothing', given(posted, ignored).when(ignoreLinkReports).recordsNothing)
  test(
    'a moderator can stop ignoring the reports on a link',
    given(posted, ignored).when(unignoreLinkReports).records(LinkReportsUnignored(about)),
  )
  test('unignoring reports on a link that are not ignored changes nothing', given(posted).when(unignoreLinkReports).recordsNothing)
  test('after an edit of a link its reports are no longer ignored', given(posted, ignored, edited).when(ignoreLinkReports).records(ignored))
  test('ignoring reports on a deleted link changes nothing', given(posted, deleted).when(ignoreLinkReports).recordsNothing)
  test('unignoring reports on a deleted link changes nothing', given(posted, ignored, deleted).when(unignoreLinkReports).recordsNothing)
  test('reports on a link that does not exist cannot be ignored', given().when(ignoreLinkReports).refuses('FORBIDDEN'))
}

{
  const { given } = specification(Comment)
  const place = { comment: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_bob' }
  const posted = CommentPosted({ ...place, linkAuthor: 't2_ann', parent: null, body: 'nice', filtered: false, notified: [] })
  const about = { subsite: 't4_1', target: { id: 't1_7', author: 't2_bob', excerpt: 'nice', link: 't5_9k' } }
  const ignored = CommentReportsIgnored(about)
  const edited = CommentEdited({ ...place, body: 'nice', notified: [], withdrawn: [] })
  test('reports on a comment can be ignored', given(posted).when(ignoreCommentReports).records(ignored))
  test('ignoring reports on a comment twice changes nothing', given(posted, ignored).when(ignoreCommentReports).recordsNothing)
  test(
    'a moderator can stop ignoring the reports on a comment',
    given(posted, ignored).when(unignoreCommentReports).records(CommentReportsUnignored(about)),
  )
  test(
    'after an edit of a comment its reports are no longer ignored',
    given(posted, ignored, edited).when(unignoreCommentReports).recordsNothing,
  )
  test('nobody can stop ignoring the reports on a comment that does not exist', given().when(unignoreCommentReports).refuses('FORBIDDEN'))
}

{
  const { given } = specification(Shelf)
  const place = { account: 't2_bob', thing: 't5_9k', subsite: 't4_1' }
  test('a reported thing is hidden from the account that reported it', given().when(putAway(place)).records(ThingHidden(place)))
  test('reporting a hidden thing does not hide it again', given(ThingHidden(place)).when(putAway(place)).recordsNothing)
  test(
    'reporting an unhidden thing hides it again',
    given(ThingHidden(place), ThingUnhidden(place)).when(putAway(place)).records(ThingHidden(place)),
  )
}

test('two values of the reason refer to other fields', (t) => {
  const sent = { reason: 'rude', site_reason: 'spam', other_reason: 'a long story' }
  t.is(reasonOf(sent), 'rude')
  t.is(reasonOf({ ...sent, reason: 'site_reason_selected' }), 'spam')
  t.is(reasonOf({ ...sent, reason: 'other' }), 'a long story')
  t.is(reasonOf({ ...sent, reason: '' }), '')
})
