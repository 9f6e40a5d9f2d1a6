import test from 'ava'
import { five, startCast } from '../support/cast.ts'
import { appoint, dataOf, logOf, postForm, recordsNothing } from '../support/community.ts'
import { edit, openWikis, reasonOf, textOf } from '../support/wiki.ts'

const cast = await startCast(five)
const newWiki = openWikis(cast.ann)
test.after.always(() => cast.site.stop())

/** A wiki that carol moderates, with a page of bob's; its settings, and who of carol's editors may edit it. */
const pageOfBob = async () => {
  const { ann, bob, carol } = cast
  const wiki = await newWiki()
  await appoint(ann, wiki, carol, '+wiki')
  await postForm(bob, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: 'x' })
  const settings = `/s/${wiki}/wiki/settings/leaves`
  const allow = (act: string, form: Readonly<Record<string, string>>) => carol.post(`/s/${wiki}/api/wiki/alloweditor/${act}`, form)
  return { wiki, settings, allow }
}

test.serial('only moderators with the permission wiki can read and change the settings of a page', async (t) => {
  const { site, bob, carol, dave } = cast
  const { wiki, settings } = await pageOfBob()
  t.deepEqual((await carol.get(settings)).body, { kind: 'wikipagesettings', data: { permlevel: 0, listed: true, editors: [] } })
  for (const who of [bob, dave]) {
    t.deepEqual(reasonOf(await who.get(settings)), [403, 'MOD_REQUIRED'])
    t.deepEqual(reasonOf(await who.post(settings, { permlevel: 1 })), [403, 'MOD_REQUIRED'])
    const refused = await who.post(`/s/${wiki}/api/wiki/alloweditor/add`, { page: 'leaves', username: 'dave' })
    t.deepEqual(reasonOf(refused), [403, 'MOD_REQUIRED'])
  }
  t.deepEqual(reasonOf(await site.get(settings)), [403, 'USER_REQUIRED'])
  for (const permlevel of ['', '3', '-1', 'x', '1.5'])
    t.deepEqual(reasonOf(await carol.post(settings, { permlevel, listed: true })), [403, 'INVALID_PERMLEVEL'], permlevel)
  t.deepEqual(reasonOf(await carol.post(`/s/${wiki}/wiki/settings/none`, { permlevel: 1 })), [404, 'PAGE_NOT_FOUND'])
})

test.serial('a page of level 1 can be edited by its editors and moderators only', async (t) => {
  const { site, bob, carol } = cast
  const { wiki, settings, allow } = await pageOfBob()
  const changed = await carol.post(settings, { permlevel: 1, listed: true })
  t.deepEqual(changed.body, { kind: 'wikipagesettings', data: { permlevel: 1, listed: true, editors: [] } })
  t.true(await recordsNothing(site, () => carol.post(settings, { permlevel: 1, listed: true })))
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'y')), [403, 'MAY_NOT_REVISE'])
  t.deepEqual((await allow('add', { page: 'leaves', username: 'Bob' })).body, {})
  t.true(await recordsNothing(site, () => allow('add', { page: 'leaves', username: 'bob' })))
  t.true(await recordsNothing(site, () => allow('del', { page: 'leaves', username: 'dave' })))
  t.deepEqual(reasonOf(await allow('add', { page: 'leaves', username: 'nobody' })), [404, 'UNKNOWN_USER'])
  t.deepEqual(reasonOf(await allow('add', { page: 'none', username: 'bob' })), [404, 'PAGE_NOT_FOUND'])
  t.is((await allow('other', { page: 'leaves', username: 'bob' })).status, 404)
  t.is((await edit(bob, wiki, 'leaves', 'y')).status, 200, 'an editor')
  t.is((await carol.get(settings)).at('data.editors.0.data.name'), 'bob')
  await allow('del', { page: 'leaves', username: 'bob' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'z')), [403, 'MAY_NOT_REVISE'])
})

test.serial('a page of level 2 can be viewed by moderators and admins only, and the public log does not name it', async (t) => {
  const { site, ann, bob, carol, root } = cast
  const { wiki, settings, allow } = await pageOfBob()
  await allow('add', { page: 'leaves', username: 'bob' })
  await postForm(carol, settings, { permlevel: 2 })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'z')), [403, 'MAY_NOT_VIEW'])
  for (const who of [site, bob]) {
    for (const path of ['leaves', 'revisions/leaves', 'discussions/leaves'])
      t.deepEqual(reasonOf(await who.get(`/s/${wiki}/wiki/${path}`)), [403, 'MAY_NOT_VIEW'], path)
    t.is((await who.get(`/s/${wiki}/wiki/revisions`)).text.includes('leaves'), false)
    const log = await who.get(`/s/${wiki}/about/log`)
    t.false(/leaves/i.test(log.text), 'nor does the log name it')
    t.is(dataOf(log).length, dataOf(await ann.get(`/s/${wiki}/about/log`)).length)
    t.false(/leaves/.test((await who.get(`/s/${wiki}/about/log.rss`)).text))
  }
  t.is(await textOf(root, wiki, 'leaves'), 'x')
  t.true((await logOf(carol, wiki)).some((line) => line.includes('leaves')))
})

test.serial('each change of the level, the listing or the editors of a page is a log entry', async (t) => {
  const { site, bob, carol } = cast
  const { wiki, settings, allow } = await pageOfBob()
  await postForm(carol, settings, { permlevel: 1, listed: true })
  await allow('add', { page: 'leaves', username: 'bob' })
  await postForm(carol, settings, { permlevel: 2 })
  await postForm(carol, settings, { permlevel: 1, listed: true })
  await allow('del', { page: 'leaves', username: 'bob' })
  const entries = (await logOf(site, wiki)).filter((line) => line.startsWith('carol wiki'))
  t.deepEqual(entries, [
    `carol wikipermlevel ${bob.id} alloweditor_del Page leaves`,
    'carol wikipermlevel - - Page leaves: level 2 to 1',
    'carol wikipagelisted - - Relisted page leaves',
    'carol wikipermlevel - - Page leaves: level 1 to 2',
    'carol wikipagelisted - - Delisted page leaves',
    `carol wikipermlevel ${bob.id} alloweditor_add Page leaves`,
    'carol wikipermlevel - - Page leaves: level 0 to 1',
  ])
})
