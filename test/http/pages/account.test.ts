import test from 'ava'
import { browserAs, browserOf, destinationOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { newcomer, startTea } from '../../support/cast.ts'
import { foundSubsite, submit } from '../../support/posting.ts'

const { site, ann, bob } = await startTea([])
const browser = browserOf(site)
test.after.always(() => site.stop())

/** Somebody with an account and a browser. */
const person = async () => {
  const user = await newcomer(site)
  return { user, browsing: await browserAs(site, user) }
}

test('preferences are changed by a form, those that it does not show stay, and a mistake is shown at its field', async (t) => {
  const { user, browsing } = await person()
  await user.request('PATCH', '/api/v1/me/prefs', { json: { newwindow: true, over_18: true } })
  const address = '/api/v1/me/prefs?form_method=PATCH'
  const form = { uh: browsing.modhash, form_page: '/prefs/options', dest: '/prefs/options?done=1' }
  const saved = await browsing.post(address, { ...form, numsites: '7', over_18: 'false', hide_ups: 'true', default_comment_sort: 'new' })
  t.deepEqual([saved.status, destinationOf(saved)], [303, '/prefs/options?done=1'])
  const now = await user.get('/api/v1/me/prefs')
  t.deepEqual(
    ['numsites', 'over_18', 'hide_ups', 'default_comment_sort', 'newwindow'].map((name) => now.at(name)),
    [7, false, true, 'new', true],
  )
  const page = await browsing.get(String(saved.headers.get('location')))
  t.regex(page.text, /role="status">Saved\.</)
  t.regex(page.text, /name="numsites"[^>]*value="7"/)
  t.regex(page.text, /name="hide_ups" value="true" checked/)
  const refused = await browsing.post(address, { ...form, numsites: 'many' })
  t.is(refused.status, 400)
  t.regex(refused.text, /name="numsites"[^>]*value="many" aria-invalid="true"/)
  t.deepEqual(await htmlProblems(refused.text), [])
})

test('a page says that something was done only to the session that did it, whatever a link says', async (t) => {
  const { user, browsing } = await person()
  const form = { uh: browsing.modhash, form_page: '/prefs/options', numsites: '7' }
  const address = '/api/v1/me/prefs?form_method=PATCH'
  const saysSo = async (who: typeof browser, page: string) => (await who.get(page)).text.includes('role="status"')
  const others = [browser, await browserAs(site, bob), await browserAs(site, user)]
  for (const dest of ['/prefs/options?done=1', '/s/tea?limit=5&reported=1', '/s/tea?done=1#page']) {
    const forged = [dest, dest.replace('=1', ''), dest.replace('=1', '=')]
    for (const page of forged) for (const who of [browsing, ...others]) t.false(await saysSo(who, page), page)
    const led = String((await browsing.post(address, { ...form, dest })).headers.get('location'))
    t.true(await saysSo(browsing, led), led)
    for (const who of others) t.false(await saysSo(who, led), led)
  }
  const seen = '/s/tea?reported=1'
  t.is((await browsing.post(address, { ...form, form_page: seen })).headers.get('location'), seen, 'a forged page that an act was on')
  const other = '/s/tea?done=12&undone=1'
  t.is((await browsing.post(address, { ...form, dest: other })).headers.get('location'), other)
})

test('a page act needs the modhash of its own session, this site, and an endpoint that allows it', async (t) => {
  const { user, browsing } = await person()
  const other = await browserAs(site, bob)
  const act = '/api/v1/me/prefs?form_method=PATCH'
  for (const uh of ['', 'wrong', other.modhash]) t.is((await browsing.post(act, { uh, numsites: '9' })).status, 403)
  t.is((await browser.post(act, { uh: browsing.modhash, numsites: '9' })).status, 401)
  t.is((await browsing.post(act, { uh: browsing.modhash, numsites: '9' }, { 'Sec-Fetch-Site': 'cross-site' })).status, 403)
  const asked = { uh: browsing.modhash, sr: 'tea', title: 'x' }
  t.is((await browsing.post('/api/site_admin?form_method=POST', asked)).status, 405, 'a form calls it without help')
  t.is((await browsing.post('/api/v1/me/friends/ann?form_method=DELETE', { uh: browsing.modhash })).status, 405)
  for (const method of ['GET', 'PUT', 'nosuch', 'DELETE%20'])
    t.true([404, 405].includes((await browsing.post(`/api/v1/me/prefs?form_method=${method}`, { uh: browsing.modhash })).status), method)
  const program = await site.request('POST', act, { form: { uh: browsing.modhash, numsites: '9' } })
  t.is(program.status, 405, 'only a form of a browser stands for another request')
  const session = await browsing.request('PATCH', '/api/v1/me/prefs', { json: { numsites: 9 }, headers: { 'X-Modhash': browsing.modhash } })
  t.is(session.status, 401, 'a program with a session is no page')
  t.is((await user.get('/api/v1/me/prefs')).at('numsites'), 25)
})

test('an app shows its secret once, is used with it, and its grants are revoked', async (t) => {
  const { user, browsing } = await person()
  const form = { uh: browsing.modhash, form_page: '/prefs/apps', app_type: 'script', description: '<b>loud</b>' }
  const wrong = await browsing.post('/api/v1/apps', { ...form, name: 'reader', redirect_uri: 'javascript:alert(1)' })
  t.true(wrong.status === 400 && /name="name"[^>]*value="reader"/.test(wrong.text))
  t.regex(wrong.text, /id="redirect_uri-about">[^<]+/)
  const made = await browsing.post('/api/v1/apps', { ...form, name: 'reader', redirect_uri: 'http://localhost/' })
  t.is(made.status, 201)
  t.true(isPage(made))
  t.is(made.headers.get('cache-control'), 'no-store')
  t.deepEqual(await htmlProblems(made.text), [])
  const [id = '', secret = ''] = [...made.text.matchAll(/<code>([\w-]+)<\/code>/g)].map(([, code = '']) => code)
  const page = await browsing.get('/prefs/apps')
  t.true(page.text.includes(id) && !page.text.includes(secret) && page.text.includes('&lt;b&gt;loud'))
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const grant = { grant_type: 'password', username: user.name, password: user.password }
  const token = await site.post('/api/v1/access_token', grant, { Authorization: authorization })
  t.is(token.status, 200, token.text)
  const back = { uh: browsing.modhash, dest: '/prefs/apps?done=1', form_page: '/prefs/apps', form_position: '1' }
  const revoked = await browsing.post('/api/v1/me/grants?form_method=DELETE', { ...back, client_id: id })
  t.is(revoked.status, 303)
  t.is((await site.get('/api/v1/me', { Authorization: `Bearer ${String(token.at('access_token'))}` })).status, 401)
  const gone = await Promise.all([1, 2].map(() => browsing.post(`/api/v1/apps/${id}?form_method=DELETE`, back)))
  t.deepEqual(
    gone.map(({ status }) => status),
    [303, 303],
    'a button that is pressed twice does it once',
  )
  t.false((await browsing.get('/prefs/apps')).text.includes(id))
  t.is((await (await browserAs(site, ann)).post(`/api/v1/apps/${id}?form_method=DELETE`, { ...back, uh: '' })).status, 403)
})

test('sessions end one by one or all but this one, and a password is changed without ever being shown', async (t) => {
  const { user, browsing } = await person()
  const elsewhere = await browserAs(site, user)
  const third = await browserAs(site, user)
  const page = await browsing.get('/prefs/sessions')
  const ids = [...page.text.matchAll(/name="id" value="([^"]+)"/g)].map(([, id = '']) => id)
  t.is(ids.length, 2)
  const form = { uh: browsing.modhash, form_page: '/prefs/sessions', dest: '/prefs/sessions?done=1' }
  t.is((await browsing.post('/api/v1/me/sessions?form_method=DELETE', { ...form, id: ids[0] ?? '' })).status, 303)
  const open = [(await elsewhere.get('/prefs/sessions')).status, (await third.get('/prefs/sessions')).status]
  t.deepEqual(open.toSorted(), [200, 403])
  t.is((await browsing.post('/api/v1/me/sessions?form_method=DELETE', form)).status, 303)
  t.is((await elsewhere.get('/prefs/sessions')).status, 403)
  t.is((await third.get('/prefs/sessions')).status, 403)
  const wrong = { ...form, curpass: 'not my password', newpass: 'another secret', verpass: 'another secret', invalidate_oauth: 'false' }
  const refused = await browsing.post('/api/update_password', wrong)
  t.true(refused.status >= 400 && isPage(refused))
  t.regex(refused.text, /id="curpass-about">[^<]+/)
  t.false(/not my password|another secret/.test(refused.text))
  t.is((await browsing.post('/api/update_password', { ...wrong, curpass: user.password })).status, 303)
  t.is((await browsing.get('/prefs/sessions')).status, 200, 'this session stays')
})

test('friends with notes, blocked accounts and multis are kept by forms', async (t) => {
  const { user, browsing } = await person()
  const uh = browsing.modhash
  const friends = {
    uh,
    form_page: '/prefs/friends',
    dest: '/prefs/friends?done=1',
    container: `t2_${String((await user.get('/api/v1/me')).at('id'))}`,
  }
  t.is((await browsing.post('/api/friend', { ...friends, type: 'friend', name: 'nosuchuser' })).status, 400)
  t.is((await browsing.post('/api/friend', { ...friends, type: 'friend', name: 'bob' })).status, 303)
  t.is((await browsing.post('/api/v1/me/friends/bob?form_method=PUT', { ...friends, note: 'makes <i>tea</i>' })).status, 303)
  t.regex((await browsing.get('/prefs/friends')).text, /id="note-bob"[^>]*value="makes &lt;i&gt;tea&lt;\/i&gt;"/)
  t.is((await browsing.post('/api/unfriend', { ...friends, type: 'friend', name: 'bob' })).status, 303)
  t.false((await browsing.get('/prefs/friends')).text.includes('note-bob'))

  await browsing.post('/api/block_user', { uh, name: 'bob' })
  t.true((await browsing.get('/prefs/blocked')).text.includes('/user/bob'))

  await foundSubsite(ann, 'coffee')
  const multi = { uh, form_page: '/prefs/multis', dest: '/prefs/multis?done=1', description_md: '', visibility: 'private' }
  const made = await browsing.post('/api/multi?form_method=POST', { ...multi, display_name: 'Hot drinks', subsites: 'tea, coffee' })
  t.is(made.status, 303, made.text)
  const wrong = await browsing.post('/api/multi?form_method=POST', { ...multi, display_name: 'Cold', subsites: 'nosuchsubsite' })
  t.true(wrong.status >= 400 && /name="subsites"[^>]*value="nosuchsubsite"/.test(wrong.text))
  const path = `/user/${user.name}/m/hot_drinks`
  t.true((await browsing.get('/prefs/multis')).text.includes(`href="${path}"`))
  const changed = { ...multi, display_name: 'Drinks', subsites: 'coffee' }
  t.is((await browsing.post(`/api/multi${path}?form_method=PUT`, changed)).status, 303)
  const now = await user.get(`/api/multi${path}`)
  t.deepEqual([now.at('data.display_name'), now.at('data.subreddits.0.name'), now.at('data.subreddits.1')], ['Drinks', 'coffee', undefined])
  t.true(
    (await (await browserAs(site, bob)).post(`/api/multi${path}?form_method=DELETE`, { uh: (await browserAs(site, bob)).modhash }))
      .status >= 400,
  )
  const onPageOf = async (who: Pick<typeof browser, 'get'>) => (await who.get(`/user/${user.name}`)).text.includes(`href="${path}"`)
  t.deepEqual([await onPageOf(browser), await onPageOf(browsing)], [false, true], 'a private multi is on its page for its owner alone')
  await browsing.post(`/api/multi${path}?form_method=PUT`, { ...changed, visibility: 'public' })
  t.true(await onPageOf(browser), 'a public one for everybody')
  t.is((await browsing.post(`/api/multi${path}?form_method=DELETE`, { ...multi, form_position: '1' })).status, 303)
  t.false((await browsing.get('/prefs/multis')).text.includes(path))
})

test('an account is deleted or erased on its own page, with its password alone', async (t) => {
  for (const act of ['delete', 'erase']) {
    const { user, browsing } = await person()
    const link = await submit(user, 'tea', { title: 'A farewell', text: 'So long' })
    const form = { uh: browsing.modhash, form_page: '/prefs/account' }
    t.false((await browsing.get('/prefs/account')).text.includes('name="dest"'))
    const refused = await browsing.post(`/api/${act}_user`, { ...form, passwd: 'not it' })
    t.true(refused.status >= 400 && refused.text.includes('Delete the account') && !refused.text.includes('value="not it"'))
    const done = await browsing.post(`/api/${act}_user`, { ...form, passwd: user.password })
    t.is(done.status, 200)
    t.deepEqual(await htmlProblems(done.text), [])
    t.true(done.text.includes('<h1>Your account is deleted</h1>') && done.text.includes('href="/login?dest='))
    t.is(done.text.includes('unreadable within minutes'), act === 'erase')
    t.regex(String(done.headers.get('set-cookie')), /^rostra_session=; .*Max-Age=0/)
    t.is(done.headers.get('cache-control'), 'no-store')
    t.is((await browsing.get('/prefs/account')).status, 403)
    const page = await browser.get(`/comments/${link.slice(3)}`)
    t.true(page.text.includes('[deleted]') || page.text.includes('[erased]'))
  }
})

test('the categories of saved things are links for their owner alone', async (t) => {
  const { user, browsing } = await person()
  const link = await submit(ann, 'tea')
  await user.post('/api/save', { id: link, category: 'to read' })
  const page = await browsing.get(`/user/${user.name}/saved`)
  const address = `/user/${user.name}/saved?category=to%20read`
  t.true(page.text.includes(`href="${address}"`))
  t.true((await browsing.get(address)).text.includes(`id="${link}"`))
  t.false((await browser.get(`/user/${user.name}`)).text.includes('to read'))
})

test('the button on the page of an account makes a friend, and ends the friendship', async (t) => {
  const { user, browsing } = await person()
  for (const isFriend of [true, false]) {
    const page = await browsing.get('/user/bob')
    const action = /formaction="(\/api\/(?:un)?friend[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    t.is((await browsing.post(action, { uh: browsing.modhash })).status, 303)
    t.is((await user.get('/prefs/friends')).text.includes('"bob"'), isFriend)
  }
})

test('preferences that are saved, changed and saved again from the page of before are as they were saved last', async (t) => {
  const user = await newcomer(site)
  const browsing = await browserAs(site, user)
  const form = { uh: browsing.modhash, form_page: '/prefs/options', form_position: '1' }
  for (const hide_ups of ['true', 'false', 'true']) {
    t.is((await browsing.post('/api/v1/me/prefs?form_method=PATCH', { ...form, hide_ups })).status, 303)
    t.is(String((await user.get('/api/v1/me/prefs')).at('hide_ups')), hide_ups)
  }
})
