import test from 'ava'
import {
  deleteLink,
  editLink,
  Link,
  LinkApproved,
  LinkDeleted,
  LinkEdited,
  LinkLocked,
  LinkRemoved,
  LinkSubmitted,
  LinkUnlocked,
} from '../../src/domain/link.ts'
import { approveLink, lockLink, removeLink, unlockLink } from '../../src/domain/thing-moderation.ts'
import { NOW, pastEvent, specification } from '../support/specification.ts'
import { born, submitted } from '../support/submitted-link.ts'

const { given } = specification(Link)

const DAY = 86_400_000

const selfPost = LinkSubmitted({ ...born, title: 'On tea', text: 'leaves', sendReplies: true })
const target = { id: 't5_9k', author: 't2_ann', title: 'Tea', excerpt: '' }
const selfTarget = { ...target, title: 'On tea', excerpt: 'leaves' }
const deleted = LinkDeleted({ link: 't5_9k', subsite: 't4_1', author: 't2_ann' })
const removed = LinkRemoved({ subsite: 't4_1', target, spam: true, before: false })
const approved = LinkApproved({ subsite: 't4_1', target, before: true })
const locked = LinkLocked({ subsite: 't4_1', target })
const unlocked = LinkUnlocked({ subsite: 't4_1', target })

const edit = (account: string, text = 'hot leaves', admin = false) => editLink({ account, admin }, text)
const edited = LinkEdited({ link: 't5_9k', subsite: 't4_1', author: 't2_ann', text: 'hot leaves' })
test('an author can edit a self-post', given(selfPost).when(edit('t2_ann')).records(edited))
test('an edit to the same text is recorded', given(selfPost, edited).when(edit('t2_ann')).records(edited))
test('only the author can edit a self-post', given(selfPost).when(edit('t2_bob')).refuses('NOT_AUTHOR', 'thing_id'))
test('a link has no text to edit', given(submitted).when(edit('t2_ann')).refuses('FORBIDDEN'))
test('a deleted self-post cannot be edited', given(selfPost, deleted).when(edit('t2_ann')).refuses('FORBIDDEN'))
test(
  'an edit of more than 40,000 characters is refused',
  given(selfPost)
    .when(edit('t2_ann', 'x'.repeat(40_001)))
    .refuses('TOO_LONG', 'text'),
)

test('an author can delete a link', given(submitted).when(deleteLink('t2_ann')).records(deleted))
test('deleting a deleted link changes nothing', given(submitted, deleted).when(deleteLink('t2_ann')).recordsNothing)
test('another account cannot delete a link', given(submitted).when(deleteLink('t2_bob')).recordsNothing)

test('a moderator can remove a link', given(submitted).when(removeLink(true)).records(removed))
test(
  'removing a removed link again records another decision',
  given(submitted, removed)
    .when(removeLink(false))
    .records(LinkRemoved({ subsite: 't4_1', target, spam: false, before: true })),
)
test('removing a deleted link changes nothing', given(submitted, deleted).when(removeLink(true)).recordsNothing)
test('a link that does not exist cannot be removed', given().when(removeLink(true)).refuses('FORBIDDEN'))
test('a moderator can approve a removed link', given(submitted, removed).when(approveLink).records(approved))
test(
  'approving a link that was never removed records a decision',
  given(submitted)
    .when(approveLink)
    .records(LinkApproved({ subsite: 't4_1', target, before: false })),
)
test('approving a deleted link changes nothing', given(submitted, deleted).when(approveLink).recordsNothing)
test('a link that does not exist cannot be approved', given().when(approveLink).refuses('FORBIDDEN'))

test('a link can be locked', given(submitted).when(lockLink(NOW)).records(locked))
test('locking a locked link changes nothing', given(submitted, locked).when(lockLink(NOW)).recordsNothing)
test('a link that does not exist cannot be locked', given().when(lockLink(NOW)).refuses('FORBIDDEN'))
test(
  'an archived link cannot be locked',
  given(submitted)
    .when(lockLink(NOW + 180 * DAY))
    .refuses('BAD_REQUEST', 'id'),
)
test('a locked link can be unlocked', given(submitted, locked).when(unlockLink(NOW)).records(unlocked))
test('unlocking an open link changes nothing', given(submitted).when(unlockLink(NOW)).recordsNothing)
test('a link that does not exist cannot be unlocked', given().when(unlockLink(NOW)).refuses('FORBIDDEN'))
test(
  'the event of a lock describes a self-post by the beginning of its text',
  given(selfPost)
    .when(lockLink(NOW))
    .records(LinkLocked({ subsite: 't4_1', target: selfTarget })),
)
test(
  'a link is archived 180 days after its submission, to the millisecond',
  given(pastEvent(submitted, { at: NOW - 180 * DAY + 1 }))
    .when(lockLink(NOW))
    .records(locked),
)
