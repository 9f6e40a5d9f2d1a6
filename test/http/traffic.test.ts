import { DAY } from '../../src/domain/time.ts'
import { joinSite } from '../support/cast.ts'
import { appoint, eventually, postForm } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite, say, settle, submit } from '../support/posting.ts'
import type { Answer, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

/** A minute after midnight, so that a day begins while nothing is done. */
const start = new Date().setUTCHours(24, 1, 0, 0)
const dayAfter = (days: number): string => new Date(start + days * DAY).toISOString().slice(0, 10)

const test = testOn(async () => {
  const { site, forward } = await startWithMovableClock({}, start - Date.now())
  const people = await joinSite(site, 'ann', 'bob', 'carol', 'root')
  // sessions outlive a day, unlike tokens
  const lasting = async (user: User) => ({ ...user, ...(await user.session()) })
  const [ann, bob, carol, root] = await Promise.all([people.ann, people.bob, people.carol, people.root].map(lasting))
  if (!ann || !bob || !carol || !root) throw new Error('somebody is missing')
  const tea = await foundSubsite(ann, 'tea')
  /** The first write after a leap of the clock may find that the lease of the worker number has run out; this one changes nothing. */
  const nextDay = async (days = 1) => {
    forward(days * DAY)
    await eventually(async () => (await ann.post('/api/subscribe', { sr: tea, action: 'sub' })).status === 200)
  }
  return { site, nextDay, tea, ann, bob, carol, root }
})

const daysOf = (answer: Answer): readonly unknown[] => (answer.at('data.children') as readonly { data: unknown }[]).map(({ data }) => data)
const none = { posts: 0, comments: 0, votes: 0, removals: 0, subscribed: 0, unsubscribed: 0 }

test.serial('what happened in a subsite is counted by the day, and stays counted when it is deleted, removed or erased', async (t) => {
  const { site, nextDay, ann, bob, carol, tea } = t.context
  const link = await submit(ann, 'tea')
  await postForm(bob, '/api/subscribe', { sr: tea, action: 'sub' })
  await postForm(bob, '/api/vote', { id: link, dir: 1 })
  const comment = await say(bob, link)
  await nextDay()
  const gone = await submit(bob, 'tea')
  await postForm(carol, '/api/subscribe', { sr: tea, action: 'sub' })
  await postForm(carol, '/api/vote', { id: link, dir: -1 })
  await postForm(carol, '/api/vote', { id: link, dir: 0 })
  await postForm(carol, '/api/vote', { id: comment, dir: 1 })
  await postForm(ann, '/api/remove', { id: comment })
  await postForm(bob, '/api/del', { id: gone })
  await nextDay(2)
  await postForm(bob, '/api/subscribe', { sr: tea, action: 'unsub' })
  const days = [
    { day: dayAfter(3), ...none, unsubscribed: 1, subscribers: 2 },
    { day: dayAfter(1), ...none, posts: 1, votes: 3, removals: 1, subscribed: 1, subscribers: 3 },
    { day: dayAfter(0), ...none, posts: 1, comments: 1, votes: 1, subscribed: 2, subscribers: 2 },
  ]
  t.deepEqual(daysOf(await site.get('/s/tea/about/traffic')), days)
  const first = await site.get('/s/tea/about/traffic?limit=1')
  t.deepEqual(daysOf(first), days.slice(0, 1))
  t.is(first.at('data.after'), dayAfter(3))
  const second = await site.get(`/s/tea/about/traffic?limit=1&after=${dayAfter(3)}`)
  t.deepEqual([daysOf(second), second.at('data.before')], [days.slice(1, 2), dayAfter(1)])
  t.deepEqual(daysOf(await site.get(`/s/tea/about/traffic?after=${dayAfter(2)}`)), days.slice(1), 'a day without a record')
  t.deepEqual(daysOf(await site.get(`/s/tea/about/traffic?before=${dayAfter(1)}`)), days.slice(0, 1))
  t.deepEqual(daysOf(await site.get('/s/tea/about/traffic?after=yesterday')), days, 'no day: an anchor that is ignored')
})

test.serial('the counts are for all who may view the subsite, or for its moderators, as public_traffic says', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const asked = async (...callers: readonly Pick<typeof ann, 'get'>[]) =>
    Promise.all(callers.map(async (caller) => (await caller.get('/s/tea/about/traffic')).status))
  await appoint(ann, 'tea', bob, '+wiki')
  t.deepEqual(await asked(site, carol, bob, ann, root), [200, 200, 200, 200, 200])
  await settle(ann, t.context.tea, { public_traffic: 'false' })
  t.deepEqual(await asked(site, carol, bob, ann, root), [403, 403, 200, 200, 200])
  await postForm(root, '/api/suspend_user', { name: 'bob' })
  t.deepEqual(await asked(bob), [403], 'a suspended moderator')
  await settle(ann, t.context.tea, { type: 'private', public_traffic: 'true' })
  t.deepEqual(await asked(site, carol, ann, root), [403, 403, 200, 200])
  t.is((await ann.get('/s/nowhere/about/traffic')).status, 404)
})
