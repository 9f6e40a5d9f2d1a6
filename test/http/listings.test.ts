import test from 'ava'
import { EPOCH, fullname } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { joining, startTea } from '../support/cast.ts'
import { settled } from '../support/community.ts'
import { found, id36, names, say, submit, thing } from '../support/posting.ts'
import { type Caller, startSite, type User } from '../support/site.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

const several = async (author: User, sr: string, count: number): Promise<readonly string[]> => {
  const made: string[] = []
  for (let n = 0; n < count; n += 1) made.push(await submit(author, sr))
  return made
}

/** A link as if it had been submitted some time ago. */
const submitAgo = async (ms: number, subsite: string, author: string, { app } = site.running): Promise<string> => {
  const mint = (app.clock() - ms - EPOCH) * 4096 + (app.mint() % 4096)
  const link = fullname('link', mint)
  const command = commandOf(seedOf(mint), { account: author, as: 'user' })
  const fields = { link, subsite, author, title: 'old', text: '', over18: false, sendReplies: false, filtered: false }
  await app.run(Link, link, () => ({ _tag: 'Right', right: [LinkSubmitted(fields)] }), command)
  return link
}

const cutBy = async (reader: Caller, path: string, limit: number): Promise<readonly (readonly string[])[]> => {
  const pages: (readonly string[])[] = []
  for (let after: unknown = ''; after !== null; ) {
    const page = await reader.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}&after=${after}`)
    pages.push(names(page))
    after = page.at('data.after')
    if (pages.length > 50) throw new Error('a walk without end')
  }
  return pages
}

test('a page names before and after exactly if there is another page', async (t) => {
  await found(ann, 'paging')
  const links = (await several(bob, 'paging', 7)).toReversed()
  const page = async (query: string) => {
    const answer = await site.get(`/s/paging/new?${query}`)
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
  await found(ann, 'clamped')
  const links = (await several(bob, 'clamped', 3)).toReversed()
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
  await found(ann, 'anchors')
  await found(ann, 'anchors_closed', { type: 'private' })
  const hidden = await submit(ann, 'anchors_closed')
  const links = (await several(bob, 'anchors', 5)).toReversed()
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

test('stickied links are first in hot, count towards the limit and appear once', async (t) => {
  await found(ann, 'stuck')
  const links = await several(bob, 'stuck', 5)
  const [low = '', high = '', ...others] = links
  await bob.post('/api/vote', { id: low, dir: -1 })
  for (const id of [high, low]) await ann.post('/api/set_subsite_sticky', { id, state: 'true' })
  const rest = others.toReversed()
  t.deepEqual(names(await bob.get('/s/stuck/hot')), [high, low, ...rest])
  for (const limit of [1, 2, 3]) t.deepEqual((await cutBy(bob, '/s/stuck/hot', limit)).flat(), [high, low, ...rest], `by ${limit}`)
  const first = await bob.get('/s/stuck/hot?limit=1')
  t.is(first.at('data.children.0.data.stickied'), true)
  const last = await bob.get(`/s/stuck/hot?before=${rest[1]}&limit=2`)
  t.deepEqual([names(last), last.at('data.before')], [[low, rest[0]], low])
  for (const path of ['/s/stuck/new', '/s/stuck/top', '/s/stuck+tea/hot', '/s/all/hot?limit=100'])
    t.not(names(await bob.get(path))[0], high, path)
  await bob.post('/api/hide', { id: high })
  t.deepEqual(names(await bob.get('/s/stuck/hot')), [low, ...rest])
  t.deepEqual(names(await bob.get('/s/stuck/hot?show=all')), [high, low, ...rest])
  await ann.post('/api/remove', { id: low })
  t.deepEqual(names(await site.get('/s/stuck/hot')), [high, ...rest])
})

test('a listing continues after an anchor that was stickied or unstickied meanwhile', async (t) => {
  await found(ann, 'restuck')
  const links = await several(bob, 'restuck', 4)
  const [oldest = '', ...others] = links
  await ann.post('/api/set_subsite_sticky', { id: oldest, state: 'true' })
  t.deepEqual(names(await bob.get('/s/restuck/hot?limit=1')), [oldest])
  await ann.post('/api/set_subsite_sticky', { id: oldest, state: 'false' })
  t.deepEqual(names(await bob.get(`/s/restuck/hot?limit=3&after=${oldest}`)), others.toReversed(), 'nothing is missed')
})

test('an approved link returns to its former place', async (t) => {
  await found(ann, 'returned')
  const links = await several(bob, 'returned', 3)
  const [, middle = ''] = links
  await ann.post('/api/remove', { id: middle })
  for (const sort of ['new', 'hot', 'top']) t.false(names(await bob.get(`/s/returned/${sort}`)).includes(middle), sort)
  await ann.post('/api/approve', { id: middle })
  for (const sort of ['new', 'hot', 'top']) t.deepEqual(names(await bob.get(`/s/returned/${sort}`)), links.toReversed(), sort)
})

test('hidden links are left out of the listings of the account that hid them, except with show=all', async (t) => {
  await found(ann, 'hiders')
  const [one, two] = await several(ann, 'hiders', 2)
  t.is((await bob.post('/api/hide', { id: one })).text, '{}')
  for (const path of ['/s/hiders/hot', '/s/hiders/new', '/s/hiders/top', '/s/hiders+tea/new'])
    t.false(names(await bob.get(path)).includes(String(one)), path)
  t.deepEqual(names(await ann.get('/s/hiders/new')), [two, one])
  t.deepEqual(names(await bob.get('/s/hiders/new?show=all')), [two, one])
  t.is((await thing(bob, String(one))).hidden, true)
  await bob.post('/api/unhide', { id: one })
  t.deepEqual(names(await bob.get('/s/hiders/new')), [two, one])
})

test('paging continues past any number of hidden links', async (t) => {
  await found(ann, 'mostly_hidden')
  const links = await several(ann, 'mostly_hidden', 30)
  await bob.post('/api/hide', { id: links.slice(2, 29).join(',') })
  t.deepEqual((await cutBy(bob, '/s/mostly_hidden/new', 1)).flat(), [links[29], links[1], links[0]])
  t.is((await bob.get(`/s/mostly_hidden/new?limit=1&after=${links[29]}`)).at('data.before'), links[1])
})

// alone and elsewhere: so many writes keep others waiting, and so many links make lists of all links slow on a slow server
test.serial('paging continues past any number of links that the viewer may not view', async (t) => {
  const { site: crowded, ann, bob } = await startTea()
  t.teardown(crowded.stop)
  const reader = await crowded.register('lost_1')
  const wall = await found(ann, 'wall', { type: 'private' })
  const behind = await found(ann, 'behind')
  await ann.post('/s/wall/api/friend', { type: 'contributor', name: 'lost_1' })
  for (const sr_name of ['wall', 'behind']) await reader.post('/api/subscribe', { action: 'sub', sr_name })
  await ann.post('/s/wall/api/unfriend', { type: 'contributor', name: 'lost_1' })
  const last = await submitAgo(60_000, behind, bob.id, crowded.running)
  for (let part = 0; part < 20; part += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, n) => submitAgo(10_000 + part * 100 + n, wall, ann.id, crowded.running)))
    await settled(crowded)
  }
  const first = await submit(bob, 'behind')
  t.deepEqual((await cutBy(reader, '/new', 1)).flat(), [first, last])
})

test('a time window contains the links made within it', async (t) => {
  const subsite = await found(ann, 'windows')
  const other = await found(ann, 'windows_2')
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
    if (site.running.app.clock() - age < EPOCH) continue
    made[name] = await submitAgo(age, name === 'week' ? other : subsite, bob.id)
  }
  await settled(site)
  const just = {
    hour: ['now', 'hour'],
    day: ['now', 'hour', 'day'],
    week: ['now', 'hour', 'day', 'week'],
    month: ['now', 'hour', 'day', 'week', 'month'],
  }
  for (const [span, expected] of Object.entries(just))
    for (const sort of ['top', 'insightful', 'fun']) {
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
  const subsite = await found(ann, 'archive')
  const link = await submitAgo(181 * 24 * 60 * 60_000, subsite, bob.id)
  await settled(site)
  t.is((await thing(ann, link)).archived, true)
  t.is((await ann.post('/api/vote', { id: link, dir: 1 })).status, 400)
  t.is((await ann.post('/api/comment', { thing_id: link, text: 'x' })).at('json.errors.0.0'), 'TOO_OLD')
})

test('several subsites are one listing, in which unknown ones are ignored', async (t) => {
  await found(ann, 'one_of')
  await found(ann, 'two_of')
  const [a, b] = [await submit(bob, 'one_of'), await submit(bob, 'two_of')]
  for (const sort of ['hot', 'new', 'top', 'insightful', 'fun']) {
    t.deepEqual(names(await site.get(`/s/one_of+two_of/${sort}`)), [b, a], sort)
    t.deepEqual((await cutBy(site, `/s/one_of+two_of+no_such/${sort}?t=week`, 1)).flat(), [b, a], sort)
  }
  t.is((await site.get('/s/no_such+nor_this/new')).status, 404)
})

test('several names of which one subsite exists mean that one; friends or all among them mean these', async (t) => {
  await found(ann, 'only_one')
  const links = await several(bob, 'only_one', 2)
  await ann.post('/api/set_subsite_sticky', { id: links[0], state: 'true' })
  t.deepEqual(names(await site.get('/s/only_one+no_such/hot')), links, 'its stickied link leads')
  const { fan_1: fan, star_1: star } = await joining(site, 'fan_1', 'star_1')
  await fan.request('PUT', '/api/v1/me/friends/star_1', { json: {} })
  const link = await submit(star, 'tea')
  t.deepEqual(names(await fan.get('/s/only_one+friends/new')), [link])
  t.is((await site.get('/s/tea+friends/new')).status, 403)
  t.true((await cutBy(site, '/s/only_one+all/new', 100)).flat().includes(link))
})

test('a stickied link as an anchor continues its subsite’s hot after the stickies, and other listings at its rank', async (t) => {
  await found(ann, 'two_places')
  await found(ann, 'two_places_2')
  const [last, stickied, first] = await several(bob, 'two_places', 3)
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

test('/s/all leaves out subsites with allow_top off, except in new, and those excluded by name', async (t) => {
  await found(ann, 'shy', { allow_top: 'false' })
  await found(ann, 'loud')
  const [shy, loud] = [await submit(bob, 'shy'), await submit(bob, 'loud')]
  for (const sort of ['hot', 'top', 'insightful', 'fun']) {
    const shown = (await cutBy(site, `/s/all/${sort}`, 100)).flat()
    t.deepEqual([shown.includes(shy), shown.includes(loud)], [false, true], sort)
  }
  t.true((await cutBy(site, '/s/all/new', 100)).flat().includes(shy))
  t.deepEqual(names(await site.get('/s/shy/hot')), [shy])
  t.false((await cutBy(site, '/s/all-loud/new', 100)).flat().includes(loud))
})

test('for its author a filtered link is at its normal place, in both directions', async (t) => {
  await found(ann, 'filters', { spam_selfposts: 'all' })
  const all: string[] = []
  for (let n = 0; n < 12; n += 1) all.unshift(await submit(n % 3 === 0 ? ann : bob, 'filters'))
  const listed = all.filter((_, n) => (11 - n) % 3 === 0)
  await several(bob, 'tea', 3)
  for (const sort of ['new', 'hot', 'top', 'insightful', 'fun'])
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

test('with obey_over18 links for adults are left out, unless the cookie over18 is set', async (t) => {
  await found(ann, 'grown_up')
  const [adult, plain] = [await submit(bob, 'grown_up', { title: 'nsfw' }), await submit(bob, 'grown_up')]
  const shown = async (query: string, cookie = '') =>
    names(await site.get(`/s/grown_up/new${query}`, cookie === '' ? {} : { Cookie: cookie }))
  t.deepEqual(await shown(''), [plain, adult])
  for (let n = 0; n < 3; n += 1) {
    t.deepEqual(await shown('?obey_over18=true'), [plain])
    t.deepEqual(await shown('?obey_over18=true', 'x=y; over18=1'), [plain, adult])
    t.deepEqual(await shown('?obey_over18=true', 'over18=0'), [plain])
  }
})

test('listings of a private subsite are for its members only', async (t) => {
  await found(ann, 'secret_1', { type: 'private' })
  const link = await submit(ann, 'secret_1')
  t.is((await bob.get('/s/secret_1/hot')).status, 403)
  t.is((await site.get('/s/secret_1')).status, 403)
  t.deepEqual(names(await ann.get('/s/secret_1/hot')), [link])
  for (const reader of [bob, site]) {
    t.false((await cutBy(reader, '/s/all/new', 100)).flat().includes(link))
    t.deepEqual(names(await reader.get(`/api/info?id=${link}`)), [])
    t.deepEqual(names(await reader.get(`/by_id/${link},${await submit(bob, 'tea')}`)).includes(link), false)
    t.is((await reader.get(`/comments/${id36(link)}`)).status, 403)
  }
  t.true((await cutBy(ann, '/s/all/new', 100)).flat().includes(link))
  const ofAnn = async (reader: Caller) => (await cutBy(reader, '/user/ann/submitted', 100)).flat().includes(link)
  t.deepEqual([await ofAnn(ann), await ofAnn(bob)], [true, false])
})

test('a listing of an unknown subsite or a malformed name is 404', async (t) => {
  const answer = await site.get('/s/not_there/hot')
  t.deepEqual([answer.status, answer.at('reason')], [404, 'SUBSITE_NOEXIST'])
  t.is((await site.get('/s/_x/hot')).status, 404)
  t.is((await site.get('/s/tea/best')).status, 404)
})

test('the front page lists the links of the viewer’s subscriptions', async (t) => {
  const reader = await site.register('front_reader')
  await found(ann, 'front_one')
  await found(ann, 'front_two')
  const [one, two] = [await submit(bob, 'front_one'), await submit(bob, 'front_two')]
  await reader.post('/api/subscribe', { action: 'sub', sr_name: 'front_one' })
  for (const path of ['/', '/hot', '/new', '/top?t=day', '/s/subscribed/hot', '/.json'])
    t.deepEqual(names(await reader.get(path)), [one], path)
  const shown = (await cutBy(site, '/new', 100)).flat()
  t.true(shown.includes(one) && shown.includes(two), 'with no default subsites set, everybody else sees all')
})

test('default subsites are the front page of viewers without subscriptions', async (t) => {
  const other = await startSite({ defaultSubsites: ['front', 'nothere'] })
  t.teardown(() => other.stop())
  const carl = await other.register('carl')
  const dora = await other.register('dora')
  await found(carl, 'Front')
  await found(carl, 'back')
  const [front] = [await submit(carl, 'front'), await submit(carl, 'back')]
  t.deepEqual(names(await other.get('/hot')), [front])
  t.deepEqual(names(await dora.get('/')), [front])
  t.is(names(await dora.get('/s/all/new')).length, 2)
  await dora.post('/api/subscribe', { action: 'sub', sr_name: 'back' })
  t.is(names(await dora.get('/')).length, 2, 'the first subscription keeps the defaults')
  for (const sr_name of ['back', 'front']) await dora.post('/api/subscribe', { action: 'unsub', sr_name })
  t.deepEqual(names(await dora.get('/')), [], 'who left everything sees nothing')
})

test('a logged-in viewer can list the subsites they moderate or contribute to', async (t) => {
  const { mod_1: mod, member_1: member } = await joining(site, 'mod_1', 'member_1')
  await found(mod, 'modded')
  await found(mod, 'modded_2')
  const [link, other] = [await submit(bob, 'modded'), await submit(bob, 'modded_2')]
  await mod.post('/s/modded/api/friend', { type: 'contributor', name: 'member_1' })
  t.deepEqual(names(await mod.get('/s/mod/new')), [other, link])
  t.deepEqual(names(await mod.get('/s/mod-modded_2/new')), [link])
  t.deepEqual(names(await member.get('/s/contrib/hot')), [link])
  t.deepEqual(names(await member.get('/s/mod/hot')), [])
  for (const path of ['/s/mod/hot', '/s/contrib/new', '/s/friends/new']) {
    const answer = await site.get(path)
    t.deepEqual([answer.status, answer.at('reason')], [403, 'USER_REQUIRED'], path)
  }
})

test('links of friends are newest first, whatever the sort', async (t) => {
  const { reader_1: reader, friend_1: friend } = await joining(site, 'reader_1', 'friend_1')
  const [first, second] = [await submit(friend, 'tea'), await submit(friend, 'tea')]
  await bob.post('/api/vote', { id: first, dir: 1 })
  await reader.request('PUT', '/api/v1/me/friends/friend_1', { json: {} })
  for (const sort of ['hot', 'new', 'top', 'fun']) t.deepEqual(names(await reader.get(`/s/friends/${sort}`)), [second, first], sort)
  t.deepEqual((await cutBy(reader, '/s/friends/hot', 1)).flat(), [second, first])
  await ann.post('/api/remove', { id: second })
  t.deepEqual(names(await reader.get('/s/friends')), [first])
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

test('by_id returns all links named, in that order, also hidden, removed and deleted ones', async (t) => {
  const links = await several(bob, 'tea', 30)
  await ann.post('/api/hide', { id: links[3] })
  await ann.post('/api/remove', { id: links[4] })
  await bob.post('/api/del', { id: links[5] })
  const answer = await ann.get(`/by_id/${links.join(',')},?limit=5`)
  t.deepEqual(names(answer), links)
  t.deepEqual([answer.at('data.after'), answer.at('data.before')], [null, null])
  t.is((await ann.get('/by_id/t5_zzzz')).status, 404)
  t.is((await ann.get('/by_id/t1_1,nonsense')).status, 404)
})

test('info returns links, comments and subsites in the order named, at most 100, or the links of a url', async (t) => {
  const subsite = await found(ann, 'informed')
  const link = await submit(bob, 'informed', { url: 'http://www.Info.example/x#y' })
  const comment = await say(bob, link)
  const ids = [comment, subsite, link]
  t.deepEqual(names(await site.get(`/api/info?id=${ids.join(' ')},t2_1,${bob.id},t5_zzzz,${link}`)), ids)
  const many = Array.from({ length: 101 }, (_, n) => `t5_${n.toString(36)}`).join(',')
  t.deepEqual(names(await site.get(`/api/info?id=${many},${link}`)), [])
  t.deepEqual(names(await site.get('/api/info')), [])
  t.is((await site.get(`/api/info?id=${comment}`)).at('data.children.0.data.replies'), '')
  const elsewhere = await submit(bob, 'tea', { url: 'http://info.example/x' })
  await ann.post('/api/vote', { id: link, dir: 1 })
  t.deepEqual(names(await site.get('/api/info?url=HTTP://info.example/x')), [link, elsewhere], 'hottest first')
  t.deepEqual(names(await site.get('/api/info?url=info.example/x&limit=1')), [link])
  t.deepEqual(names(await site.get(`/s/tea/api/info?url=http://info.example/x&id=${comment}`)), [elsewhere])
  for (const url of ['http://WWW.INFO.example/X', 'info.example/x%23part', 'http://www.info.example/x%23'])
    t.deepEqual(names(await site.get(`/api/info?url=${url}`)), [link, elsewhere], url)
  for (const url of ['http://info.example/x/', 'http://info.example/x?', 'http://info.example/x%23!part', 'http://sub.info.example/x'])
    t.deepEqual(names(await site.get(`/api/info?url=${url}`)), [], url)
  await found(ann, 'uninformed')
  t.deepEqual(names(await site.get('/s/informed+uninformed/api/info?url=http://info.example/x')), [link])
  t.deepEqual(names(await site.get('/api/info?url=https://info.example/x')), [])
  await ann.post('/api/remove', { id: link })
  t.deepEqual(names(await site.get('/s/informed/api/info?url=http://info.example/x')), [link], 'removed ones too')
  await bob.post('/api/del', { id: link })
  t.deepEqual(names(await site.get('/s/informed/api/info?url=http://info.example/x')), [])
})

test('outsiders see only the name of a private subsite', async (t) => {
  const subsite = await found(ann, 'info_closed', { type: 'private', description: 'hush' })
  t.like(await thing(bob, subsite), { display_name: 'info_closed', description: null })
  t.like(await thing(ann, subsite), { display_name: 'info_closed', description: 'hush' })
})
