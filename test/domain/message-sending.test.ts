import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { Message, MessageSent } from '../../src/domain/message.ts'
import { replyToMessage, type Sender, sendMessage, sendNotice } from '../../src/domain/message-sending.ts'
import { mail, moderators, plain, subsite, text, untouched } from '../support/sent-messages.ts'
import { specification } from '../support/specification.ts'

const { given } = specification(Message)

const sender = (author: string, change: Partial<Sender> = {}): Sender => ({
  message: 't6_1',
  author,
  admin: false,
  moderators: undefined,
  authorIsMuted: false,
  recipientIsMuted: false,
  ...change,
})

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
  'a message in the name of the subsite enters no inbox of who blocks its author and has no part there',
  given()
    .when(sendMessage(sender('t2_mod', { moderators, blockers: ['t2_bob'] }), { to: 't2_bob', from: subsite }, text))
    .records(MessageSent({ ...official, inboxes: [] })),
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
  subject: '',
  quotedSubject: { author: 't2_ann', text: 're: tea' },
  body: 'yes',
  inboxes: ['t2_ann'],
} as const
const { quotedSubject: _, ...unquoting } = { ...answered, subject: 're: tea' }
const reply = (author: string, parent: Message, change: Partial<Sender> = {}, root = parent) =>
  replyToMessage(sender(author, { message: 't6_2', ...change }), { parent, root }, 'yes')
test('a reply goes to the author of the message', given().when(reply('t2_bob', received)).records(MessageSent(answered)))
test('sending the same reply again changes nothing', given(MessageSent(answered)).when(reply('t2_bob', received)).recordsNothing)
test(
  'the subject of a reply to a reply has one prefix re:',
  given()
    .when(reply('t2_ann', { ...answered, ...untouched, removed: false }, { message: 't6_3' }, received))
    .records(MessageSent({ ...unquoting, message: 't6_3', author: 't2_ann', to: 't2_bob', parent: 't6_2', inboxes: ['t2_bob'] })),
)
test(
  'a reply to one’s own message goes to oneself',
  given()
    .when(reply('t2_ann', received))
    .records(MessageSent({ ...unquoting, author: 't2_ann', inboxes: ['t2_ann'] })),
)
test(
  'a reply quotes the subject of the account that wrote it first, also in a reply to its quotation',
  given()
    .when(
      reply('t2_ann', { ...answered, quotedSubject: { author: 't2_cat', text: 're: cups' }, ...untouched, removed: false }, {}, received),
    )
    .records(
      MessageSent({
        ...{ ...answered, author: 't2_ann', to: 't2_bob', parent: 't6_2', inboxes: ['t2_bob'] },
        quotedSubject: { author: 't2_cat', text: 're: cups' },
      }),
    ),
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
    .records(
      MessageSent({
        ...{ ...answered, to: null, subsite, inboxes: [], modmail: true },
        quotedSubject: { author: 't2_mod', text: 're: tea' },
      }),
    ),
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
        quotedSubject: { author: 't2_flair', text: 're: tea' },
        subsite,
        inboxes: ['t2_ann'],
        modmail: true,
        distinguished: 'moderator',
      }),
    ),
)

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
        { moderators: undefined },
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
    const decision = sendNotice({ ...notice, to }, { moderators })(undefined)
    const [event] = E.isRight(decision) ? decision.right : []
    return event?.type === 'MessageSent' ? event.data.inboxes : undefined
  }
  t.deepEqual(inboxes('t2_bob'), ['t2_bob'])
  t.deepEqual(inboxes('t2_flair'), [])
})
