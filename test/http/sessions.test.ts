import { MOST_SESSIONS } from '../../src/auth/sessions.ts'
import { hashOf, MOST_REFRESH_TOKENS } from '../../src/auth/tokens.ts'
import { startCast } from '../support/cast.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

// each test looks at the sessions of an account of its own
const people = ['bob', 'gus', 'hal', 'ida'] as const
const test = testOn(() => startCast(people))

const name = async (caller: Caller) => (await caller.get('/api/me.json')).at('data.name')

test.serial('sessions can be listed, and ended one by one or all but the present one', async (t) => {
  const { bob, gus } = t.context
  const [here, second, third] = [await gus.session(), await gus.session(), await gus.session()]
  const listed = (await here.get('/api/v1/me/sessions')).body as readonly { id: string; current: boolean; agent: string }[]
  const [own, other, ...more] = [...listed].sort((a, b) => Number(b.current) - Number(a.current))
  t.deepEqual([own?.current, other?.current, more.some(({ current }) => current)], [true, false, false])
  t.not(own?.agent, '')
  t.notRegex(JSON.stringify(listed), new RegExp(here.cookie.slice(here.cookie.indexOf('=') + 1)))
  const id = listed[listed.findIndex(({ current }) => current) + 1]?.id ?? ''
  t.is((await (await bob.session()).request('DELETE', `/api/v1/me/sessions?id=${id}`)).status, 404, 'not theirs to end')
  t.is(await name(second), 'gus')
  t.is((await here.request('DELETE', `/api/v1/me/sessions?id=${id}`)).status, 204)
  t.is(await name(second), undefined)
  t.is(await name(third), 'gus')
  t.is((await here.request('DELETE', '/api/v1/me/sessions')).status, 204)
  t.is(await name(third), undefined)
  t.is(await name(here), 'gus')
  t.is((await gus.get('/api/v1/me/sessions')).status, 400, 'no app reads them')
})

test.serial('an account has a limited number of sessions and refresh tokens; the oldest end', async (t) => {
  const { site, hal } = t.context
  const { sessions, tokens, vault } = site.running.app
  const first = await hal.session()
  for (let n = 0; n < MOST_SESSIONS; n++) await sessions.create(hal.id, false)
  t.is((await sessions.list(hal.id)).length, MOST_SESSIONS)
  t.is(await name(first), undefined)
  const client = String((await vault.list('access', hal.id)).map(({ value }) => (value as { client: string }).client)[0])
  const grant = { account: hal.id, client, scopes: ['read'], subsites: null, refresh: null } as const
  const oldest = await tokens.issueRefresh(grant)
  const access = await tokens.issue({ ...grant, refresh: hashOf(oldest) })
  for (let n = 0; n < MOST_REFRESH_TOKENS; n++) await tokens.issueRefresh(grant)
  t.is((await vault.list('refresh', hal.id)).length, MOST_REFRESH_TOKENS)
  t.is(await tokens.findRefresh(oldest), undefined)
  t.is(await tokens.find(access), undefined)
})

test.serial('granted apps can be listed and revoked', async (t) => {
  const { site, bob, ida } = t.context
  const { tokens } = site.running.app
  const here = await ida.session()
  const app = await bob.post('/api/v1/apps', { name: 'reader', app_type: 'web', redirect_uri: 'https://reader.example/' })
  const client = String(app.at('client_id'))
  const token = await tokens.issueRefresh({ account: ida.id, client, scopes: ['read', 'vote'], subsites: null, refresh: null })
  const grants = (await here.get('/api/v1/me/grants')).body as readonly { client_id: string }[]
  t.like(
    grants.find(({ client_id }) => client_id === client),
    { name: 'reader', scopes: ['read vote'], permanent: true },
  )
  t.is((await here.request('DELETE', '/api/v1/me/grants?client_id=unknown')).status, 404)
  t.is((await (await bob.session()).request('DELETE', `/api/v1/me/grants?client_id=${client}`)).status, 404)
  t.truthy(await tokens.findRefresh(token))
  t.is((await here.request('DELETE', `/api/v1/me/grants?client_id=${client}`)).status, 204)
  t.is(await tokens.findRefresh(token), undefined)
  t.is((await ida.get('/api/v1/me')).status, 200, 'that of another app stays')
})
