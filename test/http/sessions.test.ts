import { MAX_SESSIONS_PER_ACCOUNT } from '../../src/auth/sessions.ts'
import { hashOf, MAX_REFRESH_TOKENS_PER_ACCOUNT } from '../../src/auth/tokens.ts'
import { type Cast, newcomer, startCast } from '../support/cast.ts'
import { type Caller, callerAt, type TestSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(['bob', 'gus', 'hal']))

const name = async (caller: Caller) => (await caller.get('/api/me.json')).at('data.name')

type Listed = { readonly id: string; readonly current: boolean; readonly agent: string }

/** Three sessions of a new account, what the first of them reads of all, and the id of the second. */
const three = async (site: TestSite) => {
  const who = await newcomer(site)
  const [here, second, third] = [await who.session(), await who.session(), await who.session()]
  const listed = (await here.get('/api/v1/me/sessions')).body as readonly Listed[]
  return { who, here, second, third, listed, id: listed[listed.findIndex(({ current }) => current) + 1]?.id ?? '' }
}

test.serial('sessions can be listed with the present one and their agents, but not their cookies, and by no app', async (t) => {
  const { who, here, listed } = await three(t.context.site)
  const [own, other, ...more] = [...listed].sort((a, b) => Number(b.current) - Number(a.current))
  t.deepEqual([own?.current, other?.current, more.some(({ current }) => current)], [true, false, false])
  t.not(own?.agent, '')
  t.notRegex(JSON.stringify(listed), new RegExp(here.cookie.slice(here.cookie.indexOf('=') + 1)))
  t.is((await who.get('/api/v1/me/sessions')).status, 400)
})

test.serial('a session can be ended by its account only', async (t) => {
  const { site, bob } = t.context
  const { who, here, second, third, id } = await three(site)
  t.is((await (await bob.session()).request('DELETE', `/api/v1/me/sessions?id=${id}`)).status, 404)
  t.is(await name(second), who.name)
  t.is((await here.request('DELETE', `/api/v1/me/sessions?id=${id}`)).status, 204)
  t.is(await name(second), undefined)
  t.is(await name(third), who.name)
})

test.serial('all sessions but the present one can be ended at once', async (t) => {
  const { who, here, second, third } = await three(t.context.site)
  t.deepEqual([await name(second), await name(third)], [who.name, who.name])
  t.is((await here.request('DELETE', '/api/v1/me/sessions')).status, 204)
  t.deepEqual([await name(second), await name(third)], [undefined, undefined])
  t.is(await name(here), who.name)
})

/** A session of bob's, and requests with its cookie but no modhash. */
const withoutModhash = async ({ site, bob }: Cast<'bob'>) => {
  const { cookie, modhash } = await bob.session()
  return { modhash, bare: callerAt(site.url, { Cookie: cookie }) }
}

test.serial('a session is ended by logging out, which removes its cookie and redirects to the page asked for', async (t) => {
  const { modhash, bare } = await withoutModhash(t.context)
  const ended = await bare.post('/logout', { uh: modhash, dest: '/s/tea?sort=new' })
  t.is(ended.status, 302)
  t.is(ended.headers.get('location'), '/s/tea?sort=new')
  t.regex(ended.headers.getSetCookie()[0] ?? '', /^rostra_session=; .*Max-Age=0/)
  t.is(await name(bare), undefined)
})

test.serial('a session is not ended without its modhash, nor by reading the page of logging out', async (t) => {
  const { bare } = await withoutModhash(t.context)
  t.is((await bare.post('/logout')).status, 403)
  t.is((await bare.get('/logout?dest=/s/tea')).headers.get('location'), '/s/tea')
  t.is(await name(bare), 'bob')
})

test.serial('logging out redirects only within this site', async (t) => {
  for (const dest of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '\\/evil',
    '/%09/evil\t',
    '/a\r\nX: y',
    'javascript:x',
    '',
  ])
    t.is((await t.context.site.get(`/logout?dest=${encodeURIComponent(dest)}`)).headers.get('location'), '/', dest)
})

const subscribe = { action: 'sub', sr: 't4_0' }

test.serial('a session needs its own modhash for every change; a token needs none', async (t) => {
  const { bob, gus } = t.context
  const { bare } = await withoutModhash(t.context)
  const other = await gus.session()
  for (const uh of [undefined, '', 'nonsense', other.modhash])
    t.is((await bare.post('/api/subscribe', { ...subscribe, uh })).status, 403, uh)
  t.is((await bare.post('/api/v1/apps', { name: 'x', app_type: 'script', redirect_uri: 'http://localhost' })).status, 403)
  t.is((await bob.post('/api/subscribe', subscribe)).status, 404)
})

test.serial('a modhash is read from the header, or else, if that is empty, from the body or the query', async (t) => {
  const { modhash, bare } = await withoutModhash(t.context)
  t.is((await bare.post('/api/subscribe', subscribe, { 'X-Modhash': modhash })).status, 404)
  t.is((await bare.post('/api/subscribe', { ...subscribe, uh: modhash })).status, 404)
  t.is((await bare.post(`/api/subscribe?uh=${modhash}`, subscribe)).status, 404)
  t.is((await bare.post('/api/subscribe', { ...subscribe, uh: modhash }, { 'X-Modhash': '' })).status, 404)
  t.is((await bare.post('/api/subscribe', { ...subscribe, uh: modhash }, { 'X-Modhash': 'wrong' })).status, 403)
})

test.serial('an account has a limited number of sessions; the oldest end', async (t) => {
  const { site, hal } = t.context
  const { sessions } = site.running.app
  const first = await hal.session()
  for (let n = 0; n < MAX_SESSIONS_PER_ACCOUNT; n++) await sessions.create(hal.id, false)
  t.is((await sessions.list(hal.id)).length, MAX_SESSIONS_PER_ACCOUNT)
  t.is(await name(first), undefined)
})

test.serial('an account has a limited number of refresh tokens; the oldest end, with their access tokens', async (t) => {
  const { site, gus } = t.context
  const { tokens, vault } = site.running.app
  const client = String((await vault.list('access', gus.id)).map(({ value }) => (value as { client: string }).client)[0])
  const grant = { account: gus.id, client, scopes: ['read'], subsites: null, refresh: null } as const
  const oldest = await tokens.issueRefresh(grant)
  const access = await tokens.issue({ ...grant, refresh: hashOf(oldest) })
  for (let n = 0; n < MAX_REFRESH_TOKENS_PER_ACCOUNT; n++) await tokens.issueRefresh(grant)
  t.is((await vault.list('refresh', gus.id)).length, MAX_REFRESH_TOKENS_PER_ACCOUNT)
  t.is(await tokens.findRefresh(oldest), undefined)
  t.is(await tokens.find(access), undefined)
})

/** A refresh token of bob's app reader for a new account, and a session of that account. */
const granting = async ({ site, bob }: Cast<'bob'>) => {
  const who = await newcomer(site)
  const { tokens } = site.running.app
  const app = await bob.post('/api/v1/apps', { name: 'reader', app_type: 'web', redirect_uri: 'https://reader.example/' })
  const client = String(app.at('client_id'))
  const token = await tokens.issueRefresh({ account: who.id, client, scopes: ['read', 'vote'], subsites: null, refresh: null })
  return { who, here: await who.session(), tokens, client, token }
}

test.serial('the apps that an account granted access to can be listed', async (t) => {
  const { here, client } = await granting(t.context)
  const grants = (await here.get('/api/v1/me/grants')).body as readonly { client_id: string }[]
  t.like(
    grants.find(({ client_id }) => client_id === client),
    { name: 'reader', scopes: ['read vote'], permanent: true },
  )
})

test.serial('what an account granted to an app can be revoked by that account only; that of another app stays', async (t) => {
  const { bob } = t.context
  const { who, here, tokens, client, token } = await granting(t.context)
  t.is((await here.request('DELETE', '/api/v1/me/grants?client_id=unknown')).status, 404)
  t.is((await (await bob.session()).request('DELETE', `/api/v1/me/grants?client_id=${client}`)).status, 404)
  t.truthy(await tokens.findRefresh(token))
  t.is((await here.request('DELETE', `/api/v1/me/grants?client_id=${client}`)).status, 204)
  t.is(await tokens.findRefresh(token), undefined)
  t.is((await who.get('/api/v1/me')).status, 200)
})
