import test from 'ava'
import { five, newcomer, startCast } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { foundSubsite, names, settle, submit } from '../support/posting.ts'
import type { Answer } from '../support/site.ts'
import { edit, openWikis, reasonOf, revisionsOf, textOf } from '../support/wiki.ts'

const cast = await startCast(five, { homeSubsite: 'home' })
const newWiki = openWikis(cast.ann)
test.after.always(() => cast.site.stop())

test.serial('a page that is not there is missing to a reader, and not yet created to who can create it', async (t) => {
  const { site, bob } = cast
  const wiki = await newWiki()
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/leaves`)), [404, 'PAGE_NOT_FOUND'])
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/leaves`)), [404, 'PAGE_NOT_CREATED'])
})

const green = '# Green\n\nBoil *water*.'

/** A wiki with a page that bob has created, and the answer to that. */
const withGreen = async () => {
  const wiki = await newWiki()
  return { wiki, created: await edit(cast.bob, wiki, 'leaves', green, { reason: 'begun' }) }
}

test.serial('a wiki page is shown with its text, HTML, author and date, and whether the viewer may revise it', async (t) => {
  const { site, bob } = cast
  const { wiki, created } = await withGreen()
  t.deepEqual([created.status, created.body], [200, {}])
  const page = await bob.get(`/s/${wiki}/wiki/leaves`)
  t.is(page.at('kind'), 'wikipage')
  t.is(page.at('data.content_md'), green)
  t.is(page.at('data.revision_by.data.name'), 'bob')
  t.is(typeof page.at('data.revision_date'), 'number')
  t.is(
    (await bob.get(`/s/${wiki}/wiki/leaves?raw_json=1`)).at('data.content_html'),
    '<div class="md wiki"><div class="toc"><ul><li class="toc_h1"><a href="#wiki_green">Green</a></li></ul></div>\n<h1 id="wiki_green">Green</h1>\n<p>Boil <em>water</em>.</p>\n</div>',
  )
  t.is(page.at('data.may_revise'), true)
  t.is((await site.get(`/s/${wiki}/wiki/leaves`)).at('data.may_revise'), false)
})

test.serial('each edit that changes the text of a page is a revision with its reason, the same text again is none', async (t) => {
  const { site, bob } = cast
  const { wiki } = await withGreen()
  t.is((await edit(bob, wiki, 'leaves', green)).status, 200)
  t.is((await revisionsOf(site, wiki, 'leaves')).length, 1)
  await postForm(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'Boil.' })
  t.is(await textOf(site, wiki, 'leaves'), 'Boil.')
  t.deepEqual(
    (await revisionsOf(site, wiki, 'leaves')).map(({ reason }) => reason),
    [null, 'begun'],
  )
})

const at = (answer: Answer): unknown => [answer.status, answer.headers.get('location')]

test.serial('a page name has one normal form, to which other spellings redirect', async (t) => {
  const { ann, bob } = cast
  const wiki = await newWiki()
  await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page: ' Green/../White Tea//first/ ', content: 'x' })
  t.is(await textOf(bob, wiki, 'white_tea/first'), 'x')
  t.deepEqual(at(await bob.get(`/s/${wiki}/wiki/White%20Tea/first?v=`)), [302, `/s/${wiki}/wiki/white_tea/first?v=`])
  t.deepEqual(at(await bob.get(`/s/${wiki}/wiki/WHITE_TEA/first.json`)), [302, `/s/${wiki}/wiki/white_tea/first.json`])
  t.deepEqual(at(await bob.get(`/s/${wiki}/wiki/revisions/White_Tea/first`)), [302, `/s/${wiki}/wiki/revisions/white_tea/first`])
  t.deepEqual(at(await bob.get(`/s/${wiki}/w/white_tea/first`)), [302, `/s/${wiki}/wiki/white_tea/first`])
})

test.serial('the page of a wiki without a name is index', async (t) => {
  const { ann, bob } = cast
  const wiki = await newWiki()
  await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page: 'index', content: 'home' })
  for (const path of ['wiki', 'wiki/', 'wiki.json']) t.is((await bob.get(`/s/${wiki}/${path}`)).at('data.content_md'), 'home', path)
  t.deepEqual(at(await bob.get(`/s/${wiki}/help`)), [302, `/s/${wiki}/wiki/index`])
})

test.serial('a page name that an endpoint has, or with a character that is not allowed, is refused', async (t) => {
  const { bob } = cast
  const wiki = await newWiki()
  const reserved = ['edit', 'create/tea', 'revisions', 'settings/tea', 'Pages', 'discussions']
  for (const page of [...reserved, 'tea!', 'tee–', 'ä', '<b>', 'x'.repeat(1_001)])
    t.deepEqual(reasonOf(await edit(bob, wiki, page, 'x')), [400, 'INVALID_PAGE_NAME'], page)
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/create/tea`)), [400, 'INVALID_PAGE_NAME'])
})

test.serial('a page name has at most three separators and 128 characters', async (t) => {
  const { bob } = cast
  const wiki = await newWiki()
  const deep = await edit(bob, wiki, 'a/b/c/d/e', 'x')
  t.like(deep.body, { reason: 'PAGE_NAME_MAX_SEPARATORS', max_separators: 3 })
  const long = await edit(bob, wiki, 'a'.repeat(129), 'x')
  t.like(long.body, { reason: 'PAGE_NAME_LENGTH', max_length: 128 })
  t.deepEqual([deep.status, long.status], [403, 403])
  t.is((await edit(bob, wiki, `a/b/c/${'d'.repeat(122)}`, 'x')).status, 200)
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/${'a'.repeat(129)}`)), [404, 'PAGE_NOT_FOUND'])
})

test.serial('the wiki outside subsites is that of the home subsite', async (t) => {
  const { site, ann, bob } = cast
  t.deepEqual(reasonOf(await site.get('/wiki/index')), [404, 'NOT_WIKIABLE'])
  const id = await foundSubsite(ann, 'home')
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

test.serial('an invalid edit is refused with its error', async (t) => {
  const { bob } = cast
  const { wiki } = await withGreen()
  const refused = async (form: Readonly<Record<string, string>>) =>
    reasonOf(await bob.post(`/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'y', ...form }))
  t.deepEqual(await refused({ reason: 'r'.repeat(257) }), [400, 'TOO_LONG'])
  t.deepEqual(await refused({ reason: 'wässrig' }), [400, 'BAD_STRING'])
  t.deepEqual(await refused({ reason: 'a\nb' }), [400, 'BAD_STRING'])
  t.deepEqual(await refused({ previous: 'nonsense' }), [404, 'INVALID_REVISION'])
  t.deepEqual(await refused({ page: 'none', previous: 'nonsense' }), [404, 'INVALID_REVISION'])
  t.deepEqual(await refused({ page: '' }), [400, 'INVALID_PAGE_NAME'])
})

test.serial('a token that may only read wikis cannot edit them', async (t) => {
  const { wiki } = await withGreen()
  t.is((await edit(await cast.bob.withScopes('wikiread'), wiki, 'leaves', 'z')).status, 403)
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
})

test.serial('a page of which it takes long to make HTML is stored or refused', async (t) => {
  const slow = await edit(cast.bob, await newWiki(), 'slow', '[a](<'.repeat(50_000))
  t.true(slow.status === 200 || slow.at('reason') === 'TOO_COMPLEX', slow.text)
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

/** A page, the path of its discussions, and a link to it by bob in its own subsite, then one in another. */
const discussed = async () => {
  const { site, ann, bob } = cast
  const [wiki, other] = [await newWiki(), await newWiki()]
  await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page: 'leaves/green', content: 'x' })
  const url = `${site.url}/s/${wiki}/wiki/leaves/green`
  const first = await submit(bob, wiki, { url })
  const second = await submit(bob, other, { url: url.toUpperCase().replace('HTTP', 'http') })
  return { other, url, first, second, path: `/s/${wiki}/wiki/discussions/leaves/green` }
}

test.serial('discussions of a page are the links to it in any subsite, most comments first, in pages', async (t) => {
  const { site, bob } = cast
  const { path, first, second } = await discussed()
  await postForm(bob, '/api/comment', { thing_id: first, text: 'words' })
  t.deepEqual(names(await site.get(path)), [first, second])
  for (let n = 0; n < 2; n += 1) await postForm(bob, '/api/comment', { thing_id: second, text: 'words' })
  t.deepEqual(names(await site.get(path)), [second, first])
  t.deepEqual(names(await site.get(`${path}?limit=1`)), [second])
  t.deepEqual(names(await site.get(`${path}?limit=1&after=${second}`)), [first])
})

test.serial('discussions contain removed and private links for those only who may view them', async (t) => {
  const { site, ann, bob, carol } = cast
  const { path, other, url, first, second } = await discussed()
  const hidden = await submit(ann, await newWiki({ type: 'private' }), { url })
  const removed = await submit(carol, other, { url })
  await postForm(ann, '/api/remove', { id: removed, spam: false })
  await postForm(bob, '/api/comment', { thing_id: second, text: 'words' })
  t.deepEqual(names(await site.get(path)), [second, first])
  t.deepEqual(names(await carol.get(path)), [second, removed, first])
  t.true(names(await ann.get(path)).includes(hidden))
})

test.serial('a page that is not there has no discussions', async (t) => {
  const wiki = await newWiki()
  t.deepEqual(reasonOf(await cast.site.get(`/s/${wiki}/wiki/discussions/none`)), [404, 'PAGE_NOT_FOUND'])
})

/** A page of which an account was an editor and wrote the newest revision, before it was erased. */
const erasedPage = async () => {
  const { site, ann } = cast
  const wiki = await newWiki()
  const who = await newcomer(site)
  await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'x' })
  await postForm(ann, `/s/${wiki}/api/wiki/alloweditor/add`, { page: 'leaves', username: who.name })
  await postForm(who, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'secret words', reason: 'a secret' })
  await postForm(await who.session(), '/api/erase_user', { passwd: who.password })
  const newest = (await ann.get(`/s/${wiki}/wiki/revisions/leaves`)).at('data.children.0') as { readonly id: string }
  return { wiki, who, newest }
}

test.serial('what an erased account wrote has no author and no text', async (t) => {
  const { wiki, newest } = await erasedPage()
  const page = await cast.ann.get(`/s/${wiki}/wiki/leaves`)
  t.deepEqual([page.at('data.revision_by'), page.at('data.content_md')], [null, '[erased]'])
  t.like(newest, { author: null, reason: null })
})

test.serial('a revision by an erased account is nothing to revert to', async (t) => {
  const { ann } = cast
  const { wiki, newest } = await erasedPage()
  await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'new words' })
  t.deepEqual(reasonOf(await ann.post(`/s/${wiki}/api/wiki/revert`, { page: 'leaves', revision: newest.id })), [404, 'INVALID_REVISION'])
})

test.serial('an erased account is no editor of a page any more, and cannot become one', async (t) => {
  const { ann } = cast
  const { wiki, who } = await erasedPage()
  t.deepEqual((await ann.get(`/s/${wiki}/wiki/settings/leaves`)).at('data.editors'), [])
  const again = await ann.post(`/s/${wiki}/api/wiki/alloweditor/add`, { page: 'leaves', username: who.name })
  t.deepEqual(reasonOf(again), [404, 'UNKNOWN_USER'])
})
