import test from 'ava'
import { browserAs, browserHeaders, browserOf, isPage } from '../../support/browser-requests.ts'
import { newcomer, startTea } from '../../support/cast.ts'
import { appoint, eventually, postForm, waitUntilNumbered } from '../../support/community.ts'
import { submit } from '../../support/posting.ts'
import { callerAt, startSite, type User } from '../../support/site.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

// Sessions that were opened with rights that their accounts have no more.

const { site, ann, root, rex } = await startTea(['root', 'rex'], { admins: ['root', 'rex'] })
test.after.always(() => site.stop())

const queues = ['/s/tea/about/modqueue', '/s/tea/about/spam', '/about/modqueue', '/s/tea/about/banned', '/s/tea/about/edit']

/** Opens the pages of moderators three times, so that they are cached, and returns what they show. */
const warmUp = async (browsing: Awaited<ReturnType<typeof browserAs>>, t: { readonly is: (a: unknown, b: unknown, c: string) => void }) => {
  for (let n = 0; n < 3; n++) for (const path of queues) t.is((await browsing.get(path)).status, 200, path)
}

const appointed = async (): Promise<User> => {
  const user = await newcomer(site)
  await appoint(ann, 'tea', user, '+all')
  return user
}

test('the open session of a moderator who is removed, or suspended, shows no queue any more, cached or not, and decides nothing', async (t) => {
  const hidden = await submit(root, 'tea', { title: 'A secret crate', text: 'Behind the shelf.' })
  await postForm(ann, '/api/remove', { id: hidden })
  const ends = {
    removed: (user: User) => postForm(ann, '/s/tea/api/unfriend', { type: 'moderator', name: user.name }),
    suspended: (user: User) => postForm(root, '/api/suspend_user', { name: user.name }),
  }
  for (const [how, end] of Object.entries(ends)) {
    const user = await appointed()
    const browsing = await browserAs(site, user)
    await warmUp(browsing, t)
    t.true((await browsing.get('/s/tea/about/spam')).text.includes('A secret crate'), how)
    await end(user)
    for (const path of queues) {
      const page = await browsing.get(path)
      t.true(isPage(page), path)
      t.true(page.status === 403 || page.status === 404 || !/A secret crate|Behind the shelf/.test(page.text), `${how}: ${path}`)
    }
    await waitUntilNumbered(ann, 'tea')
    const before = (await ann.get('/s/tea/about/log')).text
    const refused = await browsing.post(`/api/approve?id=${hidden}`, { uh: browsing.modhash })
    t.true(refused.status >= 400, `${how}: ${refused.status}`)
    await browsing.post('/s/tea/about/modqueue', { uh: browsing.modhash, act: 'approve', [`pick.${hidden}`]: 'on' })
    t.is((await ann.get('/s/tea/about/log')).text, before, how)
  }
})

test('every page tells a suspended account so, and until when, and nobody else', async (t) => {
  const user = await newcomer(site)
  const browsing = await browserAs(site, user)
  t.notRegex((await browsing.get('/s/tea')).text, /is suspended/)
  await postForm(root, '/api/suspend_user', { name: user.name, duration: '3' })
  await eventually(async () => /This account is suspended until <time/.test((await browsing.get('/s/tea')).text))
  t.notRegex((await browserOf(site).get('/s/tea')).text, /is suspended/)
  t.notRegex((await browserOf(site).get(`/user/${user.name}`)).text, /This account is suspended/)
  await postForm(root, '/api/suspend_user', { name: user.name })
  await eventually(async () => /This account is suspended: it reads/.test((await browsing.get('/')).text))
})

test('a modhash of a session that ended is worth nothing, in that session or another of the account', async (t) => {
  const user = await newcomer(site)
  const first = await browserAs(site, user)
  const act = '/api/v1/me/prefs?form_method=PATCH'
  t.is((await first.post(act, { uh: first.modhash, numsites: '9' })).status, 303)
  t.is((await first.post('/logout', { uh: first.modhash })).status, 302)
  t.true((await first.post(act, { uh: first.modhash, numsites: '8' })).status >= 400)
  const second = await browserAs(site, user)
  t.is((await second.post(act, { uh: first.modhash, numsites: '8' })).status, 403)
  t.is((await user.get('/api/v1/me/prefs')).at('numsites'), 9)
})

test('a page act by GET, or with its method in the body, does nothing', async (t) => {
  const user = await newcomer(site)
  const browsing = await browserAs(site, user)
  const query = `numsites=9&uh=${browsing.modhash}`
  for (const path of [
    `/api/v1/me/prefs?form_method=PATCH&${query}`,
    `/prefs/options?form_method=PATCH&${query}`,
    `/api/v1/me/sessions?form_method=DELETE&${query}`,
  ])
    await browsing.get(path)
  await browsing.post('/api/v1/me/prefs', { uh: browsing.modhash, form_method: 'PATCH', numsites: '9' })
  t.is((await user.get('/api/v1/me/prefs')).at('numsites'), 25)
  t.is((await browsing.get('/prefs/options')).status, 200, 'the session goes on')
})

test('who is no admin any more sees no page for admins', async (t) => {
  const asRex = await browserAs(site, rex)
  for (let n = 0; n < 3; n++) t.is((await asRex.get('/admin/accounts?name=ann')).status, 200)
  await postForm(root, '/api/suspend_user', { name: 'rex' })
  await eventually(async () => (await asRex.get('/admin')).status === 403)
  for (const path of ['/admin', '/admin/accounts?name=ann', '/admin/log', '/message/reported'])
    t.is((await asRex.get(path)).status, 403, path)
  t.false((await asRex.get('/')).text.includes('href="/admin"'))
})

test('who was taken out of ADMINS before a restart has the open session still, and no page for admins in it', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await startTea(['max'], { directory, admins: ['max'] })
  const { cookie, modhash } = await before.max.session()
  const headers = { ...browserHeaders, Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }
  t.is((await callerAt(before.site.url, headers).get('/admin')).status, 200)
  await before.site.stop()
  const after = await startSite({ directory, admins: [] })
  t.teardown(() => after.stop())
  const asMax = callerAt(after.url, headers)
  t.true((await asMax.get('/')).text.includes(modhash), 'the session goes on')
  for (const path of ['/admin', '/admin/accounts?name=ann', '/admin/log', '/message/reported'])
    t.is((await asMax.get(path)).status, 403, path)
  t.is((await asMax.post('/api/suspend_user', { uh: modhash, name: 'ann' })).status, 403)
  t.false((await asMax.get('/')).text.includes('href="/admin"'))
})
