import test from 'ava'
import { type ModQueueDocument, modQueuesProjection } from '../../projections/mod-queues.ts'
import { AccountTextsErased } from '../../src/domain/account.ts'
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
import { ann, bob, carol, dave, pot, praise, tea } from '../support/example-history.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'
import { project } from '../support/project.ts'
import fc from '../support/properties.ts'

const mod = inNameOf(carol, 'moderator')
const place = { link: pot, subsite: tea, author: ann }
const about = { subsite: tea, target: { id: pot, author: ann, title: 'A pot', excerpt: '' } }
const submitted = (filtered = false) =>
  inNameOf(ann)(LinkSubmitted({ ...place, title: 'A pot', text: '', over18: false, sendReplies: true, filtered }))
const reported = (account: string, reason = 'rude', thing = pot, moderator = false) =>
  inNameOf(account)(ThingReported({ account, thing, subsite: tea, author: ann, moderator, reason }))
const removed = mod(LinkRemoved({ ...about, spam: true, before: false }))
const approved = mod(LinkApproved({ ...about, before: true }))
const ignored = mod(LinkReportsIgnored(about))
const unignored = mod(LinkReportsUnignored(about))
const edited = inNameOf(ann)(LinkEdited({ ...place, text: 'new' }))
const deleted = inNameOf(ann)(LinkDeleted(place))
const onComment = { comment: praise, link: pot, subsite: tea, author: bob }
const commented = (filtered: boolean) =>
  inNameOf(bob)(CommentPosted({ ...onComment, linkAuthor: ann, parent: null, body: 'nice', filtered, notified: [] }))

const queuesOf = (document: ModQueueDocument | undefined) =>
  (['Reports', 'Spam', 'Modqueue', 'Unmoderated', 'Edited'] as const).filter((queue) => document?.[`in${queue}`]).join(' ')
const only = (told: readonly LoggedEvent[]) => project(modQueuesProjection, loggedFrom(told))[0] as ModQueueDocument | undefined

/** The queues of a thing after some events. */
const table: readonly (readonly [string, readonly LoggedEvent[], string])[] = [
  ['a new link waits to be looked at', [submitted()], 'Unmoderated'],
  ['a link that the spam settings hold back waits for a decision', [submitted(true)], 'Spam Modqueue Unmoderated'],
  ['a reported link waits for a decision', [submitted(), reported(bob)], 'Reports Modqueue Unmoderated'],
  ['a removed link is spam and nothing else', [submitted(), reported(bob), removed], 'Spam'],
  ['an approved link is in no queue', [submitted(true), approved], ''],
  ['an approval discards reports', [submitted(), reported(bob), approved], ''],
  ['a report after the approval counts anew', [submitted(), reported(bob), approved, reported(dave)], 'Reports Modqueue'],
  ['a report on what is removed changes nothing', [submitted(), removed, reported(bob)], 'Spam'],
  ['ignored reports put it into no queue', [submitted(), ignored, reported(bob)], 'Unmoderated'],
  ['nor do they once they are no longer ignored', [submitted(), ignored, reported(bob), unignored], 'Unmoderated'],
  ['a report after that does', [submitted(), ignored, reported(bob), unignored, reported(dave)], 'Reports Modqueue Unmoderated'],
  ['ignoring reports leaves it in the queue', [submitted(), reported(bob), ignored], 'Reports Modqueue Unmoderated'],
  ['an edit ends the ignoring', [submitted(), ignored, edited, reported(bob)], 'Reports Modqueue Unmoderated Edited'],
  ['an approval leaves it among the edited', [submitted(), edited, approved], 'Edited'],
  ['a removal does, too', [submitted(), edited, removed], 'Spam Edited'],
  ['a deleted link is in no queue', [submitted(), edited, reported(bob), deleted], ''],
  ['a report that comes after the deletion changes nothing', [submitted(), deleted, reported(bob)], ''],
  ['a comment concerns nobody', [commented(false)], ''],
  ['a comment that the spam settings hold back waits for a decision', [commented(true)], 'Spam Modqueue'],
  [
    'an edited comment',
    [commented(false), inNameOf(bob)(CommentEdited({ ...onComment, body: 'x', notified: [], withdrawn: [] }))],
    'Edited',
  ],
  ['a deleted comment', [commented(true), inNameOf(bob)(CommentDeleted({ ...onComment, notified: [] }))], ''],
  ['a reported comment', [commented(false), reported(dave, 'rude', praise)], 'Reports Modqueue'],
  [
    'a comment whose reports are ignored',
    [commented(false), mod(CommentReportsIgnored({ subsite: tea, target: { id: praise, author: bob } })), reported(dave, 'rude', praise)],
    '',
  ],
]
for (const [title, told, queues] of table) test(title, (t) => t.is(queuesOf(only(told)), queues))

test('reports are kept, those of moderators separately, until a moderator decides', (t) => {
  const told = [
    submitted(),
    reported(bob, 'rude'),
    reported(dave, 'off topic'),
    reported('t2_eve', 'off topic'),
    reported(carol, '', pot, true),
  ]
  const document = only(told)
  t.is(document?.reports, 4)
  t.deepEqual(document?.byUsers, [
    { account: bob, reason: 'rude' },
    { account: dave, reason: 'off topic' },
    { account: 't2_eve', reason: 'off topic' },
  ])
  t.deepEqual(document?.byModerators, [{ account: carol, reason: '' }])
  const after = only([...told, approved])
  t.deepEqual([after?.reports, after?.byUsers, after?.byModerators], [0, [], []])
})

const erasure = (account: string) =>
  inNameOf(null)(
    AccountTextsErased({
      ...{ account, things: [], entries: [], contacts: [], multis: [], next: null, pass: 1 },
      places: [{ kind: 'report', id: pot }],
    }),
  )

test('after an erasure the reports are as if its reasons had never been readable, also those that others gave', (t) => {
  const accounts = ['t2_a', 't2_b', 't2_c', 't2_d', 't2_e'] as const
  const report = fc.record({ reason: fc.constantFrom('rude', 'spam', 'old'), moderator: fc.boolean() })
  const history = fc.record({
    reports: fc.tuple(...accounts.map(() => report)),
    order: fc.shuffledSubarray([...accounts], { minLength: accounts.length }),
    erased: fc.uniqueArray(fc.constantFrom(...accounts), { maxLength: 3 }),
    early: fc.nat({ max: accounts.length }),
  })
  fc.assert(
    fc.property(history, ({ reports, order, erased, early }) => {
      const told = (isReadable: (account: string) => boolean) => {
        const all = order.map((account) => {
          const { reason, moderator } = reports[accounts.indexOf(account)] ?? { reason: '', moderator: false }
          return reported(account, isReadable(account) ? reason : '[erased]', pot, moderator)
        })
        const [first, ...others] = erased.map(erasure)
        return [submitted(), ...all.slice(0, early), ...(first ? [first] : []), ...all.slice(early), ...others]
      }
      // an account that is erased before reporting reported nothing
      fc.pre(erased[0] === undefined || order.indexOf(erased[0]) < early)
      const live = only(told(() => true))
      const rebuilt = only(told((account) => !(erased as readonly string[]).includes(account)))
      t.deepEqual(live, rebuilt)
      t.is(live?.reports, accounts.length)
    }),
  )
})

test('after an erasure the reports of very many accounts, too, are as if its reasons had never been readable', (t) => {
  const accounts = Array.from({ length: 260 }, (_, n) => `t2_r${n}`)
  for (const [reason, who] of [
    ['rude', 't2_r30'],
    ['rude', 't2_r3'],
    ['', 't2_r70'],
    ['', 't2_r5'],
    ['rude', 't2_r259'],
  ] as const) {
    const told = (isReadable: boolean) => [
      submitted(),
      ...accounts.map((account, n) => reported(account, account === who && !isReadable ? '[erased]' : reason || `reason ${n}`)),
      erasure(who),
    ]
    t.deepEqual(only(told(true)), only(told(false)), `${who} of all who say ${reason || 'something else'}`)
    t.is(only(told(true))?.reports, accounts.length)
  }
})
