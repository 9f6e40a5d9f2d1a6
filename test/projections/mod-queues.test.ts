import test from 'ava'
import { withReason } from '../../projections/engine/report-counts.ts'
import { type ModQueueDocument, modQueuesProjection } from '../../projections/mod-queues.ts'
import { CommentDeleted, CommentEdited, CommentPosted, CommentReportsIgnored } from '../../src/domain/comment.ts'
import {
  LinkApproved,
  LinkDeleted,
  LinkEdited,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkSubmitted,
} from '../../src/domain/link.ts'
import { ThingReported } from '../../src/domain/report.ts'
import { project } from '../support/project.ts'
import { ann, bob, carol, dave, pot, praise, tea } from '../support/story.ts'
import { by, loggedFrom, type Told } from '../support/tell.ts'

const mod = by(carol, 'moderator')
const place = { link: pot, subsite: tea, author: ann }
const about = { subsite: tea, target: { id: pot, author: ann, title: 'A pot', excerpt: '' } }
const submitted = (filtered = false) =>
  by(ann)(LinkSubmitted({ ...place, title: 'A pot', text: '', over18: false, sendReplies: true, filtered }))
const reported = (account: string, reason = 'rude', thing = pot, moderator = false) =>
  by(account)(ThingReported({ account, thing, subsite: tea, author: ann, moderator, reason }))
const removed = mod(LinkRemoved({ ...about, spam: true, before: false }))
const approved = mod(LinkApproved({ ...about, before: true }))
const ignored = mod(LinkReportsIgnored(about))
const heeded = mod(LinkReportsUnignored(about))
const edited = by(ann)(LinkEdited({ ...place, text: 'new' }))
const deleted = by(ann)(LinkDeleted(place))
const onComment = { comment: praise, link: pot, subsite: tea, author: bob }
const commented = (filtered: boolean) =>
  by(bob)(CommentPosted({ ...onComment, linkAuthor: ann, parent: null, body: 'nice', filtered, notified: [] }))

const queuesOf = (document: ModQueueDocument | undefined) =>
  (['Reports', 'Spam', 'Modqueue', 'Unmoderated', 'Edited'] as const).filter((queue) => document?.[`in${queue}`]).join(' ')
const only = (told: readonly Told[]) => project(modQueuesProjection, loggedFrom(told))[0] as ModQueueDocument | undefined

/** Which queues a thing is in after what happened to it. */
const table: readonly (readonly [string, readonly Told[], string])[] = [
  ['a new link waits to be looked at', [submitted()], 'Unmoderated'],
  ['a link that the spam settings hold back waits for a decision', [submitted(true)], 'Spam Modqueue Unmoderated'],
  ['a reported link waits for a decision', [submitted(), reported(bob)], 'Reports Modqueue Unmoderated'],
  ['a removed link is spam and nothing else', [submitted(), reported(bob), removed], 'Spam'],
  ['an approved link is in no queue', [submitted(true), approved], ''],
  ['an approval discards reports', [submitted(), reported(bob), approved], ''],
  ['a report after the approval counts anew', [submitted(), reported(bob), approved, reported(dave)], 'Reports Modqueue'],
  ['a report on what is removed changes nothing', [submitted(), removed, reported(bob)], 'Spam'],
  ['ignored reports put it into no queue', [submitted(), ignored, reported(bob)], 'Unmoderated'],
  ['nor do they once they are heeded again', [submitted(), ignored, reported(bob), heeded], 'Unmoderated'],
  ['a report after that does', [submitted(), ignored, reported(bob), heeded, reported(dave)], 'Reports Modqueue Unmoderated'],
  ['ignoring reports leaves it in the queue', [submitted(), reported(bob), ignored], 'Reports Modqueue Unmoderated'],
  ['an edit ends the ignoring', [submitted(), ignored, edited, reported(bob)], 'Reports Modqueue Unmoderated Edited'],
  ['an approval leaves it among the edited', [submitted(), edited, approved], 'Edited'],
  ['a removal does, too', [submitted(), edited, removed], 'Spam Edited'],
  ['a deleted link is in no queue', [submitted(), edited, reported(bob), deleted], ''],
  ['a report that comes after the deletion changes nothing', [submitted(), deleted, reported(bob)], ''],
  ['a comment concerns nobody', [commented(false)], ''],
  ['a comment that the spam settings hold back waits for a decision', [commented(true)], 'Spam Modqueue'],
  ['an edited comment', [commented(false), by(bob)(CommentEdited({ ...onComment, body: 'x', notified: [], withdrawn: [] }))], 'Edited'],
  ['a deleted comment', [commented(true), by(bob)(CommentDeleted({ ...onComment, notified: [] }))], ''],
  ['a reported comment', [commented(false), reported(dave, 'rude', praise)], 'Reports Modqueue'],
  [
    'a comment whose reports are ignored',
    [commented(false), mod(CommentReportsIgnored({ subsite: tea, target: { id: praise, author: bob } })), reported(dave, 'rude', praise)],
    '',
  ],
]
for (const [title, told, queues] of table) test(title, (t) => t.is(queuesOf(only(told)), queues))

test('reports are counted by reason, those of moderators by name, until somebody decides', (t) => {
  const told = [
    submitted(),
    reported(bob, 'rude'),
    reported(dave, 'off topic'),
    reported('t2_eve', 'off topic'),
    reported(carol, '', pot, true),
  ]
  const document = only(told)
  t.is(document?.reports, 4)
  t.deepEqual(document?.reasons, [
    { reason: 'off topic', count: 2 },
    { reason: 'rude', count: 1 },
  ])
  t.deepEqual(document?.byModerators, [{ account: carol, reason: '' }])
  const after = only([...told, approved])
  t.deepEqual([after?.reports, after?.reasons, after?.byModerators], [0, [], []])
})

test('of very many different reasons the last gives way, and frequent ones stay', (t) => {
  let reasons = withReason(withReason([], 'often'), 'often')
  for (let n = 0; n < 200; n += 1) reasons = withReason(reasons, `reason ${n}`)
  t.is(reasons.length, 50)
  t.deepEqual(reasons[0], { reason: 'often', count: 2 })
  t.is(reasons.at(-1)?.reason, 'reason 199')
})
