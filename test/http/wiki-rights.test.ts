import test from 'ava'
import { five, startCast } from '../support/cast.ts'
import { appoint, done } from '../support/community.ts'
import { settle, submit } from '../support/posting.ts'
import { edit, openWikis, reasonOf, textOf } from '../support/wiki.ts'

const cast = await startCast(five, { homeSubsite: 'home' })
const newWiki = openWikis(cast.ann)
test.after.always(() => cast.site.stop())

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
