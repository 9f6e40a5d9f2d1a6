import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { findingsOf } from '../support/auditing.ts'
import { type Cast, five, startCast } from '../support/cast.ts'
import { dataOf, eventually, logOf, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { refusalOf } from '../support/posting.ts'
import { openRestricting } from '../support/restricting.ts'
import { accountsIn, newSubsite, subjectsOf } from '../support/scenes.ts'
import type { Caller, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))
const DAY = 24 * 60 * 60 * 1000

test.serial('each change of a mute is a log entry, whose note is for moderators, and a repeated one changes nothing', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await postForm(ann, friend, { type: 'muted', name: 'bob', note: 'rude', duration: 999 })
  t.true(await recordsNothing(site, () => postForm(ann, friend, { type: 'muted', name: 'bob', note: 'rude' })))
  await postForm(ann, friend, { type: 'muted', name: 'bob' })
  await postForm(ann, unfriend, { type: 'muted', name: 'bob' })
  t.true(await recordsNothing(site, () => postForm(ann, unfriend, { type: 'muted', name: 'bob' })))
  const log = [`ann unmuteuser ${bob.id}`, `ann muteuser ${bob.id} changed note`, `ann muteuser ${bob.id} - rude`]
  t.deepEqual(await logOf(ann, name), log)
  t.deepEqual(
    await logOf(bob, name),
    log.map((line) => line.replace(' - rude', '')),
  )
})

test.serial('a mute notifies an account that took part, and is shown to it in the record of the subsite', async (t) => {
  const { ann, bob } = t.context
  const { name, friend } = await newSubsite(t.context)
  await postForm(bob, '/api/subscribe', { action: 'sub', sr_name: name })
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_muted'), false)
  await postForm(ann, friend, { type: 'muted', name: 'bob', note: 'rude' })
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_muted'), true)
  t.true(await eventually(async () => (await subjectsOf(bob)).includes(`you've been muted in /s/${name}`)))
})

test.serial('muted accounts are listed, without the note, until they are unmuted', async (t) => {
  const { ann } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await postForm(ann, friend, { type: 'muted', name: 'bob', note: 'rude' })
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/muted`)).map((row) => [row.name, 'note' in row]),
    [['bob', false]],
  )
  await postForm(ann, unfriend, { type: 'muted', name: 'bob' })
  t.deepEqual(await accountsIn(ann, `/s/${name}/about/muted`), [])
})

test.serial('an unknown from_sr is refused before a mute, and a mute before mail from subsite to subsite', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend } = await newSubsite(t.context)
  await postForm(ann, friend, { type: 'muted', name: 'bob' })
  const refused = async (form: Record<string, string>, refusal: string) =>
    t.is(refusalOf(await bob.post('/api/compose', { subject: 'tea', text: 'please', to: `#${name}`, ...form })), refusal)
  t.true(
    await recordsNothing(site, async () => {
      await refused({ from_sr: 'nowhere' }, 'SUBSITE_NOEXIST from_sr')
      await refused({ from_sr: 'nowhere', subject: '' }, 'NO_SUBJECT subject')
      await refused({ from_sr: name }, 'USER_MUTED to')
    }),
  )
})

/** A new subsite of ann's, to whose moderators bob has written before he was muted. */
const muting = async (cast: Cast<'ann' | 'bob'>) => {
  const { ann, bob } = cast
  const { name, friend, unfriend } = await newSubsite(cast)
  await postForm(bob, '/api/compose', { to: `/s/${name}`, subject: 'first', text: 'please' })
  const mail = String(dataOf(await ann.get('/message/moderator'))[0]?.name)
  await postForm(ann, friend, { type: 'muted', name: 'bob' })
  const write = async (by: Caller, form: Record<string, string>) =>
    refusalOf(await by.post('/api/compose', { subject: 'tea', text: 'please', ...form }))
  const reply = async (by: Caller, text = 'but') => refusalOf(await by.post('/api/comment', { thing_id: mail, text }))
  return { name, unfriend, write, reply }
}

test.serial('a muted account and the moderators cannot write to each other in the name of the subsite', async (t) => {
  const { site, ann, bob, dave } = t.context
  const { name, write, reply } = await muting(t.context)
  t.true(
    await recordsNothing(site, async () => {
      t.is(await write(bob, { to: `/s/${name}` }), 'USER_MUTED to')
      t.is(await write(bob, { to: `#${name}` }), 'USER_MUTED to')
      t.is(await write(bob, { to: `/s/${name}`, text: '' }), 'NO_TEXT text')
      t.is(await write(ann, { to: 'bob', from_sr: name }), 'MUTED_FROM_SUBSITE to')
      t.is(await write(dave, { to: 'bob', from_sr: name }), '403')
      t.is(await reply(ann), 'MUTED_FROM_SUBSITE parent')
      t.is(await reply(bob), 'USER_MUTED parent')
      t.is(await reply(bob, ''), 'NO_TEXT text')
    }),
  )
})

test.serial('a mute does not end mail between accounts, of others to the moderators, or of admins', async (t) => {
  const { ann, bob, dave, root } = t.context
  const { name, write, reply } = await muting(t.context)
  t.is(await write(bob, { to: 'ann' }), '')
  t.is(await write(ann, { to: 'bob' }), '')
  t.is(await write(dave, { to: `/s/${name}` }), '')
  t.is(await write(root, { to: 'bob', from_sr: name }), '')
  t.is(await reply(root), '')
})

test.serial('an unmuted account and the moderators can write to each other again', async (t) => {
  const { ann, bob } = t.context
  const { name, unfriend, write, reply } = await muting(t.context)
  await postForm(ann, unfriend, { type: 'muted', name: 'bob' })
  t.is(await write(bob, { to: `/s/${name}` }), '')
  t.is(await reply(ann), '')
})

test.serial('each change of a wiki ban is a log entry, also of a moderator, and a repeated one changes nothing', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  const ban = (more: Record<string, string | number> = {}) => postForm(ann, friend, { type: 'wikibanned', name: 'bob', ...more })
  await ban({ duration: 3, note: 'edit war' })
  await ban({ duration: 9 })
  await ban()
  t.true(await recordsNothing(site, () => ban()))
  await ban({ note: 'again' })
  t.deepEqual(
    (await accountsIn(ann, `/s/${name}/about/wikibanned`)).map((row) => [row.name, row.note]),
    [['bob', 'again']],
    'listed with the last note',
  )
  await ban({ name: 'ann' })
  await postForm(ann, unfriend, { type: 'wikibanned', name: 'bob' })
  t.deepEqual(await logOf(ann, name), [
    `ann wikiunbanned ${bob.id}`,
    `ann wikibanned ${ann.id} permanent`,
    `ann wikibanned ${bob.id} changed note again`,
    `ann wikibanned ${bob.id} changed to permanent`,
    `ann wikibanned ${bob.id} changed to 9 days`,
    `ann wikibanned ${bob.id} 3 days edit war`,
  ])
})

test.serial('adding and removing a wiki contributor are log entries, and a repeated one changes nothing', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  await postForm(ann, friend, { type: 'wikicontributor', name: 'bob' })
  t.true(await recordsNothing(site, () => postForm(ann, friend, { type: 'wikicontributor', name: 'bob' })))
  await postForm(ann, unfriend, { type: 'wikicontributor', id: bob.id })
  t.true(await recordsNothing(site, () => postForm(ann, unfriend, { type: 'wikicontributor', name: 'bob' })))
  t.deepEqual(await logOf(ann, name), [`ann removewikicontributor ${bob.id}`, `ann wikicontributor ${bob.id}`])
})

test.serial('wiki contributors are listed latest first, in pages, or one of them by name', async (t) => {
  const { ann } = t.context
  const { name, friend } = await newSubsite(t.context)
  const list = `/s/${name}/about/wikicontributors`
  const listed = async (query = '') => (await accountsIn(ann, `${list}${query}`)).map((row) => row.name)
  for (const who of ['bob', 'carol']) await postForm(ann, friend, { type: 'wikicontributor', name: who })
  t.deepEqual(await listed(), ['carol', 'bob'])
  const first = await ann.get(`${list}?limit=1`)
  const rest = await ann.get(`${list}?limit=1&after=${first.at('data.after')}`)
  t.deepEqual([rest.at('data.children.0.name'), rest.at('data.after')], ['bob', null])
  t.deepEqual(await listed('?user=BOB'), ['bob'])
  t.deepEqual(await listed('?user=dave'), [])
})
test.serial('mutes and wiki bans are listed until their end, which the service records', async (t) => {
  const { site, ann, bob, dave } = t.context
  const { name, subsite } = await newSubsite(t.context)
  const { app } = site.running
  const restrict = async (who: User, daysAgo: number, days: number) => {
    const pair = { subsite, account: who.id }
    const by = () => ({ ...commandOf(seedOf(app.mint()), { account: ann.id, as: 'moderator' }), at: Date.now() - daysAgo * DAY })
    const { mute, wikiBan } = openRestricting(app)
    await mute(pair, by(), { note: 'rude' })
    await wikiBan(pair, by(), days)
  }
  // given restrictions of bob's that have ended, and of dave's that last: a mute takes three days
  await restrict(bob, 4, 1)
  await restrict(dave, 2, 9)
  await waitUntilSettled(site)
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
    const { ban, mute } = openRestricting(app)
    await mute(pair, longAgo())
    await ban(pair, longAgo(), { days: 1 })
    for (const type of ['muted', 'banned']) await postForm(ann, `/s/${name}/api/friend`, { type, name: 'bob' })
    await waitUntilSettled(site)
    const lines = (await logOf(ann, name)).filter((line) => line.includes('mute'))
    t.deepEqual(lines, [`ann muteuser ${bob.id}`, `[service] unmuteuser ${bob.id} - was temporary`, `ann muteuser ${bob.id}`])
    const bans = (await logOf(ann, name)).filter((line) => line.includes('ban'))
    t.deepEqual(bans, [`ann banuser ${bob.id} permanent`, `[service] unbanuser ${bob.id} - was temporary`, `ann banuser ${bob.id} 1 days`])
    t.deepEqual(await findingsOf(t, site.running), [])
  },
)
