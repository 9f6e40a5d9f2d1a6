import type { ExecutionContext } from 'ava'
import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, postForm } from '../support/community.ts'
import { allNumbered, type EventLine, everyLine } from '../support/following.ts'
import { foundSubsite, say, settle, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

type Told = {
  readonly n: number
  readonly id?: string
  readonly type: string
  readonly by?: { readonly account: string | null }
  readonly data: Readonly<Record<string, unknown>>
  readonly cause: number | null
  readonly consequences: readonly number[]
  readonly names: Readonly<Record<string, string>>
}

const pageOf = async (reader: Caller, thing: string, query = '') => {
  const answer = await reader.get(`/history/things/${thing}?raw_json=1&${query}`)
  const children = (answer.at('data.children') ?? []) as readonly { readonly data: Told }[]
  return {
    status: answer.status,
    events: children.map(({ data }) => data),
    after: answer.at('data.after'),
    before: answer.at('data.before'),
  }
}
const toldOf = async (reader: Caller, thing: string) => (await pageOf(reader, thing, 'limit=100')).events
const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type)

/** Tells whether an event is about a thing, as far as the reader learns. A reporter learns of a report only that it is theirs. */
const isAbout = (thing: string, { data, stream }: EventLine): boolean => {
  const { comment, thing: named, target, link } = data as Readonly<Record<string, unknown>>
  const about = [comment, named, (target as { readonly id?: string } | undefined)?.id, link].find((one) => /^t[15]_/.test(String(one)))
  return about === thing || (about === undefined && (stream?.endsWith(`.${thing}`) ?? false))
}

/** Votes, saves and hidings, of which the whole log tells admins those of others, too. */
const isPrivate = ({ type }: EventLine): boolean => /^(VoteCast|Thing(Saved|Unsaved|Hidden|Unhidden))$/.test(type)

/** Checks that the history of a thing is the part of the whole log that concerns it, for each reader. */
const isWhole = async (t: ExecutionContext<Five>, readers: readonly Caller[], things: readonly string[]) => {
  const { site, root } = t.context
  for (const reader of readers) {
    const isTold = (line: EventLine) => line.kind === 'event' && (reader !== root || !isPrivate(line) || line.by?.account === root.id)
    const events = (await everyLine(site, reader)).filter(isTold)
    for (const thing of things) {
      const told = await toldOf(reader, thing)
      t.deepEqual(
        told.map(({ cause: _, consequences: __, names: ___, ...event }) => event),
        events.filter((line) => isAbout(thing, line)).map(({ kind: _, ...line }) => line) as never,
      )
    }
  }
}

test.serial('what happened to a link is told with who, when and why, oldest first', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  await foundSubsite(ann, 'tea')
  const link = await submit(bob, 'tea', { title: 'On water', text: 'Soft or hard?' })
  const other = await submit(bob, 'tea', { title: 'On leaves', text: 'Green.' })
  const comment = await say(carol, link, 'Soft.')
  await postForm(carol, '/api/vote', { id: link, dir: 1 })
  await postForm(carol, '/api/save', { id: link })
  await postForm(dave, '/api/report', { thing_id: link, reason: 'too wet' })
  await postForm(ann, '/api/lock', { id: link })
  await postForm(ann, '/api/set_subsite_sticky', { id: link, state: true })
  await postForm(ann, '/api/set_subsite_sticky', { id: other, state: true })
  await postForm(bob, '/api/editusertext', { thing_id: link, text: 'Hard.' })
  await postForm(ann, '/api/remove', { id: comment })
  await postForm(ann, '/api/set_subsite_sticky', { id: link, state: false })
  await postForm(ann, '/api/unlock', { id: link })
  await allNumbered(site)
  const events = await toldOf(site, link)
  t.deepEqual(typesOf(events), ['LinkSubmitted', 'LinkLocked', 'LinkStickied', 'LinkEdited', 'LinkUnstickied', 'LinkUnlocked'])
  t.deepEqual(
    events.map(({ by }) => by?.account),
    [bob.id, ann.id, ann.id, bob.id, ann.id, ann.id],
  )
  t.deepEqual([events[0]?.data.text, events[3]?.data.text], [undefined, 'Hard.'], 'the text that was replaced is shown to nobody')
  t.deepEqual(typesOf(await toldOf(site, comment)), ['CommentPosted', 'CommentRemoved'])
  for (const hidden of [carol.id, dave.id, 'too wet']) t.false(JSON.stringify(events).includes(hidden), hidden)
  await isWhole(t, [site, bob, carol, dave, ann, root], [link, comment, other])
})

test.serial(
  'votes, saves, reports and gold are told to whom they are shown: who gave them, moderators and admins reports, everybody gold',
  async (t) => {
    const { site, ann, bob, carol, dave, root } = t.context
    await foundSubsite(ann, 'oolong')
    await appoint(ann, 'oolong', bob, '+wiki')
    await postForm(root, '/api/v1/gold/grant/dave', { csites: 2 })
    const link = await submit(bob, 'oolong', { title: 'On steam' })
    const comment = await say(carol, link, 'Hot.')
    const others = await submit(bob, 'oolong', { title: 'On ice' })
    for (const id of [link, comment, others]) {
      await postForm(carol, '/api/vote', { id, dir: 1 })
      await postForm(dave, '/api/vote', { id, dir: 1 })
      await postForm(dave, '/api/vote', { id, dir: -1 })
      await postForm(dave, '/api/save', { id })
      await postForm(carol, '/api/report', { thing_id: id, reason: 'too hot' })
      await postForm(dave, '/api/unsave', { id })
      await postForm(dave, '/api/vote', { id, dir: 0 })
    }
    await postForm(dave, '/api/hide', { id: link })
    await postForm(dave, `/api/v1/gold/gild/${link}`)
    await postForm(ann, '/api/lock', { id: link })
    await postForm(dave, `/api/v1/gold/gild/${comment}`)
    await allNumbered(site)
    const told = async (reader: Caller, thing = link) => typesOf(await toldOf(reader, thing)).slice(1)
    const acts = ['VoteCast', 'VoteCast', 'ThingSaved', 'ThingUnsaved', 'VoteCast']
    t.deepEqual(await told(site), ['ThingGilded', 'LinkLocked'])
    t.deepEqual(await told(dave), [...acts, 'ThingHidden', 'ThingGilded', 'LinkLocked'])
    t.deepEqual(await told(carol), ['VoteCast', 'ThingHidden', 'ThingReported', 'ThingGilded', 'LinkLocked'])
    t.deepEqual(await told(ann), ['ThingReported', 'ThingGilded', 'LinkLocked'])
    t.deepEqual(await told(bob), ['ThingGilded', 'LinkLocked'], 'a moderator of the wiki alone')
    t.deepEqual(await told(root), await told(ann), 'an admin')
    const [report] = (await toldOf(ann, link)).filter(({ type }) => type === 'ThingReported')
    t.deepEqual([report?.data.reason, report?.by, report?.id, report?.data.account], ['too hot', undefined, undefined, undefined])
    for (const reader of [site, ann, carol]) t.false(JSON.stringify(await toldOf(reader, link)).includes(dave.id), 'who gilded it')
    await isWhole(t, [site, await dave.session(), await carol.session(), bob, ann, root], [link, comment, others])
    // tokens: without the scope of what is one's own, and of reports, they read as the public does
    t.deepEqual(await told(await dave.withScopes('read')), await told(site))
    t.deepEqual(await told(await carol.withScopes('read', 'history')), ['VoteCast', 'ThingHidden', 'ThingGilded', 'LinkLocked'])
    await postForm(root, '/api/suspend_user', { name: 'ann', duration: 1 })
    t.deepEqual(await told(ann), ['ThingGilded', 'LinkLocked'], 'as long as the moderator is suspended')
    await postForm(root, '/api/unsuspend_user', { name: 'ann' })
  },
)

test.serial('pages of what happened to a thing follow one another in both directions, without repetition or gap', async (t) => {
  const { site, ann, bob, dave, root } = t.context
  const link = await submit(bob, 'tea', { title: 'On and off', text: 'Locks.' })
  for (let turn = 0; turn < 6; turn += 1) {
    await postForm(ann, '/api/lock', { id: link })
    await postForm(dave, '/api/vote', { id: link, dir: turn % 2 === 0 ? 1 : 11 })
    await postForm(root, '/api/vote', { id: link, dir: turn % 2 === 0 ? -1 : -11 })
    if (turn % 3 === 0) await postForm(root, `/api/v1/gold/gild/${link}`)
    await postForm(bob, '/api/sendreplies', { id: link, state: turn % 2 === 1 })
    await postForm(ann, '/api/unlock', { id: link })
  }
  await allNumbered(site)
  for (const reader of [site, bob, dave, root]) {
    const whole = await toldOf(reader, link)
    for (const limit of [1, 2, 5]) {
      // withheld events make no page shorter
      t.is((await pageOf(reader, link, `limit=${limit}`)).events.length, limit)
      const forwards: number[] = []
      let last: Awaited<ReturnType<typeof pageOf>> | undefined
      for (let after: unknown = ''; after !== null; ) {
        last = await pageOf(reader, link, `limit=${limit}&after=${after}`)
        forwards.push(...last.events.map(({ n }) => n))
        after = last.after
      }
      t.deepEqual(
        forwards,
        whole.map(({ n }) => n),
        `${limit} at a time`,
      )
      const backwards: number[] = []
      for (let before: unknown = forwards.at(-1); before !== null; ) {
        const page = await pageOf(reader, link, `limit=${limit}&before=${before}`)
        backwards.unshift(...page.events.map(({ n }) => n))
        before = page.before
      }
      t.deepEqual(backwards, forwards.slice(0, -1), `${limit} at a time, backwards`)
    }
  }
})

test.serial('what happened to a thing is filtered by type, actor and place, by what the reader may read alone', async (t) => {
  const { site, ann, bob, carol } = t.context
  await foundSubsite(ann, 'sift')
  const link = await submit(bob, 'sift')
  for (let time = 0; time < 2; time += 1) {
    await postForm(ann, '/api/lock', { id: link })
    await postForm(ann, '/api/unlock', { id: link })
  }
  await postForm(carol, '/api/report', { thing_id: link, reason: 'stale' })
  await allNumbered(site)
  const all = await toldOf(ann, link)
  const first = all.find(({ type }) => type === 'LinkLocked')?.n ?? 0
  const filtered = async (reader: Caller, query: string) => typesOf((await pageOf(reader, link, `limit=100&${query}`)).events)
  t.deepEqual(await filtered(ann, 'type=LinkLocked'), ['LinkLocked', 'LinkLocked'])
  t.deepEqual(await filtered(ann, 'type=&actor=&since=&until='), typesOf(all), 'a form sends empty filters')
  t.deepEqual(await filtered(ann, 'actor=BOB'), ['LinkSubmitted'])
  t.deepEqual(await filtered(ann, `actor=${ann.id}&type=LinkUnlocked`), ['LinkUnlocked', 'LinkUnlocked'])
  t.deepEqual(await filtered(ann, `since=${first}&until=${first + 1}`), ['LinkUnlocked'])
  t.deepEqual(await filtered(ann, 'since=2100-01-01'), [])
  t.deepEqual(await filtered(ann, 'until=2000-01-01'), [])
  t.deepEqual(await filtered(ann, 'since=2000-01-01&until=2100-01-01'), typesOf(all))
  // a moderator reads that there was a report, but not by whom
  t.deepEqual(await filtered(ann, 'type=ThingReported'), ['ThingReported'])
  t.deepEqual(await filtered(ann, 'actor=carol'), [])
  t.deepEqual(await filtered(bob, 'type=ThingReported'), [])
  t.deepEqual(await filtered(carol, 'actor=carol&type=ThingReported'), ['ThingReported'])
  for (const [query, status] of [
    ['type=TeaSpilt', 400],
    ['actor=nobody-there', 404],
    ['since=soon', 400],
  ] as const)
    t.is((await pageOf(ann, link, query)).status, status, query)
  // pages of what is filtered follow one another
  const one = await pageOf(ann, link, 'type=LinkLocked&limit=1')
  t.deepEqual(typesOf((await pageOf(ann, link, `type=LinkLocked&limit=1&after=${one.after}`)).events), ['LinkLocked'])
})

test.serial('bounds and filters of what happened to a thing cost what they find, and hold from either end', async (t) => {
  const { site, ann, bob } = t.context
  await foundSubsite(ann, 'bounds')
  const link = await submit(bob, 'bounds')
  for (let time = 0; time < 30; time += 1) await postForm(ann, time % 2 === 0 ? '/api/lock' : '/api/unlock', { id: link })
  await postForm(ann, '/api/marknsfw', { id: link })
  await allNumbered(site)
  const all = (await toldOf(site, link)).map(({ n }) => n)
  const [middle = 0, end = 0] = [all[16], all.at(-1)]
  const streams = site.running.app.streamEvents
  if (!streams) throw new Error('no history is kept')
  const { findNumbered, after } = streams
  let [numbered, read] = [0, 0]
  t.teardown(() => Object.assign(streams, { findNumbered, after }))
  Object.assign(streams, {
    findNumbered: (some: Parameters<typeof findNumbered>[0]) => {
      numbered += some.length
      return findNumbered(some)
    },
    after: async (...asked: Parameters<typeof after>) => {
      const found = await after(...asked)
      read += found.length
      return found
    },
  })
  const asked = async (query: string) => {
    numbered = 0
    read = 0
    return (await pageOf(site, link, query)).events.map(({ n }) => n)
  }
  for (const query of [`type=LinkMarkedNsfw`, `actor=bob`, 'until=2000-01-01', 'since=2100-01-01']) {
    t.true((await asked(query)).length <= 1, query)
    t.true(numbered <= 1, `${query}: ${numbered}`)
  }
  t.deepEqual(await asked(`since=${middle}&limit=5`), all.slice(17, 22))
  t.is(read, 6)
  t.deepEqual(await asked(`since=${end}`), [])
  t.is(read, 0)
  t.deepEqual(await asked(`since=${end + 1_000_000}`), [])
  t.is(read, 0)
  t.deepEqual(await asked(`until=${middle}&limit=100`), all.slice(0, 17))
  t.is(numbered, 17)
  t.deepEqual(await asked(`since=${all[10]}&until=${middle}`), all.slice(11, 17))
  t.deepEqual(await asked(`since=${all[10]}&until=${middle}&before=${all[14]}&limit=100`), all.slice(11, 14))
  t.deepEqual(await asked(`since=${all[10]}&until=${middle}&before=${end}&limit=2`), all.slice(15, 17))
  t.deepEqual(await asked(`since=${all[10]}&until=${middle}&after=${all[3]}&limit=2`), all.slice(11, 13))
  t.deepEqual(await asked(`since=${middle}&until=${all[10]}`), [])
})

test.serial('a consequence names its cause, and the cause its consequences, only where the reader may read of both', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const plum = await foundSubsite(ann, 'plum')
  await appoint(ann, 'plum', carol, '+posts')
  await postForm(await carol.session(), '/api/delete_user', { user: 'carol', passwd: carol.password, confirm: true })
  await postForm(ann, '/s/plum/api/add_subsite_rule', { short_name: 'Be kind', description: 'Always.', kind: 'all' })
  await settle(ann, plum, { title: 'All about plums' })
  await allNumbered(site)
  const events = await toldOf(site, plum)
  t.true(['SubsiteCreated', 'ModeratorAdded', 'SubsiteSettingChanged', 'RuleCreated'].every((type) => typesOf(events).includes(type)))
  const ended = events.find(({ type }) => type === 'ModeratorRemoved')
  const deleted = (await everyLine(site, site)).find(({ type }) => type === 'AccountDeleted')
  t.truthy(deleted)
  t.is(ended?.cause, deleted?.n)
  const numbers = new Set((await everyLine(site, site)).map(({ n }) => n))
  for (const { cause, consequences } of events) for (const n of [cause, ...consequences]) t.true(n === null || numbers.has(n))
  t.is((await pageOf(site, bob.id)).status, 200)
  t.true(typesOf(await toldOf(site, bob.id)).includes('AccountRegistered'))
  await postForm(ann, '/api/site_admin', { sr: plum, title: 'Plums', type: 'private', link_type: 'any' })
  t.deepEqual([(await pageOf(site, plum)).status, (await pageOf(bob, plum)).status, (await pageOf(root, plum)).status], [403, 403, 200])
})

test.serial('of what is deleted, erased, removed or private today no more is told than today’s site shows', async (t) => {
  const { site, ann, bob, root, dave } = t.context
  await foundSubsite(ann, 'pear')
  const post = (text: string) => submit(bob, 'pear', { title: 'A pear', text })
  const [deleted, erased, removed] = [await post('deleted words'), await post('erased words'), await post('removed words')]
  await postForm(bob, '/api/del', { id: deleted })
  await postForm(root, '/api/erase_thing', { id: erased, reason: 'ordered by a court' })
  await postForm(ann, '/api/remove', { id: removed })
  await allNumbered(site)
  for (const reader of [site, bob, ann, root]) {
    t.false(JSON.stringify(await toldOf(reader, deleted)).includes('deleted words'))
    t.false(JSON.stringify(await toldOf(reader, erased)).includes('erased words'))
  }
  t.false(JSON.stringify(await toldOf(site, deleted)).includes(bob.id), 'nor who wrote it')
  t.deepEqual(
    [await toldOf(site, removed), await toldOf(root, removed)].map((told) => JSON.stringify(told).includes('"text":"removed words"')),
    [false, true],
  )
  // removed texts are read by suspended moderators as on every other page, deleted ones by nobody
  await postForm(root, '/api/suspend_user', { name: 'ann', duration: 1 })
  for (const reader of [ann, dave]) {
    const shown = String((await reader.get(`/api/info?id=${removed}`)).at('data.children.0.data.selftext'))
    t.is(JSON.stringify(await toldOf(reader, removed)).includes('removed words'), shown === 'removed words', shown)
  }
  await postForm(root, '/api/unsuspend_user', { name: 'ann' })
  t.is((await pageOf(site, 't5_zzzzzz')).status, 404)
  t.is((await pageOf(site, 't6_zzzzzz')).status, 404, 'mail')
  t.is((await pageOf(site, 'nonsense')).status, 404)
  await postForm(await dave.session(), '/api/delete_user', { user: 'dave', passwd: dave.password, confirm: true })
  t.is((await pageOf(site, dave.id)).status, 404)
})

test.serial('an event names the accounts and subsites in it, as far as there are such and the reader may see them', async (t) => {
  const { site, ann, bob } = t.context
  const cellar = await foundSubsite(ann, 'cellar')
  const link = await submit(bob, 'cellar', { title: 'On corks' })
  await postForm(ann, '/api/remove', { id: link })
  await allNumbered(site)
  const [posted, removed] = await toldOf(site, link)
  t.deepEqual(posted?.names, { [bob.id]: 'bob', [cellar]: 'cellar' })
  t.deepEqual(removed?.names, { [ann.id]: 'ann', [bob.id]: 'bob', [cellar]: 'cellar' })
  await settle(ann, cellar, { type: 'private' })
  t.is((await pageOf(site, link)).status, 403)
  const quitter = await site.register('quitter')
  await postForm(ann, '/s/cellar/api/friend', { type: 'contributor', name: 'quitter' })
  const other = await submit(quitter, 'cellar', { title: 'On casks' })
  await postForm(await quitter.session(), '/api/delete_user', { passwd: quitter.password })
  await allNumbered(site)
  t.false(JSON.stringify(await toldOf(ann, other)).includes('quitter'), 'who deleted the account is not named')
  t.deepEqual(typesOf(await toldOf(ann, ann.id)).slice(0, 1), ['AccountRegistered'])
})
