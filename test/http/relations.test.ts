import type { ExecutionContext } from 'ava'
import type { Scope } from '../../src/auth/scopes.ts'
import { RELATION_QUOTA, relationCount } from '../../src/limits/relation-quota.ts'
import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, names, refusalOf } from '../support/posting.ts'
import { accountsIn, newSubsite } from '../support/scenes.ts'
import { type Caller, startSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

test.serial('a list of restricted accounts or contributors is for moderators with its permission, and for one subsite', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts')
  for (const where of ['banned', 'contributors', 'muted', 'wikibanned', 'wikicontributors'] as const) {
    for (const caller of [site, bob, carol]) t.is((await caller.get(`/s/${name}/about/${where}`)).status, 403, where)
    t.is((await ann.get(`/s/${name}/about/${where}`)).at('kind'), 'Listing')
    for (const path of ['/about', '/s/all/about', '/s/friends/about']) t.is((await ann.get(`${path}/${where}`)).status, 404, path)
  }
})

test.serial('everybody can read who contributes to a subsite that is not public', async (t) => {
  const { site, dave } = t.context
  await foundSubsite(dave, 'restricted', { type: 'restricted' })
  t.is((await site.get('/s/restricted/about/contributors')).status, 200)
})

test.serial('everybody can read who moderates a subsite, all or one by name, but not who is only invited', async (t) => {
  const { site, ann, carol } = t.context
  const { name } = await newSubsite(t.context)
  const list = `/s/${name}/about/moderators`
  await appoint(ann, name, carol, '+posts')
  await postForm(ann, `/s/${name}/api/friend`, { type: 'moderator_invite', name: 'bob' })
  t.is((await site.get(list)).at('kind'), 'UserList')
  t.deepEqual(
    (await accountsIn(site, list)).map((row) => row.name),
    ['ann', 'carol'],
  )
  for (const user of ['nobody', 'not a name', 'bob']) t.deepEqual(await accountsIn(site, `${list}?user=${user}`), [], user)
  t.is((await accountsIn(site, `${list}?user=Carol`)).length, 1)
})

test.serial('outside subsites the moderators are those of all subsites that the viewer moderates', async (t) => {
  const { site, ann, carol } = t.context
  const { name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts')
  t.is((await site.get('/about/moderators')).status, 403)
  t.true((await accountsIn(carol, '/about/moderators')).some((row) => row.name === 'ann'))
  t.is((await ann.get('/s/all/about/moderators')).status, 404)
})

/** The request is refused in this way, and changes nothing. */
const refusing =
  (t: ExecutionContext<Five>) =>
  async (caller: Caller, path: string, form: Record<string, string>, refusal: string): Promise<void> => {
    const said = JSON.stringify(form)
    t.true(await recordsNothing(t.context.site, async () => t.is(refusalOf(await caller.post(path, form)), refusal, said)), said)
  }

test.serial('a friend or unfriend request without authority, or with an invalid field, is refused and records nothing', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { friend, unfriend, name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts,+config')
  const refused = refusing(t)
  for (const type of ['moderator_invite', 'contributor', 'banned', 'muted', 'wikibanned', 'wikicontributor']) {
    await refused(site, friend, { type, name: 'dave' }, 'USER_REQUIRED')
    await refused(bob, friend, { type, name: 'dave' }, '403')
    await refused(carol, friend, { type, name: 'dave' }, '403')
    await refused(bob, friend, { type, name: '???' }, '403')
    await refused(ann, '/api/friend', { type, name: 'dave' }, '403')
    await refused(ann, friend, { type }, 'NO_USER name')
    await refused(ann, friend, { type, name: 'not a name' }, 'NO_USER name')
    await refused(ann, friend, { type, name: 'nobody' }, 'USER_DOESNT_EXIST name')
    await refused(ann, friend, { type, name: 'dave', note: 'x'.repeat(301) }, 'TOO_LONG note')
    await refused(ann, friend, { type, name: 'dave', ban_reason: 'x'.repeat(101) }, 'TOO_LONG ban_reason')
    await refused(ann, friend, { type, name: 'dave', ban_message: 'x'.repeat(1001) }, 'TOO_LONG ban_message')
    await refused(ann, friend, { type, name: 'dave', duration: 'long' }, 'BAD_NUMBER duration')
    await refused(bob, unfriend, { type, name: 'dave' }, '403')
    await refused(carol, unfriend, { type, name: 'dave' }, '403')
    await refused(ann, unfriend, { type, name: 'nobody' }, '400')
    await refused(ann, unfriend, { type }, '400')
  }
  await refused(ann, friend, { type: 'moderator', name: 'dave', permissions: '+posts,+cook' }, 'INVALID_PERMISSIONS permissions')
  for (const type of ['enemy', 'lover', '']) await refused(ann, friend, { type, name: 'dave' }, 'INVALID_OPTION type')
})

test.serial('a moderator cannot be restricted, and a banned or muted account cannot be made a contributor or moderator', async (t) => {
  const { ann, carol } = t.context
  const { friend, name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts,+config')
  const refused = refusing(t)
  await refused(ann, friend, { type: 'banned', name: 'carol' }, 'CANT_RESTRICT_MODERATOR name')
  for (const type of ['banned', 'muted']) await refused(ann, friend, { type, name: 'ann' }, 'CANT_RESTRICT_MODERATOR name')
  await postForm(ann, friend, { type: 'banned', name: 'dave' })
  await postForm(ann, friend, { type: 'muted', name: 'bob' })
  for (const type of ['contributor', 'wikicontributor', 'moderator', 'moderator_invite']) {
    await refused(ann, friend, { type, name: 'dave' }, 'BANNED_FROM_SUBSITE name')
    await refused(ann, friend, { type, name: 'bob' }, 'MUTED_FROM_SUBSITE name')
  }
})

test.serial('each type of relation to a subsite needs its scope', async (t) => {
  const { ann } = t.context
  const { friend, unfriend } = await newSubsite(t.context)
  const [contributors, others] = [await ann.withScopes('modcontributors'), await ann.withScopes('modothers')]
  t.is((await others.post(friend, { type: 'banned', name: 'dave' })).status, 403)
  t.is(refusalOf(await contributors.post(friend, { type: 'banned', name: 'dave' })), '')
  t.is((await contributors.post(friend, { type: 'moderator', name: 'dave' })).status, 403)
  t.is((await others.post(unfriend, { type: 'banned', name: 'dave' })).status, 403)
  t.is((await contributors.post(unfriend, { type: 'banned', name: 'dave' })).text, '{}')
})

test.serial('a token makes friends by the v1 endpoint only', async (t) => {
  const { ann } = t.context
  const { friend } = await newSubsite(t.context)
  const friendship = await ann.post(friend, { type: 'friend', name: 'dave', container: ann.id })
  t.is(friendship.status, 400)
  t.regex(friendship.headers.get('www-authenticate') ?? '', /error="invalid_request"$/)
})

/** The permissions that moderators need for each relation, and its list. */
const needed = [
  ['banned', 'banned', '+access'],
  ['contributor', 'contributors', '+access'],
  ['muted', 'muted', '+access,+mail'],
  ['wikibanned', 'wikibanned', '+wiki'],
  ['wikicontributor', 'wikicontributors', '+wiki'],
] as const

test.serial('each relation and its list need their own permission', async (t) => {
  const { ann, carol } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+access')
  for (const permissions of ['+access', '+mail', '+wiki', '+access,+mail', '+config,+flair,+posts']) {
    await postForm(ann, `/s/${name}/api/setpermissions`, { type: 'moderator', name: 'carol', permissions })
    for (const [type, where, enough] of needed) {
      const may = enough.split(',').every((one) => permissions.split(',').includes(one))
      t.is((await carol.get(`/s/${name}/about/${where}`)).status, may ? 200 : 403, `${permissions} ${where}`)
      t.is((await carol.post(friend, { type, name: 'dave' })).status, may ? 200 : 403, `${permissions} ${type}`)
      t.is((await carol.post(unfriend, { type, name: 'dave' })).status, may ? 200 : 403, `${permissions} ${type}`)
    }
  }
})

test.serial('each relation needs its own scopes', async (t) => {
  const { ann } = t.context
  const { friend, unfriend } = await newSubsite(t.context)
  for (const [scope, types] of [
    ['modcontributors', ['banned', 'contributor', 'muted']],
    ['modwiki', []],
    ['modcontributors,modwiki', ['banned', 'contributor', 'muted', 'wikibanned', 'wikicontributor']],
  ] as const) {
    const token = await ann.withScopes(...(scope.split(',') as Scope[]))
    for (const [type] of needed) {
      const may = (types as readonly string[]).includes(type)
      t.is((await token.post(friend, { type, name: 'dave' })).status, may ? 200 : 403, `${scope} ${type}`)
      t.is((await token.post(unfriend, { type, name: 'dave' })).status, may ? 200 : 403, `${scope} ${type}`)
    }
  }
})

test.serial('while limits are on, a subsite can add a limited number of relations of a type in two hours; admins are exempt', async (t) => {
  const site = await startSite({ rateLimits: true })
  t.teardown(site.stop)
  const { app } = site.running
  const register = async (name: string) => {
    await app.vault.delete('limit', 'register:127.0.0.1')
    return site.register(name)
  }
  const [ann, root, dave] = [await register('ann'), await register('root'), await register('dave')]
  const subsite = await foundSubsite(ann, 'busy')
  const count = () => app.vault.get('count', relationCount(app, subsite, 'banned').name)
  const ban = (by: Caller, name: string) => by.post('/s/busy/api/friend', { type: 'banned', name })
  t.is(refusalOf(await ban(ann, 'nobody')), 'USER_DOESNT_EXIST name')
  t.is(await count(), undefined, 'a refusal makes none')
  t.is(refusalOf(await ban(ann, 'dave')), '')
  t.is(refusalOf(await ban(ann, 'dave')), '', 'nor does what is so already')
  t.is((await count())?.value, 1)
  await app.vault.put('count', relationCount(app, subsite, 'banned').name, { value: RELATION_QUOTA.most })
  for (const name of ['dave', 'nobody']) t.is(refusalOf(await ban(ann, name)), 'SUBSITE_RATELIMIT', name)
  t.is(refusalOf(await ann.post('/s/busy/api/friend', { type: 'moderator', name: 'root' })), '', 'each type by itself')
  t.is(refusalOf(await ban(root, dave.name)), '')
  await postForm(dave, '/api/compose', { to: '/s/busy', subject: 'why?', text: 'I ask' })
  const mail = { id: names(await dave.get('/message/sent'))[0] }
  await app.vault.put('count', relationCount(app, subsite, 'muted').name, { value: RELATION_QUOTA.most })
  t.is((await ann.post('/api/mute_message_author', mail)).status, 403)
  t.is((await root.post('/api/mute_message_author', mail)).status, 200)
})
