import { extendGold, Gold } from '../../src/domain/gold.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { type Cast, joinSite, newcomer, startTea } from '../support/cast.ts'
import { dataOf, eventually, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite, names, readThing, say, submit } from '../support/posting.ts'
import type { Answer, Caller, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'dave', 'root']))

const reasonOf = ({ status, at }: Answer) => `${status} ${at('reason')}`
const own = async (who: Caller) => (await who.get('/api/v1/me')).body as Readonly<Record<string, unknown>>
const about = async (reader: Caller, who: User) =>
  (await reader.get(`/user/${who.name}/about`)).at('data') as Readonly<Record<string, unknown>>
const grant = (by: Caller, to: User, csites: number) => postForm(by, `/api/v1/gold/grant/${to.name}`, { csites })
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

/** A link of carol's, gilded once by bob, and a comment of hers, gilded by him twice. */
const gilded = async ({ site, bob, root }: Cast<'bob' | 'root'>) => {
  const author = await newcomer(site)
  await grant(root, bob, 10)
  const before = Number((await own(bob)).gold_csites)
  const link = await submit(author, 'tea')
  const comment = await say(author, link, 'Soft.')
  for (const id of [link, comment, comment]) await gild(bob, id)
  return { author, before, link, comment }
}

/** Days until the gold of an account ends. */
const daysOfGold = async (who: Caller) => (Number((await own(who)).gold_expiration) - Date.now() / 1000) / 86_400

test.serial('a gilding takes one credit and is shown on the thing', async (t) => {
  const { bob, dave, root } = t.context
  const { before, link, comment } = await gilded(t.context)
  t.is((await own(bob)).gold_csites, before - 3)
  t.is((await readThing(dave, link)).gilded, 1)
  t.is((await readThing(dave, comment)).gilded, 2)
  await grant(root, bob, 1)
  t.is((await gild(bob, link)).text, '{}')
})

test.serial('each gilding gives the author a month of gold and the trophy of it, but only the author sees until when', async (t) => {
  const { dave } = t.context
  const trophies = async (who: User) => (await dave.get(`/api/v1/user/${who.name}/trophies`)).text.match(/"name":"([^"]*)"/)?.[1] ?? ''
  const plain = await newcomer(t.context.site)
  t.false((await about(dave, plain)).is_gold)
  t.is(await trophies(plain), '')
  const { author } = await gilded(t.context)
  t.true((await about(dave, author)).is_gold)
  t.is(await trophies(author), 'Gold')
  const days = await daysOfGold(author)
  t.true(days > 92.9 && days < 93.1, `${days}`)
  t.regex((await author.get('/api/v1/me')).text, /"gold_expiration":\d+,/, 'an integer')
  t.false('gold_expiration' in (await about(dave, author)))
})

test.serial('the author of a gilded thing gets a notice of each gilding, which does not say by whom', async (t) => {
  const { author } = await gilded(t.context)
  const inbox = await author.get('/message/inbox')
  const told = dataOf(inbox).filter(({ subject }) => String(subject).includes('gilded'))
  t.deepEqual(
    told.map(({ subject }) => subject),
    ['somebody gilded your comment', 'somebody gilded your comment', 'somebody gilded your link'],
  )
  t.deepEqual([...new Set(told.map(({ author, distinguished }) => `${author} ${distinguished}`))], ['null gold-auto'])
  t.false(inbox.text.includes('"bob"'))
})

test.serial('gilded things are listed latest first, each once; those that an account gilded are listed to itself only', async (t) => {
  const { site, bob, dave } = t.context
  const { author, link, comment } = await gilded(t.context)
  t.deepEqual(names(await site.get(`/user/${author.name}/gilded`)), [comment, link])
  t.deepEqual(names(await bob.get('/user/bob/gilded?show=given')).slice(0, 2), [comment, link])
  t.deepEqual(names(await dave.get('/user/bob/gilded')), [])
  t.is((await dave.get('/user/bob/gilded?show=given')).status, 403)
  t.is((await site.get('/user/bob/gilded?show=given')).status, 403)
})

test.serial('listings of gilded things are paged, without deleted things and those the viewer may not view', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  await grant(root, bob, 10)
  await foundSubsite(ann, 'closed_gold', { type: 'private' })
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
  t.true(await recordsNothing(site, async () => t.is(reasonOf(await gild(dave, link)), '400 INSUFFICIENT_CSITES')))
  t.is((await gild(site, link)).status, 401)
  t.is((await gild(await bob.withScopes('save'), link)).status, 403)
  t.is((await gild(await bob.session(), link)).status, 401)
  t.is((await gild(await site.appOnly(), link)).status, 403)
})

test.serial('gold is given for 1 to 36 months, and a number outside that range is clamped', async (t) => {
  const { bob, dave, root } = t.context
  await grant(root, bob, 40)
  const before = Number((await own(bob)).gold_csites)
  t.is((await bob.post('/api/v1/gold/give/DAVE', { months: '2' })).text, '{}')
  await bob.post('/api/v1/gold/give/dave', { months: '0' })
  t.is((await own(bob)).gold_csites, before - 3)
  const days = await daysOfGold(dave)
  t.true(days > 92.9 && days < 93.1, `${days}`)
  t.is(dataOf(await dave.get('/message/inbox')).filter(({ subject }) => subject === 'somebody gave you gold').length, 2)
  await bob.post('/api/v1/gold/give/root', { months: '99' })
  t.is((await own(bob)).gold_csites, before - 39)
})

test.serial('a gift of gold without a number of months, to nobody or without credits is refused and costs nothing', async (t) => {
  const { bob, dave, root } = t.context
  await grant(root, bob, 1)
  const before = Number((await own(bob)).gold_csites)
  const give = (months: string | undefined, to = 'dave') => bob.post(`/api/v1/gold/give/${to}`, { months })
  for (const months of [undefined, '', 'x']) t.is(reasonOf(await give(months)), '400 BAD_NUMBER', String(months))
  t.is(reasonOf(await give('2', 'nobody_1')), '400 USER_DOESNT_EXIST')
  t.is(reasonOf(await give('x', 'nobody_1')), '400 USER_DOESNT_EXIST', 'the first thing wrong')
  t.is((await own(bob)).gold_csites, before)
  t.is(reasonOf(await dave.post('/api/v1/gold/give/bob', { months: '1' })), '400 INSUFFICIENT_CSITES')
})

test.serial('of 64 concurrent gildings with one credit one succeeds, and the balance is never below zero', async (t) => {
  const { site, ann, root } = t.context
  const { poor } = await joinSite(site, 'poor')
  await grant(root, poor, 1)
  const link = await submit(ann, 'tea')
  const answers = await Promise.all(Array.from({ length: 64 }, () => gild(poor, link)))
  const outcomes = answers.map(({ status, at }) => (status === 200 ? 'paid' : String(at('reason'))))
  t.is(outcomes.filter((outcome) => outcome === 'paid').length, 1, outcomes.join())
  t.is(outcomes.filter((outcome) => outcome === 'INSUFFICIENT_CSITES').length, 63)
  t.is((await own(poor)).gold_csites, 0)
  t.is((await readThing(ann, link)).gilded, 1)
})

test.serial('a gilding repeated with the same Idempotency-Key is paid once', async (t) => {
  const { site, ann, root } = t.context
  const { payer } = await joinSite(site, 'payer')
  await grant(root, payer, 5)
  const link = await submit(ann, 'tea')
  const answers = await Promise.all(Array.from({ length: 4 }, () => gild(payer, link, { 'Idempotency-Key': 'once' })))
  t.true(answers.some(({ status }) => status === 200))
  t.is((await gild(payer, link, { 'Idempotency-Key': 'once' })).status, 200)
  t.is((await own(payer)).gold_csites, 4)
})

/** Milliseconds, fewer than a token is valid. */
const MOMENT = 30 * 60_000

const foundLounge = (who: Caller) =>
  who.post('/api/site_admin', { name: 'lounge', title: 'Lounge', type: 'gold_only', link_type: 'any', api_type: 'json' })

test.serial('only an account with gold can found a gold-only subsite, or view it and its links', async (t) => {
  const { site, root } = t.context
  const [rich, plain] = [await newcomer(site), await newcomer(site)]
  t.true((await foundLounge(rich)).text.includes('GOLD_REQUIRED'))
  await root.post(`/api/v1/gold/give/${rich.name}`, { months: 1 })
  t.is((await foundLounge(rich)).text, '{"json":{"errors":[]}}')
  const link = await submit(rich, 'lounge')
  t.is((await plain.get('/s/lounge/new')).status, 403)
  t.is((await plain.get(`/comments/${link.slice(3)}`)).status, 403)
})

test.serial('gold gives access to gold-only subsites until it ends by itself, which is recorded', async (t) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(site.stop)
  const { rich, plain, root } = await joinSite(site, 'rich', 'plain', 'root')
  await root.post('/api/v1/gold/give/rich', { months: 1 })
  await foundLounge(rich)
  // a moment of gold
  const { run, mint, clock } = site.running.app
  const system = commandOf(seedOf(mint()), { account: null, as: 'system' })
  await run(Gold, plain.id, extendGold(plain.id, 0, clock() + MOMENT), system)
  await waitUntilSettled(site)
  t.is((await plain.get('/s/lounge/new')).status, 200)
  t.true((await own(plain)).is_gold)
  const posted = await submit(plain, 'lounge')
  forward(MOMENT)
  t.true(await eventually(async () => (await plain.get('/s/lounge/new')).status === 403), 'without anybody doing anything')
  t.is((await plain.get(`/comments/${posted.slice(3)}`)).status, 403)
  const stream = async () => (await site.running.stores.events.read(`gold-${plain.id}`, 0, 10)).events.map(({ type }) => type)
  t.true(await eventually(async () => (await stream()).includes('GoldExpired')))
  await waitUntilSettled(site)
  // after a leap of the clock the lease of the worker number is renewed first
  t.true(await eventually(async () => (await own(plain)).is_gold === false))
  t.is((await own(plain)).gold_expiration, null)
})
