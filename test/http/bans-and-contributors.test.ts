import { type Cast, type Five, five, joinSite, startCast } from '../support/cast.ts'
import { dataOf, eventually, logOf, postForm, recordsNothing } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite, names, refusalOf, submit } from '../support/posting.ts'
import { accountsIn, newSubsite, subjectsOf } from '../support/scenes.ts'
import { callerAt } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))
const DAY = 24 * 60 * 60 * 1000

/** A new subsite in which bob has posted, and how ann bans him there. */
const banning = async (cast: Cast<'ann' | 'bob'>) => {
  const { name, friend, unfriend } = await newSubsite(cast)
  await submit(cast.bob, name)
  const ban = (more: Record<string, string | number>) => postForm(cast.ann, friend, { type: 'banned', name: 'bob', ...more })
  return { name, unfriend, ban }
}

test.serial('each change of a ban or of its note is a log entry, and a repeated ban or unban changes nothing', async (t) => {
  const { site, ann, bob } = t.context
  const { name, unfriend, ban } = await banning(t.context)
  const unban = () => postForm(ann, unfriend, { type: 'banned', name: 'bob' })
  await ban({ duration: 3, note: 'first', ban_reason: 'spam' })
  await ban({ duration: 3, note: 'second' })
  await ban({ duration: 10 })
  await ban({})
  t.true(await recordsNothing(site, () => ban({})))
  await ban({ duration: 1 })
  await unban()
  t.true(await recordsNothing(site, unban))
  t.deepEqual(await logOf(ann, name), [
    `ann unbanuser ${bob.id}`,
    `ann banuser ${bob.id} changed to 1 days`,
    `ann banuser ${bob.id} changed to permanent`,
    `ann banuser ${bob.id} changed to 10 days`,
    `ann banuser ${bob.id} changed note second`,
    `ann banuser ${bob.id} 3 days spam: first`,
  ])
})

test.serial('the row of a ban says how many days of it are left, and null if it does not end', async (t) => {
  const { site, forward } = await startWithMovableClock()
  t.teardown(site.stop)
  const { ann, bob } = await joinSite(site, 'ann', 'bob')
  const { name, ban } = await banning({ site, ann, bob })
  const left = async (where: string) => {
    // a token does not last as long as a ban
    const reader = callerAt(site.url, { Authorization: `bearer ${await site.tokenOf(ann.id)}` })
    return (await accountsIn(reader, `/s/${name}/about/${where}`)).map((row) => row.days_left)
  }
  await ban({})
  t.deepEqual(await left('banned'), [null])
  await ban({ duration: 3 })
  await postForm(ann, `/s/${name}/api/friend`, { type: 'wikibanned', name: 'bob', duration: 2 })
  t.deepEqual([await left('banned'), await left('wikibanned')], [[3], [2]])
  forward(DAY + 60_000)
  t.deepEqual([await left('banned'), await left('wikibanned')], [[2], [1]])
})

test.serial('a banned account cannot submit until it is unbanned', async (t) => {
  const { ann, bob } = t.context
  const { name, unfriend, ban } = await banning(t.context)
  await ban({})
  t.is(refusalOf(await bob.post('/api/submit', { sr: name, kind: 'self', title: 'x' })), 'SUBSITE_NOTALLOWED sr')
  t.is((await bob.get(`/s/${name}/about`)).at('data.user_is_banned'), true)
  await postForm(ann, unfriend, { type: 'banned', name: 'bob' })
  await submit(bob, name)
})

test.serial('banned accounts are listed with the last note about them', async (t) => {
  const { ann } = t.context
  const { name, unfriend, ban } = await banning(t.context)
  const listed = async () => (await accountsIn(ann, `/s/${name}/about/banned`)).map((row) => [row.name, row.note])
  await ban({ duration: 3, note: 'first', ban_reason: 'spam' })
  t.deepEqual(await listed(), [['bob', 'spam: first']])
  await ban({ duration: 3, note: 'second' })
  t.deepEqual(await listed(), [['bob', 'second']])
  await postForm(ann, unfriend, { type: 'banned', name: 'bob' })
  t.deepEqual(await listed(), [])
})

test.serial('a banned account gets a message of its ban, with what the moderator says to it, and of each new term', async (t) => {
  const { bob } = t.context
  const { name, ban } = await banning(t.context)
  await ban({ duration: 3, note: 'first', ban_message: 'please stop' })
  await ban({ duration: 3, note: 'second' })
  for (const term of [{ duration: 10 }, {}, { duration: 1 }]) await ban(term)
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
  const { ivy, olaf } = await joinSite(site, 'ivy', 'olaf')
  await foundSubsite(ivy, 'tea')
  await submit(olaf, 'tea')
  for (const [type, duration] of Object.entries({ banned: 1, wikibanned: 2 }))
    await postForm(ivy, '/s/tea/api/friend', { type, name: 'olaf', duration })
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

test.serial('a ban or a mute of an account that never took part sends no message', async (t) => {
  const { ann, dave } = t.context
  const { name, friend } = await newSubsite(t.context)
  for (const type of ['banned', 'muted']) await postForm(ann, friend, { type, name: 'dave' })
  t.is((await logOf(ann, name)).length, 2)
  t.deepEqual(
    dataOf(await dave.get('/message/inbox')).filter(({ subsite }) => subsite === name),
    [],
  )
})

test.serial('a ban that is not for ever lasts 1 to 999 days, and a mute names no term', async (t) => {
  const { ann, dave } = t.context
  const { name, friend } = await newSubsite(t.context)
  for (const duration of [0, 5000]) await postForm(ann, friend, { type: 'banned', name: 'dave', duration })
  await postForm(ann, friend, { type: 'muted', name: 'dave' })
  t.deepEqual(await logOf(ann, name), [
    `ann muteuser ${dave.id}`,
    `ann banuser ${dave.id} changed to 999 days`,
    `ann banuser ${dave.id} 1 days`,
  ])
})

/** A new subsite of ann's with bob and carol, who approved them in this order, as contributors. */
const contributing = async ({ site, ann }: Five) => {
  const scene = await newSubsite({ site, ann })
  for (const name of ['bob', 'carol']) await postForm(ann, scene.friend, { type: 'contributor', name })
  return scene
}

test.serial('adding and removing a contributor are log entries, leaving is none', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, subsite, unfriend } = await contributing(t.context)
  await postForm(ann, unfriend, { type: 'contributor', name: 'bob' })
  await postForm(carol, '/api/leavecontributor', { id: subsite })
  t.deepEqual(await logOf(site, name), [
    `ann removecontributor ${bob.id}`,
    `ann addcontributor ${carol.id}`,
    `ann addcontributor ${bob.id}`,
  ])
})

test.serial('adding a contributor again, and removing or leaving as one who is none, change nothing', async (t) => {
  const { site, ann, carol } = t.context
  const { subsite, friend, unfriend } = await contributing(t.context)
  t.true(await recordsNothing(site, () => postForm(ann, friend, { type: 'contributor', name: 'bob' })))
  await postForm(ann, unfriend, { type: 'contributor', name: 'bob' })
  await postForm(carol, '/api/leavecontributor', { id: subsite })
  t.true(
    await recordsNothing(site, async () => {
      await postForm(ann, unfriend, { type: 'contributor', name: 'bob' })
      await postForm(carol, '/api/leavecontributor', { id: subsite })
      await postForm(carol, '/api/leavecontributor')
      await postForm(carol, '/api/leavecontributor', { id: 't4_zzzz' })
    }),
  )
})

test.serial('a new contributor gets a message, and has the subsite among those it contributes to', async (t) => {
  const { bob } = t.context
  const { name, subsite } = await contributing(t.context)
  t.true((await subjectsOf(bob)).includes(`you are an approved submitter of /s/${name}`))
  t.true(names(await bob.get('/subs/mine/contributor?limit=100')).includes(subsite))
})

test.serial('contributors are listed latest first, in pages, or one of them by name', async (t) => {
  const { ann, bob } = t.context
  const { name } = await contributing(t.context)
  const list = `/s/${name}/about/contributors`
  t.deepEqual(
    (await accountsIn(ann, list)).map((row) => row.name),
    ['carol', 'bob', 'ann'],
  )
  const first = await ann.get(`${list}?limit=2`)
  const second = await ann.get(`${list}?limit=2&after=${first.at('data.after')}`)
  t.is(second.at('data.children.0.name'), 'ann')
  t.is(second.at('data.after'), null)
  t.deepEqual(
    (await accountsIn(ann, `${list}?user=bob`)).map((row) => row.id),
    [bob.id],
  )
  t.deepEqual(await accountsIn(ann, `${list}?user=nobody`), [])
})
