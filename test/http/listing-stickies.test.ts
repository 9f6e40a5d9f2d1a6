import test from 'ava'
import { linkSorts } from '../../src/domain/link-sorts.ts'
import { newcomer, startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { cutBy, submitSeveral } from '../support/paging.ts'
import { foundSubsite, names, submit } from '../support/posting.ts'
import { prefer } from '../support/preferring.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

/** A subsite with three links and two stickies before them, in hot order; of the stickies the older was voted down. */
const stuck = async (name: string) => {
  await foundSubsite(ann, name)
  const [low = '', high = '', ...others] = await submitSeveral(bob, name, 5)
  await bob.post('/api/vote', { id: low, dir: -1 })
  for (const id of [high, low]) await ann.post('/api/set_subsite_sticky', { id, state: 'true' })
  return { low, high, rest: others.toReversed(), hot: `/s/${name}/hot` }
}

test('stickied links are first in hot, whatever their score, and marked', async (t) => {
  const { low, high, rest, hot } = await stuck('stuck')
  const first = await bob.get(hot)
  t.deepEqual(names(first), [high, low, ...rest])
  t.is(first.at('data.children.0.data.stickied'), true)
})

test('stickied links count towards the limit and appear once, in both directions', async (t) => {
  const { low, high, rest, hot } = await stuck('stuck_pages')
  for (const limit of [1, 2, 3]) t.deepEqual((await cutBy(bob, hot, limit)).flat(), [high, low, ...rest], `by ${limit}`)
  const first = await bob.get(`${hot}?limit=1`)
  t.is(first.at('data.children.0.data.stickied'), true)
  const last = await bob.get(`${hot}?before=${rest[1]}&limit=2`)
  t.deepEqual([names(last), last.at('data.before')], [[low, rest[0]], low])
})

test('stickied links are not first in other linkSorts, nor in the listings of several subsites', async (t) => {
  const { high } = await stuck('stuck_here')
  for (const path of ['/s/stuck_here/new', '/s/stuck_here/top', '/s/stuck_here+tea/hot', '/s/all/hot?limit=100'])
    t.not(names(await bob.get(path))[0], high, path)
})

test('a stickied link is in every order of its subsite, and there alone, whatever scores and votes the viewer prefers not to see', async (t) => {
  const { low, high } = await stuck('stuck_liked')
  const reader = await newcomer(site)
  await postForm(reader, '/api/vote', { id: high, dir: 1 })
  await prefer(reader, { min_link_score: 100, hide_ups: true })
  for (const sort of linkSorts) {
    t.deepEqual([...names(await reader.get(`/s/stuck_liked/${sort}?t=week`))].sort(), [low, high].sort(), sort)
    t.deepEqual(names(await reader.get(`/s/stuck_liked+tea/${sort}`)), [], sort)
  }
})

test('a stickied link that the viewer hid or that is removed is not shown', async (t) => {
  const { low, high, rest, hot } = await stuck('stuck_gone')
  await bob.post('/api/hide', { id: high })
  t.deepEqual(names(await bob.get(hot)), [low, ...rest])
  t.deepEqual(names(await bob.get(`${hot}?show=all`)), [high, low, ...rest])
  await ann.post('/api/remove', { id: low })
  t.deepEqual(names(await site.get(hot)), [high, ...rest])
})

test('a listing continues after an anchor that was stickied or unstickied meanwhile', async (t) => {
  await foundSubsite(ann, 'restuck')
  const links = await submitSeveral(bob, 'restuck', 4)
  const [oldest = '', ...others] = links
  await ann.post('/api/set_subsite_sticky', { id: oldest, state: 'true' })
  t.deepEqual(names(await bob.get('/s/restuck/hot?limit=1')), [oldest])
  await ann.post('/api/set_subsite_sticky', { id: oldest, state: 'false' })
  t.deepEqual(names(await bob.get(`/s/restuck/hot?limit=3&after=${oldest}`)), others.toReversed(), 'nothing is missed')
})

test('an approved link returns to its former place', async (t) => {
  await foundSubsite(ann, 'returned')
  const links = await submitSeveral(bob, 'returned', 3)
  const [, middle = ''] = links
  await ann.post('/api/remove', { id: middle })
  for (const sort of ['new', 'hot', 'top']) t.false(names(await bob.get(`/s/returned/${sort}`)).includes(middle), sort)
  await ann.post('/api/approve', { id: middle })
  for (const sort of ['new', 'hot', 'top']) t.deepEqual(names(await bob.get(`/s/returned/${sort}`)), links.toReversed(), sort)
})

test('a stickied link as an anchor continues its subsite’s hot after the stickies, and other listings at its rank', async (t) => {
  await foundSubsite(ann, 'two_places')
  await foundSubsite(ann, 'two_places_2')
  const [last, stickied, first] = await submitSeveral(bob, 'two_places', 3)
  await ann.post('/api/set_subsite_sticky', { id: stickied, state: 'true' })
  const after = async (path: string, limit: number) => {
    const page = await bob.get(`${path}?limit=${limit}`)
    return async () => names(await bob.get(`${path}?after=${page.at('data.after')}`))
  }
  const elsewhere = await after('/s/two_places+two_places_2/hot', 2)
  const here = await after('/s/two_places/hot', 1)
  t.deepEqual([await here(), (await elsewhere()).includes(String(first))], [[first, last], false])
  const [hereAgain, elsewhereAgain] = [await after('/s/two_places/hot', 1), await after('/s/two_places+two_places_2/hot', 2)]
  t.deepEqual([await hereAgain(), (await elsewhereAgain()).includes(String(first))], [[first, last], false])
})

test('for its author a filtered link is at its normal place, in both directions', async (t) => {
  await foundSubsite(ann, 'filters', { spam_selfposts: 'all' })
  const all: string[] = []
  for (let n = 0; n < 12; n += 1) all.unshift(await submit(n % 3 === 0 ? ann : bob, 'filters'))
  const listed = all.filter((_, n) => (11 - n) % 3 === 0)
  await submitSeveral(bob, 'tea', 3)
  for (const sort of linkSorts)
    for (const limit of [1, 2, 5]) {
      t.deepEqual((await cutBy(bob, `/s/filters/${sort}`, limit)).flat(), all, `${sort} by ${limit}`)
      t.deepEqual((await cutBy(site, `/s/filters/${sort}`, limit)).flat(), listed, `${sort} by ${limit}`)
      const back: string[] = []
      for (let before: unknown = all.at(-1); before !== null; ) {
        const page = await bob.get(`/s/filters/${sort}?limit=${limit}&before=${before}`)
        back.unshift(...names(page))
        before = page.at('data.before')
      }
      t.deepEqual(back, all.slice(0, -1), `${sort} back by ${limit}`)
    }
})

test('the next sticky is not missed when the one before it was unstickied between two pages', async (t) => {
  for (const limit of [1, 2]) {
    const { low, high, rest, hot } = await stuck(`unstuck_${limit}`)
    t.is(names(await bob.get(`${hot}?limit=1`))[0], high)
    await ann.post('/api/set_subsite_sticky', { id: high, state: 'false' })
    t.deepEqual(names(await bob.get(`${hot}?limit=${limit}&after=${high}`)), [low, ...rest].slice(0, limit))
  }
  const { low, high, rest, hot } = await stuck('unstuck_back')
  t.is((await bob.get(`${hot}?limit=1&after=${high}`)).at('data.before'), low)
  await ann.post('/api/set_subsite_sticky', { id: low, state: 'false' })
  t.deepEqual(names(await bob.get(`${hot}?limit=2&before=${low}`)), [high])
  t.true(rest.length > 0)
})
