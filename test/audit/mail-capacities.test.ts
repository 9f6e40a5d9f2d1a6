import test from 'ava'
import type { Actor } from '../../src/domain/event.ts'
import {
  MessageApproved,
  MessageCollapsed,
  MessageDistinguished,
  MessageRemoved,
  MessageSent,
  ModmailRead,
} from '../../src/domain/message.ts'
import { ModeratorAdded, ModeratorInvitationAccepted, ModeratorInvited, ModeratorRemoved } from '../../src/domain/moderators.ts'
import { SubsiteCreated } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { findingsInLog } from '../support/auditing.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'

const tea = 't4_tea'
const [ann, bob, lou, max, root] = ['t2_ann', 't2_bob', 't2_lou', 't2_max', 't2_root'] as const

const seat = (account: string, permissions: string): LoggedEvent =>
  inNameOf(root, 'admin')(ModeratorAdded({ subsite: tea, account, permissions, founder: false }))
/** ann founded tea and moderates all of it, max its flair. */
const seats = [
  inNameOf(ann)(SubsiteCreated({ subsite: tea, name: 'tea', creator: ann, settings: defaultSettings })),
  inNameOf(ann)(ModeratorAdded({ subsite: tea, account: ann, permissions: '+all', founder: true })),
  seat(max, '+flair'),
]

type As = Actor['as']
type More = Partial<ReturnType<typeof MessageSent>['data']>

const mail = (message: string, author: string, as: As, more: More = {}): LoggedEvent =>
  inNameOf(
    author,
    as,
  )(
    MessageSent({
      message,
      author,
      to: null,
      subsite: tea,
      fromSubsite: false,
      parent: null,
      root: message,
      subject: 'about tea',
      body: 'words',
      inboxes: [],
      modmail: true,
      distinguished: null,
      ...more,
    }),
  )
const letter = { to: bob, subsite: null, modmail: false, inboxes: [bob] }
const inReply = (parent: string, root = parent, to: string | null = null): More => ({ parent, root, to })
const question = mail('t6_ask', bob, 'user')
/** ann writes to bob in the name of tea, and he answers */
const notice = mail('t6_note', ann, 'moderator', { to: bob, fromSubsite: true })
const thanks = mail('t6_ty', bob, 'user', inReply('t6_note'))
const mailOf = { message: 't6_ask', subsite: tea, inboxes: [] }

const problemsOf = async (t: Parameters<typeof findingsInLog>[0], told: readonly LoggedEvent[]) => {
  const findings = await findingsInLog(t, loggedFrom([...seats, ...told]))
  // the stories do not contain the reactions to their events
  return findings.flatMap((finding) => (finding.kind === 'event' && !finding.problem.includes('consequence') ? [finding.problem] : []))
}

const right: Readonly<Record<string, readonly LoggedEvent[]>> = {
  'mail to moderators is written by a user': [question],
  'a private message is written by a user': [mail('t6_1', lou, 'user', letter)],
  'mail in the name of a subsite is written by a moderator with mail': [notice],
  'mail in the name of a subsite is written by an admin': [
    mail('t6_1', root, 'admin', { to: bob, fromSubsite: true, distinguished: 'admin' }),
  ],
  'a moderator with mail answers a question': [question, mail('t6_2', ann, 'moderator', inReply('t6_ask', 't6_ask', bob))],
  'an admin answers a question': [question, mail('t6_2', root, 'admin', inReply('t6_ask', 't6_ask', bob))],
  'who asked writes on as a user': [question, mail('t6_2', bob, 'user', inReply('t6_ask'))],
  'who got mail in the name of a subsite answers as a user': [notice, thanks],
  'who wrote in the name of a subsite writes on as a moderator': [
    notice,
    thanks,
    mail('t6_3', ann, 'moderator', inReply('t6_ty', 't6_note', bob)),
  ],
  'who wrote in the name of a subsite wrote on as a user in earlier versions': [
    notice,
    thanks,
    mail('t6_3', ann, 'user', inReply('t6_ty', 't6_note', bob)),
  ],
  'a moderator who was dismissed writes on after an own answer as a user': [
    seat(lou, '+mail'),
    question,
    mail('t6_2', lou, 'moderator', inReply('t6_ask', 't6_ask', bob)),
    inNameOf(ann, 'moderator')(ModeratorRemoved({ subsite: tea, account: lou, left: false, permissions: '+mail' })),
    mail('t6_3', lou, 'user', inReply('t6_2', 't6_ask', lou)),
  ],
  'an admin writes in a conversation of others': [
    mail('t6_1', lou, 'user', letter),
    mail('t6_2', root, 'admin', { ...letter, ...inReply('t6_1', 't6_1', lou), distinguished: 'admin' }),
  ],
  'a moderator with mail removes mail': [question, inNameOf(ann, 'moderator')(MessageRemoved({ ...mailOf, spam: true }))],
  'any moderator marks mail': [question, inNameOf(max, 'moderator')(ModmailRead(mailOf))],
  'an account collapses its own message': [question, inNameOf(bob)(MessageCollapsed({ message: 't6_ask', side: 'author' }))],
  'a moderator collapses mail for all': [
    question,
    { ...inNameOf(max, 'moderator')(MessageCollapsed({ message: 't6_ask', side: 'recipient' })), seen: { [`moderators-${tea}`]: 1 } },
  ],
}

for (const [title, told] of Object.entries(right))
  test(`the audit accepts that ${title}`, async (t) => {
    t.deepEqual(await problemsOf(t, told), [])
  })

const wrong: Readonly<Record<string, readonly [told: readonly LoggedEvent[], problem: string]>> = {
  'a message in the name of somebody else': [[inNameOf(lou)(question.event)], 'written in the name of somebody else'],
  'mail to moderators that is recorded as by a moderator': [[mail('t6_1', ann, 'moderator')], 'recorded as moderator instead of user'],
  'a private message that is recorded as by an admin': [[mail('t6_1', root, 'admin', letter)], 'recorded as admin instead of user'],
  'mail in the name of a subsite by an account that does not moderate it': [
    [mail('t6_1', lou, 'moderator', { to: bob, fromSubsite: true })],
    'recorded as moderator instead of admin',
  ],
  'mail in the name of a subsite by a moderator without mail': [
    [mail('t6_1', max, 'moderator', { to: bob, fromSubsite: true })],
    'recorded as moderator instead of admin',
  ],
  'mail in the name of a subsite that is recorded as by a user': [
    [mail('t6_1', ann, 'user', { to: bob, fromSubsite: true })],
    'recorded as user instead of moderator',
  ],
  'an answer of a moderator that is recorded as by a user': [
    [question, mail('t6_2', ann, 'user', inReply('t6_ask', 't6_ask', bob))],
    'recorded as user instead of moderator',
  ],
  'an answer by an account that does not take part': [
    [question, mail('t6_2', lou, 'user', inReply('t6_ask', 't6_ask', bob))],
    'recorded as user instead of admin',
  ],
  'an answer of somebody who asked that is recorded as by a moderator': [
    [question, mail('t6_2', bob, 'moderator', inReply('t6_ask'))],
    'recorded as moderator instead of user',
  ],
  'an intrusion into a private conversation': [
    [mail('t6_1', lou, 'user', letter), mail('t6_2', ann, 'moderator', { ...letter, ...inReply('t6_1', 't6_1', lou) })],
    'recorded as moderator instead of admin',
  ],
  'mail removed by a moderator without mail': [
    [question, inNameOf(max, 'moderator')(MessageRemoved({ ...mailOf, spam: true }))],
    'recorded as moderator instead of admin',
  ],
  'mail approved by a user': [[question, inNameOf(ann)(MessageApproved(mailOf))], 'recorded as user instead of moderator'],
  'mail marked by an account that does not moderate': [
    [question, inNameOf(lou, 'moderator')(ModmailRead(mailOf))],
    'marked by an account that moderates nothing there',
  ],
  'a message of others that is collapsed': [
    [mail('t6_1', lou, 'user', letter), inNameOf(ann, 'moderator')(MessageCollapsed({ message: 't6_1', side: 'recipient' }))],
    'of a message that is not of the account',
  ],
  'an own message that is collapsed as by a moderator': [
    [question, inNameOf(bob, 'moderator')(MessageCollapsed({ message: 't6_ask', side: 'author' }))],
    'recorded as moderator instead of user',
  ],
  'a message distinguished by somebody else': [
    [question, inNameOf(root, 'admin')(MessageDistinguished({ message: 't6_ask', before: null, after: 'admin' }))],
    'its message is by somebody else',
  ],
  'a message distinguished by a user': [
    [question, inNameOf(bob)(MessageDistinguished({ message: 't6_ask', before: null, after: 'admin' }))],
    'a message distinguished as a user',
  ],
  'a distinction that tells of another before it': [
    [question, inNameOf(bob, 'admin')(MessageDistinguished({ message: 't6_ask', before: 'admin', after: null }))],
    'its message was not distinguished',
  ],
}

for (const [title, [told, problem]] of Object.entries(wrong))
  test(`the audit finds ${title}`, async (t) => {
    const found = await problemsOf(t, told)
    // some of them are also judged as acts of somebody who may not do them
    t.deepEqual(
      found.filter((one) => !one.startsWith('without authority')),
      [problem],
    )
  })

test('the audit finds an entry of the mod log by a user, but not of an invitation accepted in an earlier version', async (t) => {
  const invitation = { subsite: tea, account: lou, permissions: '+mail' }
  const accepted = [inNameOf(ann, 'moderator')(ModeratorInvited(invitation)), inNameOf(lou)(ModeratorInvitationAccepted(invitation))]
  t.deepEqual(await problemsOf(t, accepted), [])
  const dismissed = inNameOf(ann)(ModeratorRemoved({ subsite: tea, account: max, left: false, permissions: '+flair' }))
  t.true((await problemsOf(t, [dismissed])).includes('an entry in the mod log by a user'))
})

test('the audit does not judge mail that was decided before the moderators changed', async (t) => {
  const answer = mail('t6_2', max, 'moderator', { to: bob, fromSubsite: true })
  const events = loggedFrom([...seats, answer])
  const raced = (revision: number) =>
    events.map((event) => ({ ...event, meta: { ...event.meta, seen: { [`moderators-${tea}`]: revision } } })) as typeof events
  const found = async (revision: number) =>
    (await findingsInLog(t, raced(revision))).filter(
      ({ kind, ...finding }) => kind === 'event' && 'problem' in finding && /instead/.test(String(finding.problem)),
    )
  t.deepEqual(await found(0), [], 'he may have had more permissions then')
  t.is((await found(1)).length, 1)
})
