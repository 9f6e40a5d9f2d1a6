import { findingsOf } from '../support/auditing.ts'
import { CROWD_SIZE, crowd, noFaults, recordedOn, startCrowded } from '../support/crowd.ts'
import { id36, names, readThing, refusalOf, submit } from '../support/posting.ts'
import type { User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(startCrowded)

test.serial('concurrent votes of one account leave the marks of the last vote', async (t) => {
  const { ann, bob } = t.context
  const link = await submit(ann, 'tea')
  const vote = (dir: number) => () => bob.post('/api/vote', { id: link, dir })
  noFaults(t, await crowd([vote(1), vote(-1), vote(11), vote(-11)]))
  const cast = await recordedOn(t.context, `vote-${bob.id}.${link}`)
  let marks: unknown = { insightful: false, funny: false }
  for (const { data } of cast) {
    t.deepEqual(data.before, marks, 'each vote starts from where the one before left off')
    t.notDeepEqual(data.after, data.before, 'and changes something')
    marks = data.after
  }
  const { insightful, funny } = marks as { insightful: boolean; funny: boolean }
  const { likes, dislikes, ups, downs, score } = await readThing(bob, link)
  t.deepEqual({ likes, dislikes }, { likes: insightful || null, dislikes: funny || null })
  t.deepEqual({ ups, downs, score }, { ups: 1 + +insightful, downs: +funny, score: 2 * (1 + +insightful) + +funny })
})

test.serial('concurrent stickies leave two links in the two slots', async (t) => {
  const { ann, mods } = t.context
  const links = await Promise.all(Array.from({ length: 8 }, (_, n) => submit(ann, 'tea', { title: `sticky ${n}` })))
  const deeds = links.flatMap((id, n) =>
    [true, false].map(
      (state) => () => (mods[n % mods.length] ?? ann).post('/api/set_subsite_sticky', { id, state, num: (n % 2) + 1, api_type: 'json' }),
    ),
  )
  const answers = await crowd(deeds)
  noFaults(t, answers)
  const subsite = (await ann.get('/s/tea/about')).at('data.name')
  const slots: string[] = []
  for (const { type, data } of await recordedOn(t.context, `stickies-${subsite}`)) {
    const { id } = data.target as { readonly id: string }
    if (type === 'LinkStickied') {
      t.false(slots.includes(id))
      slots.splice(Number(data.slot) - 1, 0, id)
    } else {
      t.is(slots[Number(data.slot) - 1], id, 'what leaves a slot was in it')
      slots.splice(slots.indexOf(id), 1)
    }
    t.true(slots.length <= 2)
  }
  const hot = await ann.get('/s/tea/hot?limit=100')
  const stickied = (hot.at('data.children') as { data: { name: string; stickied: boolean } }[]).filter(({ data }) => data.stickied)
  t.deepEqual(
    stickied.map(({ data }) => data.name),
    slots,
  )
  for (const [n, id] of slots.entries())
    t.regex((await ann.get(`/s/tea/sticky?num=${n + 1}`)).headers.get('location') ?? '', new RegExp(`/${id36(id)}/`))
  const acts = (await recordedOn(t.context, `stickies-${subsite}`)).filter(({ type }) => type === 'LinkStickied')
  const entries = (await ann.get('/s/tea/about/log?limit=500&type=sticky')).at('data.children') as readonly unknown[]
  t.is(entries.length, acts.length)
})

test.serial('of concurrent removals and approvals each is a log entry, and the last one holds', async (t) => {
  const { ann, bob, mods } = t.context
  const link = await submit(bob, 'tea', { title: 'contested' })
  const acts = mods.flatMap((mod) => [
    () => mod.post('/api/remove', { id: link, spam: false }),
    () => mod.post('/api/approve', { id: link }),
    () => mod.post('/api/remove', { id: link, spam: true }),
  ])
  const answers = await crowd(acts)
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const stream = await recordedOn(t.context, `link-${link}`)
  const judged = stream.filter(({ type }) => type === 'LinkRemoved' || type === 'LinkApproved')
  t.is(judged.length, CROWD_SIZE)
  const { banned_by, approved_by } = await readThing(ann, link)
  t.is(banned_by === null, judged.at(-1)?.type === 'LinkApproved')
  t.is(approved_by === null, judged.at(-1)?.type === 'LinkRemoved')
  const listed = names(await ann.get('/s/tea/new?limit=100')).includes(link)
  t.is(listed, judged.at(-1)?.type === 'LinkApproved')
  let entries = 0
  for (const type of ['removelink', 'approvelink']) {
    const page = await ann.get(`/s/tea/about/log?limit=500&type=${type}`)
    const children = page.at('data.children') as readonly { data: { target_fullname: string } }[]
    entries += children.filter(({ data }) => data.target_fullname === link).length
  }
  t.is(entries, CROWD_SIZE)
})

test.serial('of concurrent locks and unlocks only those that change something are log entries', async (t) => {
  const { bob, mods, ann } = t.context
  const link = await submit(bob, 'tea')
  const acts = mods.flatMap((mod) => [() => mod.post('/api/lock', { id: link }), () => mod.post('/api/unlock', { id: link })])
  t.deepEqual([...new Set((await crowd(acts)).map(({ status }) => status))], [200])
  const types = (await recordedOn(t.context, `link-${link}`)).slice(1).map(({ type }) => type)
  t.deepEqual(
    types,
    types.map((_, n) => (n % 2 === 0 ? 'LinkLocked' : 'LinkUnlocked')),
  )
  t.is((await readThing(ann, link)).locked, types.length % 2 === 1)
})

test.serial('one of many concurrent claims of a subsite name succeeds', async (t) => {
  const { site, mods } = t.context
  const deeds = mods.flatMap((mod) =>
    ['coffee', 'Coffee', 'COFFEE'].map(
      (name) => () => mod.post('/api/site_admin', { name, title: mod.name, type: 'public', link_type: 'any', api_type: 'json' }),
    ),
  )
  const answers = await crowd(deeds)
  noFaults(t, answers)
  const codes = answers.map(refusalOf)
  t.is(codes.filter((code) => code === '').length, 1)
  t.deepEqual([...new Set(codes)].toSorted(), ['', 'SUBSITE_EXISTS name'])
  t.is((await recordedOn(t.context, 'subsitename-coffee')).length, 1)
  const about = await site.get('/s/coffee/about')
  const winner = mods[Math.floor((codes.indexOf('') % deeds.length) / 3)]
  t.is(about.at('data.title'), winner?.name)
  t.is(about.at('data.subscribers'), 1)
  t.deepEqual((await (winner as User).get('/s/coffee/about/moderators')).at('data.children.0.name'), winner?.name)
})

test.serial('concurrent subscriptions and unsubscriptions leave one state, which is counted once', async (t) => {
  const { bob, site } = t.context
  const before = Number((await site.get('/s/tea/about')).at('data.subscribers'))
  const deed = (action: string) => () => bob.post('/api/subscribe', { action, sr_name: 'tea' })
  noFaults(t, await crowd([deed('sub'), deed('unsub')]))
  const subsite = (await site.get('/s/tea/about')).at('data.name')
  const types = (await recordedOn(t.context, `subscription-${bob.id}.${subsite}`)).map(({ type }) => type)
  t.deepEqual(
    types,
    types.map((_, n) => (n % 2 === 0 ? 'Subscribed' : 'Unsubscribed')),
  )
  const subscribed = types.at(-1) === 'Subscribed'
  t.is((await bob.get('/s/tea/about')).at('data.user_is_subscriber'), subscribed)
  t.is(Number((await site.get('/s/tea/about')).at('data.subscribers')), before + (subscribed ? 1 : 0))
})

test.serial('of comments concurrent with a lock only accepted ones are posted', async (t) => {
  const { ann, bob } = t.context
  const link = await submit(ann, 'tea', { title: 'soon locked' })
  const answers = await crowd([
    () => bob.post('/api/comment', { thing_id: link, text: 'words', api_type: 'json' }),
    () => ann.post('/api/lock', { id: link }),
    () => ann.post('/api/editusertext', { thing_id: link, text: 'edited', api_type: 'json' }),
  ])
  noFaults(t, answers)
  const said = answers.filter((_, n) => n % 3 === 0).map(refusalOf)
  t.deepEqual(
    [...new Set(said)].filter((code) => !['', 'THREAD_LOCKED parent'].includes(code)),
    [],
  )
  t.is((await readThing(ann, link)).num_comments, said.filter((code) => code === '').length)
})

test.serial('concurrent edits and deletions of a link delete it once, after the last edit', async (t) => {
  const { bob, site } = t.context
  const gone = await submit(bob, 'tea', { title: 'soon gone' })
  noFaults(
    t,
    await crowd([
      () => bob.post('/api/editusertext', { thing_id: gone, text: 'x', api_type: 'json' }),
      () => bob.post('/api/del', { id: gone }),
    ]),
  )
  const types = (await recordedOn(t.context, `link-${gone}`)).map(({ type }) => type)
  t.is(types.filter((type) => type === 'LinkDeleted').length, 1)
  t.is(types.at(-1), 'LinkDeleted')
  t.is((await site.get(`/comments/${id36(gone)}`)).at('0.data.children.0.data.author'), '[deleted]')
})

test.serial('after concurrent commands the read models match the log', async (t) => {
  t.deepEqual(await findingsOf(t, t.context.site.running), [])
})
