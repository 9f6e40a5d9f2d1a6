import test from 'ava'
import { Link, LinkSubmitted, type Submission, type SubmissionFacts, submitLink } from '../../src/domain/link.ts'
import { type Standing, stranger } from '../../src/domain/standing.ts'
import { defaultSettings, type SubsiteSettings } from '../../src/domain/subsite-settings.ts'
import { specification } from '../support/specification.ts'
import { born, submitted } from '../support/submitted-link.ts'

const { given } = specification(Link)

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
