import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { fold } from '../../src/domain/decision.ts'
import { stranger } from '../../src/domain/standing.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { mayCreate, mayModeratePage, mayRevise, mayViewPage, type WikiFacts } from '../../src/domain/wiki-access.ts'
import {
  addWikiEditor,
  changeWikiSettings,
  removeWikiEditor,
  reviseWikiPage,
  WikiEditorAdded,
  WikiEditorRemoved,
  WikiPage,
  WikiPageListingChanged,
  WikiPagePermlevelChanged,
  WikiPageRevised,
} from '../../src/domain/wiki-page.ts'
import { checkNewPageName, parsePageName } from '../../src/domain/wiki-page-name.ts'
import { toggleWikiRevision, WikiRevision, WikiRevisionHidden, WikiRevisionUnhidden } from '../../src/domain/wiki-revision.ts'
import { bob, carol, tea } from '../support/example-history.ts'
import { inNameOf, loggedFrom } from '../support/logged-events.ts'

const place = { subsite: tea, page: 'leaves' }
const first = WikiPageRevised({ ...place, author: bob, content: 'Green.', previous: null })
const logged = loggedFrom([inNameOf(bob)(first)])
const written = fold(WikiPage, undefined, logged as never)
const id = logged[0]?.id ?? ''
const revision = { ...place, author: carol, content: 'Greener.', reason: '' }
const anybody = () => true
const codeOf = (decision: E.Either<{ readonly code: string }, unknown>) => (E.isLeft(decision) ? decision.left.code : 'none')

test('a revision must name the one before it', (t) => {
  t.deepEqual(
    reviseWikiPage(revision, null, anybody)(undefined),
    E.right([WikiPageRevised({ ...place, author: carol, content: 'Greener.', previous: null })]),
  )
  const next = WikiPageRevised({ ...place, author: carol, content: 'Greener.', previous: id, reason: 'more' })
  t.deepEqual(reviseWikiPage({ ...revision, reason: 'more' }, id, anybody)(written), E.right([next]))
  t.is(codeOf(reviseWikiPage(revision, null, anybody)(written)), 'CONFLICT')
  t.is(codeOf(reviseWikiPage(revision, 'other', anybody)(written)), 'CONFLICT')
  t.is(codeOf(reviseWikiPage({ ...revision, content: 'x'.repeat(262_145) }, id, anybody)(written)), 'CONTENT_LENGTH_ERROR')
  t.is(codeOf(reviseWikiPage({ ...revision, page: 'a/b/c/d/e' }, null, anybody)(undefined)), 'PAGE_NAME_MAX_SEPARATORS')
  t.deepEqual(written?.current, { id, revision: 0 }, 'the state has no text')
})

test('who may no longer edit a page when the revision is recorded is refused', (t) => {
  t.is(codeOf(reviseWikiPage(revision, id, ({ permlevel }) => permlevel > 0)(written)), 'FORBIDDEN')
  t.is(codeOf(reviseWikiPage(revision, null, () => false)(undefined)), 'none', 'of a new page nothing is known in its stream')
})

test('the level, the listing and the editors of a wiki page change only to other values', (t) => {
  const both = [WikiPageListingChanged({ ...place, listed: false }), WikiPagePermlevelChanged({ ...place, before: 0, after: 2 })]
  t.deepEqual(changeWikiSettings(place, { listed: false, permlevel: 2 })(written), E.right(both))
  t.deepEqual(changeWikiSettings(place, { listed: true, permlevel: 0 })(written), E.right([]))
  t.deepEqual(addWikiEditor(place, bob)(written), E.right([WikiEditorAdded({ ...place, account: bob })]))
  const edited = written && { ...written, editors: [bob] }
  t.deepEqual(addWikiEditor(place, bob)(edited), E.right([]))
  t.deepEqual(removeWikiEditor(place, bob)(edited), E.right([WikiEditorRemoved({ ...place, account: bob })]))
  t.deepEqual(removeWikiEditor(place, bob)(written), E.right([]))
  const full = written && { ...written, editors: Array.from({ length: 100 }, (_, n) => `t2_${n}`) }
  t.is(codeOf(addWikiEditor(place, bob)(full)), 'TOO_MANY_EDITORS')
})

for (const [page, refusal] of [
  ['config/sidebar', 'PAGE_CREATED_ELSEWHERE'],
  ['config/stylesheet', 'PAGE_CREATED_ELSEWHERE'],
  ['config/other', 'RESTRICTED_PAGE'],
  ['rostra', 'RESTRICTED_PAGE'],
] as const)
  test(`${page}, which no editor may edit, can have none`, (t) => {
    t.is(codeOf(addWikiEditor({ ...place, page }, bob)(written)), refusal)
  })

test('hiding a hidden revision unhides it', (t) => {
  const named = { ...place, revision: id }
  t.deepEqual(toggleWikiRevision(named)(undefined), E.right([WikiRevisionHidden(named)]))
  const hidden = fold(WikiRevision, undefined, loggedFrom([inNameOf(carol, 'moderator')(WikiRevisionHidden(named))]) as never)
  t.deepEqual(toggleWikiRevision(named)(hidden), E.right([WikiRevisionUnhidden(named)]))
})

test('wiki page names are normalized and limited', (t) => {
  const normal = { '': 'index', '/': 'index', 'A b': 'a_b', 'a//b/': 'a/b', '../a': 'a', 'a/../../b': 'b', './a': 'a' }
  for (const [name, expected] of Object.entries(normal)) t.deepEqual(parsePageName(name), E.right(expected), name)
  for (const name of ['edit', 'Edit/a', 'a.b', 'ä', 'a\u0000', 'a?b', '../settings/a']) t.true(E.isLeft(parsePageName(name)), name)
  t.is(checkNewPageName('a'.repeat(128)), undefined)
})

const may = (facts: Partial<WikiFacts['standing']>, settings: Partial<WikiFacts['settings']> = {}): WikiFacts => ({
  account: bob,
  standing: { ...stranger, ...facts },
  settings: { ...defaultSettings, wikimode: 'anyone', ...settings },
  earned: { karma: 5, days: 5 },
})
const page = (name: string, permlevel: 0 | 1 | 2 = 0, editors: readonly string[] = []) => ({ page: name, permlevel, editors })

test('the first rule that applies decides who may edit a page', (t) => {
  const rows: readonly (readonly [string, Parameters<typeof mayRevise>[0], WikiFacts, boolean])[] = [
    ['anybody', page('a'), may({}), true],
    ['nobody without account', page('a'), { ...may({}), account: undefined }, false],
    ['an admin', page('special/a', 2), may({ admin: true }), true],
    ['a moderator of the wiki', page('a', 2), may({ permissions: '+wiki', wikiBanned: true }), true],
    ['a moderator without the permission', page('a', 1), may({ permissions: '+posts' }), false],
    ['the sidebar with wiki', page('config/sidebar'), may({ permissions: '+wiki' }), false],
    ['the sidebar with config', page('config/sidebar'), may({ permissions: '+config' }), true],
    ['the sidebar as its editor', page('config/sidebar', 0, [bob]), may({}), false],
    ['the stylesheet with config', page('config/stylesheet'), may({ permissions: '+config' }), true],
    ['the stylesheet as its editor', page('config/stylesheet', 0, [bob]), may({}), false],
    ['a restricted page with wiki', page('special/a'), may({ permissions: '+wiki' }), true],
    ['a restricted page with config', page('special/a'), may({ permissions: '+config' }), false],
    ['who is banned from the wiki', page('a', 0, [bob]), may({ wikiBanned: true }), false],
    ['who is banned', page('a', 0, [bob]), may({ banned: true }), false],
    ['an editor', page('a', 1, [bob]), may({}, { wikimode: 'modonly' }), true],
    ['an editor of a page for moderators', page('a', 2, [bob]), may({}), false],
    ['a contributor to the wiki', page('a'), may({ wikiContributor: true }, { wikimode: 'modonly' }), true],
    ['a contributor to the wiki, level 1', page('a', 1), may({ wikiContributor: true }), false],
    ['others where only moderators do', page('a'), may({}, { wikimode: 'modonly' }), false],
    ['who has enough karma', page('a'), may({}, { wiki_edit_karma: 5 }), true],
    ['who has not', page('a'), may({}, { wiki_edit_karma: 6 }), false],
    ['who is too young', page('a'), may({}, { wiki_edit_age: 6 }), false],
    ['who may not submit', page('a'), may({}, { type: 'restricted' }), false],
  ]
  for (const [who, what, facts, expected] of rows) t.is(mayRevise(what, facts), expected, who)
  t.true(mayCreate('a', may({})))
  t.false(mayCreate('special/a', may({ permissions: '+all' })))
  t.true(mayCreate('config/automoderator', may({ permissions: '+all' })))
  t.false(mayCreate('config/automoderator', may({ permissions: '+wiki' })))
  t.false(mayViewPage(page('a', 2), may({}).standing))
  t.true(mayViewPage(page('config/sidebar', 2), may({}).standing))
  t.false(mayModeratePage('config/sidebar', may({ permissions: '+wiki' }).standing))
})
