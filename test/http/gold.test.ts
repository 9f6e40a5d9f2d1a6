import { extendGold, Gold } from '../../src/domain/gold.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { joining, startTea } from '../support/cast.ts'
import { dataOf, done, eventually, settled, unchanged } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { found, names, refusalOf, say, submit, thing } from '../support/posting.ts'
import type { Answer, Caller, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'dave', 'root']))

const reasonOf = ({ status, at }: Answer) => `${status} ${at('reason')}`
const own = async (who: Caller) => (await who.get('/api/v1/me')).body as Readonly<Record<string, unknown>>
const about = async (reader: Caller, who: User) =>
  (await reader.get(`/user/${who.name}/about`)).at('data') as Readonly<Record<string, unknown>>
const grant = (by: Caller, to: User, csites: number) => done(by, `/api/v1/gold/grant/${to.name}`, { csites })
const gild = (who: Caller, id: string, headers = {}) => who.post(`/api/v1/gold/gild/${id}`, {}, headers)

test.serial('only admins can grant credits, and only the account itself sees them', async (t) => {
  const { site, ann, bob, root } = t.context
  t.is((await grant(root, bob, 3)).at('csites'), 3)
  t.is((await grant(root, bob, 2)).at('csites'), 5)
  t.is((await own(bob)).gold_csites, 5)
  t.false('gold_csites' in (await about(ann, bob)))
  t.is((await ann.post('/api/v1/gold/grant/bob', { csites: 1 })).status, 403)
  t.is((await (await bob.session()).post('/api/v1/gold/grant/bob', { csites: 1 })).status, 401)
  t.is((await site.post('/api/v1/gold/grant/bob', { csites: 1 })).status, 401)
  t.is((await (await root.withScopes('identity')).post('/api/v1/gold/grant/bob', { csites: 1 })).status, 403)
  t.is(reasonOf(await root.post('/api/v1/gold/grant/nobody_1', { csites: 1 })), '400 USER_DOESNT_EXIST')
  for (const csites of ['0', '-3', '1000001', 'x', ''])
    t.is(reasonOf(await root.post('/api/v1/gold/grant/bob', { csites })), '400 BAD_NUMBER', csites)
  t.is((await own(bob)).gold_csites, 5)
})

test.serial('a gilded thing shows its gildings, and its author gets gold and an anonymous notice', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  await grant(root, bob, 10)
  const before = Number((await own(bob)).gold_csites)
  const link = await submit(carol, 'tea')
  const comment = await say(carol, link, 'Soft.')
  const trophies = async () => (await dave.get('/api/v1/user/carol/trophies')).text.match(/"name":"([^"]*)"/)?.[1] ?? ''
  t.false((await about(ann, carol)).is_gold)
  t.is(await trophies(), '')
  t.is((await gild(bob, link)).text, '{}')
  await gild(bob, comment)
  await gild(bob, comment)
  t.is((await own(bob)).gold_csites, before - 3)
  t.is((await thing(dave, link)).gilded, 1)
  t.is((await thing(dave, comment)).gilded, 2)
  t.true((await about(dave, carol)).is_gold)
  t.is(await trophies(), 'Gold')
  const days = (Number((await own(carol)).gold_expiration) - Date.now() / 1000) / 86_400
  t.true(days > 92.9 && days < 93.1, `${days}`)
  t.regex((await carol.get('/api/v1/me')).text, /"gold_expiration":\d+,/, 'an integer')
  t.false('gold_expiration' in (await about(dave, carol)))
  const inbox = await carol.get('/message/inbox')
  const told = dataOf(inbox).filter(({ subject }) => String(subject).includes('gilded'))
  t.deepEqual(
    told.map(({ subject }) => subject),
    ['somebody gilded your comment', 'somebody gilded your comment', 'somebody gilded your link'],
  )
  t.deepEqual([...new Set(told.map(({ author, distinguished }) => `${author} ${distinguished}`))], ['null gold-auto'])
  t.false(inbox.text.includes('"bob"'))
  t.deepEqual(names(await site.get('/user/carol/gilded')), [comment, link], 'the latest first, each once')
  t.deepEqual(names(await bob.get('/user/bob/gilded?show=given')), [comment, link])
  t.deepEqual(names(await dave.get('/user/bob/gilded')), [])
  t.is((await dave.get('/user/bob/gilded?show=given')).status, 403)
  t.is((await site.get('/user/bob/gilded?show=given')).status, 403)
})

test.serial('listings of gilded things are paged, without deleted things and those the viewer may not view', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  await grant(root, bob, 10)
  await found(ann, 'closed_gold', { type: 'private' })
  const hidden = await submit(ann, 'closed_gold')
  const links = [await submit(ann, 'tea'), await submit(ann, 'tea'), await submit(ann, 'tea')]
  for (const link of links) await gild(bob, link)
  await gild(root, hidden)
  t.deepEqual(names(await ann.get('/user/ann/gilded')), [hidden, ...links.toReversed()])
  t.deepEqual(names(await carol.get('/user/ann/gilded')), links.toReversed())
  const first = await site.get('/user/ann/gilded?limit=2')
  t.deepEqual(names(first), [links[2], links[1]])
  t.deepEqual(names(await site.get(`/user/ann/gilded?limit=2&after=${first.at('data.after')}`)), [links[0]])
  await ann.post('/api/del', { id: links[1] })
  t.deepEqual(names(await site.get('/user/ann/gilded')), [links[2], links[0]])
  t.is(reasonOf(await gild(bob, String(links[1]))), '400 NO_THING_ID')
  t.is((await gild(bob, hidden)).status, 403, 'what the payer may not see')
})

test.serial('a refused gilding costs nothing', async (t) => {
  const { site, ann, bob, dave } = t.context
  const link = await submit(ann, 'tea')
  for (const id of ['t5_zzzz', 't2_1', 'nonsense', 't6_1']) t.is(reasonOf(await gild(bob, id)), '400 NO_THING_ID', id)
  t.true(await unchanged(site, async () => t.is(reasonOf(await gild(dave, link)), '400 INSUFFICIENT_CSITES')))
  t.is((await gild(site, link)).status, 401)
  t.is((await gild(await bob.withScopes('save'), link)).status, 403)
  t.is((await gild(await bob.session(), link)).status, 401)
  t.is((await gild(await site.appOnly(), link)).status, 403)
})

test.serial('gold is given for 1 to 36 months, and a number outside that range is clamped', async (t) => {
  const { bob, dave, root } = t.context
  await grant(root, bob, 40)
  const before = Number((await own(bob)).gold_csites)
  const give = (months: string | undefined, to = 'dave') => bob.post(`/api/v1/gold/give/${to}`, { months })
  for (const months of [undefined, '', 'x']) t.is(reasonOf(await give(months)), '400 BAD_NUMBER', String(months))
  t.is(reasonOf(await give('2', 'nobody_1')), '400 USER_DOESNT_EXIST')
  t.is(reasonOf(await give('x', 'nobody_1')), '400 USER_DOESNT_EXIST', 'the first thing wrong')
  t.is((await own(bob)).gold_csites, before)
  t.is((await give('2', 'DAVE')).text, '{}')
  await give('0')
  t.is((await own(bob)).gold_csites, before - 3, 'months are moved into their range')
  await give('99', 'root')
  t.is((await own(bob)).gold_csites, before - 39)
  const days = (Number((await own(dave)).gold_expiration) - Date.now() / 1000) / 86_400
  t.true(days > 92.9 && days < 93.1, `${days}`)
  t.is(dataOf(await dave.get('/message/inbox')).filter(({ subject }) => subject === 'somebody gave you gold').length, 2)
  t.is(reasonOf(await dave.post('/api/v1/gold/give/bob', { months: '1' })), '400 INSUFFICIENT_CSITES')
})

test.serial('of 64 concurrent gildings with one credit one succeeds, and the balance is never below zero', async (t) => {
  const { site, ann, root } = t.context
  const { poor } = await joining(site, 'poor')
  await grant(root, poor, 1)
  const link = await submit(ann, 'tea')
  const answers = await Promise.all(Array.from({ length: 64 }, () => gild(poor, link)))
  const outcomes = answers.map(({ status, at }) => (status === 200 ? 'paid' : String(at('reason'))))
  t.is(outcomes.filter((outcome) => outcome === 'paid').length, 1, outcomes.join())
  t.is(outcomes.filter((outcome) => outcome === 'INSUFFICIENT_CSITES').length, 63)
  t.is((await own(poor)).gold_csites, 0)
  t.is((await thing(ann, link)).gilded, 1)
})

test.serial('a gilding repeated with the same Idempotency-Key is paid once', async (t) => {
  const { site, ann, root } = t.context
  const { payer } = await joining(site, 'payer')
  await grant(root, payer, 5)
  const link = await submit(ann, 'tea')
  const answers = await Promise.all(Array.from({ length: 4 }, () => gild(payer, link, { 'Idempotency-Key': 'once' })))
  t.true(answers.some(({ status }) => status === 200))
  t.is((await gild(payer, link, { 'Idempotency-Key': 'once' })).status, 200)
  t.is((await own(payer)).gold_csites, 4)
})

/** Milliseconds, fewer than a token is valid. */
const MOMENT = 30 * 60_000

test.serial('gold gives access to gold-only subsites until it ends, and its expiry is recorded', async (t) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(site.stop)
  const { rich, plain, root } = await joining(site, 'rich', 'plain', 'root')
  const create = (who: Caller) =>
    who.post('/api/site_admin', { name: 'lounge', title: 'Lounge', type: 'gold_only', link_type: 'any', api_type: 'json' })
  t.true((await create(rich)).text.includes('GOLD_REQUIRED'))
  await root.post('/api/v1/gold/give/rich', { months: 1 })
  t.is((await create(rich)).text, '{"json":{"errors":[]}}')
  const link = await submit(rich, 'lounge')
  t.is((await plain.get('/s/lounge/new')).status, 403)
  t.is((await plain.get(`/comments/${link.slice(3)}`)).status, 403)
  // a moment of gold, which ends by itself
  const { run, mint, clock } = site.running.app
  const system = commandOf(seedOf(mint()), { account: null, as: 'system' })
  await run(Gold, plain.id, extendGold(plain.id, 0, clock() + MOMENT), system)
  await settled(site)
  t.is((await plain.get('/s/lounge/new')).status, 200)
  t.true((await own(plain)).is_gold)
  const posted = await submit(plain, 'lounge')
  forward(MOMENT)
  t.true(await eventually(async () => (await plain.get('/s/lounge/new')).status === 403), 'without anybody doing anything')
  t.is((await plain.get(`/comments/${posted.slice(3)}`)).status, 403)
  const stream = async () => (await site.running.stores.events.read(`gold-${plain.id}`, 0, 10)).events.map(({ type }) => type)
  t.true(await eventually(async () => (await stream()).includes('GoldExpired')))
  await settled(site)
  // after a leap of the clock the lease of the worker number is renewed first
  t.true(await eventually(async () => (await own(plain)).is_gold === false))
  t.is((await own(plain)).gold_expiration, null)
})

const prefer = async (who: Caller, store_visits: boolean) => {
  const { status, text } = await who.request('PATCH', '/api/v1/me/prefs', { json: { store_visits } })
  if (status !== 200) throw new Error(text)
}
const store = (who: Caller, ...links: readonly string[]) => who.post('/api/store_visits', { links: links.join(',') })
const visitedIn = (answer: Answer, link: string) => dataOf(answer).find(({ name }) => name === link)?.visited

test.serial('visited links are stored only for accounts with gold that opted in, and shown to them only', async (t) => {
  const { site, ann, bob, root } = t.context
  const { reader } = await joining(site, 'reader')
  const [link, other, unvisited] = [await submit(ann, 'tea'), await submit(ann, 'tea'), await submit(ann, 'tea')]
  t.is(refusalOf(await store(site, link)), 'USER_REQUIRED')
  await prefer(reader, true)
  t.is((await store(reader, link)).status, 403, 'without gold')
  await done(root, `/api/v1/gold/give/${reader.name}`, { months: 1 })
  t.is((await store(await reader.withScopes('read'), link)).status, 403, 'without the scope')

  await prefer(reader, false)
  t.is((await store(reader, link)).text, '{}')
  await prefer(reader, true)
  t.false((await thing(reader, link)).visited, 'reported while the preference was off')

  const page = async () => visitedIn(await reader.get('/s/tea/new?limit=100'), link)
  const thread = async () => (await reader.get(`/comments/${link.slice(3)}`)).at('0.data.children.0.data.visited')
  // requested more than once, so that responses may be cached
  for (let n = 0; n < 3; n += 1) t.deepEqual([await page(), await thread()], [false, false])
  t.is((await store(reader, link, 't1_1', 'nonsense', other)).text, '{}')
  t.deepEqual([await page(), await thread()], [true, true], 'no cached answer is shown')
  for (const caller of [bob, ann, site]) t.is(visitedIn(await caller.get('/s/tea/new?limit=100'), link), false)
  t.true((await thing(reader, other)).visited)
  t.false((await thing(reader, unvisited)).visited)
  t.true((await reader.get(`/by_id/${link}`)).at('data.children.0.data.visited'))

  for (const links of ['', ' , ', 't1_1', Array.from({ length: 101 }, (_, n) => `t5_${n}`).join()])
    t.is((await reader.post('/api/store_visits', { links })).text, '{}')
  t.is((await reader.post('/api/store_visits')).text, '{}')
  t.false((await thing(reader, unvisited)).visited)
  t.true((await thing(reader, link)).visited)

  await found(ann, 'one_link')
  const only = await submit(ann, 'one_link')
  const drawn = async () => String((await reader.get('/s/one_link/random')).headers.get('location'))
  t.true((await drawn()).includes(`/comments/${only.slice(3)}/`))
  await store(reader, only)
  t.is(await drawn(), `${site.url}/s/one_link/`, 'what was visited is not drawn')

  await prefer(reader, false)
  t.deepEqual([await page(), await thread()], [false, false], 'no longer preferred')
})

test.serial('concurrent visits are all stored, and deleted with their account', async (t) => {
  const { site, ann, root } = t.context
  const { reader_2: reader } = await joining(site, 'reader_2')
  await done(root, `/api/v1/gold/give/${reader.name}`, { months: 1 })
  await prefer(reader, true)
  const link = await submit(ann, 'tea')
  const others = Array.from({ length: 12 }, (_, n) => `t5_zz${n.toString(36)}`)
  const before = await site.running.stores.events.head()
  for (const { text } of await Promise.all([link, ...others].map((one) => store(reader, one)))) t.is(text, '{}')
  t.is(await site.running.stores.events.head(), before, 'nothing of it is in the log')
  const kept = async () =>
    (await site.running.app.vault.get('visits', reader.id))?.value as readonly (readonly [string, number])[] | undefined
  t.deepEqual((await kept())?.map(([one]) => one).toSorted(), [link, ...others].toSorted())
  t.true((await thing(reader, link)).visited)
  await done(root, '/api/erase_user', { name: reader.name })
  t.true(await eventually(async () => (await kept()) === undefined))
})
