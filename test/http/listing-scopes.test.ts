import test from 'ava'
import { linkSorts } from '../../src/domain/link-sorts.ts'
import { findingsOf } from '../support/auditing.ts'
import { joinSite, startTea } from '../support/cast.ts'
import { waitUntilSettled } from '../support/community.ts'
import { cutBy, submitSeveral } from '../support/paging.ts'
import { foundSubsite, id36, names, submit } from '../support/posting.ts'
import { type Caller, startSite } from '../support/site.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

test('several subsites are one listing, in which unknown ones are ignored', async (t) => {
  await foundSubsite(ann, 'one_of')
  await foundSubsite(ann, 'two_of')
  const [a, b] = [await submit(bob, 'one_of'), await submit(bob, 'two_of')]
  for (const sort of linkSorts) {
    t.deepEqual(names(await site.get(`/s/one_of+two_of/${sort}`)), [b, a], sort)
    t.deepEqual((await cutBy(site, `/s/one_of+two_of+no_such/${sort}?t=week`, 1)).flat(), [b, a], sort)
  }
  t.is((await site.get('/s/no_such+nor_this/new')).status, 404)
})

test('several names of which one subsite exists mean that one; friends or all among them mean these', async (t) => {
  await foundSubsite(ann, 'only_one')
  const links = await submitSeveral(bob, 'only_one', 2)
  await ann.post('/api/set_subsite_sticky', { id: links[0], state: 'true' })
  t.deepEqual(names(await site.get('/s/only_one+no_such/hot')), links, 'its stickied link leads')
  const { fan_1: fan, star_1: star } = await joinSite(site, 'fan_1', 'star_1')
  await fan.request('PUT', '/api/v1/me/friends/star_1', { json: {} })
  const link = await submit(star, 'tea')
  t.deepEqual(names(await fan.get('/s/only_one+friends/new')), [link])
  t.is((await site.get('/s/tea+friends/new')).status, 403)
  t.true((await cutBy(site, '/s/only_one+all/new', 100)).flat().includes(link))
})

test('/s/all leaves out subsites with allow_top off, except in new, and those excluded by name', async (t) => {
  await foundSubsite(ann, 'shy', { allow_top: 'false' })
  await foundSubsite(ann, 'loud')
  const [shy, loud] = [await submit(bob, 'shy'), await submit(bob, 'loud')]
  for (const sort of linkSorts.filter((sort) => sort !== 'new')) {
    const shown = (await cutBy(site, `/s/all/${sort}`, 100)).flat()
    t.deepEqual([shown.includes(shy), shown.includes(loud)], [false, true], sort)
  }
  t.true((await cutBy(site, '/s/all/new', 100)).flat().includes(shy))
  t.deepEqual(names(await site.get('/s/shy/hot')), [shy])
  t.false((await cutBy(site, '/s/all-loud/new', 100)).flat().includes(loud))
})

test('with obey_over18 links for adults are left out, unless the cookie over18 is set', async (t) => {
  await foundSubsite(ann, 'grown_up')
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
  await foundSubsite(ann, 'secret_1', { type: 'private' })
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
  await foundSubsite(ann, 'front_one')
  await foundSubsite(ann, 'front_two')
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
  await foundSubsite(carl, 'Front')
  await foundSubsite(carl, 'back')
  const [front] = [await submit(carl, 'front'), await submit(carl, 'back')]
  t.deepEqual(names(await other.get('/hot')), [front])
  t.deepEqual(names(await dora.get('/')), [front])
  t.is(names(await dora.get('/s/all/new')).length, 2)
  await dora.post('/api/subscribe', { action: 'sub', sr_name: 'back' })
  t.is(names(await dora.get('/')).length, 2, 'the first subscription keeps the defaults')
  for (const sr_name of ['back', 'front']) await dora.post('/api/subscribe', { action: 'unsub', sr_name })
  t.deepEqual(names(await dora.get('/')), [], 'who left everything sees nothing')
  await foundSubsite(dora, 'mine')
  await waitUntilSettled(other)
  t.deepEqual(await findingsOf(t, other.running), [])
})

test('a logged-in viewer can list the subsites they moderate or contribute to', async (t) => {
  const { mod_1: mod, member_1: member } = await joinSite(site, 'mod_1', 'member_1')
  await foundSubsite(mod, 'modded')
  await foundSubsite(mod, 'modded_2')
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
  const { reader_1: reader, friend_1: friend } = await joinSite(site, 'reader_1', 'friend_1')
  const [first, second] = [await submit(friend, 'tea'), await submit(friend, 'tea')]
  await bob.post('/api/vote', { id: first, dir: 1 })
  await reader.request('PUT', '/api/v1/me/friends/friend_1', { json: {} })
  for (const sort of ['hot', 'new', 'top', 'fun']) t.deepEqual(names(await reader.get(`/s/friends/${sort}`)), [second, first], sort)
  t.deepEqual((await cutBy(reader, '/s/friends/hot', 1)).flat(), [second, first])
  await ann.post('/api/remove', { id: second })
  t.deepEqual(names(await reader.get('/s/friends')), [first])
})

test('an account that has left everything has an empty front page, also where there are no default subsites', async (t) => {
  const link = await submit(bob, 'tea')
  const { lea, newt } = await joinSite(site, 'lea', 'newt')
  const front = async (reader: Caller) => names(await reader.get('/new?limit=100'))
  t.true((await front(lea)).includes(link))
  for (const action of ['sub', 'unsub']) await lea.post('/api/subscribe', { action, sr_name: 'tea' })
  t.deepEqual(await front(lea), [])
  t.deepEqual(names(await lea.get('/hot')), [])
  t.deepEqual(names(await lea.get('/comments')), [])
  t.true((await front(newt)).includes(link), 'who never chose')
  await lea.post('/api/subscribe', { action: 'sub', sr_name: 'tea' })
  t.true((await front(lea)).includes(link))
})
