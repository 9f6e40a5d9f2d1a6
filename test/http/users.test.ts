import anyTest, { type TestFn } from 'ava'
import { inviteModerator, Moderators } from '../../src/domain/moderators.ts'
import { countName, QUOTA } from '../../src/http/relation-quota.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { type Five, five, joining, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, eventually, logOf, unchanged } from '../support/community.ts'
import { found, names, refusalOf, submit } from '../support/posting.ts'
import { type Caller, startSite, type User } from '../support/site.ts'

const test = anyTest as TestFn<Five>

test.before(async (t) => {
  t.context = await startCast(five)
})
test.after.always((t) => t.context.site.stop())

let named = 0
/** A subsite of ann's. */
const scene = async ({ ann }: Five) => {
  const name = `place${named++}`
  return { name, subsite: await found(ann, name), friend: `/s/${name}/api/friend`, unfriend: `/s/${name}/api/unfriend` }
}
const rows = async (reader: Caller, path: string) =>
  ((await reader.get(path)).at('data.children') as readonly { name: string; mod_permissions?: string[]; note?: string; id: string }[]) ?? []
const subjects = async (reader: Caller) => dataOf(await reader.get('/message/inbox?limit=100')).map(({ subject }) => subject)

test.serial('inviting, accepting, changing permissions and removing a moderator each make a log entry', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, subsite, friend, unfriend } = await scene(t.context)
  t.is(
    (await ann.post(friend, { type: 'moderator', name: 'BOB', permissions: '+posts,+mail', api_type: 'json' })).text,
    '{"json":{"errors":[]}}',
  )
  t.true(
    await unchanged(site, () => done(ann, friend, { type: 'moderator_invite', name: 'bob', permissions: '+all' })),
    'a second one changes nothing',
  )
  t.deepEqual(
    (await rows(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['ann'],
  )
  t.true((await subjects(bob)).includes(`invitation to moderate /s/${name}`))
  await done(ann, `/s/${name}/api/setpermissions`, {
    type: 'moderator_invite',
    name: 'bob',
    permissions: '+posts,+flair,-mail,+chat_config',
  })
  await done(bob, `/s/${name}/api/accept_moderator_invite`)
  t.is(refusalOf(await bob.post(`/s/${name}/api/accept_moderator_invite`)), 'NO_INVITE_FOUND')
  t.deepEqual(
    (await rows(site, `/s/${name}/about/moderators`)).map((row) => [row.name, row.mod_permissions]),
    [
      ['ann', ['all']],
      ['bob', ['flair', 'posts']],
    ],
  )
  t.is(refusalOf(await ann.post(friend, { type: 'moderator', name: 'bob' })), 'ALREADY_MODERATOR name')
  await done(ann, `/s/${name}/api/setpermissions`, { type: 'moderator', name: 'bob', permissions: '' })
  t.true(
    await unchanged(site, () => done(ann, `/s/${name}/api/setpermissions`, { type: 'moderator', name: 'bob', permissions: '+all,-posts' })),
  )
  await appoint(bob, name, carol, '+posts')
  t.is((await carol.post(unfriend, { type: 'moderator', name: 'ann' })).status, 403, 'without all')
  t.is((await bob.post(unfriend, { type: 'moderator', name: 'ann' })).status, 403, 'a junior')
  t.is((await bob.post(`/s/${name}/api/setpermissions`, { type: 'moderator', name: 'ann', permissions: '-all' })).status, 403)
  t.is((await bob.post(`/s/${name}/api/setpermissions`, { type: 'moderator', name: 'bob', permissions: '-all' })).status, 403, 'oneself')
  t.is((await ann.post(unfriend, { type: 'moderator', id: bob.id })).text, '{}')
  t.true(await unchanged(site, () => done(ann, unfriend, { type: 'moderator', name: 'bob' })))
  t.true((await subjects(bob)).includes(`you have been removed as a moderator of /s/${name}`))
  await done(carol, '/api/leavemoderator', { id: subsite })
  t.true(await unchanged(site, () => done(carol, '/api/leavemoderator', { id: subsite })))
  await done(ann, unfriend, { type: 'moderator', name: 'ann' })
  t.deepEqual(await rows(site, `/s/${name}/about/moderators`), [], 'the last may go too')
  t.deepEqual(await logOf(site, name), [
    `ann removemoderator ${ann.id} remove_self`,
    `carol removemoderator ${carol.id} remove_self`,
    `ann removemoderator ${bob.id}`,
    'carol acceptmoderatorinvite',
    `bob invitemoderator ${carol.id}`,
    `ann setpermissions ${bob.id} permission_moderator +all`,
    'bob acceptmoderatorinvite',
    `ann setpermissions ${bob.id} permission_moderator_invite +flair,-mail,+posts`,
    `ann invitemoderator ${bob.id}`,
  ])
})

test.serial('a moderator without the right to cannot change permissions, invitations or seats', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const { name, subsite, friend, unfriend } = await scene(t.context)
  const [elsewhere, set] = [await scene(t.context), `/s/${name}/api/setpermissions`]
  const few = '+access,+config,+flair,+mail,+posts,+wiki'
  await appoint(ann, name, carol, '+all')
  await appoint(ann, name, bob, '+all')
  await appoint(ann, name, dave, few)
  const eve = await site.register('evelyn')
  await done(ann, friend, { type: 'moderator_invite', name: eve.name, permissions: '+posts' })
  await done(ann, elsewhere.friend, { type: 'moderator_invite', name: 'carol', permissions: '+all' })
  const accept = `/s/${name}/api/accept_moderator_invite`
  const attacks: readonly (readonly [User, string, Record<string, string>, string])[] = [
    [dave, set, { type: 'moderator', name: 'dave', permissions: '+all' }, '403'],
    [dave, set, { type: 'moderator', name: 'bob', permissions: '-posts' }, '403'],
    [dave, set, { type: 'moderator_invite', name: eve.name, permissions: '+all' }, '403'],
    [dave, friend, { type: 'moderator_invite', name: 'root', permissions: '+all' }, '403'],
    [dave, friend, { type: 'moderator_invite', name: 'root', permissions: '-all' }, '403'],
    [dave, friend, { type: 'moderator', name: 'dave', permissions: '+all' }, '403'],
    [dave, unfriend, { type: 'moderator', name: 'bob' }, '403'],
    [dave, accept, { name: eve.name }, 'NO_INVITE_FOUND'],
    [eve, `/s/${elsewhere.name}/api/accept_moderator_invite`, { sr: subsite, r: name }, 'NO_INVITE_FOUND'],
    [eve, set, { type: 'moderator_invite', name: eve.name, permissions: '+all' }, '403'],
    [bob, set, { type: 'moderator', name: 'bob', permissions: '+all,+mail' }, '403'],
    [bob, set, { type: 'moderator', name: 'carol', permissions: '+posts' }, '403'],
    [bob, set, { type: 'moderator', name: 'ann', permissions: '+posts' }, '403'],
    [bob, unfriend, { type: 'moderator', name: 'carol' }, '403'],
    [bob, unfriend, { type: 'moderator', id: carol.id }, '403'],
    [bob, elsewhere.friend, { type: 'moderator_invite', name: 'dave', permissions: '+all' }, '403'],
    [carol, elsewhere.friend, { type: 'moderator_invite', name: 'dave', permissions: '+all' }, '403'],
  ]
  for (const [who, path, form, refusal] of attacks) {
    const what = `${who.name} ${path} ${JSON.stringify(form)}`
    t.true(await unchanged(site, async () => t.is(refusalOf(await who.post(path, form)), refusal, what)), what)
  }
  await done(eve, accept, { permissions: '+all' })
  const held = async () =>
    Object.fromEntries((await rows(site, `/s/${name}/about/moderators`)).map((row) => [row.name, row.mod_permissions?.join(',')]))
  t.deepEqual(await held(), { ann: 'all', carol: 'all', bob: 'all', dave: 'access,config,flair,mail,posts,wiki', [eve.name]: 'posts' })

  await done(carol, set, { type: 'moderator', name: 'bob', permissions: '+access' })
  await done(carol, '/api/leavemoderator', { id: subsite })
  t.true(
    await unchanged(site, async () => {
      t.is((await bob.post(friend, { type: 'moderator_invite', name: 'carol', permissions: '+all' })).status, 403, 'no longer')
      t.is((await bob.post(set, { type: 'moderator', name: eve.name, permissions: '+all' })).status, 403)
      t.is((await carol.post(set, { type: 'moderator', name: 'carol', permissions: '+all' })).status, 403, 'has left')
      t.is((await carol.post(unfriend, { type: 'moderator', name: eve.name })).status, 403)
      t.is(refusalOf(await carol.post(accept)), 'NO_INVITE_FOUND', 'the first invitation is used up')
    }),
  )
  await done(root, set, { type: 'moderator', name: 'bob', permissions: '+all' })
  await appoint(ann, name, carol, '+all')
  t.true(await unchanged(site, async () => t.is((await carol.post(unfriend, { type: 'moderator', name: 'bob' })).status, 403)))
  await done(bob, unfriend, { type: 'moderator', name: 'carol' })
  t.deepEqual(Object.keys(await held()), ['ann', 'bob', 'dave', eve.name], 'who comes back is the most junior')
})

test.serial('a ban withdraws a pending invitation, and a banned account cannot accept one', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await scene(t.context)
  const accept = () => bob.post(`/s/${name}/api/accept_moderator_invite`)
  await done(ann, friend, { type: 'moderator_invite', name: 'bob' })
  await done(ann, friend, { type: 'banned', name: 'bob' })
  t.true(await unchanged(site, async () => t.is(refusalOf(await accept()), 'BANNED_FROM_SUBSITE')))
  const [withdrawn, banned] = await logOf(ann, name)
  t.is(banned, `ann banuser ${bob.id} permanent`)
  t.is(withdrawn, `ann uninvitemoderator ${bob.id}`)
  await done(ann, unfriend, { type: 'banned', name: 'bob' })
  t.is(refusalOf(await accept()), 'NO_INVITE_FOUND', 'the end of the ban does not bring it back')
  await done(ann, friend, { type: 'moderator_invite', name: 'bob' })
  t.is((await accept()).status, 200)
  t.deepEqual(
    (await rows(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['ann', 'bob'],
  )
})

test.serial('an invitation can be withdrawn; admins can add moderators directly and regardless of seniority', async (t) => {
  const { site, ann, bob, root } = t.context
  const { name, friend, unfriend } = await scene(t.context)
  await done(ann, friend, { type: 'moderator_invite', name: 'bob' })
  await done(ann, unfriend, { type: 'moderator_invite', name: 'bob' })
  t.true(await unchanged(site, () => done(ann, unfriend, { type: 'moderator_invite', name: 'bob' })))
  t.is(refusalOf(await bob.post(`/s/${name}/api/accept_moderator_invite`)), 'NO_INVITE_FOUND')
  t.is(refusalOf(await bob.post('/api/accept_moderator_invite')), 'NO_INVITE_FOUND')
  await done(root, friend, { type: 'moderator', name: 'bob', permissions: '+wiki' })
  t.true((await subjects(bob)).includes('you are a moderator'))
  await done(root, unfriend, { type: 'moderator', name: 'ann' })
  t.deepEqual(
    (await rows(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['bob'],
  )
  t.deepEqual(await logOf(site, name), [
    `root removemoderator ${ann.id}`,
    `root addmoderator ${bob.id}`,
    `ann uninvitemoderator ${bob.id}`,
    `ann invitemoderator ${bob.id}`,
  ])
  t.is(dataOf(await site.get(`/s/${name}/about/log?mod=a`)).length, 2)
})

test.serial('an invited account and a moderator can view a private subsite, a removed one no longer', async (t) => {
  const { site, ann } = t.context
  const { xena, yves } = await joining(site, 'xena', 'yves')
  const name = `closed${named++}`
  const subsite = await found(ann, name, { type: 'private' })
  const views = async (who: Caller) => (await who.get(`/s/${name}/about`)).status === 200
  t.false(await views(xena))
  await appoint(ann, name, xena, '+access')
  await appoint(ann, name, yves, '+posts')
  await done(ann, `/s/${name}/api/friend`, { type: 'contributor', name: 'yves' })
  t.true((await views(xena)) && (await views(yves)))
  t.deepEqual(names(await xena.get('/subs/mine/moderator')), [subsite])
  t.is((await xena.get('/api/v1/me')).at('is_mod'), true)
  // the fullname goes before the name
  await done(ann, `/s/${name}/api/unfriend`, { type: 'moderator', id: xena.id, name: 'yves' })
  await done(yves, '/api/leavemoderator', { id: subsite })
  t.deepEqual([await views(xena), await views(yves)], [false, true], 'a contributor still views it')
  t.deepEqual(names(await xena.get('/subs/mine/moderator')), [])
  t.like((await xena.get('/api/v1/me')).body, { is_mod: false, has_mod_mail: false })
})

test.serial('banning, changing a ban or its note and unbanning are each shown in the log, and notify the account', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await scene(t.context)
  await submit(bob, name)
  const ban = (more: Record<string, string | number>) => done(ann, friend, { type: 'banned', name: 'bob', ...more })
  await ban({ duration: 3, note: 'first', ban_reason: 'spam', ban_message: 'please stop' })
  t.is(refusalOf(await bob.post('/api/submit', { sr: name, kind: 'self', title: 'x' })), 'SUBSITE_NOTALLOWED sr')
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_banned'), true)
  t.deepEqual(
    (await rows(ann, `/s/${name}/about/banned`)).map((row) => [row.name, row.note]),
    [['bob', 'spam: first']],
  )
  await ban({ duration: 3, note: 'second' })
  t.deepEqual(
    (await rows(ann, `/s/${name}/about/banned`)).map((row) => row.note),
    ['second'],
  )
  await ban({ duration: 10 })
  await ban({})
  t.true(await unchanged(site, () => ban({})))
  await ban({ duration: 1 })
  await done(ann, unfriend, { type: 'banned', name: 'bob' })
  t.true(await unchanged(site, () => done(ann, unfriend, { type: 'banned', name: 'bob' })))
  t.deepEqual(await rows(ann, `/s/${name}/about/banned`), [])
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

test.serial('a ban or a mute of an account that never took part sends no message; a ban lasts 1 to 999 days', async (t) => {
  const { ann, dave } = t.context
  const { name, friend } = await scene(t.context)
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
  const { name, subsite, friend, unfriend } = await scene(t.context)
  await done(ann, friend, { type: 'contributor', name: 'bob' })
  await done(ann, friend, { type: 'contributor', name: 'carol' })
  t.true(await unchanged(site, () => done(ann, friend, { type: 'contributor', name: 'bob' })))
  t.true((await subjects(bob)).includes(`you are an approved submitter of /s/${name}`))
  t.deepEqual(
    (await rows(ann, `/s/${name}/about/contributors`)).map((row) => row.name),
    ['carol', 'bob', 'ann'],
  )
  t.deepEqual(
    (await rows(ann, `/s/${name}/about/contributors?user=bob`)).map((row) => row.id),
    [bob.id],
  )
  t.deepEqual(await rows(ann, `/s/${name}/about/contributors?user=nobody`), [])
  const first = await ann.get(`/s/${name}/about/contributors?limit=2`)
  const second = await ann.get(`/s/${name}/about/contributors?limit=2&after=${first.at('data.after')}`)
  t.is(second.at('data.children.0.name'), 'ann')
  t.is(second.at('data.after'), null)
  t.deepEqual((await rows(bob, '/subs/mine/contributor')).length > 0, true)
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
  const { name } = await scene(t.context)
  await appoint(ann, name, carol, '+posts')
  await found(dave, `restricted${named}`, { type: 'restricted' })
  for (const where of ['banned', 'contributors', 'muted', 'wikibanned', 'wikicontributors'] as const) {
    t.is((await site.get(`/s/${name}/about/${where}`)).status, 403)
    t.is((await bob.get(`/s/${name}/about/${where}`)).status, 403)
    t.is((await carol.get(`/s/${name}/about/${where}`)).status, 403)
    t.is((await ann.get(`/s/${name}/about/${where}`)).at('kind'), 'Listing')
    for (const path of ['/about', '/s/all/about', '/s/friends/about']) t.is((await ann.get(`${path}/${where}`)).status, 404, path)
  }
  t.is((await site.get(`/s/restricted${named}/about/contributors`)).status, 200, 'of a type that is not public')
  t.is((await ann.get('/s/all/about/moderators')).status, 404)
  await done(ann, `/s/${name}/api/friend`, { type: 'moderator_invite', name: 'bob' })
  t.deepEqual(
    (await rows(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['ann', 'carol'],
    'those who are only invited are in no list',
  )
  t.is((await site.get(`/s/${name}/about/moderators`)).at('kind'), 'UserList')
  t.is((await site.get('/about/moderators')).status, 403)
  t.true((await rows(carol, '/about/moderators')).some((row) => row.name === 'ann'))
  for (const user of ['nobody', 'not a name', 'bob']) t.deepEqual(await rows(site, `/s/${name}/about/moderators?user=${user}`), [], user)
  t.is((await rows(site, `/s/${name}/about/moderators?user=Carol`)).length, 1)
})

test.serial('refused friend and unfriend requests record nothing', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { friend, unfriend, name } = await scene(t.context)
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
  const set = `/s/${name}/api/setpermissions`
  await refused(site, set, { type: 'moderator', name: 'carol' }, '403')
  await refused(carol, set, { type: 'moderator', name: 'carol' }, '403')
  await refused(ann, set, { type: 'moderator' }, 'NO_USER name')
  await refused(ann, set, { type: 'moderator', name: 'nobody' }, 'USER_DOESNT_EXIST name')
  await refused(ann, set, { type: 'contributor', name: 'carol' }, 'INVALID_PERMISSION_TYPE type')
  await refused(ann, set, { type: 'moderator', name: 'carol', permissions: 'posts,xyz' }, 'INVALID_PERMISSIONS permissions')
  await refused(ann, set, { type: 'moderator', name: 'bob' }, '403')
  await refused(ann, set, { type: 'moderator_invite', name: 'bob' }, 'NO_INVITE_FOUND')
})

test.serial('at most 25 invitations are pending for any invitees; admins are exempt', async (t) => {
  const { site, ann, root } = t.context
  const { friend, subsite } = await scene(t.context)
  const { run, mint } = site.running.app
  for (let n = 0; n < 25; n += 1) {
    const command = commandOf(seedOf(mint()), { account: ann.id, as: 'moderator' })
    await run(
      Moderators,
      subsite,
      inviteModerator({ subsite, account: `t2_${n.toString(36)}` }, { banned: false, muted: false }, '+mail'),
      command,
    )
  }
  for (const name of ['bob', 'nobody', ''])
    t.is(refusalOf(await ann.post(friend, { type: 'moderator_invite', name })), 'SUBSITE_RATELIMIT name', name)
  t.is(refusalOf(await root.post(friend, { type: 'moderator', name: 'bob' })), '')
})

test.serial('leaving with an invalid subsite name does not fall back on the subsite of the path', async (t) => {
  const { site, ann, carol } = t.context
  const { name } = await scene(t.context)
  await appoint(ann, name, carol, '+posts')
  t.true(await unchanged(site, () => done(carol, `/s/${name}/api/leavemoderator`, { id: 'nonsense' })))
  await done(carol, `/s/${name}/api/leavemoderator`)
  t.is((await rows(site, `/s/${name}/about/moderators`)).length, 1)
})

test.serial('each type of relation needs its scope; a token makes friends by the v1 endpoint only', async (t) => {
  const { ann } = t.context
  const { friend, unfriend } = await scene(t.context)
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

test.serial('a session makes friends in the container of its own account', async (t) => {
  const { site, carol, bob } = t.context
  const session = await carol.session()
  const names = async () =>
    ((await session.get('/prefs/friends')).at('0.data.children') as { name: string; note: string }[]).map(
      (row) => `${row.name} ${row.note}`,
    )
  const form = { type: 'friend', name: 'bob', container: carol.id }
  t.is(refusalOf(await session.post('/api/friend', { ...form, note: 'kind' })), '')
  t.deepEqual(await names(), ['bob kind'])
  t.true(
    await unchanged(site, async () => {
      t.is((await session.post('/api/friend', { ...form, container: bob.id })).status, 403)
      t.is(refusalOf(await session.post('/api/friend', { ...form, name: 'ann', container: 't2_zzzz' })), '')
      t.is(refusalOf(await session.post('/api/friend', { type: 'friend', name: 'ann' })), '')
      t.is(refusalOf(await session.post('/api/friend', { ...form, note: 'kind' })), '')
      t.is((await site.post('/api/friend', form, { Cookie: session.cookie })).status, 403)
    }),
  )
  t.is((await session.post('/s/all/api/unfriend', form)).text, '{}')
  t.deepEqual(await names(), [])
  t.is((await session.get('/prefs/friends')).at('1.data.children.0'), undefined)
})

test.serial('friends can be added, noted, read and removed by the v1 endpoint', async (t) => {
  const { site, ann, dave, bob } = t.context
  const path = '/api/v1/me/friends/DAVE'
  const put = (json: unknown) => ann.request('PUT', path, { json })
  const created = await put({ note: 'met at tea' })
  t.is(created.status, 201)
  t.like(created.body, { id: dave.id, name: 'dave', note: 'met at tea' })
  t.is((await put({ name: 'dave', user: 'x' })).status, 200)
  t.is((await ann.get(path)).at('note'), 'met at tea')
  t.is((await put({ note: null })).at('note'), '')
  t.is((await ann.request('PUT', path, { body: '{}' })).status, 200, 'a body without a type')
  t.is((await ann.get('/user/dave/about')).at('data.is_friend'), true)
  t.is((await bob.get('/user/dave/about')).at('data.is_friend'), false)
  t.deepEqual(
    (await rows(ann, '/api/v1/me/friends/')).map((row) => row.name),
    ['dave'],
  )
  const refused = async (sending: Parameters<Caller['request']>[2], reason: string, field: string | undefined) =>
    t.true(
      await unchanged(site, async () => {
        const answer = await ann.request('PUT', path, sending)
        t.is(answer.status, 400)
        t.is(answer.at('reason'), reason)
        if (field) t.deepEqual(answer.at('fields'), [field])
      }),
      reason,
    )
  await refused({ body: '' }, 'JSON_PARSE_ERROR', undefined)
  await refused({ body: '{"note"' }, 'JSON_PARSE_ERROR', undefined)
  await refused({ json: [] }, 'JSON_INVALID', undefined)
  await refused({ json: { note: 'x'.repeat(301) } }, 'TOO_LONG', 'note')
  await refused({ json: { name: 'bob' } }, 'BAD_USERNAME', 'name')
  await refused({ json: { name: 'nobody' } }, 'USER_DOESNT_EXIST', 'name')
  t.is((await ann.request('PUT', '/api/v1/me/friends/nobody', { json: {} })).at('reason'), 'USER_DOESNT_EXIST')
  t.is((await (await ann.withScopes('read')).request('PUT', path, { json: {} })).status, 403)
  t.is((await (await ann.session()).request('PUT', path, { json: {} })).status, 401)
  const gone = await ann.request('DELETE', path)
  t.is(gone.status, 204)
  t.is(gone.text, '')
  for (const method of ['DELETE', 'GET']) t.is((await ann.request(method, path)).at('reason'), 'NOT_FRIEND', method)
})

test.serial('the record of an account is public, and user names can be checked and looked up', async (t) => {
  const { site, ann, bob, root } = t.context
  const about = await bob.get('/user/ANN/about.json')
  t.like(about.body, { kind: 't2' })
  t.like(about.at('data'), {
    id: ann.id.slice(3),
    name: 'ann',
    link_karma: 1,
    comment_karma: 0,
    is_gold: false,
    is_mod: true,
    is_friend: false,
  })
  t.is(about.at('data.inbox_count'), undefined)
  t.is((await bob.get('/user/me/about.json')).headers.get('location'), '/user/bob/about.json')
  t.is((await site.get('/user/me/about')).at('reason'), 'USER_REQUIRED')
  t.is((await (await site.register('nina')).get('/user/nina/about')).at('data.is_mod'), false)
  t.not((await bob.get('/user/bob/about')).at('data.inbox_count'), undefined)
  t.is((await bob.get('/user/bob/about')).at('data.modhash'), undefined)
  const session = await bob.session()
  t.is((await session.get('/user/bob/about')).at('data.modhash'), session.modhash)
  t.is((await session.get('/api/me.json')).at('data.is_friend'), false)
  t.is((await bob.get('/api/v1/me')).at('is_friend'), undefined)
  t.is((await root.get('/user/ann/about')).at('data.link_karma'), 0, 'admins see below the floor')
  for (const path of ['/user/nobody/about', '/user/a%20b/about', `/user/${'x'.repeat(21)}/about`])
    t.is((await site.get(path)).status, 404, path)
  t.is((await site.get('/api/username_available?user=ANN')).text, 'false')
  t.is((await site.get('/api/username_available.json?user=nobody')).text, 'true')
  for (const user of ['', 'ab', 'x'.repeat(21), 'a b'])
    t.is(refusalOf(await site.get(`/api/username_available?user=${user}`)), 'BAD_USERNAME user', user)
})

test.serial('64 concurrent contradictory calls about one moderator leave one state that the log explains', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await scene(t.context)
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) => {
      if (n % 4 === 0) return ann.post(friend, { type: 'moderator', name: 'bob' })
      if (n % 4 === 1) return bob.post(`/s/${name}/api/accept_moderator_invite`)
      if (n % 4 === 2) return ann.post(unfriend, { type: n % 8 === 2 ? 'moderator' : 'moderator_invite', name: 'bob' })
      return ann.post(friend, { type: 'banned', name: 'bob', duration: n })
    }),
  )
  t.true(answers.every(({ status }) => status < 500))
  /** Whether bob moderates in the end, by a log whose entries follow from one another. */
  const moderatesBy = (log: readonly string[]): boolean => {
    let invited = false
    let moderates = false
    for (const entry of log.toReversed()) {
      const action = entry.split(' ')[1]
      if (action === 'invitemoderator') {
        t.false(invited || moderates, entry)
        invited = true
      }
      if (action === 'uninvitemoderator' || action === 'acceptmoderatorinvite') {
        t.true(invited, entry)
        invited = false
        moderates = action === 'acceptmoderatorinvite'
      }
      if (action === 'removemoderator') {
        t.true(moderates, entry)
        moderates = false
      }
    }
    return moderates
  }
  const isListed = async () => (await rows(site, `/s/${name}/about/moderators`)).some((row) => row.name === 'bob')
  // a seat taken at the same time as a ban is ended by the service, which may come later
  t.true(await eventually(async () => moderatesBy(await logOf(site, name)) === (await isListed())), 'the list agrees with the log')
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
