import test from 'ava'
import { either as E } from 'fp-ts'
import {
  approveMessage,
  collapseMessage,
  deleteMessage,
  distinguishMessage,
  isNews,
  Message,
  MessageApproved,
  MessageCollapsed,
  MessageDeleted,
  MessageDistinguished,
  MessageRemoved,
  MessageSent,
  MessageUncollapsed,
  ModmailRead,
  ModmailUnread,
  markModmail,
  mayRead,
  removeMessage,
} from '../../src/domain/message.ts'
import { replyToMessage, type Sender, sendMessage, sendNotice } from '../../src/domain/message-sending.ts'
import { ModeratorAdded, Moderators } from '../../src/domain/moderators.ts'
import { NOW, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Message)
const untouched = { created: NOW, unread: false, collapsed: { recipient: null, author: null }, deleted: false } as const
const subsite = 't4_1'
const moderators = stateAfter(Moderators, [
  ModeratorAdded({ subsite, account: 't2_mod', permissions: '+all', founder: true }),
  ModeratorAdded({ subsite, account: 't2_flair', permissions: '+flair', founder: false }),
])

const sender = (author: string, change: Partial<Sender> = {}): Sender => ({
  message: 't6_1',
  author,
  admin: false,
  moderators: undefined,
  muted: { author: false, recipient: false },
  ...change,
})
const text = { subject: 'tea', body: 'at five?' }
const plain = {
  message: 't6_1',
  author: 't2_ann',
  to: 't2_bob',
  subsite: null,
  fromSubsite: false,
  parent: null,
  root: 't6_1',
  ...text,
  inboxes: ['t2_bob'],
  modmail: false,
  distinguished: null,
} as const
const toBob = { to: 't2_bob', from: null }

test(
  'a message enters the inbox of its recipient',
  given()
    .when(sendMessage(sender('t2_ann'), toBob, text))
    .records(MessageSent(plain)),
)
test(
  'sending the same message again changes nothing',
  given(MessageSent(plain)).when(sendMessage(sender('t2_ann'), toBob, text)).recordsNothing,
)
test(
  'a message to oneself enters one’s own inbox',
  given()
    .when(sendMessage(sender('t2_ann'), { to: 't2_ann', from: null }, text))
    .records(MessageSent({ ...plain, to: 't2_ann', inboxes: ['t2_ann'] })),
)
test(
  'a message by an admin is marked as by an admin',
  given()
    .when(sendMessage(sender('t2_ann', { admin: true }), toBob, text))
    .records(MessageSent({ ...plain, distinguished: 'admin' })),
)
const mail = { ...plain, to: null, subsite, inboxes: [], modmail: true } as const
test(
  'a message to a subsite goes to its moderators',
  given()
    .when(sendMessage(sender('t2_ann', { moderators }), { toSubsite: subsite, from: null }, text))
    .records(MessageSent(mail)),
)
test(
  'a message by a moderator to the own subsite is marked as by a moderator',
  given()
    .when(sendMessage(sender('t2_flair', { moderators }), { toSubsite: subsite, from: null }, text))
    .records(MessageSent({ ...mail, author: 't2_flair', distinguished: 'moderator' })),
)
const official = { ...plain, author: 't2_mod', subsite, fromSubsite: true, modmail: true, distinguished: 'moderator' } as const
test(
  'a moderator with the permission mail can write in the name of the subsite',
  given()
    .when(sendMessage(sender('t2_mod', { moderators }), { to: 't2_bob', from: subsite }, text))
    .records(MessageSent(official)),
)
test(
  'a moderator without the permission mail cannot write in the name of the subsite',
  given()
    .when(sendMessage(sender('t2_flair', { moderators }), { to: 't2_bob', from: subsite }, text))
    .refuses('FORBIDDEN'),
)
test(
  'a message of a subsite to one of its moderators stays in the moderators’ mail',
  given()
    .when(sendMessage(sender('t2_mod', { moderators }), { to: 't2_flair', from: subsite }, text))
    .records(MessageSent({ ...official, to: 't2_flair', inboxes: [] })),
)
test(
  'a subsite cannot write to a subsite',
  given()
    .when(sendMessage(sender('t2_mod', { moderators }), { toSubsite: 't4_2', from: subsite }, text))
    .refuses('NO_SR_TO_SR_MESSAGE', 'from'),
)
test(
  'a message needs a subject',
  given()
    .when(sendMessage(sender('t2_ann'), toBob, { ...text, subject: ' ' }))
    .refuses('NO_SUBJECT', 'subject'),
)
test(
  'a subject of 101 characters is too long',
  given()
    .when(sendMessage(sender('t2_ann'), toBob, { ...text, subject: 'x'.repeat(101) }))
    .refuses('TOO_LONG', 'subject'),
)
test(
  'a message needs a text',
  given()
    .when(sendMessage(sender('t2_ann'), toBob, { ...text, body: '\n' }))
    .refuses('NO_TEXT', 'text'),
)
test(
  'a missing subject is reported before a missing text',
  given()
    .when(sendMessage(sender('t2_ann'), toBob, { subject: '', body: '' }))
    .refuses('NO_SUBJECT', 'subject'),
)

const received = { ...plain, ...untouched, removed: false }
const answered = {
  ...plain,
  message: 't6_2',
  author: 't2_bob',
  to: 't2_ann',
  parent: 't6_1',
  subject: 're: tea',
  body: 'yes',
  inboxes: ['t2_ann'],
} as const
const reply = (author: string, parent: Message, change: Partial<Sender> = {}, root = parent) =>
  replyToMessage(sender(author, { message: 't6_2', ...change }), { parent, root }, 'yes')
test('a reply goes to the author of the message', given().when(reply('t2_bob', received)).records(MessageSent(answered)))
test('sending the same reply again changes nothing', given(MessageSent(answered)).when(reply('t2_bob', received)).recordsNothing)
test(
  'the subject of a reply to a reply has one prefix re:',
  given()
    .when(reply('t2_ann', { ...answered, ...untouched, removed: false }, { message: 't6_3' }, received))
    .records(MessageSent({ ...answered, message: 't6_3', author: 't2_ann', to: 't2_bob', parent: 't6_2', inboxes: ['t2_bob'] })),
)
test(
  'a reply to one’s own message goes to oneself',
  given()
    .when(reply('t2_ann', received))
    .records(MessageSent({ ...answered, author: 't2_ann', inboxes: ['t2_ann'] })),
)
test('an account outside the conversation cannot reply', given().when(reply('t2_cat', received)).refuses('FORBIDDEN'))
test(
  'a notice of the service cannot be replied to',
  given()
    .when(reply('t2_bob', { ...received, author: null }))
    .refuses('FORBIDDEN'),
)
test(
  'a reply to a subsite goes to its moderators',
  given()
    .when(reply('t2_bob', { ...official, ...untouched, removed: false }, { moderators }))
    .records(MessageSent({ ...answered, to: null, subsite, inboxes: [], modmail: true })),
)
test(
  'a moderator’s reply reaches the author of the message and the moderators’ mail',
  given()
    .when(reply('t2_mod', { ...mail, ...untouched, removed: false }, { moderators }))
    .records(MessageSent({ ...answered, author: 't2_mod', subsite, modmail: true, distinguished: 'moderator' })),
)
test(
  'the account that began a conversation with moderators receives what they write to each other in it',
  given()
    .when(
      reply(
        't2_mod',
        { ...mail, message: 't6_5', author: 't2_flair', parent: 't6_1', root: 't6_1', ...untouched, removed: false },
        { moderators },
        { ...mail, ...untouched, removed: false },
      ),
    )
    .records(
      MessageSent({
        ...answered,
        author: 't2_mod',
        to: 't2_flair',
        parent: 't6_5',
        subsite,
        inboxes: ['t2_ann'],
        modmail: true,
        distinguished: 'moderator',
      }),
    ),
)
test('moderators without the permission mail cannot read the moderators’ mail', (t) => {
  const sent = { ...mail, ...untouched, removed: false }
  t.true(mayRead(sent, sent, { account: 't2_mod', admin: false, moderators }))
  t.false(mayRead(sent, sent, { account: 't2_flair', admin: false, moderators }))
  t.true(mayRead(sent, sent, { account: 't2_root', admin: true, moderators: undefined }))
})
test(
  'a notice enters the inbox of its recipient',
  given()
    .when(
      sendNotice(
        {
          ...text,
          message: 't6_1',
          author: null,
          to: 't2_bob',
          subsite: null,
          fromSubsite: false,
          modmail: false,
          distinguished: null,
        },
        undefined,
      ),
    )
    .records(MessageSent({ ...plain, author: null })),
)
test('a notice to a moderator of the subsite stays in the moderators’ mail', (t) => {
  const notice = {
    ...text,
    message: 't6_1',
    author: 't2_mod',
    subsite,
    fromSubsite: true,
    modmail: true,
    distinguished: 'moderator',
  } as const
  const inboxes = (to: string) => {
    const decision = sendNotice({ ...notice, to }, moderators)(undefined)
    const [event] = E.isRight(decision) ? decision.right : []
    return event?.type === 'MessageSent' ? event.data.inboxes : undefined
  }
  t.deepEqual(inboxes('t2_bob'), ['t2_bob'])
  t.deepEqual(inboxes('t2_flair'), [])
})

const verdict = { message: 't6_1', subsite, inboxes: ['t2_bob'] }
const delivered = MessageSent({ ...mail, to: 't2_bob', inboxes: ['t2_bob'] })
const removed = MessageRemoved({ ...verdict, spam: true })
test('a message to moderators can be removed', given(delivered).when(removeMessage(true)).records(removed))
test('removing a removed message changes nothing', given(delivered, removed).when(removeMessage(false)).recordsNothing)
test('a removed message can be approved', given(delivered, removed).when(approveMessage).records(MessageApproved(verdict)))
test('approving a message that was not removed changes nothing', given(delivered).when(approveMessage).recordsNothing)
test('a private message cannot be removed', given(MessageSent(plain)).when(removeMessage(true)).refuses('FORBIDDEN'))
test('a private message cannot be approved', given(MessageSent(plain)).when(approveMessage).refuses('FORBIDDEN'))
test('a message that does not exist cannot be removed', given().when(removeMessage(true)).refuses('FORBIDDEN'))

const seen = ModmailRead({ message: 't6_1', subsite })
const again = ModmailUnread({ message: 't6_1', subsite })
test('mail to moderators is unread until one of them reads it', given(MessageSent(mail)).when(markModmail(false)).records(seen))
test('marking a read message to moderators as read changes nothing', given(MessageSent(mail), seen).when(markModmail(false)).recordsNothing)
test('a read message to moderators can be marked as unread', given(MessageSent(mail), seen).when(markModmail(true)).records(again))
test('marking an unread message to moderators as unread changes nothing', given(MessageSent(mail)).when(markModmail(true)).recordsNothing)
test('a private message cannot be marked as read for moderators', given(MessageSent(plain)).when(markModmail(false)).recordsNothing)
test('a notice about an act of the moderators is not unread for them', (t) => {
  const own = { commandId: 'a', causationId: 'a' }
  const followed = { commandId: 'b', causationId: 'a' }
  t.true(isNews(mail, own))
  t.true(isNews(mail, followed), 'to the moderators')
  t.true(isNews({ ...mail, to: 't2_bob' }, own), 'one of them wrote')
  t.false(isNews({ ...mail, to: 't2_bob' }, followed))
  t.false(isNews(plain, own))
})

test('only its author and admins can read a removed message', (t) => {
  const gone = { ...mail, to: 't2_bob', ...untouched, removed: true }
  const reads = (account: string, admin = false) => mayRead(gone, gone, { account, admin, moderators })
  t.deepEqual(
    ['t2_ann', 't2_bob', 't2_mod'].map((account) => reads(account)),
    [true, false, false],
  )
  t.true(reads('t2_root', true))
})

const collapse = (account: string, collapsed = true, moderator = false) => collapseMessage({ account, moderator }, collapsed)
const folded = (side: 'recipient' | 'author') => MessageCollapsed({ message: 't6_1', side })
test('the recipient of a message can collapse it', given(MessageSent(plain)).when(collapse('t2_bob')).records(folded('recipient')))
test(
  'collapsing a collapsed message changes nothing',
  given(MessageSent(plain), folded('recipient')).when(collapse('t2_bob')).recordsNothing,
)
test(
  'the author of a message can collapse it independently of the recipient',
  given(MessageSent(plain), folded('recipient')).when(collapse('t2_ann')).records(folded('author')),
)
test('an account outside the conversation cannot collapse a message', given(MessageSent(plain)).when(collapse('t2_eve')).recordsNothing)
test(
  'a moderator cannot collapse a private message of others',
  given(MessageSent(plain)).when(collapse('t2_mod', true, true)).recordsNothing,
)
test(
  'a moderator collapses a message to moderators for all of them',
  given(MessageSent(mail))
    .when(collapse('t2_mod', true, true))
    .records(folded('recipient')),
)
test(
  'a message that was never collapsed can be uncollapsed',
  given(MessageSent(plain))
    .when(collapse('t2_bob', false))
    .records(MessageUncollapsed({ message: 't6_1', side: 'recipient' })),
)
const deletedByBob = MessageDeleted({ message: 't6_1', account: 't2_bob' })
test('the recipient of a message can delete it', given(MessageSent(plain)).when(deleteMessage('t2_bob')).records(deletedByBob))
test('deleting a deleted message changes nothing', given(MessageSent(plain), deletedByBob).when(deleteMessage('t2_bob')).recordsNothing)
test('the author of a message cannot delete it', given(MessageSent(plain)).when(deleteMessage('t2_ann')).recordsNothing)
test('deleting a message that does not exist changes nothing', given().when(deleteMessage('t2_bob')).recordsNothing)

const ofAdmin = MessageSent({ ...plain, distinguished: 'admin' })
test(
  'the author of a message can distinguish it in another way',
  given(ofAdmin)
    .when(distinguishMessage('t2_ann', 'special'))
    .records(MessageDistinguished({ message: 't6_1', before: 'admin', after: 'special' })),
)
test(
  'the author of a message can remove its distinction',
  given(ofAdmin, MessageDistinguished({ message: 't6_1', before: 'admin', after: 'special' }))
    .when(distinguishMessage('t2_ann', null))
    .records(MessageDistinguished({ message: 't6_1', before: 'special', after: null })),
)
test(
  'distinguishing a message in the same way again changes nothing',
  given(ofAdmin).when(distinguishMessage('t2_ann', 'admin')).recordsNothing,
)
test('only its author can distinguish a message', given(ofAdmin).when(distinguishMessage('t2_bob', 'admin')).refuses('FORBIDDEN'))
test('a message that does not exist cannot be distinguished', given().when(distinguishMessage('t2_ann', 'admin')).refuses('NOT_FOUND'))
test(
  'only mail of a subsite can be distinguished as by a moderator',
  given(ofAdmin).when(distinguishMessage('t2_ann', 'moderator')).refuses('FORBIDDEN'),
)
test(
  'mail of a subsite can be distinguished as by a moderator',
  given(MessageSent(mail))
    .when(distinguishMessage('t2_ann', 'moderator'))
    .records(MessageDistinguished({ message: 't6_1', before: null, after: 'moderator' })),
)
