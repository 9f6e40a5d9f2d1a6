import test from 'ava'
import { either as E } from 'fp-ts'
import {
  approveMessage,
  isNews,
  Message,
  MessageApproved,
  MessageRemoved,
  MessageSent,
  ModmailRead,
  ModmailUnread,
  markModmail,
  mayRead,
  removeMessage,
  replyToMessage,
  type Sender,
  sendMessage,
  sendNotice,
} from '../../src/domain/message.ts'
import { ModeratorAdded, Moderators } from '../../src/domain/moderators.ts'
import { NOW, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Message)
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
  'a message enters the inbox of who it is to',
  given()
    .when(sendMessage(sender('t2_ann'), toBob, text))
    .records(MessageSent(plain)),
)
test('the same message is sent once', given(MessageSent(plain)).when(sendMessage(sender('t2_ann'), toBob, text)).recordsNothing)
test(
  'a message to oneself enters the own inbox',
  given()
    .when(sendMessage(sender('t2_ann'), { to: 't2_ann', from: null }, text))
    .records(MessageSent({ ...plain, to: 't2_ann', inboxes: ['t2_ann'] })),
)
test(
  'a message by an admin says so',
  given()
    .when(sendMessage(sender('t2_ann', { admin: true }), toBob, text))
    .records(MessageSent({ ...plain, distinguished: 'admin' })),
)
const mail = { ...plain, to: null, subsite, inboxes: [], modmail: true } as const
test(
  'a message to a subsite is its moderators’',
  given()
    .when(sendMessage(sender('t2_ann', { moderators }), { toSubsite: subsite, from: null }, text))
    .records(MessageSent(mail)),
)
test(
  'a moderator’s message to the own subsite says so',
  given()
    .when(sendMessage(sender('t2_flair', { moderators }), { toSubsite: subsite, from: null }, text))
    .records(MessageSent({ ...mail, author: 't2_flair', distinguished: 'moderator' })),
)
const official = { ...plain, author: 't2_mod', subsite, fromSubsite: true, modmail: true, distinguished: 'moderator' } as const
test(
  'a moderator with mail writes in the name of the subsite',
  given()
    .when(sendMessage(sender('t2_mod', { moderators }), { to: 't2_bob', from: subsite }, text))
    .records(MessageSent(official)),
)
test(
  'a moderator without mail does not',
  given()
    .when(sendMessage(sender('t2_flair', { moderators }), { to: 't2_bob', from: subsite }, text))
    .refuses('FORBIDDEN'),
)
test(
  'what a subsite writes to its own moderator stays in the moderators’ mail',
  given()
    .when(sendMessage(sender('t2_mod', { moderators }), { to: 't2_flair', from: subsite }, text))
    .records(MessageSent({ ...official, to: 't2_flair', inboxes: [] })),
)
test(
  'a subsite does not write to a subsite',
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
  'the subject is refused before the text',
  given()
    .when(sendMessage(sender('t2_ann'), toBob, { subject: '', body: '' }))
    .refuses('NO_SUBJECT', 'subject'),
)

const received = { ...plain, created: NOW, removed: false, unread: false }
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
test('an answer goes back', given().when(reply('t2_bob', received)).records(MessageSent(answered)))
test('the same answer is sent once', given(MessageSent(answered)).when(reply('t2_bob', received)).recordsNothing)
test(
  'the subject gets one re:',
  given()
    .when(reply('t2_ann', { ...answered, created: NOW, removed: false, unread: false }, { message: 't6_3' }, received))
    .records(MessageSent({ ...answered, message: 't6_3', author: 't2_ann', to: 't2_bob', parent: 't6_2', inboxes: ['t2_bob'] })),
)
test(
  'answering the own message addresses oneself',
  given()
    .when(reply('t2_ann', received))
    .records(MessageSent({ ...answered, author: 't2_ann', inboxes: ['t2_ann'] })),
)
test('a stranger to the conversation cannot answer', given().when(reply('t2_cat', received)).refuses('FORBIDDEN'))
test(
  'a notice of the service has nobody to answer',
  given()
    .when(reply('t2_bob', { ...received, author: null }))
    .refuses('FORBIDDEN'),
)
test(
  'an answer to a subsite goes to its moderators',
  given()
    .when(reply('t2_bob', { ...official, created: NOW, removed: false, unread: false }, { moderators }))
    .records(MessageSent({ ...answered, to: null, subsite, inboxes: [], modmail: true })),
)
test(
  'a moderator’s answer reaches who wrote, and the moderators’ mail',
  given()
    .when(reply('t2_mod', { ...mail, created: NOW, removed: false, unread: false }, { moderators }))
    .records(MessageSent({ ...answered, author: 't2_mod', subsite, modmail: true, distinguished: 'moderator' })),
)
test(
  'who began a conversation with moderators has a copy of what they write to each other',
  given()
    .when(
      reply(
        't2_mod',
        { ...mail, message: 't6_5', author: 't2_flair', parent: 't6_1', root: 't6_1', created: NOW, removed: false, unread: false },
        { moderators },
        { ...mail, created: NOW, removed: false, unread: false },
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
test('moderators without mail do not see the moderators’ mail', (t) => {
  const sent = { ...mail, created: NOW, removed: false, unread: false }
  t.true(mayRead(sent, sent, { account: 't2_mod', admin: false, moderators }))
  t.false(mayRead(sent, sent, { account: 't2_flair', admin: false, moderators }))
  t.true(mayRead(sent, sent, { account: 't2_root', admin: true, moderators: undefined }))
})
test(
  'a notice enters the inbox of who it is to',
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
test('a notice to a moderator stays among the mail of the subsite', (t) => {
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
test('mail of moderators is removed', given(delivered).when(removeMessage(true)).records(removed))
test('once', given(delivered, removed).when(removeMessage(false)).recordsNothing)
test('and approved', given(delivered, removed).when(approveMessage).records(MessageApproved(verdict)))
test('where it was removed', given(delivered).when(approveMessage).recordsNothing)
test('a private message is nobody’s to remove', given(MessageSent(plain)).when(removeMessage(true)).refuses('FORBIDDEN'))
test('nor to approve', given(MessageSent(plain)).when(approveMessage).refuses('FORBIDDEN'))
test('nor one that was never sent', given().when(removeMessage(true)).refuses('FORBIDDEN'))

const seen = ModmailRead({ message: 't6_1', subsite })
const again = ModmailUnread({ message: 't6_1', subsite })
test('mail to moderators is unread until one of them reads it', given(MessageSent(mail)).when(markModmail(false)).records(seen))
test('it is read once', given(MessageSent(mail), seen).when(markModmail(false)).recordsNothing)
test('it can be marked as unread again', given(MessageSent(mail), seen).when(markModmail(true)).records(again))
test('what is unread stays so', given(MessageSent(mail)).when(markModmail(true)).recordsNothing)
test('a private message has no such mark', given(MessageSent(plain)).when(markModmail(false)).recordsNothing)
test('what tells somebody of an act of the moderators is no news to them', (t) => {
  const own = { commandId: 'a', causationId: 'a' }
  const followed = { commandId: 'b', causationId: 'a' }
  t.true(isNews(mail, own))
  t.true(isNews(mail, followed), 'to the moderators')
  t.true(isNews({ ...mail, to: 't2_bob' }, own), 'one of them wrote')
  t.false(isNews({ ...mail, to: 't2_bob' }, followed))
  t.false(isNews(plain, own))
})

test('what was removed only its author and admins read', (t) => {
  const gone = { ...mail, to: 't2_bob', created: NOW, removed: true, unread: false }
  const reads = (account: string, admin = false) => mayRead(gone, gone, { account, admin, moderators })
  t.deepEqual(
    ['t2_ann', 't2_bob', 't2_mod'].map((account) => reads(account)),
    [true, false, false],
  )
  t.true(reads('t2_root', true))
})
