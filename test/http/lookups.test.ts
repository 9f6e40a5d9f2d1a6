import test from 'ava'
import { startTea } from '../support/cast.ts'
import { submitSeveral } from '../support/paging.ts'
import { foundSubsite, names, readThing, say, submit } from '../support/posting.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

test('by_id returns all links named, in that order, also hidden, removed and deleted ones', async (t) => {
  const links = await submitSeveral(bob, 'tea', 30)
  await ann.post('/api/hide', { id: links[3] })
  await ann.post('/api/remove', { id: links[4] })
  await bob.post('/api/del', { id: links[5] })
  const answer = await ann.get(`/by_id/${links.join(',')},?limit=5`)
  t.deepEqual(names(answer), links)
  t.deepEqual([answer.at('data.after'), answer.at('data.before')], [null, null])
})

test('by_id finds nothing where a name is not that of a link', async (t) => {
  t.is((await ann.get('/by_id/t5_zzzz')).status, 404)
  t.is((await ann.get('/by_id/t1_1,nonsense')).status, 404)
})

test('info returns links, comments and subsites in the order named, each once', async (t) => {
  const subsite = await foundSubsite(ann, 'informed')
  const link = await submit(bob, 'informed')
  const comment = await say(bob, link)
  const ids = [comment, subsite, link]
  t.deepEqual(names(await site.get(`/api/info?id=${ids.join(' ')},t2_1,${bob.id},t5_zzzz,${link}`)), ids)
  t.deepEqual(names(await site.get('/api/info')), [])
  t.is((await site.get(`/api/info?id=${comment}`)).at('data.children.0.data.replies'), '')
})

test('info looks up a hundred names at most, of more none', async (t) => {
  const link = await submit(bob, 'tea')
  const others = (count: number) => Array.from({ length: count }, (_, n) => `t5_zzz${n.toString(36)}`).join(',')
  t.deepEqual(names(await site.get(`/api/info?id=${others(99)},${link}`)), [link])
  for (const ids of [`${others(100)},${link}`, `${link},${others(100)}`]) t.deepEqual(names(await site.get(`/api/info?id=${ids}`)), [])
})

/** A subsite with a link to a page of a host, which ann voted up, and a link to the same page in tea. */
const linked = async (subsite: string, host: string) => {
  await foundSubsite(ann, subsite)
  const link = await submit(bob, subsite, { url: `http://www.${host}/x#y` })
  const elsewhere = await submit(bob, 'tea', { url: `http://${host.toLowerCase()}/x` })
  await ann.post('/api/vote', { id: link, dir: 1 })
  const at = async (url: string, sub = '') => names(await site.get(`${sub}/api/info?url=${url}`))
  return { link, elsewhere, at }
}

test('info returns the links of a url, the hottest first', async (t) => {
  const { link, elsewhere, at } = await linked('hottest', 'Hottest.example')
  t.deepEqual(await at('HTTP://hottest.example/x'), [link, elsewhere])
  t.deepEqual(await at('hottest.example/x&limit=1'), [link])
})

test('info takes the url of a link without www, fragment and case, but not without its scheme, query or slash', async (t) => {
  const { link, elsewhere, at } = await linked('spelled', 'Spelled.example')
  for (const url of ['http://WWW.SPELLED.example/X', 'spelled.example/x%23part', 'http://www.spelled.example/x%23'])
    t.deepEqual(await at(url), [link, elsewhere], url)
  for (const url of [
    'http://spelled.example/x/',
    'http://spelled.example/x?',
    'http://spelled.example/x%23!part',
    'http://sub.spelled.example/x',
    'https://spelled.example/x',
  ])
    t.deepEqual(await at(url), [], url)
})

test('info of a url in subsites returns the links there, whatever ids are named', async (t) => {
  const { link, elsewhere, at } = await linked('inside', 'Inside.example')
  await foundSubsite(ann, 'inside_2')
  t.deepEqual(await at(`http://inside.example/x&id=${await say(bob, link)}`, '/s/tea'), [elsewhere])
  t.deepEqual(await at('http://inside.example/x', '/s/inside+inside_2'), [link])
})

test('info of a url includes removed links, but not deleted ones', async (t) => {
  const { link, at } = await linked('gone', 'Gone.example')
  await ann.post('/api/remove', { id: link })
  t.deepEqual(await at('http://gone.example/x', '/s/gone'), [link])
  await bob.post('/api/del', { id: link })
  t.deepEqual(await at('http://gone.example/x', '/s/gone'), [])
})

test('outsiders see only the name of a private subsite', async (t) => {
  const subsite = await foundSubsite(ann, 'info_closed', { type: 'private', description: 'hush' })
  t.like(await readThing(bob, subsite), { display_name: 'info_closed', description: null })
  t.like(await readThing(ann, subsite), { display_name: 'info_closed', description: 'hush' })
})
