import test from 'ava'
import { fullname, ID_EPOCH_MS } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import { rankings } from '../../src/domain/link-sorts.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { startTea } from '../support/cast.ts'
import { waitUntilSettled } from '../support/community.ts'
import { cutBy, submitSeveral } from '../support/paging.ts'
import { foundSubsite, names, readThing, submit } from '../support/posting.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

/** A link as if it had been submitted some time ago. */
const submitAgo = async (ms: number, subsite: string, author: string, { app } = site.running): Promise<string> => {
  const mint = (app.clock() - ms - ID_EPOCH_MS) * 4096 + (app.mint() % 4096)
  const link = fullname('link', mint)
  const command = commandOf(seedOf(mint), { account: author, as: 'user' })
  const fields = { link, subsite, author, title: 'old', text: '', over18: false, sendReplies: false, filtered: false }
  await app.run(Link, link, () => ({ _tag: 'Right', right: [LinkSubmitted(fields)] }), command)
  return link
}

test('a page names before and after exactly if there is another page', async (t) => {
  await foundSubsite(ann, 'paging')
  const links = (await submitSeveral(bob, 'paging', 7)).toReversed()
  const page = async (query: string) => {
    const answer = await site.get(`/s/paging/new?${query}`)
    t.is(answer.at('data.dist'), names(answer).length)
    return [names(answer).map((name) => links.indexOf(name)), answer.at('data.after'), answer.at('data.before')]
  }
  t.deepEqual(await page('limit=3'), [[0, 1, 2], links[2], null])
  t.deepEqual(await page(`limit=3&after=${links[2]}`), [[3, 4, 5], links[5], links[3]])
  t.deepEqual(await page(`limit=3&after=${links[5]}&count=6`), [[6], null, links[6]])
  t.deepEqual(await page(`limit=3&after=${links[6]}`), [[], null, null])
  t.deepEqual(await page(`limit=3&before=${links[6]}`), [[3, 4, 5], links[5], links[3]])
  t.deepEqual(await page(`limit=3&before=${links[3]}`), [[0, 1, 2], links[2], null])
  t.deepEqual(await page(`limit=3&before=${links[1]}`), [[0], links[0], null])
  t.deepEqual(await page(`limit=3&before=${links[3]}&after=${links[0]}`), [[0, 1, 2], links[2], null], 'before wins')
  t.deepEqual(await page('limit=7'), [[0, 1, 2, 3, 4, 5, 6], null, null])
})

test('limits are clamped, and invalid anchors are ignored', async (t) => {
  await foundSubsite(ann, 'clamped')
  const links = (await submitSeveral(bob, 'clamped', 3)).toReversed()
  for (const [query, count] of [
    ['limit=0', 1],
    ['limit=-5', 1],
    ['limit=1000', 3],
    ['limit=99999999999999999999', 3],
    ['limit=-99999999999999999999', 1],
    ['limit=x', 3],
    ['', 3],
  ] as const)
    t.is(names(await site.get(`/s/clamped/new?${query}`)).length, count, query)
  for (const anchor of ['t5_zzzz', 'nonsense', 't1_1', 't2_1', bob.id, '%00', ''])
    t.deepEqual(names(await site.get(`/s/clamped/hot?after=${anchor}`)), names(await site.get('/s/clamped/hot')), anchor)
  t.deepEqual(names(await site.get(`/s/clamped/new?after=${links[0]?.toUpperCase()}`)), links.slice(1))
})

test('an anchor that left the listing or moved still continues it; one that the viewer may not view is refused', async (t) => {
  await foundSubsite(ann, 'anchors')
  await foundSubsite(ann, 'anchors_closed', { type: 'private' })
  const hidden = await submit(ann, 'anchors_closed')
  const links = (await submitSeveral(bob, 'anchors', 5)).toReversed()
  const [, removed = '', deleted = '', ...rest] = links
  const other = await submit(bob, 'tea')
  for (const sort of ['new', 'hot', 'top']) await bob.get(`/s/anchors/${sort}?limit=3`)
  await ann.post('/api/remove', { id: removed })
  await bob.post('/api/del', { id: deleted })
  for (const sort of ['new', 'hot', 'top']) {
    t.deepEqual(names(await bob.get(`/s/anchors/${sort}?after=${removed}`)), rest, sort)
    t.deepEqual(names(await bob.get(`/s/anchors/${sort}?after=${deleted}`)), rest, sort)
    t.deepEqual(names(await bob.get(`/s/anchors/${sort}?before=${rest[0]}`)), links.slice(0, 1), sort)
  }
  t.deepEqual(names(await bob.get(`/s/anchors/new?after=${other}`)), [links[0], ...rest])
  t.is((await bob.get(`/s/anchors/new?after=${hidden}`)).status, 403)
  t.is((await ann.get(`/s/anchors/new?after=${hidden}`)).status, 200)
})

test('hidden links are left out of the listings of the account that hid them, except with show=all', async (t) => {
  await foundSubsite(ann, 'hiders')
  const [one, two] = await submitSeveral(ann, 'hiders', 2)
  t.is((await bob.post('/api/hide', { id: one })).text, '{}')
  for (const path of ['/s/hiders/hot', '/s/hiders/new', '/s/hiders/top', '/s/hiders+tea/new'])
    t.false(names(await bob.get(path)).includes(String(one)), path)
  t.deepEqual(names(await ann.get('/s/hiders/new')), [two, one])
  t.deepEqual(names(await bob.get('/s/hiders/new?show=all')), [two, one])
  t.is((await readThing(bob, String(one))).hidden, true)
  await bob.post('/api/unhide', { id: one })
  t.deepEqual(names(await bob.get('/s/hiders/new')), [two, one])
})

test('paging continues past any number of hidden links', async (t) => {
  await foundSubsite(ann, 'mostly_hidden')
  const links = await submitSeveral(ann, 'mostly_hidden', 30)
  await bob.post('/api/hide', { id: links.slice(2, 29).join(',') })
  t.deepEqual((await cutBy(bob, '/s/mostly_hidden/new', 1)).flat(), [links[29], links[1], links[0]])
  t.is((await bob.get(`/s/mostly_hidden/new?limit=1&after=${links[29]}`)).at('data.before'), links[1])
})

// serial, and on a site of its own: so many writes delay others, and so many links make lists of all links slow
test.serial('paging continues past any number of links that the viewer may not view', async (t) => {
  const { site: crowded, ann, bob } = await startTea()
  t.teardown(crowded.stop)
  const reader = await crowded.register('lost_1')
  const wall = await foundSubsite(ann, 'wall', { type: 'private' })
  const behind = await foundSubsite(ann, 'behind')
  await ann.post('/s/wall/api/friend', { type: 'contributor', name: 'lost_1' })
  for (const sr_name of ['wall', 'behind']) await reader.post('/api/subscribe', { action: 'sub', sr_name })
  await ann.post('/s/wall/api/unfriend', { type: 'contributor', name: 'lost_1' })
  const last = await submitAgo(60_000, behind, bob.id, crowded.running)
  for (let part = 0; part < 20; part += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, n) => submitAgo(10_000 + part * 100 + n, wall, ann.id, crowded.running)))
    await waitUntilSettled(crowded)
  }
  const first = await submit(bob, 'behind')
  t.deepEqual((await cutBy(reader, '/new', 1)).flat(), [first, last])
})

test('a time window contains the links made within it', async (t) => {
  const subsite = await foundSubsite(ann, 'windows')
  const other = await foundSubsite(ann, 'windows_2')
  const minute = 60_000
  const day = 24 * 60 * minute
  const ages = {
    now: 0,
    hour: 59 * minute,
    day: day - minute,
    week: 7 * day - minute,
    month: 30 * day - minute,
    year: 300 * day,
    older: 320 * day,
  }
  const made: Record<string, string> = {}
  for (const [name, age] of Object.entries(ages)) {
    if (site.running.app.clock() - age < ID_EPOCH_MS) continue
    made[name] = await submitAgo(age, name === 'week' ? other : subsite, bob.id)
  }
  await waitUntilSettled(site)
  const just = {
    hour: ['now', 'hour'],
    day: ['now', 'hour', 'day'],
    week: ['now', 'hour', 'day', 'week'],
    month: ['now', 'hour', 'day', 'week', 'month'],
  }
  for (const [span, expected] of Object.entries(just))
    for (const sort of rankings) {
      const wanted = expected.map((name) => made[name])
      for (const path of ['/s/windows+windows_2', '/s/all'])
        t.deepEqual(
          (await cutBy(site, `${path}/${sort}?t=${span}`, 100)).flat().filter((name) => Object.values(made).includes(name)),
          wanted,
          `${path} ${sort} ${span}`,
        )
      t.deepEqual(
        (await cutBy(site, `/user/bob/submitted?sort=${sort}&t=${span}`, 100)).flat().filter((name) => Object.values(made).includes(name)),
        wanted,
        `page of the author, ${sort} ${span}`,
      )
      const here = expected.filter((name) => name !== 'week').map((name) => made[name])
      t.deepEqual(names(await site.get(`/s/windows/${sort}?t=${span}`)), here, `${sort} ${span}`)
    }
  for (const query of ['t=all', 't=', 't=decade', ''])
    t.is(names(await site.get(`/s/windows/top?${query}`)).length, Object.keys(made).length - 1, query)
  t.is(names(await site.get('/s/windows/new?t=hour')).length, Object.keys(made).length - 1)
})

test('archived things take no votes and no comments', async (t) => {
  const subsite = await foundSubsite(ann, 'archive')
  const link = await submitAgo(181 * 24 * 60 * 60_000, subsite, bob.id)
  await waitUntilSettled(site)
  t.is((await readThing(ann, link)).archived, true)
  t.is((await ann.post('/api/vote', { id: link, dir: 1 })).status, 400)
  t.is((await ann.post('/api/comment', { thing_id: link, text: 'x' })).at('json.errors.0.0'), 'TOO_OLD')
})

test('sr_detail expands the subsite of each link', async (t) => {
  await submit(bob, 'tea')
  t.is((await bob.get('/s/tea/new?limit=1&sr_detail=true')).at('data.children.0.data.sr_detail.display_name'), 'tea')
  t.is((await bob.get('/s/tea/new?limit=1')).at('data.children.0.data.sr_detail'), undefined)
})

test('the modhash of a listing is empty, null or the session’s', async (t) => {
  const session = await bob.session()
  t.is((await site.get('/s/tea/hot')).at('data.modhash'), '')
  t.is((await bob.get('/s/tea/hot')).at('data.modhash'), null)
  t.is((await session.get('/s/tea/hot')).at('data.modhash'), session.modhash)
})
