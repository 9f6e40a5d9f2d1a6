import test from 'ava'
import { five, joining, startCast } from '../support/cast.ts'
import { appoint, done } from '../support/community.ts'
import { found, names, settle, submit } from '../support/posting.ts'
import type { Answer } from '../support/site.ts'
import { edit, openWikis, reasonOf, revisionsOf, textOf } from '../support/wiki.ts'

const cast = await startCast(five, { homeSubsite: 'home' })
const newWiki = openWikis(cast.ann)
test.after.always(() => cast.site.stop())

test.serial('a wiki page can be created, edited and read, with its author, date and HTML', async (t) => {
  const { site, bob } = cast
  const wiki = await newWiki()
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/leaves`)), [404, 'PAGE_NOT_FOUND'])
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/leaves`)), [404, 'PAGE_NOT_CREATED'])
  const created = await edit(bob, wiki, 'leaves', '# Green\n\nBoil *water*.', { reason: 'begun' })
  t.deepEqual([created.status, created.body], [200, {}])
  const page = await bob.get(`/s/${wiki}/wiki/leaves`)
  t.is(page.at('kind'), 'wikipage')
  t.is(page.at('data.content_md'), '# Green\n\nBoil *water*.')
  t.is(page.at('data.revision_by.data.name'), 'bob')
  t.is(page.at('data.may_revise'), true)
  t.is(typeof page.at('data.revision_date'), 'number')
  t.is((await site.get(`/s/${wiki}/wiki/leaves`)).at('data.may_revise'), false)
  t.is(
    (await bob.get(`/s/${wiki}/wiki/leaves?raw_json=1`)).at('data.content_html'),
    '<div class="md wiki"><div class="toc"><ul><li class="toc_h1"><a href="#wiki_green">Green</a></li></ul></div>\n<h1 id="wiki_green">Green</h1>\n<p>Boil <em>water</em>.</p>\n</div>',
  )
  t.is((await edit(bob, wiki, 'leaves', '# Green\n\nBoil *water*.')).status, 200)
  t.is((await revisionsOf(site, wiki, 'leaves')).length, 1, 'the same text is no revision')
  await done(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'Boil.' })
  t.is(await textOf(site, wiki, 'leaves'), 'Boil.')
  t.deepEqual(
    (await revisionsOf(site, wiki, 'leaves')).map(({ reason }) => reason),
    [null, 'begun'],
  )
})

const at = (answer: Answer): unknown => [answer.status, answer.headers.get('location')]

test.serial('page names are limited and have one normal form, to which other spellings redirect', async (t) => {
  const { ann, bob } = cast
  const wiki = await newWiki()
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: ' Green/../White Tea//first/ ', content: 'x' })
  t.is(await textOf(bob, wiki, 'white_tea/first'), 'x')
  t.deepEqual(at(await bob.get(`/s/${wiki}/wiki/White%20Tea/first?v=`)), [302, `/s/${wiki}/wiki/white_tea/first?v=`])
  t.deepEqual(at(await bob.get(`/s/${wiki}/wiki/WHITE_TEA/first.json`)), [302, `/s/${wiki}/wiki/white_tea/first.json`])
  t.deepEqual(at(await bob.get(`/s/${wiki}/wiki/revisions/White_Tea/first`)), [302, `/s/${wiki}/wiki/revisions/white_tea/first`])
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: 'index', content: 'home' })
  for (const path of ['wiki', 'wiki/', 'wiki.json']) t.is((await bob.get(`/s/${wiki}/${path}`)).at('data.content_md'), 'home', path)
  t.deepEqual(at(await bob.get(`/s/${wiki}/w/white_tea/first`)), [302, `/s/${wiki}/wiki/white_tea/first`])
  t.deepEqual(at(await bob.get(`/s/${wiki}/help`)), [302, `/s/${wiki}/wiki/index`])
  for (const page of [
    'edit',
    'create/tea',
    'revisions',
    'settings/tea',
    'Pages',
    'discussions',
    'tea!',
    'tee–',
    'ä',
    '<b>',
    'x'.repeat(1_001),
  ]) {
    t.deepEqual(reasonOf(await edit(bob, wiki, page, 'x')), [400, 'INVALID_PAGE_NAME'], page)
  }
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/create/tea`)), [400, 'INVALID_PAGE_NAME'])
  const deep = await edit(bob, wiki, 'a/b/c/d/e', 'x')
  t.like(deep.body, { reason: 'PAGE_NAME_MAX_SEPARATORS', max_separators: 3 })
  const long = await edit(bob, wiki, 'a'.repeat(129), 'x')
  t.like(long.body, { reason: 'PAGE_NAME_LENGTH', max_length: 128 })
  t.deepEqual([deep.status, long.status], [403, 403])
  t.is((await edit(bob, wiki, `a/b/c/${'d'.repeat(122)}`, 'x')).status, 200)
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/${'a'.repeat(129)}`)), [404, 'PAGE_NOT_FOUND'])
})

test.serial('a disabled wiki is visible to its moderators only, and only subsites have a wiki', async (t) => {
  const { site, ann, bob, carol, root } = cast
  const wiki = await newWiki({ wikimode: 'disabled' })
  await appoint(ann, wiki, carol, '+posts')
  t.is((await edit(ann, wiki, 'index', 'x')).status, 200)
  for (const who of [site, bob, carol]) {
    for (const path of ['index', 'pages', 'revisions', 'revisions/index', 'discussions/index', 'config/sidebar'])
      t.deepEqual(reasonOf(await who.get(`/s/${wiki}/wiki/${path}`)), [403, 'WIKI_DISABLED'], path)
  }
  t.deepEqual(reasonOf(await edit(bob, wiki, 'index', 'y')), [403, 'WIKI_DISABLED'])
  for (const who of [ann, root]) t.is(await textOf(who, wiki, 'index'), 'x')
  for (const path of ['/s/all/wiki/index', '/s/friends/wiki/index', '/s/mod/wiki/pages', `/s/${wiki}+tea/wiki/pages`])
    t.true([404, 200, 403].includes((await site.get(path)).status), path)
  t.deepEqual(reasonOf(await site.get('/s/all/wiki/index')), [404, 'NOT_WIKIABLE'])
  t.deepEqual(reasonOf(await ann.post('/s/all/api/wiki/edit', { page: 'index', content: 'x' })), [404, 'NOT_WIKIABLE'])
})

test.serial('the wiki outside subsites is that of the home subsite', async (t) => {
  const { site, ann, bob } = cast
  t.deepEqual(reasonOf(await site.get('/wiki/index')), [404, 'NOT_WIKIABLE'])
  const id = await found(ann, 'home')
  t.deepEqual(reasonOf(await site.get('/wiki/index')), [403, 'WIKI_DISABLED'])
  await settle(ann, id, { wikimode: 'anyone' })
  t.is((await bob.post('/api/wiki/edit', { page: 'index', content: 'of all' })).status, 200)
  t.is((await site.get('/wiki')).at('data.content_md'), 'of all')
  t.is(await textOf(site, 'home', 'index'), 'of all')
  t.deepEqual(at(await site.get('/wiki/Index')), [302, '/wiki/index'])
  await settle(ann, id, { wikimode: 'anyone', type: 'private' })
  t.is((await site.get('/wiki/index')).status, 403)
  t.is((await bob.get('/wiki/index')).status, 403)
})

test.serial('every address of the wiki of a private subsite is refused to outsiders', async (t) => {
  const { site, ann, bob } = cast
  const wiki = await newWiki({ type: 'private' })
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: 'index', content: 'secret words' })
  for (const who of [site, bob]) {
    for (const path of ['index', 'pages', 'revisions', 'revisions/index', 'discussions/index', 'settings/index'])
      t.is((await who.get(`/s/${wiki}/wiki/${path}`)).status, 403, path)
  }
  t.is((await edit(bob, wiki, 'index', 'y')).status, 403)
})

test.serial('the mode of a wiki determines who may edit', async (t) => {
  const { site, ann, bob, carol, dave } = cast
  const wiki = await newWiki({ wikimode: 'modonly' })
  await appoint(ann, wiki, carol, '+wiki')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'x')), [404, 'PAGE_NOT_FOUND'])
  t.is((await edit(carol, wiki, 'leaves', 'x')).status, 200)
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  const id = String((await ann.get(`/s/${wiki}/about`)).at('data.name'))
  await settle(ann, id, { wikimode: 'anyone' })
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200)
  await settle(ann, id, { wikimode: 'anyone', wiki_edit_karma: 1 })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'z')), [403, 'MAY_NOT_REVISE'], 'karma')
  const link = await submit(bob, wiki)
  await done(dave, '/api/vote', { id: link, dir: 1 })
  t.is((await edit(bob, wiki, 'leaves', 'z')).status, 200)
  await settle(ann, id, { wikimode: 'anyone', wiki_edit_karma: 0, wiki_edit_age: 1 })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'zz')), [403, 'MAY_NOT_REVISE'], 'age')
  await settle(ann, id, { wikimode: 'anyone', wiki_edit_age: 0, type: 'restricted' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'zz')), [403, 'MAY_NOT_REVISE'], 'who may not submit')
  await settle(ann, id, { wikimode: 'anyone', type: 'public' })
  await done(ann, `/s/${wiki}/api/friend`, { type: 'banned', name: 'bob', api_type: 'json' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'zz')), [403, 'MAY_NOT_REVISE'], 'banned')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'other', 'zz')), [404, 'PAGE_NOT_FOUND'])
  t.is(await textOf(bob, wiki, 'leaves'), 'z', 'and may read')
  t.deepEqual(reasonOf(await site.post(`/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: '' })), [403, 'USER_REQUIRED'])
})

test.serial('the list of pages contains those that are listed and visible to the viewer, by name', async (t) => {
  const { site, ann, bob } = cast
  const wiki = await newWiki()
  for (const page of ['b', 'a/b', 'a', 'hidden', 'unlisted']) await done(ann, `/s/${wiki}/api/wiki/edit`, { page, content: page })
  await done(ann, `/s/${wiki}/wiki/settings/hidden`, { permlevel: 2, listed: true })
  await done(ann, `/s/${wiki}/wiki/settings/unlisted`, { permlevel: 0, listed: false })
  const shown = ['a', 'a/b', 'b', 'config/description', 'config/sidebar', 'config/submit_text']
  for (const who of [site, bob]) t.deepEqual((await who.get(`/s/${wiki}/wiki/pages`)).body, { kind: 'wikipagelisting', data: shown })
  t.deepEqual((await ann.get(`/s/${wiki}/wiki/pages`)).at('data'), [...shown, 'hidden'])
  t.is(await textOf(site, wiki, 'unlisted'), 'unlisted')
})

test.serial('an invalid edit is refused with its error', async (t) => {
  const { bob } = cast
  const wiki = await newWiki()
  await done(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'x' })
  const refused = async (form: Readonly<Record<string, string>>) =>
    reasonOf(await bob.post(`/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'y', ...form }))
  t.deepEqual(await refused({ reason: 'r'.repeat(257) }), [400, 'TOO_LONG'])
  t.deepEqual(await refused({ reason: 'wässrig' }), [400, 'BAD_STRING'])
  t.deepEqual(await refused({ reason: 'a\nb' }), [400, 'BAD_STRING'])
  t.deepEqual(await refused({ previous: 'nonsense' }), [404, 'INVALID_REVISION'])
  t.deepEqual(await refused({ page: 'none', previous: 'nonsense' }), [404, 'INVALID_REVISION'])
  t.deepEqual(await refused({ page: '' }), [400, 'INVALID_PAGE_NAME'])
  t.is((await (await bob.withScopes('wikiread')).post(`/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'z' })).status, 403)
})

test.serial('a page has at most 262,144 bytes', async (t) => {
  const { bob } = cast
  const wiki = await newWiki()
  const wide = 'é'.repeat(131_072)
  t.is((await edit(bob, wiki, 'large', wide)).status, 200, 'as many bytes as a page may have')
  t.is(await textOf(bob, wiki, 'large'), wide)
  for (const page of ['large', 'usernotes']) {
    const over = await edit(bob, wiki, page, `${wide}x`)
    t.is(over.status, 403)
    t.like(over.body, { reason: 'CONTENT_LENGTH_ERROR', max_length: 262_144 })
  }
  t.is((await edit(bob, wiki, 'large', 'x'.repeat(1_100_000))).status, 413)
  const slow = await edit(bob, wiki, 'slow', '[a](<'.repeat(50_000))
  t.true(slow.status === 200 || slow.at('reason') === 'TOO_COMPLEX', slow.text)
})

test.serial('restricted pages are made by admins and edited by moderators, and not visible to others', async (t) => {
  const { site, ann, bob, root } = cast
  const wiki = await newWiki()
  const refused = async (page: string) => reasonOf(await edit(bob, wiki, page, 'y'))
  for (const page of ['special/x', 'config/other', 'config/automoderator']) t.deepEqual(await refused(page), [403, 'RESTRICTED_PAGE'], page)
  t.deepEqual(await refused('config/stylesheet'), [403, 'PAGE_CREATED_ELSEWHERE'])
  t.deepEqual(await refused('config/sidebar'), [403, 'MAY_NOT_REVISE'])
  t.is((await edit(root, wiki, 'special/x', 'x')).status, 200, 'admins make restricted pages')
  t.deepEqual(await refused('special/x'), [403, 'RESTRICTED_PAGE'])
  t.is((await edit(ann, wiki, 'special/x', 'y')).status, 200, 'and moderators edit them')
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/discussions/special/x`)), [403, 'RESTRICTED_PAGE'])
  t.is((await ann.get(`/s/${wiki}/wiki/discussions/special/x`)).status, 200)
  t.is((await edit(ann, wiki, 'config/automoderator', 'type: link')).status, 200)
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/config/automoderator`)), [403, 'MAY_NOT_VIEW'])
  t.is(
    (await ann.get(`/s/${wiki}/wiki/config/automoderator?raw_json=1`)).at('data.content_html'),
    '<div class="md wiki"><pre><code>type: link</code></pre>\n</div>',
  )
})

test.serial('the pages usernotes and toolbox, the data of programs, are shown as typed; other pages are markdown', async (t) => {
  const { site, bob } = cast
  const wiki = await newWiki()
  const html = async (page: string) => (await site.get(`/s/${wiki}/wiki/${page}?raw_json=1`)).at('data.content_html')
  for (const page of ['usernotes', 'toolbox', 'usernotes/old']) t.is((await edit(bob, wiki, page, '*green* < black')).status, 200, page)
  for (const page of ['usernotes', 'toolbox'])
    t.is(await html(page), '<div class="md wiki"><pre><code>*green* &lt; black</code></pre>\n</div>', page)
  t.is(await html('usernotes/old'), '<div class="md wiki"><p><em>green</em> &lt; black</p>\n</div>')
})

test.serial('discussions of a page are the links to it that the viewer may view, most comments first', async (t) => {
  const { site, ann, bob, carol } = cast
  const wiki = await newWiki()
  const other = await newWiki()
  const closed = await newWiki({ type: 'private' })
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: 'leaves/green', content: 'x' })
  const url = `${site.url}/s/${wiki}/wiki/leaves/green`
  const first = await submit(bob, wiki, { url })
  const second = await submit(bob, other, { url: url.toUpperCase().replace('HTTP', 'http') })
  const hidden = await submit(ann, closed, { url })
  const removed = await submit(carol, other, { url })
  await done(ann, '/api/remove', { id: removed, spam: false })
  await done(bob, '/api/comment', { thing_id: second, text: 'words' })
  const path = `/s/${wiki}/wiki/discussions/leaves/green`
  t.deepEqual(names(await site.get(path)), [second, first])
  t.deepEqual(names(await carol.get(path)), [second, removed, first])
  t.true(names(await ann.get(path)).includes(hidden))
  t.deepEqual(names(await site.get(`${path}?limit=1`)), [second])
  t.deepEqual(names(await site.get(`${path}?limit=1&after=${second}`)), [first])
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/discussions/none`)), [404, 'PAGE_NOT_FOUND'])
})

test.serial('a wiki contributor can edit where others cannot, and a wiki ban takes that away', async (t) => {
  const { ann, bob } = cast
  const wiki = await newWiki({ wikimode: 'modonly' })
  const relate = (act: string, type: string, name: string) => done(ann, `/s/${wiki}/api/${act}`, { type, name, api_type: 'json' })
  await relate('friend', 'wikicontributor', 'bob')
  t.is((await edit(bob, wiki, 'leaves', 'x')).status, 200)
  await relate('friend', 'wikibanned', 'bob')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  t.is(await textOf(bob, wiki, 'leaves'), 'x', 'and may read')
  await relate('unfriend', 'wikibanned', 'bob')
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200)
  await relate('unfriend', 'wikicontributor', 'bob')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'z')), [403, 'MAY_NOT_REVISE'])
})

test.serial('what an erased account wrote has no author and no text, and is nothing to revert to', async (t) => {
  const { site, ann } = cast
  const wiki = await newWiki()
  const { eve } = await joining(site, 'eve')
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'x' })
  await done(ann, `/s/${wiki}/api/wiki/alloweditor/add`, { page: 'leaves', username: 'eve' })
  await done(eve, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'secret words', reason: 'a secret' })
  await done(await eve.session(), '/api/erase_user', { passwd: eve.password })
  const page = await ann.get(`/s/${wiki}/wiki/leaves`)
  t.deepEqual([page.at('data.revision_by'), page.at('data.content_md')], [null, '[erased]'])
  const revisions = await ann.get(`/s/${wiki}/wiki/revisions/leaves`)
  t.like(revisions.at('data.children.0'), { author: null, reason: null })
  t.deepEqual((await ann.get(`/s/${wiki}/wiki/settings/leaves`)).at('data.editors'), [])
  t.deepEqual(reasonOf(await ann.post(`/s/${wiki}/api/wiki/alloweditor/add`, { page: 'leaves', username: 'eve' })), [404, 'UNKNOWN_USER'])
  const erased = String(revisions.at('data.children.0.id'))
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'new words' })
  t.deepEqual(reasonOf(await ann.post(`/s/${wiki}/api/wiki/revert`, { page: 'leaves', revision: erased })), [404, 'INVALID_REVISION'])
})
