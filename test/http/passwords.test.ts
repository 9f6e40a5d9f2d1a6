import type { Vault, VaultKind } from '../../src/ports/vault.ts'
import { newcomer, startCast } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { refusalOf } from '../support/posting.ts'
import type { Caller, TestSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

// each test changes the password of an account of its own
const people = ['bob', 'eve', 'wim', 'vic', 'fay'] as const
const test = testOn(() => startCast(people))

const name = async (caller: Caller) => (await caller.get('/api/me.json')).at('data.name')
const login = (site: Caller, user: string, passwd: string) => site.post('/api/login', { user, passwd, api_type: 'json' })

test.serial('a new password ends all other sessions, and grants only on request', async (t) => {
  const { site, eve } = t.context
  const [here, there] = [await eve.session(), await eve.session()]
  const change = (fields: object) =>
    here.post('/api/update_password', {
      curpass: eve.password,
      newpass: 'another horse',
      verpass: 'another horse',
      api_type: 'json',
      ...fields,
    })
  t.is(refusalOf(await change({ curpass: 'wrong' })), 'WRONG_PASSWORD curpass')
  t.is(refusalOf(await change({ newpass: 'short', verpass: 'short' })), 'SHORT_PASSWORD newpass')
  t.is(refusalOf(await change({ verpass: 'different' })), 'BAD_PASSWORD_MATCH verpass')
  t.is(await name(there), 'eve')
  t.is(refusalOf(await change({})), '')
  t.is(await name(here), 'eve')
  t.is(await name(there), undefined)
  t.is((await eve.get('/api/v1/me')).at('name'), 'eve', 'the token stays')
  t.is(refusalOf(await login(site, 'eve', eve.password)), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
  t.is(refusalOf(await login(site, 'eve', 'another horse')), '')
  t.is(refusalOf(await change({ curpass: 'another horse', newpass: eve.password, verpass: eve.password, invalidate_oauth: true })), '')
  t.is((await eve.get('/api/v1/me')).status, 401)
  t.is((await eve.post('/api/update_password', {})).status, 401)
})

/** Delays the next write of a kind of record until `act` is done. */
const before = (site: TestSite, kind: VaultKind, act: () => Promise<unknown>): void => {
  const vault = site.running.app.vault as { put: Vault['put'] }
  const put = vault.put.bind(vault)
  vault.put = async (what, ...rest) => {
    if (what === kind) {
      vault.put = put
      await act()
    }
    return put(what, ...rest)
  }
}

/** A session of a new account that changes its password while another login is under way, and its latest password. */
const changing = async (site: TestSite) => {
  const who = await newcomer(site)
  const here = await who.session()
  let latest = who.password
  const change = async () => {
    const newpass = `${latest}!`
    await postForm(here, '/api/update_password', { curpass: latest, newpass, verpass: newpass, invalidate_oauth: true, api_type: 'json' })
    latest = newpass
  }
  return { who, here, change, password: () => latest }
}

test.serial('a login that is under way while the password changes gives no session', async (t) => {
  const { site } = t.context
  const { who, here, change, password } = await changing(site)
  before(site, 'session', change)
  t.is(refusalOf(await login(site, who.name, password())), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
  before(site, 'session', change)
  t.is((await site.post('/post/login', { user: who.name, passwd: password() })).status, 200, 'the page again')
  const sessions = (await here.get('/api/v1/me/sessions')).body as readonly unknown[]
  t.is(sessions.length, 1, 'no session but the one that changed it')
})

test.serial('a token that is requested while the password changes is refused, by password or by code', async (t) => {
  const { site } = t.context
  const { who, here, change, password } = await changing(site)
  const app = await here.post('/api/v1/apps', { name: 'an app', app_type: 'script', redirect_uri: 'http://localhost/' })
  const basic = Buffer.from(`${app.at('client_id')}:${app.at('client_secret')}`).toString('base64')
  const token = (fields: object) => site.post('/api/v1/access_token', { ...fields }, { Authorization: `Basic ${basic}` })
  before(site, 'access', change)
  t.is((await token({ grant_type: 'password', username: who.name, password: password() })).at('error'), 'invalid_grant')
  const consent = await here.post('/api/v1/authorize', {
    ...{ client_id: String(app.at('client_id')), redirect_uri: 'http://localhost/', response_type: 'code', scope: 'read', state: 's' },
    ...{ duration: 'permanent', authorize: 'Allow' },
  })
  const code = new URL(consent.headers.get('location') ?? '').searchParams.get('code') ?? ''
  before(site, 'refresh', change)
  t.is((await token({ grant_type: 'authorization_code', code, redirect_uri: 'http://localhost/' })).at('error'), 'invalid_grant')
  t.deepEqual((await here.get('/api/v1/me/grants')).body, [])
})

test.serial('a consent begun before all grants were revoked or its session ended grants nothing', async (t) => {
  const { site, bob, wim } = t.context
  const { vault } = site.running.app
  const app = async (app_type: string) => {
    const fields = { name: app_type, app_type, redirect_uri: 'https://reader.example/' }
    return String((await bob.post('/api/v1/apps', fields)).at('client_id'))
  }
  const [web, installed] = [await app('web'), await app('installed')]
  const consent = async (who: Caller, client_id: string, response_type: string) => {
    const asked = { client_id, response_type, redirect_uri: 'https://reader.example/', scope: 'read', state: 's', authorize: 'Allow' }
    const answer = await who.post('/api/v1/authorize', asked)
    return answer.headers.get('location')?.replace(/(code|access_token)=[^&]+/, '$1')
  }
  const held = async () => (await Promise.all((['code', 'access'] as const).map((kind) => vault.list(kind, wim.id)))).flat().length
  const earlier = await held()

  const there = await wim.session()
  t.is(await consent(there, web, 'code'), 'https://reader.example/?code&state=s')
  await vault.deleteAll('code', wim.id)
  await vault.deleteAll('session', wim.id) // another process deletes it, which this one has not noticed yet
  t.is(await name(there), 'wim')
  t.is(await consent(there, web, 'code'), 'https://reader.example/?error=access_denied&state=s')
  t.is(await held(), earlier)

  const here = await wim.session()
  before(site, 'access', () => {
    const passwords = { curpass: wim.password, newpass: 'another horse', verpass: 'another horse' }
    return postForm(here, '/api/update_password', { ...passwords, invalidate_oauth: true, api_type: 'json' })
  })
  t.is(await consent(here, installed, 'token'), 'https://reader.example/#error=access_denied&state=s', 'also in the session that stays')
  t.is(await held(), 0)
})

test.serial('one of two concurrent changes of a password succeeds, the other is refused', async (t) => {
  const { site, vic } = t.context
  const [one, two] = [await vic.session(), await vic.session()]
  const change = (by: Caller, newpass: string) =>
    by.post('/api/update_password', { curpass: vic.password, newpass, verpass: newpass, api_type: 'json' })
  const answers = await Promise.all([change(one, 'the first horse'), change(two, 'the second horse')])
  const [first, second] = answers.map(refusalOf)
  const winner = first === '' ? 'the first horse' : 'the second horse'
  t.deepEqual(
    [first, second].filter((code) => code !== ''),
    ['WRONG_PASSWORD curpass'],
  )
  t.is(refusalOf(await login(site, 'vic', winner)), '')
  const held = await Promise.all([one, two].map(name))
  t.deepEqual(held.filter((who) => who === 'vic').length, 1, 'its session is the one that stays')
})

test.serial('wrong current passwords count towards the limit of failed logins', async (t) => {
  const { fay } = t.context
  const here = await fay.session()
  for (let n = 0; n < 10; n++)
    t.is(refusalOf(await here.post('/api/delete_user', { passwd: `wrong ${n}`, api_type: 'json' })), 'WRONG_PASSWORD passwd')
  t.regex(refusalOf(await here.post('/api/delete_user', { passwd: fay.password, api_type: 'json' })), /^RATELIMIT/)
  t.is(await name(here), 'fay')
})
