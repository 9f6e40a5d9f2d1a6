import anyTest, { type TestFn } from 'ava'
import { MOST_SESSIONS } from '../../src/auth/sessions.ts'
import { hashOf, MOST_REFRESH_TOKENS } from '../../src/auth/tokens.ts'
import type { Vault, VaultKind } from '../../src/ports/vault.ts'
import { type Cast, startTea } from '../support/cast.ts'
import { appoint, children, dataOf, done, eventually, logOf, unchanged } from '../support/community.ts'
import { found, names, refusalOf, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import { type Caller, callerAt, type TestSite } from '../support/site.ts'

type Six = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = anyTest as TestFn<Six>

test.before(async (t) => {
  t.context = await startTea(['carol', 'root'])
})
test.after.always((t) => t.context.site.stop())

const name = async (caller: Caller) => (await caller.get('/api/me.json')).at('data.name')
const login = (site: Caller, user: string, passwd: string) => site.post('/api/login', { user, passwd, api_type: 'json' })

test.serial('a new password ends all other sessions, and grants only on request', async (t) => {
  const { site } = t.context
  const eve = await site.register('eve')
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

/** What is about to be written of a kind waits until something else is done. */
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

test.serial('sessions and tokens obtained with an old password end with it, even if obtained late', async (t) => {
  const { site } = t.context
  const una = await site.register('una')
  const here = await una.session()
  let old = una.password
  const change = async () => {
    const passwords = { curpass: old, newpass: `${old}!`, verpass: `${old}!` }
    const answer = await here.post('/api/update_password', { ...passwords, invalidate_oauth: true, api_type: 'json' })
    t.is(refusalOf(answer), '')
    old = `${old}!`
  }
  const app = await here.post('/api/v1/apps', { name: 'unas', app_type: 'script', redirect_uri: 'http://localhost/' })
  const basic = Buffer.from(`${app.at('client_id')}:${app.at('client_secret')}`).toString('base64')
  const token = (fields: object) =>
    site.post(
      '/api/v1/access_token',
      { grant_type: 'password', username: 'una', password: old, ...fields },
      { Authorization: `Basic ${basic}` },
    )

  before(site, 'session', change)
  t.is(refusalOf(await login(site, 'una', old)), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
  before(site, 'session', change)
  t.is((await site.post('/post/login', { user: 'una', passwd: old })).status, 200, 'the page again')
  const sessions = (await here.get('/api/v1/me/sessions')).body as readonly unknown[]
  t.is(sessions.length, 1, 'no session but the one that changed it')

  before(site, 'access', change)
  t.is((await token({})).at('error'), 'invalid_grant')
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
  const { site, bob } = t.context
  const { vault } = site.running.app
  const wim = await site.register('wim')
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
  await vault.deleteAll('session', wim.id) // by another process, which this one has not noticed yet
  t.is(await name(there), 'wim')
  t.is(await consent(there, web, 'code'), 'https://reader.example/?error=access_denied&state=s')
  t.is(await held(), earlier)

  const here = await wim.session()
  before(site, 'access', () => {
    const passwords = { curpass: wim.password, newpass: 'another horse', verpass: 'another horse' }
    return done(here, '/api/update_password', { ...passwords, invalidate_oauth: true, api_type: 'json' })
  })
  t.is(await consent(here, installed, 'token'), 'https://reader.example/#error=access_denied&state=s', 'also in the session that stays')
  t.is(await held(), 0)
})

test.serial('one of two concurrent changes of a password succeeds, the other is refused', async (t) => {
  const { site } = t.context
  const vic = await site.register('vic')
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
  const { site } = t.context
  const fay = await site.register('fay')
  const here = await fay.session()
  for (let n = 0; n < 10; n++)
    t.is(refusalOf(await here.post('/api/delete_user', { passwd: `wrong ${n}`, api_type: 'json' })), 'WRONG_PASSWORD passwd')
  t.regex(refusalOf(await here.post('/api/delete_user', { passwd: fay.password, api_type: 'json' })), /^RATELIMIT/)
  t.is(await name(here), 'fay')
})

test.serial('sessions can be listed, and ended one by one or all but the present one', async (t) => {
  const { site, bob } = t.context
  const gus = await site.register('gus')
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
  const { site } = t.context
  const { sessions, tokens, vault } = site.running.app
  const hal = await site.register('hal')
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
  const { site, bob } = t.context
  const { tokens } = site.running.app
  const ida = await site.register('ida')
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

/** An account with something of every kind. */
const settled = async ({ site, ann, bob }: Six, called: string) => {
  const who = await site.register(called)
  await found(who, `of${called}`)
  await appoint(ann, 'tea', who, '+posts')
  const link = await submit(who, 'tea', { title: 'a thing', text: 'kept' })
  const comment = await say(bob, link, 'an answer')
  const reply = await say(who, comment, 'kept too')
  await done(who, '/api/compose', { to: 'bob', subject: 'a letter', text: 'kept as well' })
  return { who, link, reply }
}

test.serial('a deleted account cannot log in, its posts stay, and its name stays taken', async (t) => {
  const { site, ann, bob } = t.context
  // given an account with posts, friends, an invitation and relations of every kind
  const { who, link, reply } = await settled(t.context, 'joe')
  const here = await who.session()
  const invitation = { type: 'moderator_invite', name: 'joe', permissions: '+all', api_type: 'json' }
  await bob.request('PUT', '/api/v1/me/friends/joe', { json: {} })
  // a stand-in for MongoDB may have no text search
  const searches = servers === undefined ? ['/search?q=author:joe', '/search?q=joe'] : []
  const byName = [...searches, '/s/friends/new']
  const foundByName = async () => Promise.all(byName.map(async (path) => dataOf(await bob.get(path)).length))
  t.false((await foundByName()).includes(0))
  await found(bob, 'pots')
  await done(bob, '/s/pots/api/friend', invitation)
  const lists = {
    contributor: 'contributors',
    wikicontributor: 'wikicontributors',
    wikibanned: 'wikibanned',
    muted: 'muted',
    banned: 'banned',
  }
  await found(bob, 'cups')
  for (const type of Object.keys(lists)) await done(bob, '/s/cups/api/friend', { type, name: 'joe', note: 'a note', api_type: 'json' })
  const listing = async () => {
    const answers = await Promise.all(Object.values(lists).map((list) => bob.get(`/s/cups/about/${list}`)))
    return answers.map(({ text }) => text.includes(who.id))
  }
  t.deepEqual(await listing(), [true, true, true, true, true])

  // when it deletes itself, with its password
  t.is(refusalOf(await here.post('/api/delete_user', { api_type: 'json' })), 'WRONG_PASSWORD passwd')
  t.is((await who.post('/api/delete_user', { passwd: who.password })).status, 400, 'not for apps')
  const deleted = await here.post('/api/delete_user', { passwd: who.password, api_type: 'json' })
  t.is(deleted.text, '{"json":{"errors":[]}}')
  t.regex(deleted.headers.get('set-cookie') ?? '', /Max-Age=0/)

  // then nobody can log in as it, register its name or write to it
  t.is(await name(here), undefined)
  t.is((await who.get('/api/v1/me')).status, 401)
  t.is(refusalOf(await login(site, 'joe', who.password)), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
  const again = { user: 'Joe', passwd: who.password, passwd2: who.password, api_type: 'json' }
  t.is(refusalOf(await site.post('/api/register', again)), 'USERNAME_TAKEN_DEL user')
  t.is((await site.get('/api/username_available?user=joe')).body, false)
  for (const path of ['/user/joe/about', '/user/joe', '/user/joe/submitted']) t.is((await ann.get(path)).status, 404, path)
  t.is(refusalOf(await bob.post('/api/compose', { to: 'joe', subject: 's', text: 't', api_type: 'json' })), 'USER_DOESNT_EXIST to')

  t.deepEqual(
    await foundByName(),
    byName.map(() => 0),
    'the name no longer leads to what it posted',
  )

  // then its posts stay without its name
  const page = await bob.get(`/s/tea/comments/${link.slice(3)}`)
  t.is(page.at('0.data.children.0.data.author'), '[deleted]')
  t.is(page.at('0.data.children.0.data.selftext'), 'kept')
  t.regex(page.text, new RegExp(reply))
  t.is(dataOf(await bob.get('/message/inbox')).find(({ subject }) => subject === 'a letter')?.author, '[deleted]')
  t.false(page.text.includes('joe'))

  // then its seats, invitations and relations end, and its former acts are found by its name
  for (const sub of ['tea', 'ofjoe'])
    t.true(
      (await logOf(ann, sub)).some((entry) => entry.includes('removemoderator')),
      sub,
    )
  t.like(dataOf(await ann.get('/s/tea/about/log?limit=1'))[0], {
    action: 'removemoderator',
    details: 'remove_self',
    mod: '[deleted]',
    target_author: '[deleted]',
  })
  const acts = await site.get('/s/tea/about/log?mod=JOE')
  t.deepEqual(
    dataOf(acts).map(({ action, mod }) => [action, mod]),
    [
      ['removemoderator', '[deleted]'],
      ['acceptmoderatorinvite', '[deleted]'],
    ],
    'acts of moderation are found by the name, but do not show it',
  )
  t.false(acts.text.includes('joe'))
  t.deepEqual((await ann.get('/s/ofjoe/about/moderators')).at('data.children'), [])
  t.like(dataOf(await bob.get('/s/pots/about/log?limit=1'))[0], { action: 'uninvitemoderator' })
  t.deepEqual(await listing(), [false, false, false, false, false])
  t.is((await bob.get('/prefs/friends')).at('0.data.children.0'), undefined)
  t.is((await bob.post('/s/cups/api/unfriend', { type: 'banned', id: who.id })).status, 200, 'what stands may be ended by id')
  t.like(dataOf(await bob.get('/s/cups/about/log?limit=1'))[0], { action: 'unbanuser', target_author: '[deleted]' })

  // when an admin erases it
  await done(await t.context.root.session(), '/api/erase_user', { name: 'joe' })
  t.deepEqual(dataOf(await site.get('/s/tea/about/log?mod=JOE')), [], 'an erased account is found by no name')
})

test.serial('an invitation accepted while its account is deleted gives no seat', async (t) => {
  const { site, ann } = t.context
  const { app } = site.running
  const kim = await site.register('kim')
  await done(ann, '/s/tea/api/friend', { type: 'moderator_invite', name: 'kim', permissions: '+all', api_type: 'json' })
  const here = await kim.session()
  const [accepted, deleted] = await Promise.all([
    kim.post('/s/tea/api/accept_moderator_invite', { api_type: 'json' }),
    here.post('/api/delete_user', { passwd: kim.password, api_type: 'json' }),
  ])
  t.is(refusalOf(deleted), '')
  t.true([200, 401].includes(accepted.status))
  t.true(await eventually(async () => !JSON.stringify((await ann.get('/s/tea/about/moderators')).body).includes(kim.id)))
  const state = await app.load(
    (await import('../../src/domain/moderators.ts')).Moderators,
    String((await ann.get('/s/tea/about')).at('data.name')),
  )
  t.false(JSON.stringify(state).includes(kim.id))
})

test.serial('a token of a deleted account gives no access', async (t) => {
  const { site } = t.context
  const { tokens, sessions, vault } = site.running.app
  const lee = await site.register('lee')
  const client = (await vault.list('access', lee.id)).map(({ value }) => (value as { client: string }).client)[0] ?? ''
  await (await lee.session()).post('/api/delete_user', { passwd: lee.password, api_type: 'json' })
  const token = await tokens.issue({ account: lee.id, client, scopes: '*', subsites: null, refresh: null })
  const late = callerAt(site.url, { Authorization: `bearer ${token}` })
  t.is((await late.get('/api/v1/me')).status, 401)
  t.true(await unchanged(site, async () => t.is((await late.post('/api/compose', { to: 'bob', subject: 's', text: 't' })).status, 401)))
  const { cookie } = await sessions.create(lee.id, false)
  t.is(await name(callerAt(site.url, { Cookie: `rostra_session=${cookie}` })), undefined)
})

const suspend = (by: Caller, fields: object) => by.post('/api/suspend_user', { api_type: 'json', ...fields })

test.serial('a suspended account can read and edit its own things, but not take part', async (t) => {
  const { site, ann, bob, root } = t.context
  const { who: max, link, reply } = await settled(t.context, 'max')
  t.is((await suspend(bob, { name: 'max' })).status, 403)
  t.is(refusalOf(await suspend(root, { name: 'nobody' })), 'USER_DOESNT_EXIST name')
  t.is(refusalOf(await suspend(root, { name: 'max', duration: 'x' })), 'BAD_NUMBER duration')
  t.is((await suspend(root, { name: 'root' })).status, 403, 'not oneself')
  t.is(refusalOf(await suspend(root, { name: 'max', duration: 3, note: 'for a while' })), '')
  const own = await max.get('/api/v1/me')
  t.is(own.at('is_suspended'), true)
  t.true(Number(own.at('suspension_expiration_utc')) > Date.now() / 1000 + 2 * 86_400)
  t.is((await bob.get('/user/max/about')).at('data.is_suspended'), false, 'for a while: not shown')

  const refused: readonly (readonly [string, object])[] = [
    ['/api/submit', { sr: 'tea', kind: 'self', title: 't', text: 'x' }],
    ['/api/comment', { thing_id: link, text: 'x' }],
    ['/api/compose', { to: 'bob', subject: 's', text: 't' }],
    ['/api/vote', { id: link, dir: 11 }],
    ['/api/report', { thing_id: reply }],
    ['/api/lock', { id: link }],
    ['/api/remove', { id: link }],
    ['/api/site_admin', { name: 'another', title: 'x' }],
    ['/s/tea/api/friend', { type: 'banned', name: 'bob' }],
    ['/s/ofmax/api/friend', { type: 'contributor', name: 'bob' }],
    ['/s/ofmax/api/unfriend', { type: 'contributor', name: 'bob' }],
    ['/s/ofmax/api/unfriend', { type: 'moderator', name: 'bob' }],
  ]
  t.true(
    await unchanged(site, async () => {
      for (const [path, form] of refused) {
        const answer = await max.post(path, form as never)
        t.is(answer.status, 403, path)
        t.is(answer.at('reason'), 'IN_TIMEOUT', path)
      }
    }),
  )
  for (const path of [
    '/s/tea/about/modqueue',
    '/s/tea/about/log',
    '/s/ofmax/about/message/inbox',
    '/s/ofmax/about/banned',
    '/s/ofmax/about/edit',
    '/s/ofmax/api/flairlist',
  ])
    t.is((await max.get(path)).at('reason'), 'IN_TIMEOUT', path)
  for (const path of ['/s/tea/hot', '/message/inbox', '/s/tea/about/moderators']) t.is((await max.get(path)).status, 200, path)
  t.is((await max.post('/s/tea/api/flairselector')).status, 200)
  const reported = await submit(bob, 'ofmax')
  await done(ann, '/api/report', { thing_id: reported, reason: 'rude' })
  const reports = async () => children(await max.get(`/api/info?id=${reported}`)).map(({ data }) => [data.num_reports, data.user_reports])
  t.deepEqual(await reports(), [[1, []]])
  t.is(refusalOf(await max.post('/api/editusertext', { thing_id: link, text: 'edited', api_type: 'json' })), '')
  await done(max, '/api/save', { id: link })
  await done(max, '/api/del', { id: reply })
  await done(max, '/api/read_all_messages')
  await done(max, '/api/leavemoderator', { id: String((await ann.get('/s/tea/about')).at('data.name')) })

  t.is(refusalOf(await suspend(root, { name: 'max' })), '')
  t.deepEqual((await bob.get('/user/max/about')).at('data'), { name: 'max', is_suspended: true })
  t.is((await bob.get('/user/max/submitted')).status, 403)
  t.true(names(await max.get('/user/max/submitted')).includes(link))
  t.is((await max.get('/api/v1/me')).at('suspension_expiration_utc'), null)
  t.true(await unchanged(site, () => suspend(root, { name: 'max' })))

  t.is((await bob.post('/api/unsuspend_user', { name: 'max' })).status, 403)
  await done(root, '/api/unsuspend_user', { name: 'max' })
  t.is((await max.get('/api/v1/me')).at('is_suspended'), false)
  t.deepEqual(await reports(), [[1, [['rude', 1]]]])
  await say(max, link, 'back again')
  t.true(await unchanged(site, () => done(root, '/api/unsuspend_user', { name: 'max' })))
})

test.serial('only admins erase another account', async (t) => {
  const { site, bob, carol } = t.context
  t.true(
    await unchanged(site, async () => {
      t.is(refusalOf(await bob.post('/api/erase_user', { name: 'carol', api_type: 'json' })), 'ADMIN_REQUIRED name')
      t.is((await carol.post('/api/erase_user', { passwd: carol.password, api_type: 'json' })).status, 403, 'no app erases its user')
      const here = await carol.session()
      t.is(refusalOf(await here.post('/api/erase_user', { passwd: 'wrong', api_type: 'json' })), 'WRONG_PASSWORD passwd')
    }),
  )
})
