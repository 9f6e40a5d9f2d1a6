import { findingsOf } from '../support/auditing.ts'
import { appoint, dataOf, postForm } from '../support/community.ts'
import { type Crowded, crowd, noFaults, recordedOn, startCrowded } from '../support/crowd.ts'
import { foundSubsite, readThing, say, settle, submit } from '../support/posting.ts'
import type { Answer, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(startCrowded)

test.serial('concurrent invitations, withdrawals, acceptances and departures leave one state that the log explains', async (t) => {
  const { ann, bob, site } = t.context
  const here = { api_type: 'json' }
  await foundSubsite(ann, 'mate')
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
  await foundSubsite(ann, 'cocoa')
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
  t.is((await readThing(ann, link)).num_comments, said)
})

type Switch = {
  readonly what: string
  readonly on: (by: User) => Promise<Answer>
  readonly off: (by: User) => Promise<Answer>
  /** The action and details of the log entries that it makes. */
  readonly entries: readonly [on: string, off: string]
  readonly isOn: () => Promise<boolean>
}

/** Everything that moderators switch on and off, on a link, on a comment and on an account. */
const switchesOf = async (t: Crowded): Promise<readonly Switch[]> => {
  const { ann, bob, mods } = t
  const subsite = await foundSubsite(ann, 'arena')
  await settle(ann, subsite, { wikimode: 'modonly' })
  for (const mod of mods.slice(1)) await appoint(ann, 'arena', mod, '+all')
  const [link, own] = [await submit(bob, 'arena'), await submit(ann, 'arena')]
  const comment = await say(bob, link)
  const member = async (id: string, name: string) => (await readThing(ann, id))[name]
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

/** Three moderators concurrently change the permissions of one of them, ban bob and judge a comment of his. */
const contest = async ({ ann, bob, mods }: Crowded) => {
  const [, first, second] = mods
  if (!first || !second) throw new Error('too few')
  const subsite = await foundSubsite(ann, 'ring')
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
  return { subsite, comment, answers, entries: (await logged(ann, 'ring')).toReversed() }
}

let contested: ReturnType<typeof contest> | undefined
/** The one contest of this file. */
const theContest = (crowded: Crowded) => {
  contested ??= contest(crowded)
  return contested
}

test.serial('each of concurrent changes of permissions follows from the one before', async (t) => {
  const { subsite, answers, entries } = await theContest(t.context)
  noFaults(t, answers)
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
})

test.serial('each of concurrent bans of several terms follows from the one before', async (t) => {
  const { ann, bob } = t.context
  let banned = false
  for (const { said } of (await theContest(t.context)).entries) {
    if (/^banuser (permanent|\d+ days)$/.test(said)) {
      t.false(banned, said)
      banned = true
    } else if (/^(banuser changed|unbanuser)/.test(said)) {
      t.true(banned, said)
      banned = said !== 'unbanuser'
    }
  }
  t.is((await ann.get('/s/ring/about/banned')).text.includes(bob.id), banned)
})

test.serial('each of concurrent removals and approvals of a comment follows from the one before', async (t) => {
  const { comment, entries } = await theContest(t.context)
  let removed = false
  for (const { said } of entries.filter(({ target }) => target === comment)) {
    t.is(said, said.startsWith('approve') ? `approvecomment ${removed ? 'unspam' : 'confirm_ham'}` : said)
    t.true(!said.endsWith('confirm_spam') || removed, said)
    t.true(!/removecomment spam$/.test(said) || !removed, said)
    removed = said.startsWith('remove')
  }
  t.is((await readThing(t.context.ann, comment)).banned_by !== null, removed)
})

test.serial('after concurrent commands the read models match the log', async (t) => {
  t.deepEqual(await findingsOf(t, t.context.site.running), [])
})

test.serial('of two moderators who act on the same sight of a thing exactly one acts, and the other reads who decided what', async (t) => {
  const { ann, bob, mods, site } = t.context
  await foundSubsite(ann, 'sighted')
  const [one, other] = [mods[0] ?? ann, mods[1] ?? ann]
  for (const mod of new Set([one, other])) if (mod !== ann) await appoint(ann, 'sighted', mod, '+posts')
  const acts = [
    ['/api/remove', 'removelink', '/api/approve', 'approvelink'],
    ['/api/lock', 'lock', '/api/remove', 'removelink'],
    ['/api/ignore_reports', 'ignorereports', '/api/set_contest_mode', 'setcontestmode'],
    ['/api/marknsfw', 'marknsfw', '/api/lock', 'lock'],
  ] as const
  for (const [first, firstAction, second, secondAction] of acts) {
    const link = await submit(bob, 'sighted')
    const seen = (await one.get(`/by_id/${link}`)).headers.get('x-log-position') ?? ''
    await bob.post('/api/editusertext', { thing_id: link, text: 'an edit is no decision' })
    const form = { id: link, expected_position: seen, state: 'true' }
    const answers = await Promise.all([one.post(first, form), other.post(second, form)])
    const [won, lost] = answers[0]?.status === 200 ? answers : answers.toReversed()
    t.deepEqual([won?.status, lost?.status], [200, 409], first)
    const [winner, action] = won === answers[0] ? [one, firstAction] : [other, secondAction]
    t.like(lost?.body, { reason: 'DECIDED_MEANWHILE', fields: ['expected_position'], decision: { by: winner.name, action } })
    t.is((await recordedOn(t.context, `link-${link}`)).filter(({ type }) => !/Submitted|Edited/.test(type)).length, 1, 'one act')
    const again = won?.headers.get('x-log-position') ?? ''
    t.is((await other.post('/api/approve', { id: link, expected_position: again })).status, 200, 'after the position of that act')
  }
  const link = await submit(bob, 'sighted')
  const seen = (await site.get(`/by_id/${link}`)).headers.get('x-log-position') ?? ''
  const key = { 'Idempotency-Key': 'sighted' }
  const form = { id: link, expected_position: seen, spam: 'false' }
  const done = await one.post('/api/remove', form, key)
  const repeated = await one.post('/api/remove', form, key)
  t.deepEqual([done.status, repeated.status, repeated.text], [200, 200, done.text], 'a repeated request is answered as the first')
  t.is((await bob.post('/api/approve', form)).status, 403)
  t.is((await bob.post('/api/approve', form)).at('decision'), undefined, 'nothing is told to who may not act')
  t.is((await other.post('/api/approve', { ...form, expected_position: 'then' })).status, 400)
  t.is((await other.post('/api/approve', { id: link, expected_position: '' })).status, 200, 'empty, as every optional parameter')
  t.is((await other.post('/api/approve', { id: link })).status, 200, 'without it, as ever')
})

test.serial(
  'flair and distinctions take an expected position from moderators; authors mark their own links whatever was decided',
  async (t) => {
    const { ann, bob, mods, site } = t.context
    const mod = mods[1] ?? ann
    await foundSubsite(ann, 'marked')
    await appoint(ann, 'marked', mod, '+posts,+flair')
    const link = await submit(bob, 'marked')
    const now = async () => (await site.get(`/by_id/${link}`)).headers.get('x-log-position') ?? ''
    const lateBy = (action: string, by = mod.name) => ({ reason: 'DECIDED_MEANWHILE', decision: { by, action } })
    for (const target of [{ link }, { name: 'bob' }]) {
      const [seen, form] = [await now(), { ...target, text: 'old', css_class: '' }]
      await postForm(mod, '/s/marked/api/flair', { ...form, expected_position: seen })
      for (const path of ['flair', 'selectflair', ...('name' in target ? ['deleteflair'] : [])]) {
        const late = await ann.post(`/s/marked/api/${path}`, { ...form, text: 'new', expected_position: seen })
        t.is(late.status, 409, path)
        t.like(late.body, lateBy('editflair', path === 'flair' ? mod.name : 'ann'))
        t.is((await ann.post(`/s/marked/api/${path}`, { ...form, text: path, expected_position: await now() })).status, 200, path)
      }
    }
    const comment = await say(ann, link)
    const seen = await now()
    await postForm(mod, '/api/remove', { id: comment, expected_position: seen })
    const late = await ann.post('/api/distinguish', { id: comment, how: 'yes', sticky: true, expected_position: seen })
    t.is(late.status, 409)
    t.like(late.body, lateBy('removecomment'))
    await postForm(ann, '/api/distinguish', { id: comment, how: 'yes', expected_position: await now() })
    const before = await now()
    await postForm(mod, '/api/lock', { id: link })
    t.is((await ann.post('/api/unmarknsfw', { id: link, expected_position: before })).status, 409)
    t.is((await bob.post('/api/marknsfw', { id: link, expected_position: before })).status, 200, 'its author')
  },
)

test.serial('acts on mail to moderators take an expected position, too; one that the log has not reached is refused', async (t) => {
  const { ann, bob, mods } = t.context
  const mod = mods[1] ?? ann
  await bob.post('/api/compose', { to: '/s/tea', subject: 'a question', text: 'words' })
  const mail = await ann.get('/message/moderator')
  const seen = mail.headers.get('x-log-position') ?? ''
  const id = String(mail.at('data.children.0.data.name'))
  t.is((await mod.post('/api/remove', { id, expected_position: seen })).status, 200)
  const late = await ann.post('/api/approve', { id, expected_position: seen })
  t.is(late.status, 409)
  t.like(late.body, { reason: 'DECIDED_MEANWHILE', decision: { by: mod.name, action: 'removemessage' } })
  const now = late.headers.get('x-log-position') ?? ''
  t.is((await ann.post('/api/approve', { id, expected_position: now })).status, 200)
  t.like((await mod.post('/api/remove', { id, expected_position: now })).body, { decision: { by: 'ann', action: 'approvemessage' } })
  for (const position of ['9'.repeat(20), '9'.repeat(40)])
    t.like(
      (await mod.post('/api/remove', { id, expected_position: position })).body,
      { error: 400, fields: ['expected_position'] },
      position,
    )
  const zeros = await mod.post('/api/remove', { id, expected_position: now.padStart(40, '0') })
  t.is(zeros.status, 409, 'zeros at the start are no number')
})
