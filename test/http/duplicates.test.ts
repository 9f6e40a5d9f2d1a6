import test from 'ava'
import { startCast } from '../support/cast.ts'
import { found, id36, names, say, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const { site, ann, bob, carol, dave } = await startCast(['ann', 'bob', 'carol', 'dave'])
await found(ann, 'tea')
test.after.always(() => site.stop())

const duplicatesFor = async (reader: Caller, link: string, query = '') =>
  names(await reader.get(`/duplicates/${id36(link)}${query}`), '1.data.children')
const location = (answer: Answer) => {
  if (answer.status !== 302) throw new Error(`no redirect: ${answer.status} ${answer.text}`)
  return String(answer.headers.get('location'))
}
/** The path of a link that was chosen at random; the redirect must name its absolute address. */
const drawn = (answer: Answer) => {
  const address = location(answer)
  if (!address.startsWith(`${site.url}/`)) throw new Error(`not absolute: ${address}`)
  return address.slice(site.url.length)
}

test('duplicates are the other links with the same URL in any subsite, most comments first', async (t) => {
  await found(ann, 'milk')
  const url = 'https://www.Dup.example/a#part'
  const link = await submit(bob, 'tea', { url })
  const again = await submit(bob, 'tea', { url: 'https://dup.example/a' })
  const other = await submit(ann, 'milk', { url, over_18: true })
  await submit(bob, 'tea', { url: 'http://dup.example/a' })
  await submit(bob, 'tea', { url: 'https://dup.example/a/' })
  t.deepEqual(await duplicatesFor(site, link), [other, again], 'of equals the newer comes first')
  await say(bob, again)
  t.deepEqual(await duplicatesFor(site, link), [again, other])
  await carol.post('/api/hide', { id: again })
  t.deepEqual(
    await duplicatesFor(carol, link, '?obey_over18=true'),
    [again, other],
    'neither hidden ones nor those for adults are left out',
  )
  const answer = await site.get(`/duplicates/${id36(link)}?limit=1&sr_detail=true`)
  t.deepEqual([names(answer, '0.data.children'), names(answer, '1.data.children')], [[link], [again]])
  t.deepEqual([answer.at('0.data.after'), answer.at('1.data.after'), answer.at('1.data.before')], [null, again, null])
  t.is(answer.at('1.data.children.0.data.sr_detail.display_name'), 'tea')
  const next = await site.get(`/duplicates/${id36(link)}?limit=1&after=${again}`)
  t.deepEqual([names(next, '1.data.children'), next.at('1.data.after'), next.at('1.data.before')], [[other], null, other])
})

test('deleted duplicates are hidden, removed ones shown to authors and moderators only, those in private subsites to members only', async (t) => {
  await found(carol, 'closed_dup', { type: 'private' })
  const url = 'https://gone.example/'
  const link = await submit(ann, 'tea', { url })
  const removed = await submit(bob, 'tea', { url })
  const deleted = await submit(bob, 'tea', { url })
  const secret = await submit(carol, 'closed_dup', { url })
  await ann.post('/api/remove', { id: removed })
  await bob.post('/api/del', { id: deleted })
  t.deepEqual(await duplicatesFor(site, link), [])
  t.deepEqual(await duplicatesFor(dave, link), [])
  t.deepEqual(await duplicatesFor(bob, link), [removed])
  t.deepEqual(await duplicatesFor(ann, link), [removed])
  t.deepEqual(await duplicatesFor(carol, link), [secret])
  t.is((await dave.get(`/duplicates/${id36(secret)}`)).status, 403)
  t.is((await dave.get(`/duplicates/${id36(link)}?after=${secret}`)).status, 403)
  for (const article of ['zzzzz', 'no-id', '']) t.is((await dave.get(`/duplicates/${article}`)).status, 404, article)
})

test('a self-post has no duplicates', async (t) => {
  const [text] = [await submit(bob, 'tea'), await submit(bob, 'tea')]
  t.deepEqual(await duplicatesFor(site, String(text)), [])
})

test('/random redirects to a link new to the viewer, or without one back to the listing', async (t) => {
  await found(ann, 'dice')
  t.is(drawn(await site.get('/s/dice/random')), '/s/dice/')
  const [first, second] = [await submit(ann, 'dice', { title: 'one' }), await submit(ann, 'dice', { title: 'two' })]
  const pages: readonly [string, string] = [`/s/dice/comments/${id36(first)}/one/`, `/s/dice/comments/${id36(second)}/two/`]
  const met = new Set<string>()
  for (let n = 0; n < 40; n += 1) met.add(drawn(await site.get('/s/dice/random')))
  t.deepEqual([...met].toSorted(), pages.toSorted())
  t.is(drawn(await ann.get('/s/dice/random')), '/s/dice/', 'authors find their own links insightful')
  await bob.post('/api/vote', { id: first, dir: 1 })
  for (let n = 0; n < 8; n += 1) t.is(drawn(await bob.get('/s/dice/random')), pages[1])
  t.is(drawn(await bob.get('/s/dice/random.json')), `${pages[1]}.json`)
  for (const deed of ['save', 'hide']) {
    await bob.post(`/api/${deed}`, { id: second })
    t.is(drawn(await bob.get('/s/dice/random')), '/s/dice/', deed)
    await bob.post(`/api/un${deed}`, { id: second })
  }
  await ann.post('/api/remove', { id: second })
  t.is(drawn(await bob.get('/s/dice/random')), '/s/dice/')
  const roots = [
    ['/s/dice+dice', '/s/dice/'],
    ['/s/friends', '/s/friends/'],
    ['/s/mod-dice', '/s/mod-dice/'],
    ['/s/contrib', '/s/contrib/'],
  ] as const
  for (const [path, root] of roots) t.is(drawn(await bob.get(`${path}/random`)), root, path)
})

test('/random never chooses from private subsites or those left out of /s/all', async (t) => {
  await found(carol, 'shy_dice', { allow_top: 'false' })
  await found(carol, 'shut_dice', { type: 'private' })
  for (const name of ['shy_dice', 'shut_dice']) await submit(carol, name)
  t.is(drawn(await bob.get('/s/shy_dice/random')), '/s/shy_dice/')
  t.is((await bob.get('/s/shut_dice/random')).status, 403)
  await submit(bob, 'tea')
  for (let n = 0; n < 10; n += 1) t.regex(drawn(await dave.get('/s/all/random')), /^\/s\/(?!shy_dice|shut_dice)\w+\/comments\//)
})

test('a random subsite keeps the rest of the address', async (t) => {
  const { site, ann, bob } = await startCast(['ann', 'bob'])
  t.teardown(site.stop)
  await found(ann, 'Mild')
  await found(ann, 'strong', { over_18: true })
  await found(ann, 'shut', { type: 'private' })
  await found(ann, 'apart', { allow_top: false })
  t.is(location(await site.get('/s/randnsfw/new?limit=3&t=')), '/s/strong/new?limit=3&t=')
  t.is(location(await site.get('/s/random')), '/s/Mild')
  t.is(location(await bob.get('/s/myrandom/about.json')), '/s/all/about.json', 'bob is subscribed to nothing')
  await bob.post('/api/subscribe', { action: 'sub', sr_name: 'apart' })
  t.is(location(await bob.get('/r/myrandom/hot.rss?x=1')), '/s/apart/hot.rss?x=1', 'whatever is subscribed to')
  t.is((await bob.post('/s/random/api/site_admin', { title: 'x' })).status, 404)
})
