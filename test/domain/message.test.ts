import test from 'ava'
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
import { mail, moderators, plain, subsite, untouched } from '../support/sent-messages.ts'
import { specification } from '../support/specification.ts'

const { given } = specification(Message)

test('moderators without the permission mail cannot read the moderators’ mail', (t) => {
  const sent = { ...mail, ...untouched, removed: false }
  t.true(mayRead(sent, sent, { account: 't2_mod', admin: false, moderators }))
  t.false(mayRead(sent, sent, { account: 't2_flair', admin: false, moderators }))
  t.true(mayRead(sent, sent, { account: 't2_root', admin: true, moderators: undefined }))
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
test(
  'a message that does not exist cannot be distinguished',
  given().when(distinguishMessage('t2_ann', 'admin')).refuses('NOT_FOUND', 'id'),
)
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
