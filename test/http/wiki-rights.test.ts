import test from 'ava'
import { five, startCast } from '../support/cast.ts'
import { appoint, postForm } from '../support/community.ts'
import { interpose } from '../support/interpose.ts'
import { settle, submit } from '../support/posting.ts'
import { edit, openWikis, reasonOf, textOf } from '../support/wiki.ts'

const cast = await startCast(five, { homeSubsite: 'home' })
const newWiki = openWikis(cast.ann)
test.after.always(() => cast.site.stop())

test.serial('a disabled wiki is visible only to who moderates it, with the permission wiki or as an admin', async (t) => {
  const { site, ann, bob, carol, root } = cast
  const wiki = await newWiki({ wikimode: 'disabled' })
  await appoint(ann, wiki, carol, '+posts')
  t.is((await edit(ann, wiki, 'index', 'x')).status, 200)
  for (const who of [site, bob, carol]) {
    for (const path of ['index', 'pages', 'revisions', 'revisions/index', 'discussions/index', 'config/sidebar'])
      t.deepEqual(reasonOf(await who.get(`/s/${wiki}/wiki/${path}`)), [403, 'WIKI_DISABLED'], path)
  }
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}+unknown/wiki/pages`)), [403, 'WIKI_DISABLED'])
  t.deepEqual(reasonOf(await edit(bob, wiki, 'index', 'y')), [403, 'WIKI_DISABLED'])
  for (const who of [ann, root]) t.is(await textOf(who, wiki, 'index'), 'x')
})

test.serial('all, friends and mod, which are no subsites, have no wiki', async (t) => {
  const { site, ann } = cast
  for (const path of ['/s/all/wiki/index', '/s/friends/wiki/index', '/s/mod/wiki/pages'])
    t.deepEqual(reasonOf(await site.get(path)), [404, 'NOT_WIKIABLE'], path)
  t.deepEqual(reasonOf(await ann.post('/s/all/api/wiki/edit', { page: 'index', content: 'x' })), [404, 'NOT_WIKIABLE'])
})

test.serial('every address of the wiki of a private subsite is refused to outsiders', async (t) => {
  const { site, ann, bob } = cast
  const wiki = await newWiki({ type: 'private' })
  await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page: 'index', content: 'secret words' })
  for (const who of [site, bob]) {
    for (const path of ['index', 'pages', 'revisions', 'revisions/index', 'discussions/index', 'settings/index'])
      t.is((await who.get(`/s/${wiki}/wiki/${path}`)).status, 403, path)
  }
  t.is((await edit(bob, wiki, 'index', 'y')).status, 403)
})

test.serial('in the mode modonly only moderators of the wiki make and edit pages, in the mode anyone everybody', async (t) => {
  const { ann, bob, carol } = cast
  const wiki = await newWiki({ wikimode: 'modonly' })
  await appoint(ann, wiki, carol, '+wiki')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'x')), [404, 'PAGE_NOT_FOUND'])
  t.is((await edit(carol, wiki, 'leaves', 'x')).status, 200)
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  await settle(ann, String((await ann.get(`/s/${wiki}/about`)).at('data.name')), { wikimode: 'anyone' })
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200)
})

test.serial('an edit is refused if the page is closed to its author just before the edit is recorded', async (t) => {
  const { site, ann, bob } = cast
  const wiki = await newWiki()
  await postForm(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'x' })
  const level = (permlevel: number) => postForm(ann, `/s/${wiki}/wiki/settings/leaves`, { permlevel, listed: true })
  interpose(site, 'before', 'wikipage', () => level(1))
  t.is((await edit(bob, wiki, 'leaves', 'closed')).status, 403)
  const editor = (act: 'add' | 'del') => postForm(ann, `/s/${wiki}/api/wiki/alloweditor/${act}`, { page: 'leaves', username: 'bob' })
  await editor('add')
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200)
  interpose(site, 'before', 'wikipage', () => editor('del'))
  t.is((await edit(bob, wiki, 'leaves', 'z')).status, 403)
  t.is(await textOf(ann, wiki, 'leaves'), 'y')
})

/** A wiki that everybody may edit, with a page that bob, who has just joined, wrote; and what changes its settings. */
const openToAll = async () => {
  const { ann, bob } = cast
  const wiki = await newWiki()
  await postForm(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'x' })
  const id = String((await ann.get(`/s/${wiki}/about`)).at('data.name'))
  const change = (settings: Readonly<Record<string, string | number>>) => settle(ann, id, { wikimode: 'anyone', ...settings })
  return { wiki, change }
}

test.serial('who has less karma than wiki_edit_karma cannot edit', async (t) => {
  const { bob, dave } = cast
  const { wiki, change } = await openToAll()
  await change({ wiki_edit_karma: 1 })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  await postForm(dave, '/api/vote', { id: await submit(bob, wiki), dir: 1 })
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200)
})

test.serial('an account of fewer days than wiki_edit_age cannot edit', async (t) => {
  const { bob } = cast
  const { wiki, change } = await openToAll()
  await change({ wiki_edit_age: 1 })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  await change({ wiki_edit_age: 0 })
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200)
})

test.serial('who may not submit to a subsite cannot edit its wiki', async (t) => {
  const { bob } = cast
  const { wiki, change } = await openToAll()
  await change({ type: 'restricted' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
})

test.serial('who is banned from a subsite can neither edit nor make pages of its wiki, but read them', async (t) => {
  const { ann, bob } = cast
  const { wiki } = await openToAll()
  await postForm(ann, `/s/${wiki}/api/friend`, { type: 'banned', name: 'bob', api_type: 'json' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  t.deepEqual(reasonOf(await edit(bob, wiki, 'other', 'y')), [404, 'PAGE_NOT_FOUND'])
  t.is(await textOf(bob, wiki, 'leaves'), 'x')
})

test.serial('without an account nobody can edit a wiki, also one open to everybody', async (t) => {
  const { wiki } = await openToAll()
  t.deepEqual(reasonOf(await edit(cast.site, wiki, 'leaves', '')), [403, 'USER_REQUIRED'])
})

test.serial('the list of pages contains those that are listed and visible to the viewer, by name', async (t) => {
  const { site, ann, bob } = cast
  const wiki = await newWiki()
  for (const page of ['b', 'a/b', 'a', 'hidden', 'unlisted']) await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page, content: page })
  await postForm(ann, `/s/${wiki}/wiki/settings/hidden`, { permlevel: 2, listed: true })
  await postForm(ann, `/s/${wiki}/wiki/settings/unlisted`, { permlevel: 0, listed: false })
  const shown = ['a', 'a/b', 'b', 'config/description', 'config/sidebar', 'config/submit_text']
  for (const who of [site, bob]) t.deepEqual((await who.get(`/s/${wiki}/wiki/pages`)).body, { kind: 'wikipagelisting', data: shown })
  t.deepEqual((await ann.get(`/s/${wiki}/wiki/pages`)).at('data'), [...shown, 'hidden'])
  t.is(await textOf(site, wiki, 'unlisted'), 'unlisted')
})

test.serial('restricted pages are made by admins and edited by moderators, and not visible to others', async (t) => {
  const { ann, bob, root } = cast
  const wiki = await newWiki()
  const refused = async (page: string) => reasonOf(await edit(bob, wiki, page, 'y'))
  for (const page of ['special/x', 'config/other', 'config/automoderator']) t.deepEqual(await refused(page), [403, 'RESTRICTED_PAGE'], page)
  t.is((await edit(root, wiki, 'special/x', 'x')).status, 200, 'admins make restricted pages')
  t.deepEqual(await refused('special/x'), [403, 'RESTRICTED_PAGE'])
  t.is((await edit(ann, wiki, 'special/x', 'y')).status, 200, 'and moderators edit them')
  t.deepEqual(reasonOf(await bob.get(`/s/${wiki}/wiki/discussions/special/x`)), [403, 'RESTRICTED_PAGE'])
  t.is((await ann.get(`/s/${wiki}/wiki/discussions/special/x`)).status, 200)
})

test.serial('who does not moderate a wiki cannot edit the pages of settings', async (t) => {
  const { bob } = cast
  const wiki = await newWiki()
  t.deepEqual(reasonOf(await edit(bob, wiki, 'config/stylesheet', 'y')), [403, 'PAGE_CREATED_ELSEWHERE'])
  t.deepEqual(reasonOf(await edit(bob, wiki, 'config/sidebar', 'y')), [403, 'MAY_NOT_REVISE'])
})

test.serial('config/automoderator is made by moderators and shown to them only, as typed', async (t) => {
  const { site, ann } = cast
  const wiki = await newWiki()
  t.is((await edit(ann, wiki, 'config/automoderator', 'type: link')).status, 200)
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/config/automoderator`)), [403, 'MAY_NOT_VIEW'])
  t.is(
    (await ann.get(`/s/${wiki}/wiki/config/automoderator?raw_json=1`)).at('data.content_html'),
    '<div class="md wiki"><pre><code>type: link</code></pre>\n</div>',
  )
})

/** A wiki that only moderators and contributors edit, bob being one of these; and what relates bob to it otherwise. */
const contributing = async () => {
  const wiki = await newWiki({ wikimode: 'modonly' })
  const relate = (act: string, type: string) => postForm(cast.ann, `/s/${wiki}/api/${act}`, { type, name: 'bob', api_type: 'json' })
  await relate('friend', 'wikicontributor')
  return { wiki, relate }
}

test.serial('a wiki contributor can edit where others cannot', async (t) => {
  const { bob } = cast
  const { wiki, relate } = await contributing()
  t.is((await edit(bob, wiki, 'leaves', 'x')).status, 200)
  await relate('unfriend', 'wikicontributor')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
})

test.serial('a wiki ban takes the right to edit from a contributor, but not that to read', async (t) => {
  const { bob } = cast
  const { wiki, relate } = await contributing()
  t.is((await edit(bob, wiki, 'leaves', 'x')).status, 200)
  await relate('friend', 'wikibanned')
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  t.is(await textOf(bob, wiki, 'leaves'), 'x')
  await relate('unfriend', 'wikibanned')
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200)
})
