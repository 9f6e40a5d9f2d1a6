import test from 'ava'
import { foundSubsite, refusalOf, say, submit } from '../support/posting.ts'
import { type Answer, type Caller, callerAt, startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let moderator: User
/** A link of the moderator. */
let link: string

test.before(async () => {
  site = await startSite({ rateLimits: true, trustProxy: 1 })
  moderator = await site.register('moderator')
  await foundSubsite(moderator, 'tea')
  link = await submit(moderator, 'tea')
})
test.after.always(() => site.stop())

let addresses = 0
let subsites = 0
const anotherAddress = () => `10.0.0.${++addresses}`

/** A new account, at an address of its own unless one is given: accounts of one address wait together. */
const newcomer = async (name: string, address = anotherAddress()): Promise<Caller> => {
  const { id } = await site.register(name)
  return callerAt(site.url, { Authorization: `bearer ${await site.tokenOf(id)}`, 'X-Forwarded-For': address })
}

const post = (who: Caller, form = {}, headers = {}): Promise<Answer> =>
  who.post('/api/submit', { sr: 'tea', kind: 'self', title: 'x', ...form }, headers)
const comment = (who: Caller, parent: string): Promise<Answer> => who.post('/api/comment', { thing_id: parent, text: 'x' })
const vote = async (voter: Caller, id: string, ...directions: readonly number[]) => {
  for (const dir of directions) await voter.post('/api/vote', { id, dir })
}

test('an account without karma waits ten minutes between links, and RATELIMIT says how long', async (t) => {
  const bob = await newcomer('bob')
  await submit(bob, 'tea')
  const second = await post(bob)
  t.is(refusalOf(second), 'RATELIMIT ratelimit')
  t.regex(String(second.at('json.errors.0.1')), /\b(8|9|10) minutes\b/)
  const left = Number(second.at('json.ratelimit'))
  t.true(left > 480 && left <= 600)
  t.is(second.headers.get('retry-after'), String(Math.ceil(left)))
})

test('moderators of the subsite do not wait', async (t) => {
  for (const title of ['one', 'two']) t.is(refusalOf(await post(moderator, { title })), '')
})

test('the title of a link is checked before the waiting time, its address after it', async (t) => {
  const bea = await newcomer('bea')
  await submit(bea, 'tea')
  t.is(refusalOf(await post(bea, { title: '' })), 'NO_TEXT title')
  t.is(refusalOf(await post(bea, { kind: 'link', url: '' })), 'RATELIMIT ratelimit')
})

test('accounts without karma at one address wait together', async (t) => {
  const address = anotherAddress()
  const [first, second] = [await newcomer('first', address), await newcomer('second', address)]
  await submit(first, 'tea')
  t.is(refusalOf(await post(second)), 'RATELIMIT ratelimit')
})

for (const [what, attempt] of Object.entries({
  links: (who: Caller, n: number) => post(who, { title: `number ${n}` }),
  comments: (who: Caller) => comment(who, link),
  subsites: (who: Caller) => who.post('/api/site_admin', { name: `sudden${++subsites}`, title: 'x', type: 'public', link_type: 'any' }),
}))
  test(`of many ${what} that one account or one address sends at once, one is accepted`, async (t) => {
    const one = await newcomer(`one_${what}`)
    const address = anotherAddress()
    const two = [await newcomer(`two_${what}`, address), await newcomer(`three_${what}`, address)]
    for (const senders of [[one, one], two]) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => attempt(senders[n % 2] as Caller, n)))
      const refusals = answers.map(refusalOf).toSorted()
      t.deepEqual(refusals, ['', ...Array.from({ length: 9 }, () => 'RATELIMIT ratelimit')])
    }
  })

test('an approved submitter does not wait, also under an Idempotency-Key that had to wait', async (t) => {
  const key = { 'Idempotency-Key': 'carl' }
  const carl = await newcomer('carl')
  await submit(carl, 'tea')
  t.is(refusalOf(await post(carl, {}, key)), 'RATELIMIT ratelimit')
  await moderator.post('/s/tea/api/friend', { type: 'contributor', name: 'carl' })
  t.is(refusalOf(await post(carl, {}, key)), '')
})

test('comments wait for comments only, and not below an own self-post', async (t) => {
  const dora = await newcomer('dora')
  const own = await submit(dora, 'tea')
  t.is(refusalOf(await comment(dora, link)), '')
  t.is(refusalOf(await comment(dora, link)), 'RATELIMIT ratelimit')
  t.is(refusalOf(await comment(dora, own)), '')
})

test('one point of karma for comments ends the waiting between comments', async (t) => {
  const eve = await newcomer('eve')
  const said = await say(eve, link)
  t.is(refusalOf(await comment(eve, link)), 'RATELIMIT ratelimit')
  await vote(moderator, said, -1)
  t.is(refusalOf(await comment(eve, link)), '')
})

test('ten points of karma for links end the waiting between links, nine do not', async (t) => {
  const fay = await newcomer('fay')
  const own = await submit(fay, 'tea')
  // an insightful vote gives two points, a funny one a point
  for (const voter of ['gus', 'hal', 'ida']) await vote(await newcomer(voter), own, 1, -1)
  t.is(refusalOf(await post(fay)), 'RATELIMIT ratelimit')
  await vote(await newcomer('jan'), own, -1)
  t.is(refusalOf(await post(fay)), '')
})
