import { setTimeout as sleep } from 'node:timers/promises'
import { v4 } from 'uuid'
import type { AnyEvent } from '../../src/domain/event.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { MAX_EVENTS_LOOKED_BACK } from '../../src/queries/as-of.ts'
import { startCast } from '../support/cast.ts'
import { appoint, eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, id36, names, say, settle, submit } from '../support/posting.ts'
import { prefer } from '../support/preferring.ts'
import type { Answer, Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(async () => {
  const cast = await startCast(['ann', 'bob', 'carol', 'dave', 'root'])
  /** The number of the last event, once it has one. */
  const place = async (): Promise<number> => {
    const { stores, app } = cast.site.running
    const head = await stores.events.head()
    let n = -1
    await eventually(async () => {
      const size = (await app.places?.size()) ?? 0
      n = size - 1
      return n >= 0 && (await app.places?.ofNumber(n))?.position === head
    })
    return n
  }
  return { ...cast, place }
})

const data = (answer: Answer): Readonly<Record<string, unknown>> => answer.at('data') as Readonly<Record<string, unknown>>
const link = (answer: Answer): Readonly<Record<string, unknown>> => answer.at('data.children.0.data') as Readonly<Record<string, unknown>>
const pastLink = async (who: Caller, name: string, at: string | number) => link(await who.get(`/by_id/${name}?at=${at}&raw_json=1`))
const status = async (who: Caller, path: string) => (await who.get(path)).status

test.serial('a link is shown as it was after an event of a number or at a time, without what others made of it', async (t) => {
  const { site, ann, bob, place } = t.context
  await foundSubsite(ann, 'tea')
  const before = await place()
  const id = await submit(bob, 'tea', { title: 'On water', text: 'Soft or hard?' })
  const posted = await place()
  const time = new Date().toISOString()
  await sleep(5)
  await postForm(ann, '/api/lock', { id })
  await postForm(ann, '/api/marknsfw', { id })
  await postForm(ann, '/api/set_subsite_sticky', { id, state: true })
  await postForm(ann, '/api/vote', { id, dir: 1 })
  const locked = await place()
  await postForm(ann, '/api/unlock', { id })
  await postForm(ann, '/api/set_subsite_sticky', { id, state: false })
  const counts = { score: null, ups: null, downs: null, num_comments: null }
  const early = {
    title: 'On water',
    selftext: 'Soft or hard?',
    author: 'bob',
    locked: false,
    over_18: false,
    stickied: false,
    edited: false,
  }
  t.like(await pastLink(site, id, posted), { name: id, ...early, ...counts })
  t.like(await pastLink(site, id, time), { name: id, ...early, ...counts })
  t.like(await pastLink(site, id, locked), { locked: true, over_18: true, stickied: true, ...counts })
  t.like(await pastLink(site, id, await place()), { locked: false, over_18: true, stickied: false, ...counts })
  t.is(await status(site, `/by_id/${id}?at=${before}`), 404, 'before it was there')
  for (const at of ['2020-01-01', '-1']) t.is(await status(site, `/by_id/${id}?at=${at}`), 404, 'before everything')
  t.like(await pastLink(site, id, Date.parse(time)), { name: id, ...early }, 'in milliseconds')
  t.is(await status(site, `/by_id/t5_nothing?at=${posted}`), 404)
})

test.serial('what `at` cannot be is refused with the reason', async (t) => {
  const { site, ann, place } = t.context
  const [id = ''] = names(await site.get('/s/tea/new'))
  const reason = async (path: string) => {
    const answer = await site.get(path)
    t.is(answer.status, 400, path)
    return String(answer.at('explanation'))
  }
  const last = await place()
  t.is(await reason(`/by_id/${id}?at=${last + 1}`), `no event has this number yet; the last one has ${last}`)
  t.regex(await reason(`/by_id/${id}?at=${Math.floor(Date.now() / 1000)}`), /no event has this number yet/)
  t.is(await reason(`/by_id/${id}?at=${new Date(Date.now() + 60_000).toISOString()}`), 'this is in the future')
  for (const wrong of ['-2', '1.5', 'yesterday', '2026-13-01', '2026-02-30T25:00:00Z', '9'.repeat(16)])
    t.regex(await reason(`/s/tea/about?at=${wrong}`), /^the number of an event, a time like/)
  t.is(await reason(`/by_id/${id},${id.slice(0, -1)}z?at=${last}`), 'one link or comment at a time can be looked back at')
  t.is((await ann.get(`/s/tea/about/banned?at=${last}`)).at('explanation'), 'only the list of moderators can be looked back at')
  t.is((await ann.get(`/about/moderators?at=${last}`)).at('explanation'), 'a past state needs exactly one subsite in the path')
})

test.serial('of a past link nobody reads what today’s link does not show: a replaced, deleted, removed or erased text', async (t) => {
  const { site, ann, bob, root, place } = t.context
  const post = () => submit(bob, 'tea', { title: 'On leaves', text: 'The first words.' })
  const [kept, edited, deleted, removed, erased] = [await post(), await post(), await post(), await post(), await post()]
  const posted = await place()
  await postForm(bob, '/api/editusertext', { thing_id: edited, text: 'Other words.' })
  await postForm(ann, '/api/remove', { id: removed })
  const afterwards = await place()
  await postForm(bob, '/api/editusertext', { thing_id: edited, text: 'The first words.' })
  await postForm(bob, '/api/del', { id: deleted })
  await postForm(root, '/api/erase_thing', { id: erased, reason: 'ordered by a court' })
  await waitUntilSettled(site)
  const shown = async (who: Caller, id: string, at: number) => (await pastLink(who, id, at)).selftext
  for (const who of [site, bob, ann, root]) {
    t.is(await shown(who, kept, posted), 'The first words.')
    t.is(await shown(who, edited, posted), null, 'it became others, and the same again later')
    t.is(await shown(who, edited, afterwards), null)
    t.is(await shown(who, edited, await place()), 'The first words.')
    t.is(await shown(who, deleted, posted), '[deleted]')
    t.like(await pastLink(who, deleted, posted), { author: '[deleted]', author_fullname: null })
    const isErased = await pastLink(who, erased, posted)
    t.deepEqual([isErased.title, isErased.selftext], ['[erased]', '[erased]'])
  }
  t.deepEqual([await shown(site, removed, posted), await shown(root, removed, posted)], ['[removed]', 'The first words.'])
  await postForm(ann, '/api/approve', { id: removed })
  t.deepEqual([await shown(site, removed, posted), await shown(site, removed, afterwards)], ['The first words.', '[removed]'])
  t.like(await pastLink(ann, removed, afterwards), { banned_by: 'ann', approved_by: null, selftext: 'The first words.' })
  t.like(await pastLink(site, removed, afterwards), { banned_by: null, approved_by: null })
  await postForm(await bob.session(), '/api/delete_user', { user: 'bob', passwd: bob.password, confirm: true })
  t.like(await pastLink(site, kept, posted), { author: '[deleted]', author_fullname: null })
})

test.serial('a subsite, its settings, rules, moderators and log are shown as they were, to whom may see them today', async (t) => {
  const { site, ann, carol, dave, root, place } = t.context
  const before = await place()
  const milk = await foundSubsite(ann, 'milk', { title: 'Milk', description: 'Cold.' })
  const rule = (short_name: string) => postForm(ann, '/s/milk/api/add_subsite_rule', { short_name, description: 'Always.', kind: 'all' })
  await rule('Be kind')
  await appoint(ann, 'milk', carol, '+posts')
  const early = await place()
  await settle(ann, milk, { title: 'Warm milk', description: 'Warm.', over_18: 'true' })
  await rule('Be clean')
  await postForm(ann, '/s/milk/api/unfriend', { type: 'moderator', name: 'carol' })
  await postForm(dave, '/api/subscribe', { sr: milk, action: 'sub' })
  const late = await place()
  const about = async (at: number) => data(await site.get(`/s/milk/about?at=${at}&raw_json=1`))
  const { community_rules: rules, ...then } = await about(early)
  t.like(then, { title: 'Milk', description: 'Cold.', over18: false, subscribers: null, user_is_subscriber: null })
  t.deepEqual(
    (rules as readonly { short_name: string }[]).map(({ short_name }) => short_name),
    ['Be kind'],
  )
  t.like(await about(late), { title: 'Warm milk', description: 'Warm.', over18: true, subscribers: null })
  const settings = async (who: Caller, at: number) => data(await who.get(`/s/milk/about/edit?at=${at}`))
  t.like(await settings(ann, early), { title: 'Milk', over_18: false })
  t.like(await settings(ann, late), { title: 'Warm milk', over_18: true })
  t.is(await status(carol, `/s/milk/about/edit?at=${early}`), 404, 'she moderated it then, and does no more')
  const ruleNames = async (at: number) =>
    ((await site.get(`/s/milk/about/rules?at=${at}`)).at('rules') as readonly { short_name: string }[]).map(({ short_name }) => short_name)
  t.deepEqual([await ruleNames(early), await ruleNames(late)], [['Be kind'], ['Be kind', 'Be clean']])
  const moderators = async (at: number) =>
    (
      (await site.get(`/s/milk/about/moderators?at=${at}`)).at('data.children') as readonly { name: string; mod_permissions: unknown }[]
    ).map(({ name, mod_permissions }) => [name, mod_permissions])
  t.deepEqual(await moderators(late), [['ann', ['all']]])
  const [, second] = await moderators(early)
  t.deepEqual(second, ['carol', ['posts']])
  const actions = async (query: string) =>
    ((await site.get(`/s/milk/about/log?${query}`)).at('data.children') as readonly { data: { action: string } }[]).map(
      ({ data }) => data.action,
    )
  const whole = await actions('limit=100')
  const then2 = await actions(`limit=100&at=${early}`)
  t.true(then2.length > 0 && whole.length > then2.length)
  t.deepEqual(then2, whole.slice(-then2.length))
  t.deepEqual(await actions(`limit=100&at=${early}&since=0`), then2, 'a window of time')
  t.deepEqual(await actions(`limit=100&at=${early}&type=removemoderator`), [])
  t.deepEqual(await actions(`limit=100&at=${late}&type=removemoderator`), ['removemoderator'])
  const paged = await site.get(`/s/milk/about/log?limit=1&at=${early}`)
  t.deepEqual(await actions(`limit=100&at=${early}&after=${String(paged.at('data.after'))}`), then2.slice(1))
  t.regex((await site.get(`/s/milk/about/log.rss?at=${early}`)).text, /<entry>/)
  for (const path of ['about', 'about/rules', 'about/moderators', 'about/log'])
    t.is(await status(site, `/s/milk/${path}?at=${before}`), 404, path)
  await settle(ann, milk, { type: 'private' })
  for (const path of ['about', 'about/rules', 'about/moderators', 'about/log', 'about/log.rss', 'wiki/config/sidebar']) {
    t.is(await status(site, `/s/milk/${path}?at=${late}`), 403, path)
    t.is(await status(dave, `/s/milk/${path}?at=${early}`), 403, path)
    t.is(await status(root, `/s/milk/${path}?at=${late}`), 200, path)
  }
})

test.serial('a page of the wiki is shown as it was, unless that revision is hidden or the page closed today', async (t) => {
  const { site, ann, dave, place } = t.context
  const pear = await foundSubsite(ann, 'pear', { wikimode: 'anyone', description: 'A sidebar.' })
  const before = await place()
  const edit = (content: string) => postForm(ann, '/s/pear/api/wiki/edit', { page: 'index', content })
  await edit('old pears')
  const early = await place()
  await edit('new pears')
  await settle(ann, pear, { wikimode: 'anyone', description: 'A secret by mistake.' })
  const wrong = await place()
  await settle(ann, pear, { wikimode: 'anyone', description: 'A sidebar again.' })
  const page = async (at: number, who: Caller = site) => data(await who.get(`/s/pear/wiki/index?at=${at}`)).content_md
  t.deepEqual([await page(early), await page(wrong)], ['old pears', 'new pears'])
  t.is(await status(site, `/s/pear/wiki/index?at=${before}`), 404)
  const sidebar = async (who: Caller) => data(await who.get(`/s/pear/about?at=${wrong}`)).description
  t.is(await sidebar(site), 'A secret by mistake.')
  const hide = async (name: string, at: number) => {
    const revisions = (await ann.get(`/s/pear/wiki/revisions/${name}`)).at('data.children') as readonly { readonly id: string }[]
    await postForm(ann, '/s/pear/api/wiki/hide', { page: name, revision: revisions.at(at)?.id ?? '' })
  }
  await hide('index', -1)
  t.is(await status(site, `/s/pear/wiki/index?at=${early}`), 403)
  t.is(await page(early, ann), 'old pears')
  await hide('config/sidebar', 1)
  t.deepEqual([await sidebar(site), await sidebar(dave), await sidebar(ann)], ['[removed]', '[removed]', 'A secret by mistake.'])
  await postForm(ann, '/s/pear/wiki/settings/index', { permlevel: 2, listed: 'true' })
  t.is(await status(site, `/s/pear/wiki/index?at=${wrong}`), 403)
  t.is((await ann.get(`/s/pear/wiki/index?at=${wrong}&v=x`)).status, 400)
})

test.serial('more events than one request reads are refused with the reason, and what needs fewer is answered as before', async (t) => {
  const { site, ann, dave, place } = t.context
  await foundSubsite(ann, 'fig')
  const id = await submit(dave, 'fig', { title: 'On figs', text: 'Dry.' })
  await postForm(dave, '/api/sendreplies', { id, state: false })
  const early = await place()
  const { events, vault } = site.running.stores
  const [last] = (await events.readBackwards(`link-${id}`, undefined, 1)).events
  if (!last) throw new Error('nothing happened')
  const event = { type: last.type, data: JSON.parse(last.data) } as AnyEvent
  const again = Array.from({ length: MAX_EVENTS_LOOKED_BACK }, () => {
    const command = v4()
    const by = { account: dave.id, as: 'user' } as const
    return { id: v4(), event, at: Date.now(), by, seen: {}, commandId: command, correlationId: command, causationId: command }
  })
  const { seal } = codec(openKeyring(vault))
  for (let n = 0; n < again.length; n += 500) await events.append(last.stream, last.revision + n, await seal(again.slice(n, n + 500)))
  const late = await place()
  const refused = await site.get(`/by_id/${id}?at=${late}`)
  t.deepEqual(
    [refused.status, refused.at('explanation')],
    [400, `more than ${MAX_EVENTS_LOOKED_BACK} events would have to be read to show this state`],
  )
  t.like(await pastLink(site, id, early), { name: id, selftext: 'Dry.' })
  t.is(await status(site, `/s/fig/about?at=${late}`), 200)
  // the last place that is answered
  t.is(await status(site, `/by_id/${id}?at=${late - 2}`), 200)
  t.is(await status(site, `/by_id/${id}?at=${late - 1}`), 400)
})

test.serial('a comment is shown as it was, without what today’s comment does not show', async (t) => {
  const { site, ann, carol, root, place } = t.context
  await foundSubsite(ann, 'mint')
  const thread = await submit(carol, 'mint')
  const before = await place()
  const [kept, edited, deleted, removed, erased] = [
    await say(carol, thread, 'Fresh.'),
    await say(carol, thread, 'Fresh.'),
    await say(carol, thread, 'Fresh.'),
    await say(carol, thread, 'Fresh.'),
    await say(carol, thread, 'Fresh.'),
  ]
  const posted = await place()
  const time = new Date().toISOString()
  const then = async (who: Caller, id: string, at: string | number) => link(await who.get(`/by_id/${id}?at=${at}&raw_json=1`))
  await sleep(5)
  await postForm(ann, '/api/vote', { id: kept, dir: 1 })
  await postForm(carol, '/api/editusertext', { thing_id: edited, text: 'Dry.' })
  await postForm(carol, '/api/del', { id: deleted })
  await postForm(ann, '/api/remove', { id: removed })
  await postForm(root, '/api/erase_thing', { id: erased, reason: 'ordered by a court' })
  const late = await place()
  const whole = { name: kept, link_id: thread, parent_id: thread, body: 'Fresh.', edited: false, score: null, ups: null, author: 'carol' }
  for (const at of [posted, time, Date.parse(time), late]) t.like(await then(site, kept, at), whole)
  for (const who of [site, carol, ann, root]) {
    t.like(await then(who, edited, posted), { body: null, body_html: null, edited: false })
    t.is((await then(who, edited, late)).body, 'Dry.')
    t.like(await then(who, deleted, posted), { body: '[deleted]', author: '[deleted]', author_fullname: null })
    t.like(await then(who, erased, posted), { body: '[erased]' })
  }
  for (const at of [posted, late]) {
    t.like(await then(site, removed, at), { body: '[removed]', author: '[deleted]', banned_by: null })
    t.like(await then(carol, removed, at), { body: 'Fresh.', author: 'carol', banned_by: null })
  }
  t.like(await then(ann, removed, late), { body: 'Fresh.', banned_by: 'ann' })
  t.like(await then(ann, removed, posted), { body: 'Fresh.', banned_by: null })
  await postForm(ann, '/api/approve', { id: removed })
  t.like(await then(site, removed, late), { body: '[removed]' }, 'removed then')
  t.is(await status(site, `/by_id/${kept}?at=${before}`), 404, 'before it was there')
  t.is((await site.get(`/by_id/${kept},${edited}?at=${late}`)).status, 400)
  const mint = String((await ann.get('/s/mint/about')).at('data.name'))
  for (const id of [mint, 't1_zzzzz']) t.is(await status(site, `/by_id/${id}?at=${late}`), 404, id)
  t.is(await status(site, `/by_id/${kept}`), 404, 'without a time there are links alone')
  t.is((await site.get(`/by_id/${kept},${thread}`)).at('data.children.length'), 1)
  await settle(ann, mint, { type: 'private' })
  t.deepEqual((await site.get(`/by_id/${kept}?at=${posted}`)).at('data.children'), [])
  t.like(await then(ann, kept, posted), { body: 'Fresh.' })
})

test.serial('an account is shown as it was, and only to itself and admins whether it was suspended', async (t) => {
  const { site, ann, root, place } = t.context
  const before = await place()
  const eve = await site.register('eve')
  const early = await place()
  await postForm(root, '/api/suspend_user', { name: 'eve', duration: 3 })
  const suspended = await place()
  await postForm(root, '/api/unsuspend_user', { name: 'eve' })
  const late = await place()
  const then = async (who: Caller, at: number) => data(await who.get(`/user/eve/about?at=${at}`))
  const known = { name: 'eve', id: id36(eve.id), link_karma: null, comment_karma: null, is_gold: null, is_mod: null }
  for (const [at, isSuspended] of [
    [early, false],
    [suspended, true],
    [late, false],
  ] as const) {
    for (const who of [root, eve]) t.like(await then(who, at), { ...known, is_suspended: isSuspended })
    for (const who of [site, ann]) t.like(await then(who, at), { ...known, is_suspended: null })
  }
  t.is(await status(site, `/user/eve/about?at=${before}`), 404)
  for (let n = 0; n < 3; n++) t.like(data(await site.get('/user/eve/about')), { link_karma: 1 })
  t.like(await then(site, late), known, 'not what is cached of now')
  await prefer(eve, { hide_from_robots: true })
  t.is((await site.get(`/user/eve/about?at=${late}`)).headers.get('x-robots-tag'), 'noindex, nofollow', 'as of today')
  await postForm(root, '/api/suspend_user', { name: 'eve' })
  t.deepEqual(await then(site, early), { name: 'eve', is_suspended: true }, 'suspended for good today')
  await postForm(await eve.session(), '/api/delete_user', { user: 'eve', passwd: eve.password, confirm: true })
  t.is(await status(root, `/user/eve/about?at=${early}`), 404)
})

test.serial('what is cached or compared by its tag is what the place and today’s redaction make of it', async (t) => {
  const { site, ann, dave, place } = t.context
  await foundSubsite(ann, 'plum')
  const id = await submit(dave, 'plum', { title: 'On plums', text: 'Ripe.' })
  const early = await place()
  await postForm(ann, '/api/lock', { id })
  const late = await place()
  const both = async () => Promise.all([early, late].map(async (at) => (await pastLink(site, id, at)).locked))
  for (let asked = 0; asked < 4; asked += 1) t.deepEqual(await both(), [false, true])
  const path = `/by_id/${id}?at=${early}`
  const tag = (await site.get(path)).headers.get('etag') ?? ''
  const compared = () => site.request('GET', path, { headers: { 'If-None-Match': tag } })
  t.is((await compared()).status, 304)
  const headed = await site.request('HEAD', path)
  t.deepEqual([headed.status, headed.text], [200, ''])
  await postForm(dave, '/api/del', { id })
  t.is((await compared()).status, 200)
  t.like(await pastLink(site, id, early), { id: id36(id), selftext: '[deleted]' })
})
