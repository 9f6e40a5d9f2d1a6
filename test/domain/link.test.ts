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
  type Submission,
  type SubmissionFacts,
  submitLink,
} from '../../src/domain/link.ts'
import { approveLink, lockLink, removeLink, unlockLink } from '../../src/domain/link-moderation.ts'
import { type Standing, stranger } from '../../src/domain/standing.ts'
import { defaultSettings, type SubsiteSettings } from '../../src/domain/subsite-settings.ts'
import { happened, NOW, specification } from '../support/specification.ts'

const { given } = specification(Link)
const DAY = 86_400_000

const born = { link: 't5_9k', subsite: 't4_1', author: 't2_ann', over18: false, filtered: false }
const submitted = LinkSubmitted({ ...born, title: 'Tea', url: 'http://tea.example/', sendReplies: false })
const selfPost = LinkSubmitted({ ...born, title: 'On tea', text: 'leaves', sendReplies: true })
const target = { id: 't5_9k', author: 't2_ann', title: 'Tea', excerpt: '' }
const selfTarget = { ...target, title: 'On tea', excerpt: 'leaves' }
const deleted = LinkDeleted({ link: 't5_9k', subsite: 't4_1', author: 't2_ann' })
const removed = LinkRemoved({ subsite: 't4_1', target, spam: true, before: false })
const approved = LinkApproved({ subsite: 't4_1', target, before: true })
const locked = LinkLocked({ subsite: 't4_1', target })
const unlocked = LinkUnlocked({ subsite: 't4_1', target })

const submission: Submission = {
  link: 't5_9k',
  author: 't2_ann',
  kind: 'link',
  title: '  Tea \n leaves ',
  url: 'tea.example/',
  text: 'ignored',
  sendReplies: undefined,
  resubmit: false,
}
const factsOf = (settings: Partial<SubsiteSettings> = {}, standing: Partial<Standing> = {}): SubmissionFacts => ({
  subsite: { id: 't4_1', settings: { ...defaultSettings, ...settings } },
  standing: { ...stranger, ...standing },
  bannedDomains: [],
  duplicate: undefined,
  wait: undefined,
})
const submit = (change: Partial<Submission>, facts = factsOf()) => submitLink(facts, { ...submission, ...change })
const stored = { ...born, title: 'Tea leaves', url: 'http://tea.example/', sendReplies: false }

test('a link is submitted with its title folded and its url completed', given().when(submit({})).records(LinkSubmitted(stored)))
test('submitting the same id again changes nothing', given(submitted).when(submit({})).recordsNothing)
test(
  'a self-post keeps its text, drops the url and wants replies by default',
  given()
    .when(submit({ kind: 'self', text: 'leaves' }))
    .records(LinkSubmitted({ ...born, title: 'Tea leaves', text: 'leaves', sendReplies: true })),
)
test(
  'a link with the url "self" becomes a self-post',
  given()
    .when(submit({ url: 'self', text: 'leaves', sendReplies: false }))
    .records(LinkSubmitted({ ...born, title: 'Tea leaves', text: 'leaves', sendReplies: false })),
)
test(
  'the word nsfw in a title marks the link',
  given()
    .when(submit({ title: 'Tea (NSFW)' }))
    .records(LinkSubmitted({ ...stored, title: 'Tea (NSFW)', over18: true })),
)
test(
  'a title of white space is refused',
  given()
    .when(submit({ title: ' \t ' }))
    .refuses('NO_TEXT', 'title'),
)
test(
  'a title of 301 characters is refused',
  given()
    .when(submit({ title: 'x'.repeat(301) }))
    .refuses('TOO_LONG', 'title'),
)
test(
  'a title of 300 characters beyond the basic plane is allowed',
  given()
    .when(submit({ title: '𝕏'.repeat(300) }))
    .records(LinkSubmitted({ ...stored, title: '𝕏'.repeat(300) })),
)
test(
  'a link needs a url',
  given()
    .when(submit({ url: '' }))
    .refuses('NO_URL', 'url'),
)
test(
  'a malformed url is refused',
  given()
    .when(submit({ url: 'javascript:alert(1)' }))
    .refuses('BAD_URL', 'url'),
)
test(
  'a self-post of 40001 characters is refused',
  given()
    .when(submit({ kind: 'self', text: 'x'.repeat(40_001) }))
    .refuses('TOO_LONG', 'text'),
)
test(
  'an admin can write self-posts of any length',
  given()
    .when(submit({ kind: 'self', text: 'x'.repeat(40_001) }, factsOf({}, { admin: true })))
    .records(LinkSubmitted({ ...born, title: 'Tea leaves', text: 'x'.repeat(40_001), sendReplies: true })),
)
test(
  'a banned account cannot submit',
  given()
    .when(submit({}, factsOf({}, { banned: true })))
    .refuses('SUBSITE_NOTALLOWED', 'sr'),
)
test(
  'an account that is no member cannot submit to a restricted subsite',
  given()
    .when(submit({}, factsOf({ type: 'restricted' })))
    .refuses('SUBSITE_NOTALLOWED', 'sr'),
)
test(
  'contributors can submit to a restricted subsite',
  given()
    .when(submit({}, factsOf({ type: 'restricted' }, { contributor: true })))
    .records(LinkSubmitted(stored)),
)
test(
  'a text-only subsite takes no links',
  given()
    .when(submit({}, factsOf({ link_type: 'self' })))
    .refuses('NO_LINKS', 'sr'),
)
test(
  'a link-only subsite takes no self-posts',
  given()
    .when(submit({ kind: 'self' }, factsOf({ link_type: 'link' })))
    .refuses('NO_SELFS', 'sr'),
)
test(
  'a moderator with the permission posts can submit types that the subsite does not take',
  given()
    .when(submit({}, factsOf({ link_type: 'self' }, { permissions: '+posts' })))
    .records(LinkSubmitted(stored)),
)
test(
  'a moderator without the permission posts cannot submit types that the subsite does not take',
  given()
    .when(submit({}, factsOf({ link_type: 'self' }, { permissions: '+mail' })))
    .refuses('NO_LINKS', 'sr'),
)
test(
  'a url submitted before is refused',
  given()
    .when(submit({}, { ...factsOf(), duplicate: '/s/tea/comments/9k/tea/' }))
    .refuses('ALREADY_SUB', 'url'),
)
test(
  'a url submitted before can be resubmitted',
  given()
    .when(submit({ resubmit: true }, { ...factsOf(), duplicate: '/s/tea/comments/9k/tea/' }))
    .records(LinkSubmitted(stored)),
)
test(
  'a waiting time is reported after an invalid title and before an invalid url',
  given()
    .when(submit({ url: '' }, { ...factsOf(), wait: { code: 'RATELIMIT', field: 'ratelimit' } }))
    .refuses('RATELIMIT', 'ratelimit'),
)
test(
  'only the first problem is reported',
  given()
    .when(submit({ title: '', url: '' }))
    .refuses('NO_TEXT', 'title'),
)
test(
  'in a subsite that filters all links a new link is removed',
  given()
    .when(submit({}, factsOf({ spam_links: 'all' })))
    .records(LinkSubmitted({ ...stored, filtered: true })),
)
test(
  'links by contributors are not filtered',
  given()
    .when(submit({}, factsOf({ spam_links: 'all' }, { contributor: true })))
    .records(LinkSubmitted(stored)),
)

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
    .refuses('BAD_REQUEST'),
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
  given(happened(submitted, { at: NOW - 180 * DAY + 1 }))
    .when(lockLink(NOW))
    .records(locked),
)
