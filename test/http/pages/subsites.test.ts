import test from 'ava'
import { permissionNames } from '../../../src/domain/moderators.ts'
import { permissionWords } from '../../../src/http/pages/permissions.ts'
import { browserAs, destinationOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { newcomer, startTea } from '../../support/cast.ts'
import { dataOf } from '../../support/community.ts'

const { site, ann, bob } = await startTea([])
const asAnn = await browserAs(site, ann)
const asBob = await browserAs(site, bob)
const sr = String((await ann.get('/s/tea/about')).at('data.name'))
test.after.always(() => site.stop())

const form = { uh: asAnn.modhash, form_page: '/s/tea/about/edit', sr }
const preview = `/s/tea/about/edit?form_preview=${encodeURIComponent('/api/site_admin')}`
const entries = async () => dataOf(await ann.get('/s/tea/about/log?limit=100')).length

test('the form of a moderator has each permission, in the order of the log', (t) => {
  t.deepEqual(Object.keys(permissionWords), [...permissionNames])
})

test.serial('settings are shown with what will change before anything is saved', async (t) => {
  const page = await asAnn.get('/s/tea/about/edit')
  t.regex(page.text, /formaction="\/s\/tea\/about\/edit\?form_preview=%2Fapi%2Fsite_admin">See what changes</)
  t.false(page.text.includes('>Save</button>'), 'nothing is saved unseen')
  const before = await entries()
  const typed = { ...form, title: 'Green <b>leaves</b>', description: 'One.\r\n\r\nTwo.', over_18: 'true', type: 'public' }
  const shown = await asAnn.post(preview, typed)
  t.is(shown.status, 200)
  t.is(shown.headers.get('cache-control'), 'no-store')
  t.deepEqual(await htmlProblems(shown.text), [])
  const rows = [...shown.text.matchAll(/<tr><th scope="row">([^<]+)<\/th>/g)].map(([, label]) => label)
  t.deepEqual(rows, ['Title', 'Text of the sidebar', 'For adults only'])
  t.regex(shown.text, /<ins>Green &lt;b&gt;leaves&lt;\/b&gt;<\/ins>.*<del>no<\/del><\/td><td><ins>yes<\/ins>/s)
  t.regex(shown.text, /name="title"[^>]*value="Green &lt;b&gt;leaves/)
  t.true(shown.text.includes('>Save</button>'))
  t.is(await entries(), before, 'a preview changes nothing')
  t.true((await asAnn.post(preview, { ...form, over_18: 'false' })).text.includes('Nothing changes.'))

  const saved = await asAnn.post('/api/site_admin', { ...typed, over_18: 'false', dest: '/s/tea/about/edit?done=1' })
  t.is(destinationOf(saved), '/s/tea/about/edit?done=1', saved.text)
  t.is((await ann.get('/s/tea/about?raw_json=1')).at('data.title'), 'Green <b>leaves</b>')
  t.is(await entries(), before + 2)
  const refused = await asAnn.post('/api/site_admin', { ...form, title: 'x'.repeat(101) })
  t.is(refused.status, 400)
  t.regex(refused.text, /id="title-about">[^<]+/)
})

test.serial('saving a form that shows the settings as they are changes nothing', async (t) => {
  await ann.post('/api/site_admin', { sr, description: 'One.\n\nTwo.', submit_text: 'Say\nwhy.' })
  const before = await entries()
  const saved = await asAnn.post('/api/site_admin', { ...form, description: 'One.\r\n\r\nTwo.', submit_text: 'Say\r\nwhy.' })
  t.is(saved.status, 303)
  t.is(await entries(), before)
})

test.serial('a form of settings leaves what another moderator changed meanwhile, and asks before it is overwritten', async (t) => {
  await ann.post('/api/site_admin', { sr, title: 'Tea', description: 'One.\n\nTwo.', over_18: false, type: 'public' })
  const expectedIn = (text: string) => /name="expected" value="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const expected = expectedIn((await asAnn.get('/s/tea/about/edit')).text)
  const shown = { ...form, expected, title: 'Tea', description: 'One.\r\n\r\nTwo.', over_18: 'false', type: 'public' }
  await ann.post('/api/site_admin', { sr, title: 'Leaves', description: 'Three.' })
  const before = await entries()

  const previewed = await asAnn.post(preview, { ...shown, over_18: 'true' })
  t.deepEqual(
    [...previewed.text.matchAll(/<tr><th scope="row">([^<]+)<\/th>/g)].map(([, label]) => label),
    ['For adults only'],
  )
  t.regex(previewed.text, /name="title"[^>]*value="Leaves"/, 'what was left is shown as it is by now')
  t.is(expectedIn(previewed.text), expectedIn((await asAnn.get('/s/tea/about/edit')).text))
  t.is((await asAnn.post('/api/site_admin', { ...shown, over_18: 'true' })).status, 303)
  t.is(await entries(), before + 1)
  t.like((await ann.get('/s/tea/about?raw_json=1')).at('data'), { title: 'Leaves', description: 'Three.', over18: true })

  const late = await asAnn.post('/api/site_admin', { ...shown, title: 'Pots' })
  t.is(late.status, 409)
  t.regex(late.text, /name="title"[^>]*value="Pots" aria-invalid="true"/)
  t.is((await ann.get('/s/tea/about?raw_json=1')).at('data.title'), 'Leaves')
  const again = { ...shown, title: 'Pots', description: 'Three.', over_18: 'true', expected: expectedIn(late.text) }
  t.is((await asAnn.post('/api/site_admin', again)).status, 303, 'its author has seen it now')
  t.like((await ann.get('/s/tea/about?raw_json=1')).at('data'), { title: 'Pots', description: 'Three.', over18: true })
  for (const broken of [
    '{',
    '[1]',
    'null',
    '7',
    '"x"',
    '{"title":{}}',
    '{"title":{"toString":1,"valueOf":1}}',
    '{"__proto__":{"title":1}}',
  ]) {
    const page = await asAnn.post(preview, { ...shown, expected: broken })
    t.is(page.status, 200, broken)
  }
})

test.serial('a preview is for the moderators of the subsite, from this site', async (t) => {
  const foreign = { ...form, uh: asBob.modhash, title: 'mine' }
  t.true((await asBob.post(preview, foreign)).status >= 400)
  t.is((await asAnn.post(preview, form, { 'Sec-Fetch-Site': 'cross-site' })).status, 403)
  const elsewhere = await asAnn.post(preview, { ...form, form_page: '//evil.example/x' })
  t.true(isPage(elsewhere) && elsewhere.status === 404)
  t.true((await asBob.post('/api/site_admin', foreign)).status >= 400)
})

test.serial('rules are made, changed, put in order and removed by forms', async (t) => {
  const to = (name: string, fields: Readonly<Record<string, string>>) =>
    asAnn.post(`/s/tea/api/${name}`, { uh: asAnn.modhash, form_page: '/s/tea/about/rules', ...fields })
  const names = async () =>
    ((await ann.get('/s/tea/about/rules')).at('rules') as { short_name: string }[]).map(({ short_name }) => short_name)
  for (const short_name of ['Be kind', 'Only, tea', '100 %'])
    t.is((await to('add_subsite_rule', { short_name, description: '', kind: 'all' })).status, 303)
  const page = await asAnn.get('/s/tea/about/rules')
  t.deepEqual(await htmlProblems(page.text), [])
  const orders = [...page.text.matchAll(/name="new_rule_order" value="([^"]+)"/g)].map(([, order = '']) => order)
  t.is(orders.length, 2, 'the first one cannot go up')
  t.is((await to('reorder_subsite_rules', { new_rule_order: orders[1] ?? '' })).status, 303)
  t.deepEqual(await names(), ['Be kind', '100 %', 'Only, tea'])
  t.is((await to('update_subsite_rule', { old_short_name: '100 %', short_name: 'All of it', description: 'x', kind: 'link' })).status, 303)
  t.is((await to('remove_subsite_rule', { short_name: 'Be kind' })).status, 303)
  t.deepEqual(await names(), ['All of it', 'Only, tea'])
  const refused = await to('add_subsite_rule', { short_name: 'Only, tea', description: 'again', kind: 'all' })
  t.true(refused.status >= 400 && refused.text.includes('>\nagain</textarea>'))
  const unnamed = await to('update_subsite_rule', { old_short_name: 'Only, tea', short_name: '', description: 'x', kind: 'link' })
  t.is(unnamed.status, 400)
  const folds = [...unnamed.text.matchAll(/<details class="changes"( open)?>(?:(?!<\/details>).)*<\/details>/gs)]
  t.deepEqual(
    folds.map(([text, open]) => [open !== undefined, text.includes('role="alert"')]),
    [
      [false, false],
      [true, true],
    ],
    'the form that was refused is open, and no other',
  )
  t.false((await asBob.get('/s/tea/about/rules')).text.includes('add_subsite_rule'), 'others have no forms')
})

test.serial('a form of a rule does not overwrite what another moderator changed meanwhile, until its author has seen it', async (t) => {
  const change = (description: string) =>
    ann.post('/s/tea/api/update_subsite_rule', { short_name: 'Quiet', old_short_name: 'Quiet', description, kind: 'all' })
  const text = async () =>
    ((await ann.get('/s/tea/about/rules?raw_json=1')).at('rules') as { short_name: string; description: string }[]).find(
      ({ short_name }) => short_name === 'Quiet',
    )?.description
  const hiddenIn = (page: string) => {
    const form = page.split('<form ').find((one) => one.includes('name="old_short_name" value="Quiet"')) ?? ''
    const hidden = Array.from(form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name, value = '']) => [
      name,
      value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    ])
    return Object.fromEntries(hidden)
  }
  await ann.post('/s/tea/api/add_subsite_rule', { short_name: 'Quiet', description: 'at <night> & "dawn"\r\nonly', kind: 'all' })
  const typed = { short_name: 'Quiet', description: 'mine', kind: 'all' }
  const send = (page: string) => asAnn.post('/s/tea/api/update_subsite_rule', { ...hiddenIn(page), ...typed })
  const before = (await asAnn.get('/s/tea/about/rules')).text
  t.is((await send(before)).status, 303)
  t.is(await text(), 'mine')
  const seen = (await asAnn.get('/s/tea/about/rules')).text
  await change('theirs')
  const late = await asAnn.post('/s/tea/api/update_subsite_rule', { ...hiddenIn(seen), ...typed, description: 'mine again' })
  t.is(late.status, 409)
  t.is(await text(), 'theirs')
  t.regex(late.text, />\s*mine again<\/textarea>/, 'nothing typed is lost')
  t.is((await send(late.text)).status, 303, 'its author has seen it now')
  t.is(await text(), 'mine')
})

test.serial('a moderator is invited with permissions, accepts, gets others, and steps down', async (t) => {
  const user = await newcomer(site)
  const browsing = await browserAs(site, user)
  const page = '/s/tea/about/moderators'
  const own = { uh: asAnn.modhash, form_page: page, form_may: '1', name: user.name }
  const boxes = { 'may.posts': 'on', 'may.wiki': 'on' }
  const invited = await asAnn.post('/s/tea/api/friend?form_method=POST', { ...own, type: 'moderator', ...boxes })
  t.is(invited.status, 303, invited.text)
  t.regex((await asAnn.get(page)).text, /would decide about posts and comments, the wiki</)
  t.is((await browsing.post('/s/tea/api/accept_moderator_invite', { uh: browsing.modhash, form_page: page })).status, 303)
  const seats = async () => (await ann.get(page)).at('data.children') as { name: string; mod_permissions: string[] }[]
  const seat = async () => (await seats()).find(({ name }) => name === user.name)?.mod_permissions
  t.deepEqual(await seat(), ['posts', 'wiki'])
  t.is((await asAnn.post('/s/tea/api/setpermissions?form_method=POST', { ...own, type: 'moderator' })).status, 303)
  t.deepEqual(await seat(), [], 'no box is no permission, never all')
  t.is((await asAnn.post('/s/tea/api/setpermissions?form_method=POST', { ...own, type: 'moderator', 'may.all': 'on' })).status, 303)
  t.deepEqual(await seat(), ['all'])
  const expectedIn = (text: string): string =>
    new RegExp(`name="name" value="${user.name}".*?name="expected" value="([^"]*)"`, 's').exec(text)?.[1] ?? 'none'
  const expected = expectedIn((await asAnn.get(page)).text)
  t.is(expected, '+all')
  const setting = (fields: Readonly<Record<string, string>>) =>
    asAnn.post('/s/tea/api/setpermissions?form_method=POST', { ...own, type: 'moderator', ...fields })
  t.is((await setting({ expected, 'may.wiki': 'on' })).status, 303)
  const late = await setting({ expected, 'may.all': 'on' })
  t.is(late.status, 409)
  t.regex(late.text, /<details class="changes" open><summary>[^<]*<\/summary><form.*?role="alert"/s, 'the reason is in sight')
  t.deepEqual(await seat(), ['wiki'])
  t.is((await setting({ expected: expectedIn(late.text), 'may.posts': 'on' })).status, 303)
  t.is((await browsing.post('/api/leavemoderator', { uh: browsing.modhash, id: sr, form_page: page })).status, 303)
  t.is(await seat(), undefined)
  const foreign = await asBob.post('/s/tea/api/friend?form_method=POST', { ...own, uh: asBob.modhash, type: 'moderator', 'may.all': 'on' })
  t.true(foreign.status >= 400)
})

test.serial('an account is banned with an end, and the ban is lifted, on its page', async (t) => {
  const user = await newcomer(site)
  const page = '/s/tea/about/banned'
  const own = { uh: asAnn.modhash, form_page: page, type: 'banned', name: user.name }
  t.is((await asAnn.post('/s/tea/api/friend', { ...own, duration: '3', note: 'watches <i>', ban_message: 'Enough.' })).status, 303)
  const shown = await asAnn.get(page)
  t.regex(shown.text, new RegExp(`/user/${user.name}">.*until 20\\d\\d-.*watches &lt;i&gt;.*Lift the ban`, 's'))
  t.is((await asAnn.post('/s/tea/api/unfriend', own)).status, 303)
  t.false((await asAnn.get(page)).text.includes(user.name))
  t.is((await asBob.get(page)).status, 403)
  const refused = await asAnn.post('/s/tea/api/friend', { ...own, duration: 'long' })
  t.true(refused.status >= 400 && /name="duration"[^>]*value="long"/.test(refused.text))
})

test.serial('a form that replaces something saves it each time, also from a page of before, and the same twice at once', async (t) => {
  const shown =
    (await asAnn.get('/s/tea/about/flair')).text.split('<form ').find((one) => one.includes('action="/s/tea/api/flairconfig"')) ?? ''
  const hidden = Object.fromEntries(
    Array.from(shown.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name, value]) => [name, value]),
  )
  for (const flair_position of ['left', 'right', 'left']) {
    const save = () => asAnn.post('/s/tea/api/flairconfig', { ...hidden, flair_enabled: 'true', flair_position, link_flair_position: '' })
    const saved = await Promise.all([save(), save()])
    t.deepEqual(
      saved.map(({ status }) => status),
      [303, 303],
    )
    const now = (await asAnn.get('/s/tea/about/flair')).text
    t.is(/name="flair_position" value="(\w+)" checked/.exec(now)?.[1], flair_position)
  }
})

test.serial('a form of settings keeps a text as it is that an app stored with other line ends', async (t) => {
  await ann.post('/api/site_admin', { sr, title: 'Tea', description: 'One.\r\nTwo.' })
  const before = await entries()
  const expected = JSON.stringify({ description: 'One.\r\nTwo.', title: 'Tea' })
  const typed = { ...form, expected, title: 'Tea', description: 'One.\r\nTwo.' }
  t.true((await asAnn.post(preview, typed)).text.includes('Nothing changes.'))
  t.is((await asAnn.post('/api/site_admin', typed)).status, 303)
  t.is(await entries(), before)
  t.is((await asAnn.post('/api/site_admin', { ...typed, description: 'One.\r\nThree.' })).status, 303)
  t.is((await ann.get('/s/tea/about?raw_json=1')).at('data.description'), 'One.\nThree.')
})

test.serial('who is approved, and then is not, is approved again by the form of a page of before, once by two clicks', async (t) => {
  const address = '/s/tea/about/contributors'
  const hiddenOf = async (action: string) => {
    const shown = (await asAnn.get(address)).text.split('<form ').find((one) => one.includes(`action="/s/tea/api/${action}"`)) ?? ''
    return Object.fromEntries(Array.from(shown.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name, value]) => [name, value]))
  }
  const added = { ...(await hiddenOf('friend')), name: 'bob' }
  const send = async (action: string, fields: Readonly<Record<string, string>>) => {
    const sent = () => asAnn.post(`/s/tea/api/${action}`, fields)
    for (const { status } of await Promise.all([sent(), sent()])) t.is(status, 303)
    return (await ann.get(address)).text.includes('"bob"')
  }
  const before = await entries()
  t.true(await send('friend', added))
  const ended = await hiddenOf('unfriend')
  for (const isApproved of [false, true, false])
    t.is(await send(isApproved ? 'friend' : 'unfriend', isApproved ? added : ended), isApproved)
  t.is(await entries(), before + 4)
})

test.serial('a form of the settings of a wiki page does not overwrite what another moderator changed meanwhile', async (t) => {
  const address = '/s/tea/wiki/settings/pots'
  await ann.post('/s/tea/api/wiki/edit', { page: 'pots', content: 'of iron' })
  const expectedIn = (page: string) => /name="expected" value="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const typed = { uh: asAnn.modhash, form_page: address, permlevel: '0', listed: 'false' }
  const expected = expectedIn((await asAnn.get(address)).text)
  t.is((await ann.post(address, { permlevel: '2', listed: 'true' })).status, 200)
  const late = await asAnn.post(address, { ...typed, expected })
  t.is(late.status, 409)
  const settings = async () => (await ann.get(address)).at('data')
  t.like(await settings(), { permlevel: 2, listed: true }, 'a page for moderators alone stays one')
  t.is((await asAnn.post(address, { ...typed, expected: expectedIn(late.text) })).status, 303, 'its author has seen it now')
  t.like(await settings(), { permlevel: 0, listed: false })
  t.is((await asAnn.post(address, { ...typed, expected })).status, 303, 'nothing would change')
})
