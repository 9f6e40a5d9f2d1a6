import { countName, QUOTA } from '../../src/http/relation-quota.ts'
import { five, joining, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, eventually, logOf, unchanged } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { found, names, refusalOf, submit } from '../support/posting.ts'
import { accountsIn, newSubsite, subjectsOf } from '../support/scenes.ts'
import { type Caller, startSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))
const DAY = 24 * 60 * 60 * 1000

test.serial('banning, changing a ban or its note and unbanning are each shown in the log, and notify the account', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await submit(bob, name)
  const ban = (more: Record<string, string | number>) => done(ann, friend, { type: 'banned', name: 'bob', ...more })
  await ban({ duration: 3, note: 'first', ban_reason: 'spam', ban_message: 'please stop' })
  t.is(refusalOf(await bob.post('/api/submit', { sr: name, kind: 'self', title: 'x' })), 'SUBSITE_NOTALLOWED sr')
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_banned'), true)
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/banned`)).map((row) => [row.name, row.note]),
    [['bob', 'spam: first']],
  )
  await ban({ duration: 3, note: 'second' })
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/banned`)).map((row) => row.note),
    ['second'],
  )
  await ban({ duration: 10 })
  await ban({})
  t.true(await unchanged(site, () => ban({})))
  await ban({ duration: 1 })
  await done(ann, unfriend, { type: 'banned', name: 'bob' })
  t.true(await unchanged(site, () => done(ann, unfriend, { type: 'banned', name: 'bob' })))
  t.deepEqual(await accountsIn(ann, `/s/${name}/about/banned`), [])
  await submit(bob, name)
  t.deepEqual(await logOf(ann, name), [
    `ann unbanuser ${bob.id}`,
    `ann banuser ${bob.id} changed to 1 days`,
    `ann banuser ${bob.id} changed to permanent`,
    `ann banuser ${bob.id} changed to 10 days`,
    `ann banuser ${bob.id} changed note second`,
    `ann banuser ${bob.id} 3 days spam: first`,
  ])
  const told = async () => dataOf(await bob.get('/message/inbox?limit=100')).filter(({ subsite }) => subsite === name)
  t.true(await eventually(async () => (await told()).length === 4))
  const first = `you've been temporarily banned from participating in /s/${name}`
  const changed = `your ban from /s/${name} has changed`
  t.deepEqual((await told()).map(({ subject }) => String(subject)).toSorted(), [first, changed, changed, changed].toSorted())
  const banned = (await told()).find(({ subject }) => subject === first)
  t.regex(String(banned?.body), /&gt; please stop/)
  t.is(banned?.author, null)
})

test.serial('a ban is listed until its end and no longer, and then the account can post again', async (t) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(site.stop)
  const { ivy, olaf } = await joining(site, 'ivy', 'olaf')
  await found(ivy, 'tea')
  await submit(olaf, 'tea')
  for (const [type, duration] of Object.entries({ banned: 1, wikibanned: 2 }))
    await done(ivy, '/s/tea/api/friend', { type, name: 'olaf', duration })
  // tokens of now, since an older one ends after an hour
  const listed = async (where: string) => (await accountsIn(await ivy.withScopes('read'), `/s/tea/about/${where}`)).map(({ name }) => name)
  const posting = async () =>
    refusalOf(await (await olaf.withScopes('submit')).post('/api/submit', { sr: 'tea', kind: 'self', title: 'again' }))
  forward(DAY - 60_000)
  t.true(await eventually(async () => (await listed('banned')).includes('olaf')), 'a minute before its end')
  // the first write after a leap may find that the lease of the worker number has run out
  t.true(await eventually(async () => !['', '503'].includes(await posting())))
  forward(120_000)
  t.true(await eventually(async () => (await listed('banned')).length === 0))
  t.deepEqual(await listed('wikibanned'), ['olaf'], 'the longer one')
  t.true(await eventually(async () => (await posting()) === ''))
  t.true(
    await eventually(async () => {
      const [last] = await logOf(await ivy.withScopes('read'), 'tea')
      return last === `[service] unbanuser ${olaf.id} - was temporary`
    }),
  )
})

test.serial('a ban or a mute of an account that never took part sends no message; a ban lasts 1 to 999 days', async (t) => {
  const { ann, dave } = t.context
  const { name, friend } = await newSubsite(t.context)
  for (const duration of [0, 5000]) await done(ann, friend, { type: 'banned', name: 'dave', duration })
  await done(ann, friend, { type: 'muted', name: 'dave' })
  t.deepEqual(await logOf(ann, name), [
    `ann muteuser ${dave.id}`,
    `ann banuser ${dave.id} changed to 999 days`,
    `ann banuser ${dave.id} 1 days`,
  ])
  t.deepEqual(
    dataOf(await dave.get('/message/inbox')).filter(({ subsite }) => subsite === name),
    [],
  )
})

test.serial('adding and removing a contributor are log entries, leaving is none', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, subsite, friend, unfriend } = await newSubsite(t.context)
  await done(ann, friend, { type: 'contributor', name: 'bob' })
  await done(ann, friend, { type: 'contributor', name: 'carol' })
  t.true(await unchanged(site, () => done(ann, friend, { type: 'contributor', name: 'bob' })))
  t.true((await subjectsOf(bob)).includes(`you are an approved submitter of /s/${name}`))
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/contributors`)).map((row) => row.name),
    ['carol', 'bob', 'ann'],
  )
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/contributors?user=bob`)).map((row) => row.id),
    [bob.id],
  )
  t.deepEqual(await accountsIn(ann, `/s/${name}/about/contributors?user=nobody`), [])
  const first = await ann.get(`/s/${name}/about/contributors?limit=2`)
  const second = await ann.get(`/s/${name}/about/contributors?limit=2&after=${first.at('data.after')}`)
  t.is(second.at('data.children.0.name'), 'ann')
  t.is(second.at('data.after'), null)
  t.deepEqual((await accountsIn(bob, '/subs/mine/contributor')).length > 0, true)
  await done(ann, unfriend, { type: 'contributor', name: 'bob' })
  await done(carol, '/api/leavecontributor', { id: subsite })
  t.true(
    await unchanged(site, async () => {
      await done(ann, unfriend, { type: 'contributor', name: 'bob' })
      await done(carol, '/api/leavecontributor', { id: subsite })
      await done(carol, '/api/leavecontributor')
      await done(carol, '/api/leavecontributor', { id: 't4_zzzz' })
    }),
  )
  t.deepEqual(await logOf(site, name), [
    `ann removecontributor ${bob.id}`,
    `ann addcontributor ${carol.id}`,
    `ann addcontributor ${bob.id}`,
  ])
})

test.serial('each list of a subsite’s relations is visible to those it is for only', async (t) => {
  const { site, ann, bob, carol, dave } = t.context
  const { name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts')
  await found(dave, 'restricted', { type: 'restricted' })
  for (const where of ['banned', 'contributors', 'muted', 'wikibanned', 'wikicontributors'] as const) {
    t.is((await site.get(`/s/${name}/about/${where}`)).status, 403)
    t.is((await bob.get(`/s/${name}/about/${where}`)).status, 403)
    t.is((await carol.get(`/s/${name}/about/${where}`)).status, 403)
    t.is((await ann.get(`/s/${name}/about/${where}`)).at('kind'), 'Listing')
    for (const path of ['/about', '/s/all/about', '/s/friends/about']) t.is((await ann.get(`${path}/${where}`)).status, 404, path)
  }
  t.is((await site.get('/s/restricted/about/contributors')).status, 200, 'of a type that is not public')
  t.is((await ann.get('/s/all/about/moderators')).status, 404)
  await done(ann, `/s/${name}/api/friend`, { type: 'moderator_invite', name: 'bob' })
  t.deepEqual(
    (await accountsIn(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['ann', 'carol'],
    'those who are only invited are in no list',
  )
  t.is((await site.get(`/s/${name}/about/moderators`)).at('kind'), 'UserList')
  t.is((await site.get('/about/moderators')).status, 403)
  t.true((await accountsIn(carol, '/about/moderators')).some((row) => row.name === 'ann'))
  for (const user of ['nobody', 'not a name', 'bob'])
    t.deepEqual(await accountsIn(site, `/s/${name}/about/moderators?user=${user}`), [], user)
  t.is((await accountsIn(site, `/s/${name}/about/moderators?user=Carol`)).length, 1)
})

test.serial('refused friend and unfriend requests record nothing', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { friend, unfriend, name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts,+config')
  const refused = async (caller: Caller, path: string, form: Record<string, string>, refusal: string) =>
    t.true(
      await unchanged(site, async () => t.is(refusalOf(await caller.post(path, form)), refusal, JSON.stringify(form))),
      JSON.stringify(form),
    )
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
  await refused(ann, friend, { type: 'banned', name: 'carol' }, 'CANT_RESTRICT_MODERATOR name')
  for (const type of ['banned', 'muted']) await refused(ann, friend, { type, name: 'ann' }, 'CANT_RESTRICT_MODERATOR name')
  await done(ann, friend, { type: 'banned', name: 'dave' })
  await done(ann, friend, { type: 'muted', name: 'bob' })
  for (const type of ['contributor', 'wikicontributor', 'moderator', 'moderator_invite']) {
    await refused(ann, friend, { type, name: 'dave' }, 'BANNED_FROM_SUBSITE name')
    await refused(ann, friend, { type, name: 'bob' }, 'MUTED_FROM_SUBSITE name')
  }
})

test.serial('each type of relation needs its scope; a token makes friends by the v1 endpoint only', async (t) => {
  const { ann } = t.context
  const { friend, unfriend } = await newSubsite(t.context)
  const [contributors, others] = [await ann.withScopes('modcontributors'), await ann.withScopes('modothers')]
  t.is((await others.post(friend, { type: 'banned', name: 'dave' })).status, 403)
  t.is(refusalOf(await contributors.post(friend, { type: 'banned', name: 'dave' })), '')
  t.is((await contributors.post(friend, { type: 'moderator', name: 'dave' })).status, 403)
  t.is((await others.post(unfriend, { type: 'banned', name: 'dave' })).status, 403)
  t.is((await contributors.post(unfriend, { type: 'banned', name: 'dave' })).text, '{}')
  const friendship = await ann.post(friend, { type: 'friend', name: 'dave', container: ann.id })
  t.is(friendship.status, 400)
  t.regex(friendship.headers.get('www-authenticate') ?? '', /error="invalid_request"$/)
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
  const subsite = await found(ann, 'busy')
  const count = () => app.vault.get('limit', countName(app, subsite, 'banned'))
  const ban = (by: Caller, name: string) => by.post('/s/busy/api/friend', { type: 'banned', name })
  t.is(refusalOf(await ban(ann, 'nobody')), 'USER_DOESNT_EXIST name')
  t.is(await count(), undefined, 'a refusal makes none')
  t.is(refusalOf(await ban(ann, 'dave')), '')
  t.is(refusalOf(await ban(ann, 'dave')), '', 'nor does what is so already')
  t.is((await count())?.value, 1)
  await app.vault.put('limit', countName(app, subsite, 'banned'), { value: QUOTA })
  for (const name of ['dave', 'nobody']) t.is(refusalOf(await ban(ann, name)), 'SUBSITE_RATELIMIT', name)
  t.is(refusalOf(await ann.post('/s/busy/api/friend', { type: 'moderator', name: 'root' })), '', 'each type by itself')
  t.is(refusalOf(await ban(root, dave.name)), '')
  await done(dave, '/api/compose', { to: '/s/busy', subject: 'why?', text: 'I ask' })
  const mail = { id: names(await dave.get('/message/sent'))[0] }
  await app.vault.put('limit', countName(app, subsite, 'muted'), { value: QUOTA })
  t.is((await ann.post('/api/mute_message_author', mail)).status, 403)
  t.is((await root.post('/api/mute_message_author', mail)).status, 200)
})
