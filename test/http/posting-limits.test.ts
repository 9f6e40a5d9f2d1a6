import test from 'ava'
import { found, refusalOf, say, submit } from '../support/posting.ts'
import { type Answer, startSite, type TestSite, type User } from '../support/site.ts'

// all callers have one address, so that the waiting time of one newcomer applies to all: one test, step by step
let site: TestSite
let ann: User
let bob: User

/** Registrations have a waiting time, too, which is tested elsewhere. */
const register = async (name: string): Promise<User> => {
  await site.running.app.vault.delete('limit', 'register:127.0.0.1')
  return site.register(name)
}

test.before(async () => {
  site = await startSite({ rateLimits: true })
  ann = await register('ann')
  bob = await register('bob')
  await found(ann, 'tea')
})
test.after.always(() => site.stop())

const post = (who: User, headers = {}): Promise<Answer> => who.post('/api/submit', { sr: 'tea', kind: 'self', title: 'x' }, headers)
const comment = (who: User, parent: string): Promise<Answer> => who.post('/api/comment', { thing_id: parent, text: 'x' })

test('an account without karma has to wait between posts, as RATELIMIT errors say, until karma or a role in the subsite exempts it', async (t) => {
  const refused = await post(ann)
  t.is(refusalOf(refused), '', 'moderators do not wait')
  const link = String(refused.at('json.data.name'))

  const own = await submit(bob, 'tea')
  const second = await post(bob)
  t.is(refusalOf(second), 'RATELIMIT ratelimit')
  t.regex(String(second.at('json.errors.0.1')), /\b(8|9|10) minutes\b/)
  const left = Number(second.at('json.ratelimit'))
  t.true(left > 480 && left <= 600)
  t.is(refusalOf(await bob.post('/api/submit', { sr: 'tea', kind: 'self', title: '' })), 'NO_TEXT title', 'the title is looked at first')
  t.is(
    refusalOf(await bob.post('/api/submit', { sr: 'tea', kind: 'link', title: 'x', url: '' })),
    'RATELIMIT ratelimit',
    'the address later',
  )

  const carl = await register('carl')
  const key = { 'Idempotency-Key': 'carl' }
  t.is(refusalOf(await post(carl, key)), 'RATELIMIT ratelimit', 'from the same address')
  t.is(refusalOf(await post(ann)), '', 'moderators still do not')
  await ann.post('/s/tea/api/friend', { type: 'contributor', name: 'carl' })
  t.is(refusalOf(await post(carl, key)), '', 'nor do approved submitters, also under a key that was put off')

  t.is(refusalOf(await comment(bob, link)), '', 'comments wait for themselves')
  t.is(refusalOf(await comment(bob, link)), 'RATELIMIT ratelimit')
  t.is(refusalOf(await comment(bob, own)), '', 'not under an own self-post')
  const said = await say(bob, own)
  await ann.post('/api/vote', { id: said, dir: -1 })
  t.is(refusalOf(await comment(bob, link)), '', 'one point of karma is enough for comments')

  const dora = await register('dora')
  for (const voter of [ann, carl, dora]) for (const dir of [1, -1]) await voter.post('/api/vote', { id: own, dir })
  t.is(refusalOf(await post(bob)), 'RATELIMIT ratelimit', 'nine points are not enough for links')
  const eve = await register('eve')
  await eve.post('/api/vote', { id: own, dir: -1 })
  t.is(refusalOf(await post(bob)), '', 'ten are')
})
