import { Moderators } from '../../src/domain/moderators.ts'
import { active } from '../support/active-account.ts'
import { startTea } from '../support/cast.ts'
import { dataOf, eventually, logOf, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, refusalOf } from '../support/posting.ts'
import { type Caller, callerAt, type User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

// each test deletes an account of its own
const others = ['carol', 'root', 'jan', 'jed', 'jim', 'joe', 'jon', 'joy', 'kim', 'lee'] as const
const test = testOn(() => startTea(others))

const name = async (caller: Caller) => (await caller.get('/api/me.json')).at('data.name')

const remove = async (who: User) => postForm(await who.session(), '/api/delete_user', { passwd: who.password })

test.serial('an account is deleted in a session, with its password', async (t) => {
  const { jan } = t.context
  const here = await jan.session()
  t.is(refusalOf(await here.post('/api/delete_user', { api_type: 'json' })), 'WRONG_PASSWORD passwd')
  t.is((await jan.post('/api/delete_user', { passwd: jan.password })).status, 400, 'not for apps')
  const deleted = await here.post('/api/delete_user', { passwd: jan.password, api_type: 'json' })
  t.is(deleted.text, '{"json":{"errors":[]}}')
  t.regex(deleted.headers.get('set-cookie') ?? '', /Max-Age=0/)
})

test.serial('nobody can log in as a deleted account, register its name, read its page or write to it', async (t) => {
  const { site, ann, bob, jim } = t.context
  const here = await jim.session()
  await remove(jim)
  t.is(await name(here), undefined)
  t.is((await jim.get('/api/v1/me')).status, 401)
  const login = await site.post('/api/login', { user: 'jim', passwd: jim.password, api_type: 'json' })
  t.is(refusalOf(login), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
  const again = { user: 'Jim', passwd: jim.password, passwd2: jim.password, api_type: 'json' }
  t.is(refusalOf(await site.post('/api/register', again)), 'USERNAME_TAKEN_DEL user')
  t.is((await site.get('/api/username_available?user=jim')).body, false)
  for (const path of ['/user/jim/about', '/user/jim', '/user/jim/submitted']) t.is((await ann.get(path)).status, 404, path)
  t.is(refusalOf(await bob.post('/api/compose', { to: 'jim', subject: 's', text: 't', api_type: 'json' })), 'USER_DOESNT_EXIST to')
})

test.serial('what a deleted account wrote stays without its name, which no longer leads to it', async (t) => {
  const { bob, joe } = t.context
  // given an account that wrote something and is a friend
  const { link, reply } = await active(t.context, joe)
  await bob.request('PUT', '/api/v1/me/friends/joe', { json: {} })
  const byName = ['/search?q=author:joe', '/search?q=joe', '/s/friends/new']
  const foundByName = async () => Promise.all(byName.map(async (path) => dataOf(await bob.get(path)).length))
  t.false((await foundByName()).includes(0))

  // when it is deleted
  await remove(joe)

  // then
  t.deepEqual(
    await foundByName(),
    byName.map(() => 0),
  )
  const page = await bob.get(`/s/tea/comments/${link.slice(3)}`)
  t.is(page.at('0.data.children.0.data.author'), '[deleted]')
  t.is(page.at('0.data.children.0.data.selftext'), 'kept')
  t.regex(page.text, new RegExp(reply))
  t.is(dataOf(await bob.get('/message/inbox')).find(({ subject }) => subject === 'a letter')?.author, '[deleted]')
  t.false(page.text.includes('joe'))
})

test.serial('a deleted account loses its moderator positions, as if it had left, and its invitations', async (t) => {
  const { ann, bob, jon } = t.context
  await active(t.context, jon)
  await foundSubsite(bob, 'pots')
  await postForm(bob, '/s/pots/api/friend', { type: 'moderator_invite', name: 'jon', permissions: '+all' })
  await remove(jon)
  for (const sub of ['tea', 'ofjon']) t.regex((await logOf(ann, sub))[0] ?? '', /^\[deleted\] removemoderator .* remove_self$/, sub)
  t.deepEqual((await ann.get('/s/ofjon/about/moderators')).at('data.children'), [])
  t.like(dataOf(await bob.get('/s/pots/about/log?limit=1'))[0], { action: 'uninvitemoderator' })
})

test.serial('a deleted account is in no list of relations, and a ban of it can be ended by its id', async (t) => {
  const { bob, jed } = t.context
  // given an account with relations of every type
  const lists = {
    contributor: 'contributors',
    wikicontributor: 'wikicontributors',
    wikibanned: 'wikibanned',
    muted: 'muted',
    banned: 'banned',
  }
  await foundSubsite(bob, 'cups')
  for (const type of Object.keys(lists)) await postForm(bob, '/s/cups/api/friend', { type, name: 'jed', note: 'a note' })
  await bob.request('PUT', '/api/v1/me/friends/jed', { json: {} })
  const listing = async () => {
    const paths = [...Object.values(lists).map((list) => `/s/cups/about/${list}`), '/prefs/friends']
    return Promise.all(paths.map(async (path) => (await bob.get(path)).text.includes(jed.id)))
  }
  t.deepEqual(await listing(), [true, true, true, true, true, true])

  // when it is deleted
  await remove(jed)

  // then
  t.deepEqual(await listing(), [false, false, false, false, false, false])
  t.is((await bob.post('/s/cups/api/unfriend', { type: 'banned', id: jed.id })).status, 200)
  t.like(dataOf(await bob.get('/s/cups/about/log?limit=1'))[0], { action: 'unbanuser', target_author: '[deleted]' })
})

test.serial(
  'what a deleted account did as a moderator is found by its name but does not show it, and by no name once it is erased',
  async (t) => {
    const { site, ann, joy, root } = t.context
    await active(t.context, joy)
    await remove(joy)
    t.like(dataOf(await ann.get('/s/tea/about/log?limit=1'))[0], {
      action: 'removemoderator',
      details: 'remove_self',
      mod: '[deleted]',
      target_author: '[deleted]',
    })
    const acts = await site.get('/s/tea/about/log?mod=JOY')
    t.deepEqual(
      dataOf(acts).map(({ action, mod }) => [action, mod]),
      [
        ['removemoderator', '[deleted]'],
        ['acceptmoderatorinvite', '[deleted]'],
      ],
    )
    t.false(acts.text.includes('joy'))
    await postForm(await root.session(), '/api/erase_user', { name: 'joy' })
    t.deepEqual(dataOf(await site.get('/s/tea/about/log?mod=JOY')), [])
  },
)

test.serial('an invitation accepted while its account is deleted gives no seat', async (t) => {
  const { site, ann, kim } = t.context
  const { app } = site.running
  await postForm(ann, '/s/tea/api/friend', { type: 'moderator_invite', name: 'kim', permissions: '+all', api_type: 'json' })
  const here = await kim.session()
  const [accepted, deleted] = await Promise.all([
    kim.post('/s/tea/api/accept_moderator_invite', { api_type: 'json' }),
    here.post('/api/delete_user', { passwd: kim.password, api_type: 'json' }),
  ])
  t.is(refusalOf(deleted), '')
  t.true([200, 401].includes(accepted.status))
  t.true(await eventually(async () => !JSON.stringify((await ann.get('/s/tea/about/moderators')).body).includes(kim.id)))
  const state = await app.load(Moderators, String((await ann.get('/s/tea/about')).at('data.name')))
  t.false(JSON.stringify(state).includes(kim.id))
})

test.serial('a token of a deleted account gives no access', async (t) => {
  const { site, lee } = t.context
  const { tokens, sessions, vault } = site.running.app
  const client = (await vault.list('access', lee.id)).map(({ value }) => (value as { client: string }).client)[0] ?? ''
  await (await lee.session()).post('/api/delete_user', { passwd: lee.password, api_type: 'json' })
  const token = await tokens.issue({ account: lee.id, client, scopes: '*', subsites: null, refresh: null })
  const late = callerAt(site.url, { Authorization: `bearer ${token}` })
  t.is((await late.get('/api/v1/me')).status, 401)
  t.true(
    await recordsNothing(site, async () => t.is((await late.post('/api/compose', { to: 'bob', subject: 's', text: 't' })).status, 401)),
  )
  const { cookie } = await sessions.create(lee.id, false)
  t.is(await name(callerAt(site.url, { Cookie: `rostra_session=${cookie}` })), undefined)
})

test.serial('only admins erase another account', async (t) => {
  const { site, bob, carol } = t.context
  t.true(
    await recordsNothing(site, async () => {
      t.is(refusalOf(await bob.post('/api/erase_user', { name: 'carol', api_type: 'json' })), 'ADMIN_REQUIRED name')
      t.is((await carol.post('/api/erase_user', { passwd: carol.password, api_type: 'json' })).status, 403, 'no app erases its user')
      const here = await carol.session()
      t.is(refusalOf(await here.post('/api/erase_user', { passwd: 'wrong', api_type: 'json' })), 'WRONG_PASSWORD passwd')
    }),
  )
})
