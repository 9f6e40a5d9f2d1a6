import { type Five, five, joinSite, startCast } from '../support/cast.ts'
import { appoint, dataOf, logOf, postForm, recordsNothing } from '../support/community.ts'
import { names, refusalOf } from '../support/posting.ts'
import { accountsIn, newSubsite, subjectsOf } from '../support/scenes.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

/** A new subsite of ann's, which bob is invited to moderate. */
const inviting = async ({ site, ann }: Five) => {
  const scene = await newSubsite({ site, ann })
  await postForm(ann, scene.friend, { type: 'moderator_invite', name: 'bob', permissions: '+posts,+mail' })
  const moderators = async () =>
    (await accountsIn(site, `/s/${scene.name}/about/moderators`)).map((row) => [row.name, row.mod_permissions?.join()])
  return { ...scene, accept: `/s/${scene.name}/api/accept_moderator_invite`, moderators }
}

test.serial('a moderator cannot make another one, but invites it', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend } = await newSubsite(t.context)
  const answer = await ann.post(friend, { type: 'moderator', name: 'BOB', permissions: '+posts,+mail', api_type: 'json' })
  t.is(answer.text, '{"json":{"errors":[]}}')
  t.deepEqual(
    (await accountsIn(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['ann'],
  )
  t.true((await subjectsOf(bob)).includes(`invitation to moderate /s/${name}`))
  t.deepEqual(await logOf(site, name), [`ann invitemoderator ${bob.id}`])
})

test.serial('pending invitations are listed for moderators with access, and leave the list when accepted or withdrawn', async (t) => {
  const { site, ann, bob, carol, dave } = t.context
  const { name, friend, unfriend, accept } = await inviting(t.context)
  await postForm(ann, friend, { type: 'moderator_invite', name: 'dave', permissions: '+all' })
  const path = `/api/v1/${name}/moderators_invited`
  const listed = async (query = '') => (await accountsIn(ann, `${path}${query}`)).map((row) => [row.name, row.mod_permissions?.join()])
  t.deepEqual(await listed(), [
    ['dave', 'all'],
    ['bob', 'mail,posts'],
  ])
  t.deepEqual(await listed('?username=BOB'), [['bob', 'mail,posts']])
  t.deepEqual(await listed('?username=carol'), [])
  const first = await ann.get(`${path}?limit=1`)
  t.deepEqual(await listed(`?after=${first.at('data.after')}`), [['bob', 'mail,posts']])
  for (const who of [bob, dave]) t.is((await who.get(path)).status, 403)
  t.is((await site.get(path)).at('reason'), 'USER_REQUIRED')
  t.is((await ann.get('/api/v1/nowhere_at_all/moderators_invited')).status, 404)
  await appoint(ann, name, carol, '+posts')
  t.is((await carol.get(path)).status, 403)
  await postForm(ann, unfriend, { type: 'moderator_invite', name: 'dave' })
  await postForm(bob, accept)
  t.deepEqual(await listed(), [])
})

test.serial('a second invitation changes nothing, and a moderator cannot be invited', async (t) => {
  const { site, ann, bob } = t.context
  const { friend, accept } = await inviting(t.context)
  t.true(await recordsNothing(site, () => postForm(ann, friend, { type: 'moderator_invite', name: 'bob', permissions: '+all' })))
  await postForm(bob, accept)
  t.is(refusalOf(await ann.post(friend, { type: 'moderator', name: 'bob' })), 'ALREADY_MODERATOR name')
})

test.serial('an invited account moderates once it accepts, with the permissions that the invitation was given last', async (t) => {
  const { site, ann, bob } = t.context
  const { name, accept, moderators } = await inviting(t.context)
  const permissions = '+posts,+flair,-mail,+chat_config'
  await postForm(ann, `/s/${name}/api/setpermissions`, { type: 'moderator_invite', name: 'bob', permissions })
  t.deepEqual(await moderators(), [['ann', 'all']])
  await postForm(bob, accept)
  t.deepEqual(await moderators(), [
    ['ann', 'all'],
    ['bob', 'flair,posts'],
  ])
  t.deepEqual(await logOf(site, name), [
    'bob acceptmoderatorinvite',
    `ann setpermissions ${bob.id} permission_moderator_invite +flair,-mail,+posts`,
    `ann invitemoderator ${bob.id}`,
  ])
})

test.serial('an invitation can be accepted once', async (t) => {
  const { bob } = t.context
  const { accept } = await inviting(t.context)
  await postForm(bob, accept)
  t.is(refusalOf(await bob.post(accept)), 'NO_INVITE_FOUND')
})

test.serial('a withdrawn invitation cannot be accepted, nor withdrawn again', async (t) => {
  const { site, ann, bob } = t.context
  const { name, unfriend, accept } = await inviting(t.context)
  const withdraw = () => postForm(ann, unfriend, { type: 'moderator_invite', name: 'bob' })
  await withdraw()
  t.true(await recordsNothing(site, withdraw))
  for (const path of [accept, '/api/accept_moderator_invite']) t.is(refusalOf(await bob.post(path)), 'NO_INVITE_FOUND', path)
  t.deepEqual(await logOf(site, name), [`ann uninvitemoderator ${bob.id}`, `ann invitemoderator ${bob.id}`])
})

test.serial('admins can make and remove moderators without an invitation and regardless of seniority', async (t) => {
  const { site, ann, bob, root } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await postForm(root, friend, { type: 'moderator', name: 'bob', permissions: '+wiki' })
  t.true((await subjectsOf(bob)).includes('you are a moderator'))
  await postForm(root, unfriend, { type: 'moderator', name: 'ann' })
  t.deepEqual(
    (await accountsIn(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['bob'],
  )
  t.deepEqual(await logOf(site, name), [`root removemoderator ${ann.id}`, `root addmoderator ${bob.id}`])
  t.is(dataOf(await site.get(`/s/${name}/about/log?mod=a`)).length, 2, 'with the authority of an admin')
})

test.serial('a senior moderator with all permissions can change those of a junior one', async (t) => {
  const { site, ann, bob } = t.context
  const { name } = await newSubsite(t.context)
  const set = (permissions: string) => postForm(ann, `/s/${name}/api/setpermissions`, { type: 'moderator', name: 'bob', permissions })
  await appoint(ann, name, bob, '+flair,+posts')
  await set('')
  t.true(await recordsNothing(site, () => set('+all,-posts')), 'all are all')
  t.is((await logOf(site, name))[0], `ann setpermissions ${bob.id} permission_moderator +all`)
})

test.serial('permissions, also those of an invitation, are not changed from a sight of them that is out of date', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, friend } = await newSubsite(t.context)
  await appoint(ann, name, bob, '+flair,+posts')
  await postForm(ann, friend, { type: 'moderator_invite', name: 'carol', permissions: '+flair,+posts' })
  for (const [type, whom] of [
    ['moderator', bob],
    ['moderator_invite', carol],
  ] as const) {
    const set = (permissions: string, expected: string) =>
      ann.post(`/s/${name}/api/setpermissions`, { type, name: whom.name, permissions, expected, api_type: 'json' })
    t.is(refusalOf(await set('+posts', '+posts,+flair,-wiki')), '', type)
    const late = async () => t.like((await set('+flair,+mail,+posts', '+flair,+posts')).body, { error: 409, reason: 'CONFLICT' }, type)
    t.true(await recordsNothing(site, late))
    t.is(refusalOf(await set('+posts', '+flair,+posts')), '', 'both meant the same')
    t.is(refusalOf(await set('+all', '+posts')), '', type)
    t.is((await set('+mail', '+access,+config,+flair,+mail,+posts,+wiki')).status, 409, 'all is more than each')
    t.is(refusalOf(await set('+mail', 'x')), 'INVALID_PERMISSIONS permissions')
    t.is(refusalOf(await set('+mail', '')), '', 'absent: whatever they are')
  }
})

test.serial('a senior moderator with all permissions can remove a junior one, who gets a message', async (t) => {
  const { site, ann, bob } = t.context
  const { name, unfriend } = await newSubsite(t.context)
  await appoint(ann, name, bob, '+posts')
  t.is((await ann.post(unfriend, { type: 'moderator', id: bob.id })).text, '{}')
  t.true(await recordsNothing(site, () => postForm(ann, unfriend, { type: 'moderator', name: 'bob' })))
  t.true((await subjectsOf(bob)).includes(`you have been removed as a moderator of /s/${name}`))
  t.is((await logOf(site, name))[0], `ann removemoderator ${bob.id}`)
})

test.serial('nobody can remove a senior moderator or change its permissions, nor change their own', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, unfriend } = await newSubsite(t.context)
  const set = `/s/${name}/api/setpermissions`
  await appoint(ann, name, bob, '+all')
  await appoint(bob, name, carol, '+posts')
  t.true(
    await recordsNothing(site, async () => {
      t.is((await carol.post(unfriend, { type: 'moderator', name: 'ann' })).status, 403, 'without all')
      t.is((await bob.post(unfriend, { type: 'moderator', name: 'ann' })).status, 403, 'a junior')
      t.is((await bob.post(set, { type: 'moderator', name: 'ann', permissions: '-all' })).status, 403)
      t.is((await bob.post(set, { type: 'moderator', name: 'bob', permissions: '-all' })).status, 403, 'oneself')
    }),
  )
})

test.serial('every moderator can leave, also the last one', async (t) => {
  const { site, ann, carol } = t.context
  const { name, subsite, unfriend } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts')
  await postForm(carol, '/api/leavemoderator', { id: subsite })
  t.true(await recordsNothing(site, () => postForm(carol, '/api/leavemoderator', { id: subsite })))
  await postForm(ann, unfriend, { type: 'moderator', name: 'ann' })
  t.deepEqual(await accountsIn(site, `/s/${name}/about/moderators`), [])
  t.deepEqual((await logOf(site, name)).slice(0, 2), [
    `ann removemoderator ${ann.id} remove_self`,
    `carol removemoderator ${carol.id} remove_self`,
  ])
})

test.serial('leaving with an invalid subsite name does not fall back on the subsite of the path', async (t) => {
  const { site, ann, carol } = t.context
  const { name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts')
  t.true(await recordsNothing(site, () => postForm(carol, `/s/${name}/api/leavemoderator`, { id: 'nonsense' })))
  await postForm(carol, `/s/${name}/api/leavemoderator`)
  t.is((await accountsIn(site, `/s/${name}/about/moderators`)).length, 1)
})

test.serial('an invited account and a moderator can view a private subsite, a removed one no longer', async (t) => {
  const { site, ann } = t.context
  const { xena, yves } = await joinSite(site, 'xena', 'yves')
  const { name, subsite } = await newSubsite(t.context, { type: 'private' })
  const views = async (who: Caller) => (await who.get(`/s/${name}/about`)).status === 200
  t.false(await views(xena))
  await appoint(ann, name, xena, '+access')
  await appoint(ann, name, yves, '+posts')
  await postForm(ann, `/s/${name}/api/friend`, { type: 'contributor', name: 'yves' })
  t.true((await views(xena)) && (await views(yves)))
  t.deepEqual(names(await xena.get('/subs/mine/moderator')), [subsite])
  t.is((await xena.get('/api/v1/me')).at('is_mod'), true)
  // the fullname goes before the name
  await postForm(ann, `/s/${name}/api/unfriend`, { type: 'moderator', id: xena.id, name: 'yves' })
  await postForm(yves, '/api/leavemoderator', { id: subsite })
  t.deepEqual([await views(xena), await views(yves)], [false, true], 'a contributor still views it')
  t.deepEqual(names(await xena.get('/subs/mine/moderator')), [])
  t.like((await xena.get('/api/v1/me')).body, { is_mod: false, has_mod_mail: false })
})
