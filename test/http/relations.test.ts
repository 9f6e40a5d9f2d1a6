import type { Scope } from '../../src/auth/scopes.ts'
import { Relation } from '../../src/domain/relation.ts'
import { banUser, muteUser, wikiBanUser } from '../../src/domain/restrictions.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { findingsOf } from '../support/auditing.ts'
import { five, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, eventually, logOf, settled, unchanged } from '../support/community.ts'
import { refusalOf } from '../support/posting.ts'
import { accountsIn, newSubsite, subjectsOf } from '../support/scenes.ts'
import type { Caller, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))
const DAY = 24 * 60 * 60 * 1000

test.serial('muting, changing the note and unmuting are each shown in the log and the list, and notify the account', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await done(bob, '/api/subscribe', { action: 'sub', sr_name: name })
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_muted'), false)
  await done(ann, friend, { type: 'muted', name: 'bob', note: 'rude', duration: 999 })
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_muted'), true)
  t.true(await eventually(async () => (await subjectsOf(bob)).includes(`you've been muted in /s/${name}`)))
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/muted`)).map((row) => [row.name, 'note' in row]),
    [['bob', false]],
  )
  t.true(await unchanged(site, () => done(ann, friend, { type: 'muted', name: 'bob', note: 'rude' })))
  await done(ann, friend, { type: 'muted', name: 'bob' })
  await done(ann, unfriend, { type: 'muted', name: 'bob' })
  t.true(await unchanged(site, () => done(ann, unfriend, { type: 'muted', name: 'bob' })))
  t.deepEqual(await accountsIn(ann, `/s/${name}/about/muted`), [])
  const log = [`ann unmuteuser ${bob.id}`, `ann muteuser ${bob.id} changed note`, `ann muteuser ${bob.id} - rude`]
  t.deepEqual(await logOf(ann, name), log)
  t.deepEqual(
    await logOf(bob, name),
    log.map((line) => line.replace(' - rude', '')),
    'the note is for moderators',
  )
})

test.serial('an unknown from_sr is refused before a mute, and a mute before mail from subsite to subsite', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend } = await newSubsite(t.context)
  await done(ann, friend, { type: 'muted', name: 'bob' })
  const refused = async (form: Record<string, string>, refusal: string) =>
    t.is(refusalOf(await bob.post('/api/compose', { subject: 'tea', text: 'please', to: `#${name}`, ...form })), refusal)
  t.true(
    await unchanged(site, async () => {
      await refused({ from_sr: 'nowhere' }, 'SUBSITE_NOEXIST from_sr')
      await refused({ from_sr: 'nowhere', subject: '' }, 'NO_SUBJECT subject')
      await refused({ from_sr: name }, 'USER_MUTED to')
    }),
  )
})

test.serial('a muted account and the moderators cannot write to each other; admins can', async (t) => {
  const { site, ann, bob, dave, root } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  const write = (by: Caller, form: Record<string, string>) => by.post('/api/compose', { subject: 'tea', text: 'please', ...form })
  await done(bob, '/api/compose', { to: `/s/${name}`, subject: 'first', text: 'please' })
  const [mail] = dataOf(await ann.get('/message/moderator'))
  await done(ann, friend, { type: 'muted', name: 'bob' })
  const refused = async (answer: Promise<Awaited<ReturnType<typeof write>>>, refusal: string) => t.is(refusalOf(await answer), refusal)
  t.true(
    await unchanged(site, async () => {
      await refused(write(bob, { to: `/s/${name}` }), 'USER_MUTED to')
      await refused(write(bob, { to: `#${name}` }), 'USER_MUTED to')
      await refused(write(bob, { to: `/s/${name}`, text: '' }), 'NO_TEXT text')
      await refused(write(ann, { to: 'bob', from_sr: name }), 'MUTED_FROM_SUBSITE to')
      await refused(write(dave, { to: 'bob', from_sr: name }), '403')
      await refused(ann.post('/api/comment', { thing_id: String(mail?.name), text: 'no' }), 'MUTED_FROM_SUBSITE parent')
      await refused(bob.post('/api/comment', { thing_id: String(mail?.name), text: 'but' }), 'USER_MUTED parent')
      await refused(bob.post('/api/comment', { thing_id: String(mail?.name), text: '' }), 'NO_TEXT text')
    }),
  )
  await refused(write(bob, { to: 'ann' }), '')
  await refused(write(ann, { to: 'bob' }), '')
  await refused(write(dave, { to: `/s/${name}` }), '')
  await refused(write(root, { to: 'bob', from_sr: name }), '')
  await refused(root.post('/api/comment', { thing_id: String(mail?.name), text: 'calm down' }), '')
  await done(ann, unfriend, { type: 'muted', name: 'bob' })
  await refused(write(bob, { to: `/s/${name}` }), '')
  await refused(ann.post('/api/comment', { thing_id: String(mail?.name), text: 'well' }), '')
})

test.serial('each change of a wiki ban or a wiki contributor is in the log and in its list', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  const ban = (more: Record<string, string | number> = {}) => done(ann, friend, { type: 'wikibanned', name: 'bob', ...more })
  await ban({ duration: 3, note: 'edit war' })
  await ban({ duration: 9 })
  await ban()
  t.true(await unchanged(site, () => ban()))
  await ban({ note: 'again' })
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/wikibanned`)).map((row) => [row.name, row.note]),
    [['bob', 'again']],
  )
  await done(ann, friend, { type: 'wikibanned', name: 'ann' })
  await done(ann, unfriend, { type: 'wikibanned', name: 'bob' })
  await done(ann, friend, { type: 'wikicontributor', name: 'bob' })
  await done(ann, friend, { type: 'wikicontributor', name: 'carol' })
  t.true(await unchanged(site, () => done(ann, friend, { type: 'wikicontributor', name: 'bob' })))
  const list = `/s/${name}/about/wikicontributors`
  t.deepEqual(
    (await accountsIn(ann, list)).map((row) => row.name),
    ['carol', 'bob'],
  )
  const first = await ann.get(`${list}?limit=1`)
  const rest = await ann.get(`${list}?limit=1&after=${first.at('data.after')}`)
  t.deepEqual([rest.at('data.children.0.name'), rest.at('data.after')], ['bob', null])
  t.deepEqual(
    (await accountsIn(ann, `${list}?user=BOB`)).map((row) => row.name),
    ['bob'],
  )
  t.deepEqual(await accountsIn(ann, `${list}?user=dave`), [])
  await done(ann, unfriend, { type: 'wikicontributor', id: bob.id })
  t.true(await unchanged(site, () => done(ann, unfriend, { type: 'wikicontributor', name: 'bob' })))
  t.deepEqual(await logOf(ann, name), [
    `ann removewikicontributor ${bob.id}`,
    `ann wikicontributor ${carol.id}`,
    `ann wikicontributor ${bob.id}`,
    `ann wikiunbanned ${bob.id}`,
    `ann wikibanned ${ann.id} permanent`,
    `ann wikibanned ${bob.id} changed note again`,
    `ann wikibanned ${bob.id} changed to permanent`,
    `ann wikibanned ${bob.id} changed to 9 days`,
    `ann wikibanned ${bob.id} 3 days edit war`,
  ])
})

test.serial('each relation and its list need their own permission and scopes', async (t) => {
  const { ann, carol } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+access')
  const set = (permissions: string) => done(ann, `/s/${name}/api/setpermissions`, { type: 'moderator', name: 'carol', permissions })
  const needed = [
    ['banned', 'banned', '+access'],
    ['contributor', 'contributors', '+access'],
    ['muted', 'muted', '+access,+mail'],
    ['wikibanned', 'wikibanned', '+wiki'],
    ['wikicontributor', 'wikicontributors', '+wiki'],
  ] as const
  for (const permissions of ['+access', '+mail', '+wiki', '+access,+mail', '+config,+flair,+posts']) {
    await set(permissions)
    for (const [type, where, enough] of needed) {
      const may = enough.split(',').every((one) => permissions.split(',').includes(one))
      t.is((await carol.get(`/s/${name}/about/${where}`)).status, may ? 200 : 403, `${permissions} ${where}`)
      t.is((await carol.post(friend, { type, name: 'dave' })).status, may ? 200 : 403, `${permissions} ${type}`)
      t.is((await carol.post(unfriend, { type, name: 'dave' })).status, may ? 200 : 403, `${permissions} ${type}`)
    }
  }
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

test.serial('mutes and wiki bans are listed until their end, which the service records', async (t) => {
  const { site, ann, bob, dave } = t.context
  const { name, subsite } = await newSubsite(t.context)
  const { app } = site.running
  const restrict = async (who: User, daysAgo: number, days: number) => {
    const pair = { subsite, account: who.id }
    const by = () => ({ ...commandOf(seedOf(app.mint()), { account: ann.id, as: 'moderator' }), at: Date.now() - daysAgo * DAY })
    const [mute, wikiBan] = [by(), by()]
    await app.run(Relation, `${subsite}.${who.id}`, muteUser(pair, { moderator: false, at: mute.at }, { note: 'rude' }), mute)
    await app.run(Relation, `${subsite}.${who.id}`, wikiBanUser(pair, wikiBan.at, { days, note: '' }), wikiBan)
  }
  // given restrictions of bob's that have ended, and of dave's that last: a mute takes three days
  await restrict(bob, 4, 1)
  await restrict(dave, 2, 9)
  await settled(site)
  // then only those that last are listed, even before the ends are recorded
  for (const where of ['muted', 'wikibanned'])
    t.deepEqual(
      (await accountsIn(ann, `/s/${name}/about/${where}`)).map((row) => row.name),
      ['dave'],
      where,
    )
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_muted'), false)
  t.is((await dave.get(`/s/${name}/about`)).at('data.user_is_muted'), true)
  t.true(await eventually(async () => (await logOf(ann, name)).length === 6))
  const ended = (await logOf(ann, name)).filter((line) => line.startsWith('[service]'))
  t.deepEqual(ended.toSorted(), [`[service] unmuteuser ${bob.id} - was temporary`, `[service] wikiunbanned ${bob.id} - was temporary`])
})

test.serial(
  'who restricts an account again after the end of a restriction does not end that one in the log: the service does',
  async (t) => {
    const { site, ann, bob } = t.context
    const { name, subsite } = await newSubsite(t.context)
    const { app } = site.running
    const pair = { subsite, account: bob.id }
    const longAgo = () => ({ ...commandOf(seedOf(app.mint()), { account: ann.id, as: 'moderator' as const }), at: Date.now() - 4 * DAY })
    const [mute, ban] = [longAgo(), longAgo()]
    await app.run(Relation, `${subsite}.${bob.id}`, muteUser(pair, { moderator: false, at: mute.at }, { note: '' }), mute)
    const term = { days: 1, note: '', message: '' }
    await app.run(Relation, `${subsite}.${bob.id}`, banUser(pair, { moderator: false, at: ban.at }, term), ban)
    for (const type of ['muted', 'banned']) await done(ann, `/s/${name}/api/friend`, { type, name: 'bob' })
    await settled(site)
    const lines = (await logOf(ann, name)).filter((line) => line.includes('mute'))
    t.deepEqual(lines, [`ann muteuser ${bob.id}`, `[service] unmuteuser ${bob.id} - was temporary`, `ann muteuser ${bob.id}`])
    const bans = (await logOf(ann, name)).filter((line) => line.includes('ban'))
    t.deepEqual(bans, [`ann banuser ${bob.id} permanent`, `[service] unbanuser ${bob.id} - was temporary`, `ann banuser ${bob.id} 1 days`])
    t.deepEqual(await findingsOf(t, site.running), [])
  },
)
