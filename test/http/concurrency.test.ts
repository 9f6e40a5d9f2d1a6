import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { findingsOf } from '../support/auditing.ts'
import { startTea } from '../support/cast.ts'
import { appoint, dataOf } from '../support/community.ts'
import { found, id36, names, refusalOf, say, settle, submit, thing } from '../support/posting.ts'
import type { Answer, TestSite, User } from '../support/site.ts'
import { streamOf } from '../support/stream-of.ts'

type Cast = { readonly site: TestSite; readonly ann: User; readonly mods: readonly User[]; readonly bob: User }
const test = anyTest as TestFn<Cast>
type T = ExecutionContext<Cast>

const MANY = 64

test.before(async (t) => {
  const { site, ann, bob, mod_1, mod_2, mod_3 } = await startTea(['mod_1', 'mod_2', 'mod_3'])
  const mods = [mod_1, mod_2, mod_3]
  for (const mod of mods) await appoint(ann, 'tea', mod, '+all')
  t.context = { site, ann, bob, mods: [ann, ...mods] }
})
test.after.always((t) => t.context.site.stop())

type Recorded = { readonly type: string; readonly data: Readonly<Record<string, unknown>> }

/** What the log has on a stream. */
const recordedOn = async ({ site }: Cast, stream: string): Promise<readonly Recorded[]> =>
  (await streamOf(site.running.stores.events, stream, 0)).map(({ type, data }) => ({ type, data: JSON.parse(data) }))

/** The `n`th of many things to do at once, over and over. */
const crowd = <Result>(deeds: readonly (() => Promise<Result>)[]): Promise<readonly Result[]> =>
  Promise.all(Array.from({ length: MANY }, (_, n) => (deeds[n % deeds.length] as () => Promise<Result>)()))

const noFaults = (t: T, answers: readonly Answer[]) =>
  t.deepEqual(
    [...new Set(answers.map(({ status }) => status))].filter((status) => status >= 500),
    [],
  )

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
  const { likes, dislikes, ups, downs, score } = await thing(bob, link)
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
  t.is(judged.length, MANY)
  const { banned_by, approved_by } = await thing(ann, link)
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
  t.is(entries, MANY)
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
  t.is((await thing(ann, link)).locked, types.length % 2 === 1)
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

test.serial('concurrent invitations, withdrawals, acceptances and departures leave one state that the log explains', async (t) => {
  const { ann, bob, site } = t.context
  const here = { api_type: 'json' }
  await found(ann, 'mate')
  const subsite = (await site.get('/s/mate/about')).at('data.name')
  const answers = await crowd([
    () => ann.post('/s/mate/api/friend', { type: 'moderator_invite', name: 'bob', permissions: '+posts', ...here }),
    () => bob.post('/s/mate/api/accept_moderator_invite', here),
    () => ann.post('/s/mate/api/unfriend', { type: 'moderator_invite', name: 'bob', ...here }),
    () => ann.post('/s/mate/api/unfriend', { type: 'moderator', name: 'bob', ...here }),
  ])
  noFaults(t, answers)
  const follows: Readonly<Record<string, readonly string[]>> = {
    ModeratorAdded: ['ModeratorInvited'],
    ModeratorInvited: ['ModeratorInvitationAccepted', 'ModeratorInvitationWithdrawn'],
    ModeratorInvitationAccepted: ['ModeratorRemoved'],
    ModeratorInvitationWithdrawn: ['ModeratorInvited'],
    ModeratorRemoved: ['ModeratorInvited'],
  }
  const types = (await recordedOn(t.context, `moderators-${subsite}`)).map(({ type }) => type)
  for (const [n, type] of types.entries()) if (n > 0) t.true(follows[types[n - 1] ?? '']?.includes(type), `${types[n - 1]} then ${type}`)
  const moderates = types.at(-1) === 'ModeratorInvitationAccepted'
  const moderators = await ann.get('/s/mate/about/moderators')
  const listed = (moderators.at('data.children') as readonly { name: string }[]).map(({ name }) => name)
  t.deepEqual(listed, moderates ? ['ann', 'bob'] : ['ann'])
  const log = (await ann.get('/s/mate/about/log?limit=500')).at('data.children') as readonly unknown[]
  t.is(log.length, types.length - 1, 'one entry for each act but the founding')
})

test.serial('concurrent bans and unbans alternate in the log, and only accepted comments are posted', async (t) => {
  const { ann, bob, site } = t.context
  await found(ann, 'cocoa')
  const link = await submit(ann, 'cocoa')
  const who = { name: 'bob', type: 'banned', api_type: 'json' }
  const answers = await crowd([
    () => ann.post('/s/cocoa/api/friend', who),
    () => bob.post('/api/comment', { thing_id: link, text: 'words', api_type: 'json' }),
    () => ann.post('/s/cocoa/api/unfriend', who),
  ])
  noFaults(t, answers)
  const subsite = (await site.get('/s/cocoa/about')).at('data.name')
  const types = (await recordedOn(t.context, `relation-${subsite}.${bob.id}`)).map(({ type }) => type)
  t.deepEqual(
    types,
    types.map((_, n) => (n % 2 === 0 ? 'UserBanned' : 'UserUnbanned')),
  )
  t.is((await ann.get('/s/cocoa/about')).status, 200)
  const said = answers.filter((answer) => answer.at('json.data.things') !== undefined).length
  t.is((await thing(ann, link)).num_comments, said)
})

type Switch = {
  readonly what: string
  readonly on: (by: User) => Promise<Answer>
  readonly off: (by: User) => Promise<Answer>
  /** Which entries of the log are of it: action and details. */
  readonly entries: readonly [on: string, off: string]
  readonly isOn: () => Promise<boolean>
}

/** Everything that moderators switch on and off, on a link, on a comment and on an account. */
const switchesOf = async (t: Cast): Promise<readonly Switch[]> => {
  const { ann, bob, mods } = t
  const subsite = await found(ann, 'arena')
  await settle(ann, subsite, { wikimode: 'modonly' })
  for (const mod of mods.slice(1)) await appoint(ann, 'arena', mod, '+all')
  const [link, own] = [await submit(bob, 'arena'), await submit(ann, 'arena')]
  const comment = await say(bob, link)
  const member = async (id: string, name: string) => (await thing(ann, id))[name]
  const call = (path: string, form: object) => (by: User) => by.post(path, { api_type: 'json', ...form })
  const onThing = (what: string, [on, off]: readonly [string, string], id: string, entries: Switch['entries'], isOn: Switch['isOn']) => ({
    ...{ what, on: call(`/api/${on}`, { id }), off: call(`/api/${off}`, { id }), entries, isOn },
  })
  const related = async (type: string, list: string, entries: Switch['entries']): Promise<Switch> => {
    const { id, name } = await t.site.register(`the_${type}`)
    return {
      what: type,
      on: call('/s/arena/api/friend', { type, name }),
      off: call('/s/arena/api/unfriend', { type, name }),
      entries,
      isOn: async () => (await ann.get(`/s/arena/about/${list}`)).text.includes(id),
    }
  }
  // no record shows it
  const isReportless = async () =>
    (await recordedOn(t, `comment-${comment}`)).findLast(({ type }) => type.includes('Reports'))?.type === 'CommentReportsIgnored'
  return [
    onThing(
      'the mark for adults',
      ['marknsfw', 'unmarknsfw'],
      link,
      ['marknsfw', 'marknsfw remove'],
      async () => (await member(link, 'over_18')) === true,
    ),
    onThing('a lock', ['lock', 'unlock'], link, ['lock', 'unlock'], async () => (await member(link, 'locked')) === true),
    onThing('ignored reports', ['ignore_reports', 'unignore_reports'], comment, ['ignorereports', 'unignorereports'], isReportless),
    {
      what: 'contest mode',
      on: call('/api/set_contest_mode', { id: link, state: true }),
      off: call('/api/set_contest_mode', { id: link, state: false }),
      entries: ['setcontestmode', 'unsetcontestmode'],
      isOn: async () => (await member(link, 'contest_mode')) === true,
    },
    {
      what: 'a distinction',
      on: () => ann.post('/api/distinguish', { id: own, how: 'yes' }),
      off: () => ann.post('/api/distinguish', { id: own, how: 'no' }),
      entries: ['distinguish', 'distinguish remove'],
      isOn: async () => (await member(own, 'distinguished')) === 'moderator',
    },
    {
      what: 'flair of an account',
      on: call('/s/arena/api/flair', { name: 'bob', text: 'Brewer' }),
      off: call('/s/arena/api/deleteflair', { name: 'bob' }),
      entries: ['editflair flair_edit', 'editflair flair_delete'],
      isOn: async () => (await ann.get('/s/arena/api/flairlist?name=bob')).at('users.0.flair_text') === 'Brewer',
    },
    await related('contributor', 'contributors', ['addcontributor', 'removecontributor']),
    await related('wikicontributor', 'wikicontributors', ['wikicontributor', 'removewikicontributor']),
    await related('muted', 'muted', ['muteuser', 'unmuteuser']),
    await related('wikibanned', 'wikibanned', ['wikibanned permanent', 'wikiunbanned']),
    await related('banned', 'banned', ['banuser permanent', 'unbanuser']),
  ]
}

const logged = async (reader: User, subsite: string, types = '') =>
  dataOf(await reader.get(`/s/${subsite}/about/log?limit=500&type=${types}`)).map(({ action, details, target_fullname, description }) => ({
    said: details === null ? String(action) : `${action} ${details}`,
    target: target_fullname,
    description,
  }))

test.serial('of concurrent settings by moderators each change is a log entry, and the last one holds', async (t) => {
  const { ann, mods } = t.context
  const contend = async ({ what, on, off, entries, isOn }: Switch) => {
    const answers = await crowd(mods.flatMap((mod) => [() => on(mod), () => off(mod)]))
    const refused = answers.filter(({ status, text }) => status !== 200 || text.includes('"errors":[['))
    t.deepEqual(
      refused.map(({ text }) => text),
      [],
      what,
    )
    const actions = entries.map((entry) => entry.split(' ')[0])
    const said = (await logged(ann, 'arena', actions.join(','))).toReversed()
    t.true(said.length > 0, what)
    t.deepEqual(
      said.map((entry) => entry.said),
      said.map((_, n) => entries[n % 2]),
      what,
    )
    t.is(await isOn(), said.length % 2 === 1, what)
  }
  await Promise.all((await switchesOf(t.context)).map(contend))
})

test.serial('concurrent changes of permissions, bans and a removed comment each follow from the entry before', async (t) => {
  const { ann, bob, mods } = t.context
  const [, first, second] = mods
  if (!first || !second) throw new Error('too few')
  const subsite = await found(ann, 'ring')
  for (const mod of [first, second]) await appoint(ann, 'ring', mod, '+all')
  const comment = await say(bob, await submit(ann, 'ring'))
  const permit = (by: User, permissions: string) => () =>
    by.post('/s/ring/api/setpermissions', { type: 'moderator', name: second.name, permissions, api_type: 'json' })
  const ban = (duration?: number) => () =>
    first.post('/s/ring/api/friend', { type: 'banned', name: 'bob', api_type: 'json', ...(duration && { duration }) })
  const judge =
    (path: string, form: object = {}) =>
    () =>
      second.post(`/api/${path}`, { id: comment, ...form })
  const answers = await crowd([
    ...[permit(ann, '+posts'), permit(first, '+mail,+posts'), permit(ann, '+all'), permit(second, '+all')],
    ...[ban(), ban(3), ban(30), () => ann.post('/s/ring/api/unfriend', { type: 'banned', name: 'bob' })],
    ...[judge('remove'), judge('approve'), judge('remove', { spam: false })],
  ])
  noFaults(t, answers)
  const entries = (await logged(ann, 'ring')).toReversed()
  const permitted = (await recordedOn(t.context, `moderators-${subsite}`)).filter(({ type }) => type === 'ModeratorPermissionsChanged')
  t.deepEqual(
    entries.filter(({ said }) => said === 'setpermissions permission_moderator').map(({ description }) => description),
    permitted.map(({ data }) => data.after),
  )
  let held: unknown = '+all'
  for (const { data } of permitted) {
    t.is(data.before, held)
    t.not(data.after, held)
    held = data.after
  }
  let banned = false
  for (const { said } of entries) {
    if (/^banuser (permanent|\d+ days)$/.test(said)) {
      t.false(banned, said)
      banned = true
    } else if (/^(banuser changed|unbanuser)/.test(said)) {
      t.true(banned, said)
      banned = said !== 'unbanuser'
    }
  }
  t.is((await ann.get('/s/ring/about/banned')).text.includes(bob.id), banned)
  const judged = entries.filter(({ target }) => target === comment).map(({ said }) => said)
  let removed = false
  for (const said of judged) {
    t.is(said, said.startsWith('approve') ? `approvecomment ${removed ? 'unspam' : 'confirm_ham'}` : said)
    t.true(!said.endsWith('confirm_spam') || removed, said)
    t.true(!/removecomment spam$/.test(said) || !removed, said)
    removed = said.startsWith('remove')
  }
  t.is((await thing(ann, comment)).banned_by !== null, removed)
})

test.serial('of comments concurrent with a lock only accepted ones are posted, and concurrent deletions delete once', async (t) => {
  const { ann, bob, site } = t.context
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
  t.is((await thing(ann, link)).num_comments, said.filter((code) => code === '').length)

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
