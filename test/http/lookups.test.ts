import test from 'ava'
import { startTea } from '../support/cast.ts'
import { several } from '../support/paging.ts'
import { found, names, say, submit, thing } from '../support/posting.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

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
