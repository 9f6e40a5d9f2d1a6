import test from 'ava'
import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, logOf, unchanged } from '../support/community.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { found, names, settle, submit } from '../support/posting.ts'
import type { Answer, Caller, User } from '../support/site.ts'

let cast: Five
test.before(async () => {
  cast = await startCast(five, { homeSubsite: 'home' })
})
test.after.always(() => cast.site.stop())

let count = 0
/** A new subsite of ann's with a wiki for everybody, and its name. */
const newWiki = async (settings: Readonly<Record<string, string | number>> = {}): Promise<string> => {
  count += 1
  const name = `wiki${count}`
  const { ann } = cast
  await found(ann, name)
  const id = String((await ann.get(`/s/${name}/about`)).at('data.name'))
  await settle(ann, id, { wikimode: 'anyone', ...settings })
  return name
}

const edit = (who: User | Caller, name: string, page: string, content: string, more: Readonly<Record<string, string>> = {}) =>
  who.post(`/s/${name}/api/wiki/edit`, { page, content, ...more })
const reasonOf = (answer: Answer): unknown => [answer.status, answer.at('reason')]
const textOf = async (who: Caller, name: string, page: string) => (await who.get(`/s/${name}/wiki/${page}`)).at('data.content_md')
const revisionsOf = async (who: Caller, name: string, page: string): Promise<readonly { id: string; reason: string | null }[]> =>
  (await who.get(`/s/${name}/wiki/revisions/${page}?limit=100`)).at('data.children') as never

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

test.serial('the permission level and the editors of a page determine who may edit and view it', async (t) => {
  const { site, ann, bob, carol, dave, root } = cast
  const wiki = await newWiki()
  await appoint(ann, wiki, carol, '+wiki')
  await done(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'x' })
  const settings = `/s/${wiki}/wiki/settings/leaves`
  const read = await carol.get(settings)
  t.deepEqual(read.body, { kind: 'wikipagesettings', data: { permlevel: 0, listed: true, editors: [] } })
  for (const who of [bob, dave]) {
    t.deepEqual(reasonOf(await who.get(settings)), [403, 'MOD_REQUIRED'])
    t.deepEqual(reasonOf(await who.post(settings, { permlevel: 1 })), [403, 'MOD_REQUIRED'])
    t.deepEqual(reasonOf(await who.post(`/s/${wiki}/api/wiki/alloweditor/add`, { page: 'leaves', username: 'dave' })), [
      403,
      'MOD_REQUIRED',
    ])
  }
  t.deepEqual(reasonOf(await site.get(settings)), [403, 'USER_REQUIRED'])
  for (const permlevel of ['', '3', '-1', 'x', '1.5'])
    t.deepEqual(reasonOf(await carol.post(settings, { permlevel, listed: true })), [403, 'INVALID_PERMLEVEL'], permlevel)
  t.deepEqual(reasonOf(await carol.post(`/s/${wiki}/wiki/settings/none`, { permlevel: 1 })), [404, 'PAGE_NOT_FOUND'])
  const changed = await carol.post(settings, { permlevel: 1, listed: true })
  t.deepEqual(changed.body, { kind: 'wikipagesettings', data: { permlevel: 1, listed: true, editors: [] } })
  t.true(await unchanged(site, () => carol.post(settings, { permlevel: 1, listed: true })))
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  const allow = (act: string, form: Readonly<Record<string, string>>) => carol.post(`/s/${wiki}/api/wiki/alloweditor/${act}`, form)
  t.deepEqual((await allow('add', { page: 'leaves', username: 'Bob' })).body, {})
  t.true(await unchanged(site, () => allow('add', { page: 'leaves', username: 'bob' })))
  t.true(await unchanged(site, () => allow('del', { page: 'leaves', username: 'dave' })))
  t.deepEqual(reasonOf(await allow('add', { page: 'leaves', username: 'nobody' })), [404, 'UNKNOWN_USER'])
  t.deepEqual(reasonOf(await allow('add', { page: 'none', username: 'bob' })), [404, 'PAGE_NOT_FOUND'])
  t.is((await allow('other', { page: 'leaves', username: 'bob' })).status, 404)
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200, 'an editor')
  t.is((await carol.get(settings)).at('data.editors.0.data.name'), 'bob')
  await done(carol, settings, { permlevel: 2 })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'z')), [403, 'MAY_NOT_VIEW'])
  for (const who of [site, bob]) {
    for (const path of ['leaves', 'revisions/leaves', 'discussions/leaves'])
      t.deepEqual(reasonOf(await who.get(`/s/${wiki}/wiki/${path}`)), [403, 'MAY_NOT_VIEW'], path)
    t.is((await who.get(`/s/${wiki}/wiki/revisions`)).text.includes('leaves'), false)
  }
  t.is(await textOf(root, wiki, 'leaves'), 'y')
  for (const who of [site, bob]) {
    const log = await who.get(`/s/${wiki}/about/log`)
    t.false(/leaves/i.test(log.text), 'nor does the log name it')
    t.is(dataOf(log).length, dataOf(await ann.get(`/s/${wiki}/about/log`)).length)
    t.false(/leaves/.test((await who.get(`/s/${wiki}/about/log.rss`)).text))
  }
  t.true((await logOf(carol, wiki)).some((line) => line.includes('leaves')))
  await done(carol, settings, { permlevel: 1, listed: true })
  await allow('del', { page: 'leaves', username: 'bob' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'z')), [403, 'MAY_NOT_REVISE'])
  const entries = (await logOf(site, wiki)).filter((line) => line.includes('wiki'))
  t.deepEqual(entries, [
    `carol wikipermlevel ${bob.id} alloweditor_del Page leaves`,
    'carol wikipermlevel - - Page leaves: level 2 to 1',
    'carol wikipagelisted - - Relisted page leaves',
    'carol wikipermlevel - - Page leaves: level 1 to 2',
    'carol wikipagelisted - - Delisted page leaves',
    `carol wikipermlevel ${bob.id} alloweditor_add Page leaves`,
    'carol wikipermlevel - - Page leaves: level 0 to 1',
    ...entries.slice(7),
  ])
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
  const { site, ann, bob, root } = cast
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
  t.deepEqual(await refused({ page: 'special/x' }), [403, 'RESTRICTED_PAGE'])
  t.deepEqual(await refused({ page: 'config/other' }), [403, 'RESTRICTED_PAGE'])
  t.deepEqual(await refused({ page: 'config/automoderator' }), [403, 'RESTRICTED_PAGE'])
  t.deepEqual(await refused({ page: 'config/stylesheet' }), [403, 'PAGE_CREATED_ELSEWHERE'])
  t.deepEqual(await refused({ page: 'config/sidebar' }), [403, 'MAY_NOT_REVISE'])
  const wide = 'é'.repeat(131_072)
  t.is((await edit(bob, wiki, 'large', wide)).status, 200, 'as many bytes as a page may have')
  t.is(await textOf(bob, wiki, 'large'), wide)
  const over = await edit(bob, wiki, 'large', `${wide}x`)
  t.like(over.body, { reason: 'CONTENT_LENGTH_ERROR', max_length: 262_144 })
  t.is(over.status, 403)
  t.like((await edit(bob, wiki, 'usernotes', `${wide}x`)).body, { reason: 'CONTENT_LENGTH_ERROR', max_length: 262_144 })
  t.is((await edit(bob, wiki, 'large', 'x'.repeat(1_100_000))).status, 413)
  const slow = await edit(bob, wiki, 'slow', '[a](<'.repeat(50_000))
  t.true(slow.status === 200 || slow.at('reason') === 'TOO_COMPLEX', slow.text)
  t.is((await edit(root, wiki, 'special/x', 'x')).status, 200, 'admins make restricted pages')
  t.deepEqual(await refused({ page: 'special/x' }), [403, 'RESTRICTED_PAGE'])
  t.is((await edit(ann, wiki, 'special/x', 'y')).status, 200, 'and moderators edit them')
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/discussions/special/x`)), [403, 'RESTRICTED_PAGE'])
  t.is((await ann.get(`/s/${wiki}/wiki/discussions/special/x`)).status, 200)
  t.is((await edit(ann, wiki, 'config/automoderator', 'type: link')).status, 200)
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/config/automoderator`)), [403, 'MAY_NOT_VIEW'])
  t.is(
    (await ann.get(`/s/${wiki}/wiki/config/automoderator?raw_json=1`)).at('data.content_html'),
    '<div class="md wiki"><pre><code>type: link</code></pre>\n</div>',
  )
  t.is((await (await bob.withScopes('wikiread')).post(`/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'z' })).status, 403)
})

const lines = (...some: readonly string[]) => some.join('\n')

test.serial('an edit of an older revision is merged, or is a conflict with the texts the client needs', async (t) => {
  const { ann, bob, carol } = cast
  const wiki = await newWiki()
  const start = lines('one', 'two', 'three', 'four', 'five')
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: start })
  const base = (await revisionsOf(ann, wiki, 'leaves'))[0]?.id ?? ''
  await done(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: lines('ONE', 'two', 'three', 'four', 'five'), previous: base })
  const second = (await revisionsOf(ann, wiki, 'leaves'))[0]?.id
  await done(carol, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: lines('one', 'two', 'three', 'four', 'FIVE'), previous: base })
  const merged = lines('ONE', 'two', 'three', 'four', 'FIVE')
  t.is(await textOf(bob, wiki, 'leaves'), merged)
  const third = (await revisionsOf(ann, wiki, 'leaves'))[0]?.id
  const conflict = await edit(bob, wiki, 'leaves', lines('uno', 'two', 'three', 'four', 'five'), { previous: base })
  t.is(conflict.status, 409)
  t.like(conflict.body, { reason: 'EDIT_CONFLICT', message: 'Conflict', newcontent: merged, newrevision: third })
  t.regex(String(conflict.at('diffcontent')), /^&lt;table class="diff"&gt;/)
  t.regex(String(conflict.at('diffcontent')), /diff_gone.*ONE.*diff_new.*uno/s)
  t.is((await revisionsOf(ann, wiki, 'leaves')).length, 3, 'nothing was recorded')
  t.is((await edit(bob, wiki, 'leaves', lines('uno', 'two', 'three', 'four', 'FIVE'), { previous: String(third) })).status, 200)
  t.is((await edit(bob, wiki, 'leaves', 'all new', { previous: '' })).status, 409, 'an empty one is no text')
  t.is((await edit(bob, wiki, 'leaves', 'all\r\nnew')).status, 200, 'without one, what is there gives way')
  t.is(await textOf(bob, wiki, 'leaves'), 'all\nnew')
  await done(ann, `/s/${wiki}/api/wiki/edit`, { page: 'other', content: 'x' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'other', 'y', { previous: String(second) })), [404, 'INVALID_REVISION'], 'of another page')
})

test.serial('each of 64 concurrent edits of a revision is merged into the page or refused', async (t) => {
  const { bob } = cast
  const wiki = await newWiki()
  const section = (n: number) => lines(`## ${n}`, '', `text ${n}`, '')
  const start = lines(...Array.from({ length: 48 }, (_, n) => section(n)))
  await done(bob, `/s/${wiki}/api/wiki/edit`, { page: 'many', content: start })
  const base = (await revisionsOf(bob, wiki, 'many'))[0]?.id ?? ''
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      edit(bob, wiki, 'many', start.replace(`text ${n % 48}\n`, `text ${n % 48} by ${n}\n`), { previous: base }),
    ),
  )
  t.deepEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 409])
  const text = String(await textOf(bob, wiki, 'many'))
  for (const [n, { status }] of answers.entries()) t.is(text.includes(`by ${n}\n`), status === 200, `edit ${n}: ${status}`)
  t.is(answers.filter(({ status }) => status === 200).length, 48, 'one for each section')
  t.is((await revisionsOf(bob, wiki, 'many')).length, 49)
})

test.serial('revisions can be read, compared, hidden and reverted to', async (t) => {
  const { site, ann, bob, carol } = cast
  const wiki = await newWiki()
  await appoint(ann, wiki, carol, '+wiki')
  for (const [n, who] of [bob, carol, bob].entries())
    await done(who, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: lines('first', `text ${n}`, 'last'), reason: `reason ${n}` })
  const [third = '', second = '', first = ''] = (await revisionsOf(bob, wiki, 'leaves')).map(({ id }) => id)
  const path = `/s/${wiki}/wiki/leaves`
  t.like((await site.get(`${path}?v=${first}`)).at('data'), { content_md: lines('first', 'text 0', 'last') })
  t.is((await site.get(`${path}?v=${second}`)).at('data.revision_by.data.name'), 'carol')
  const compared = await site.get(`${path}?v=${first}&v2=${second}&raw_json=1`)
  t.is(compared.at('data.content_md'), lines('first', 'text 1', 'last'))
  t.is(compared.at('data.revision_by.data.name'), 'bob')
  t.regex(String(compared.at('data.diff')), /diff_same.*first.*diff_gone.*text 0.*diff_new.*text 1.*diff_same.*last/)
  t.deepEqual(reasonOf(await site.get(`${path}?v=nonsense`)), [404, 'INVALID_REVISION'])
  t.deepEqual(reasonOf(await site.get(`${path}?v=${first}&v2=nonsense`)), [404, 'INVALID_REVISION'])

  const hide = (who: Caller, revision: string, page = 'leaves') => who.post(`/s/${wiki}/api/wiki/hide?page=${page}&revision=${revision}`)
  t.deepEqual(reasonOf(await hide(bob, first)), [403, 'MOD_REQUIRED'])
  t.deepEqual(reasonOf(await hide(carol, '')), [400, 'INVALID_REVISION'])
  t.deepEqual(reasonOf(await hide(carol, 'nonsense')), [404, 'INVALID_REVISION'])
  t.deepEqual(reasonOf(await hide(carol, first, 'none')), [404, 'PAGE_NOT_FOUND'])
  t.deepEqual((await hide(carol, first)).body, { status: true })
  for (const who of [site, bob]) {
    t.deepEqual(reasonOf(await who.get(`${path}?v=${first}`)), [403, 'HIDDEN_REVISION'])
    t.deepEqual(reasonOf(await who.get(`${path}?v=${second}&v2=${first}`)), [403, 'HIDDEN_REVISION'])
    t.deepEqual(
      (await revisionsOf(who, wiki, 'leaves')).map(({ id }) => id),
      [third, second],
    )
    t.false((await who.get(`/s/${wiki}/wiki/revisions`)).text.includes(first))
  }
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'x', { previous: first })), [403, 'HIDDEN_REVISION'])
  t.is((await revisionsOf(carol, wiki, 'leaves')).length, 3)
  t.is((await carol.get(`${path}?v=${first}`)).status, 200)
  t.deepEqual((await hide(carol, first)).body, { status: false })
  t.is((await site.get(`${path}?v=${first}`)).status, 200)
  await hide(carol, third)
  t.is(await textOf(site, wiki, 'leaves'), lines('first', 'text 2', 'last'), 'the page is still served')

  const revert = (who: Caller, revision: string) => who.post(`/s/${wiki}/api/wiki/revert?page=leaves&revision=${revision}`)
  t.deepEqual(reasonOf(await revert(bob, first)), [403, 'MOD_REQUIRED'])
  t.deepEqual(reasonOf(await revert(carol, '')), [400, 'INVALID_REVISION'])
  t.deepEqual((await revert(carol, first)).body, {})
  t.is(await textOf(site, wiki, 'leaves'), lines('first', 'text 0', 'last'))
  t.regex(String((await revisionsOf(site, wiki, 'leaves'))[0]?.reason), /^reverted back \d+ (second|minute)s?$/)
  t.true(await unchanged(site, () => revert(carol, first)), 'the text is there already')
  const log = (await logOf(site, wiki)).filter((line) => line.startsWith('carol wikirevise'))
  t.is(log.length, 5)
  t.regex(String(log[0]), /^carol wikirevise - revert Page leaves, reverted back \d/)
  t.deepEqual(log.slice(1), [
    `carol wikirevise - hide Page leaves, revision ${third}`,
    `carol wikirevise - unhide Page leaves, revision ${first}`,
    `carol wikirevise - hide Page leaves, revision ${first}`,
    'carol wikirevise - Page leaves edited reason 1',
  ])
  t.false(
    (await logOf(site, wiki)).some((line) => line.startsWith('bob')),
    'what users write is no act of moderation',
  )
})

test.serial('revisions of one page or of all are listed newest first, in pages', async (t) => {
  const { site, bob } = cast
  const wiki = await newWiki()
  for (let n = 0; n < 5; n += 1) await done(bob, `/s/${wiki}/api/wiki/edit`, { page: n % 2 ? 'odd' : 'even', content: `text ${n}` })
  const all = await site.get(`/s/${wiki}/wiki/revisions?limit=5`)
  t.is(all.at('kind'), 'Listing')
  const shown = all.at('data.children') as readonly { id: string; page: string; author: { data: { name: string } }; timestamp: number }[]
  t.deepEqual(
    shown.map(({ page }) => page),
    ['even', 'odd', 'even', 'odd', 'even'],
  )
  t.deepEqual([shown[0]?.author.data.name, typeof shown[0]?.timestamp], ['bob', 'number'])
  const first = await site.get(`/s/${wiki}/wiki/revisions?limit=2`)
  t.is(first.at('data.after'), `WikiRevision_${shown[1]?.id}`)
  const next = await site.get(`/s/${wiki}/wiki/revisions?limit=2&after=${first.at('data.after')}`)
  t.deepEqual(
    (next.at('data.children') as typeof shown).map(({ id }) => id),
    [shown[2]?.id, shown[3]?.id],
  )
  const back = await site.get(`/s/${wiki}/wiki/revisions?limit=2&before=${next.at('data.before')}`)
  t.deepEqual(
    (back.at('data.children') as typeof shown).map(({ id }) => id),
    [shown[0]?.id, shown[1]?.id],
  )
  t.is((await revisionsOf(site, wiki, 'odd')).length, 2)
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/revisions/none`)), [404, 'PAGE_NOT_FOUND'])
})

test.serial('editing a page that shows a setting changes the setting, and a changed setting is a revision', async (t) => {
  const { site, ann, bob, carol } = cast
  const wiki = await newWiki({ description: 'Be kind.' })
  await appoint(ann, wiki, carol, '+wiki')
  t.is(await textOf(site, wiki, 'config/sidebar'), 'Be kind.')
  t.is(await textOf(site, wiki, 'config/submit_text'), '')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'config/sidebar', 'x')), [403, 'MAY_NOT_REVISE'])
  t.deepEqual(reasonOf(await edit(carol, wiki, 'config/sidebar', 'x')), [403, 'MAY_NOT_REVISE'], 'needs config')
  await done(carol, `/s/${wiki}/api/wiki/edit`, { page: 'index', content: 'x' })
  t.is((await edit(ann, wiki, 'config/sidebar', 'Be very kind.', { reason: 'more of it' })).status, 200)
  t.is((await site.get(`/s/${wiki}/about`)).at('data.description'), 'Be very kind.')
  t.is((await edit(ann, wiki, 'config/description', 'Of tea')).status, 200)
  t.is((await site.get(`/s/${wiki}/about`)).at('data.public_description'), 'Of tea')
  const revisions = await revisionsOf(site, wiki, 'config/sidebar')
  t.deepEqual(
    revisions.map(({ reason }) => reason),
    ['more of it', null, null],
  )
  const [, kind = { id: '' }] = revisions
  t.is((await site.get(`/s/${wiki}/wiki/config/sidebar?v=${kind.id}`)).at('data.content_md'), 'Be kind.')
  t.regex(String((await site.get(`/s/${wiki}/wiki/config/sidebar?raw_json=1`)).at('data.content_html')), /^<div class="md"><p>Be very kind/)
  const conflict = await edit(ann, wiki, 'config/sidebar', 'Be rude.', { previous: kind.id })
  t.like(conflict.body, { reason: 'EDIT_CONFLICT', newcontent: 'Be very kind.', newrevision: revisions[0]?.id })
  const over = await edit(ann, wiki, 'config/description', 'x'.repeat(501))
  t.like(over.body, { reason: 'CONTENT_LENGTH_ERROR', max_length: 500 })
  t.deepEqual(reasonOf(await carol.post(`/s/${wiki}/api/wiki/revert`, { page: 'config/sidebar', revision: kind.id })), [
    403,
    'MOD_REQUIRED',
  ])
  for (const [path, form] of [
    ['api/wiki/hide', { page: 'config/sidebar', revision: kind.id }],
    ['api/wiki/alloweditor/add', { page: 'config/sidebar', username: 'bob' }],
  ] as const)
    t.true(await unchanged(site, async () => t.is((await carol.post(`/s/${wiki}/${path}`, form)).at('reason'), 'MOD_REQUIRED', path)))
  await done(ann, `/s/${wiki}/api/wiki/alloweditor/add`, { page: 'config/submit_text', username: 'bob' })
  t.is((await edit(bob, wiki, 'config/submit_text', 'Ask first.')).status, 403, 'an editor of a page that shows a setting')
  await done(ann, `/s/${wiki}/api/wiki/revert`, { page: 'config/sidebar', revision: kind.id })
  t.is((await site.get(`/s/${wiki}/about`)).at('data.description'), 'Be kind.')
  t.true(await unchanged(site, () => edit(ann, wiki, 'config/sidebar', 'Be kind.')))
  t.deepEqual((await ann.post(`/s/${wiki}/api/wiki/hide`, { page: 'config/sidebar', revision: kind.id })).body, { status: true })
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/config/sidebar?v=${kind.id}`)), [403, 'HIDDEN_REVISION'])
  await done(ann, `/s/${wiki}/wiki/settings/config/sidebar`, { permlevel: 2 })
  t.is(await textOf(site, wiki, 'config/sidebar'), 'Be kind.', 'levels mean nothing to special pages')
  const log = (await logOf(site, wiki)).filter((line) => line.includes('wikirevise - Updated'))
  t.is(log.length, 4)
  t.regex(String(log[0]), /^ann wikirevise - Updated subsite sidebar reverted back \d+ (second|minute)s?$/)
  t.deepEqual(log.slice(1, 3), [
    'ann wikirevise - Updated subsite description Of tea'.replace(' Of tea', ''),
    'ann wikirevise - Updated subsite sidebar more of it',
  ])
})

test.serial('editing the page of the stylesheet checks and publishes it and makes a revision', async (t) => {
  const { site, ann, bob, carol } = cast
  const wiki = await newWiki()
  await appoint(ann, wiki, carol, '+wiki')
  const page = 'config/stylesheet'
  const published = async () => {
    const address = (await site.get(`/s/${wiki}/stylesheet`)).headers.get('location')
    return address === null ? null : (await site.get(address)).text
  }
  t.deepEqual(reasonOf(await edit(ann, wiki, page, 'a { color: red }')), [403, 'PAGE_CREATED_ELSEWHERE'], 'nobody saved one yet')
  const source = lines('a { color: red }', '', '/* between */', '', 'b { color: green }')
  await done(ann, `/s/${wiki}/api/subsite_stylesheet`, { op: 'save', stylesheet_contents: source })
  const base = (await revisionsOf(site, wiki, page))[0]?.id ?? ''
  for (const who of [bob, carol]) t.deepEqual(reasonOf(await edit(who, wiki, page, 'a { color: blue }')), [403, 'MAY_NOT_REVISE'])
  t.is((await bob.get(`/s/${wiki}/wiki/${page}`)).at('data.may_revise'), false)
  t.is((await ann.get(`/s/${wiki}/wiki/${page}`)).at('data.may_revise'), true)

  t.is((await edit(ann, wiki, page, source.replace('red', 'blue'), { reason: 'calmer' })).status, 200)
  t.is(await published(), 'a{color:blue}b{color:green}')
  t.is(await textOf(site, wiki, page), source.replace('red', 'blue'))
  t.is((await edit(ann, wiki, page, source.replace('green', 'grey'), { previous: base })).status, 200)
  t.is(await published(), 'a{color:blue}b{color:grey}', 'merged with what was saved since')
  const overlap = await edit(ann, wiki, page, source.replace('red', 'pink'), { previous: base })
  t.like(overlap.body, { reason: 'EDIT_CONFLICT', newcontent: source.replace('red', 'blue').replace('green', 'grey') })
  t.deepEqual(
    (await revisionsOf(site, wiki, page)).map(({ reason }) => reason),
    [null, 'calmer', null],
  )

  const before = (await logOf(site, wiki)).length
  const wrong = await edit(ann, wiki, page, lines('a { color: red }', 'b { background: url(//evil.example/x) }', '@import "x";'))
  t.deepEqual(reasonOf(wrong), [415, 'SPECIAL_ERRORS'])
  const [address, ...others] = wrong.at('special_errors') as readonly string[]
  t.regex(String(address), /^line 2: .*only images of the subsite/)
  t.true(others.length > 0)
  const over = await edit(ann, wiki, page, `/*${'x'.repeat(102_400)}*/`)
  t.like(over.body, { reason: 'CONTENT_LENGTH_ERROR', max_length: 102_400 })
  t.true(await unchanged(site, async () => edit(ann, wiki, page, String(await textOf(site, wiki, page)))), 'the same text')
  t.is((await logOf(site, wiki)).length, before)

  await done(ann, `/s/${wiki}/api/wiki/revert`, { page, revision: base })
  t.is(await published(), 'a{color:red}b{color:green}')
  const pot = await uploadTo(ann, wiki, { name: 'pot' }, await picture())
  t.deepEqual(pot.at('errors'), [])
  t.is((await edit(ann, wiki, page, 'a { background: url(%%pot%%) }')).status, 200)
  const [shown] = await revisionsOf(site, wiki, page)
  t.is((await edit(ann, wiki, page, '')).status, 200)
  t.is(await published(), null, 'an empty text takes the stylesheet away')
  await done(ann, `/s/${wiki}/api/delete_sr_img`, { img_name: 'pot' })
  t.deepEqual(reasonOf(await ann.post(`/s/${wiki}/api/wiki/revert`, { page, revision: String(shown?.id) })), [403, 'INVALID_CSS'])
  const entries = (await logOf(site, wiki)).filter((line) => line.includes('wikirevise'))
  t.deepEqual(
    entries
      .slice(0, -1)
      .toReversed()
      .map((line) => line.replace(/back \d+ \w+/, 'back')),
    [
      'ann wikirevise - Updated subsite stylesheet calmer',
      ...Array.from({ length: 1 }, () => 'ann wikirevise - Updated subsite stylesheet'),
      'ann wikirevise - Updated subsite stylesheet reverted back',
      ...Array.from({ length: 2 }, () => 'ann wikirevise - Updated subsite stylesheet'),
    ],
  )
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

test.serial('wiki bans, wiki contributors and deleted accounts affect who may edit and whose names are shown', async (t) => {
  const { site, ann, bob } = cast
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

  const eve = await site.register('eve')
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
