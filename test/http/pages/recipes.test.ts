import test from 'ava'
import {
  actsByHour,
  agreementOfModerators,
  aroundNewestRule,
  concentrationOfActivity,
  growthByWeek,
  removalsByKind,
} from '../../../src/http/pages/history/recipes.ts'
import type { Day } from '../../../src/http/pages/subsites/traffic.ts'
import { browserAs, browserOf, htmlProblems } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { postForm } from '../../support/community.ts'
import { foundSubsite, settle, submit } from '../../support/posting.ts'

const { site, ann, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

const day = (name: string, posts: number, removals = 0): Day => ({
  day: name,
  posts,
  comments: 2 * posts,
  votes: 3 * posts,
  removals,
  subscribed: 0,
  unsubscribed: 0,
  subscribers: 1,
})

type Entry = Parameters<typeof agreementOfModerators>[0][number]
const act = (mod: string, action: Entry['action'], target: string, at: string, details: string | null = 'remove'): Entry => ({
  mod,
  action,
  target_fullname: target,
  created_utc: Date.parse(at) / 1000,
  details,
})

const written = (author: string, at: string) => ({ author, created_utc: Date.parse(at) / 1000 })

test('days are summed by weeks that begin on Monday, and quiet weeks between are zeros', (t) => {
  const rows = growthByWeek([day('2026-03-17', 1), day('2026-03-01', 4), day('2026-02-23', 2, 1)])
  t.deepEqual(rows, [
    { week: '2026-02-23', posts: 6, comments: 12, votes: 18, removals: 1 },
    { week: '2026-03-02', posts: 0, comments: 0, votes: 0, removals: 0 },
    { week: '2026-03-09', posts: 0, comments: 0, votes: 0, removals: 0 },
    { week: '2026-03-16', posts: 1, comments: 2, votes: 3, removals: 0 },
  ])
  t.is(growthByWeek([day('1990-01-01', 1), day('2026-03-17', 1)]).length, 104)
  t.deepEqual(growthByWeek([]), [])
})

const entries: readonly Entry[] = [
  act('ann', 'approvelink', 't5_b', '2026-03-20T23:00:00Z', 'unspam'),
  act('ann', 'removelink', 't5_b', '2026-03-20T22:00:00Z'),
  act('bob', 'approvelink', 't5_a', '2026-03-19T11:00:00Z', 'unspam'),
  act('bob', 'approvelink', 't5_a', '2026-03-18T10:30:00Z', 'unspam'),
  act('ann', 'createrule', '', '2026-03-16T12:00:00Z', 'Links only'),
  act('ann', 'removelink', 't5_a', '2026-03-15T10:00:00Z', 'spam'),
  act('bob', 'removecomment', 't1_a', '2026-03-14T10:00:00Z'),
  act('root', 'removelink', 't5_c', '2026-03-13T10:00:00Z', 'erase'),
]

test('a removal counts as undone by the first approval after it, by the same moderator or another', (t) => {
  t.deepEqual(agreementOfModerators(entries), [
    { moderator: 'ann', removals: 2, taken_back: 1, undone_by_another: 1 },
    { moderator: 'bob', removals: 1, taken_back: 0, undone_by_another: 0 },
  ])
})

test('removals are counted by kind and as spam, acts by the hour, and days around the newest rule by fortnights', (t) => {
  t.deepEqual(removalsByKind(entries), [
    { removed: 'links', as_spam: 1, otherwise: 1 },
    { removed: 'comments', as_spam: 0, otherwise: 1 },
  ])
  t.deepEqual(removalsByKind([]), [])
  const hours = actsByHour(
    entries,
    [written('ann', '2026-03-20T23:59:59Z')],
    [written('bob', '2026-03-20T10:00:00Z'), written('[deleted]', '2026-03-21T10:00:00Z')],
  )
  t.deepEqual(
    [hours.length, hours[10], hours[23]],
    [24, { hour: 10, posts: 0, comments: 2, acts_of_moderators: 4 }, { hour: 23, posts: 1, comments: 0, acts_of_moderators: 1 }],
  )
  t.deepEqual(actsByHour([], [], []), [])
  const around = aroundNewestRule(entries, [day('2026-03-15', 1), day('2026-03-16', 5), day('2026-03-29', 7), day('2026-03-30', 9, 2)])
  t.like(around, { name: 'Links only', day: '2026-03-16' })
  t.deepEqual(around?.rows.slice(4, 7), [
    { fortnight: -1, posts: 1, comments: 2, removals: 0 },
    { fortnight: 0, posts: 12, comments: 24, removals: 0 },
    { fortnight: 1, posts: 9, comments: 18, removals: 2 },
  ])
  t.is(aroundNewestRule([], []), undefined)
})

test('the share of the most active tenth is of authors whose accounts still exist', (t) => {
  const posts = ['ann', 'ann', 'ann', ...Array.from({ length: 10 }, (_, n) => `user_${n}`), '[deleted]'].map((author) =>
    written(author, '2026-03-20T10:00:00Z'),
  )
  t.deepEqual(concentrationOfActivity(posts, [written('bob', '2026-03-20T10:00:00Z')]), [
    { written: 'posts', percent_by_top_tenth: 30.8 },
    { written: 'comments', percent_by_top_tenth: 100 },
  ])
  t.deepEqual(concentrationOfActivity([written('[deleted]', '2026-03-20T10:00:00Z')], []), [])
})

/** Returns the part of the page that draws a subsite. */
const findDrawings = (text: string): string => text.slice(text.indexOf('What it tells about a subsite'))

test('the page of the history draws what happened in a subsite for whom may read it, and tells others nothing of a private one', async (t) => {
  await submit(bob, 'tea')
  await postForm(ann, '/api/remove', { id: await submit(bob, 'tea', { title: 'Cheap watches' }), spam: true })
  await postForm(ann, '/s/tea/api/add_subsite_rule', { short_name: 'No <b>watches', description: 'At all.', kind: 'all' })
  const cellar = await foundSubsite(ann, 'cellar')
  await postForm(ann, '/s/cellar/api/add_subsite_rule', { short_name: 'Whisper', description: 'At all.', kind: 'all' })
  await settle(ann, cellar, { type: 'private' })
  const pages = {
    nobody: browserOf(site),
    ann: await browserAs(site, ann),
    bob: await browserAs(site, bob),
    root: await browserAs(site, root),
  }
  for (const [who, caller] of Object.entries(pages)) {
    const { text } = await caller.get('/history?subsite=tea')
    t.deepEqual(await htmlProblems(text), [], who)
    t.is(text.match(/<svg /g)?.length, 6, who)
    t.true(text.includes('No &lt;b&gt;watches'), who)
    const closed = await caller.get('/history?subsite=cellar')
    t.deepEqual(await htmlProblems(closed.text), [], who)
    const mayRead = who === 'ann' || who === 'root'
    t.is(closed.text.includes('Whisper'), mayRead, who)
    if (!mayRead)
      t.is(findDrawings(closed.text).replaceAll('cellar', 'nosuch'), findDrawings((await caller.get('/history?subsite=nosuch')).text), who)
  }
  for (const wrong of ['', '%22%3E', '../admin', 'all', 'tea%2Bcellar', 'random']) {
    const { status, text } = await pages.nobody.get(`/history?subsite=${wrong}`)
    t.is(status, 200, wrong)
    t.false(text.includes('<svg '), wrong)
    t.deepEqual(await htmlProblems(text), [], wrong)
  }
  const tea = String((await ann.get('/s/tea/about')).at('data.name'))
  const drawings = async () => (await pages.nobody.get('/history?subsite=tea')).text.match(/<svg /g)?.length ?? 0
  for (let n = 0; n < 3; n++) t.is(await drawings(), 6)
  await settle(ann, tea, { public_traffic: 'false' })
  for (let n = 0; n < 3; n++) t.is(await drawings(), 4, 'the counts are for moderators, the log is not')
  await settle(ann, tea, { type: 'private' })
  t.is(await drawings(), 0)
})
