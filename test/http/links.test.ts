import test from 'ava'
import { startCast } from '../support/cast.ts'
import { foundSubsite, id36, names, readThing, refusalOf, say, settle, submit } from '../support/posting.ts'

/** Ann is the founder of every subsite here. */
const { site, ann, bob } = await startCast(['ann', 'bob'])
await foundSubsite(ann, 'tea')
await foundSubsite(ann, 'quiet')
test.after.always(() => site.stop())

test('a deleted link leaves the listings, and its page stays without author and text', async (t) => {
  const name = await submit(bob, 'tea', { title: 'To go', text: 'words' })
  const listings = ['/s/tea/new?limit=100', '/user/bob/submitted?limit=100']
  const listed = () => Promise.all(listings.map(async (path) => names(await site.get(path)).includes(name)))
  t.is((await ann.post('/api/del', { id: name })).text, '{}')
  t.is((await readThing(ann, name)).author, 'bob', 'only its author deletes')
  t.deepEqual(await listed(), [true, true])
  t.is((await bob.post('/api/del', { id: name })).text, '{}')
  t.is((await bob.post('/api/del', { id: name })).text, '{}')
  t.deepEqual(await listed(), [false, false])
  t.like(await readThing(site, name), { author: '[deleted]', selftext: '[deleted]', title: 'To go' })
  t.deepEqual(names(await site.get(`/by_id/${name}`)), [name])
  t.is((await site.get(`/comments/${id36(name)}`)).at('0.data.children.0.data.author'), '[deleted]')
  t.is((await bob.post('/api/del', { id: 't6_1' })).text, '{}')
  t.is((await bob.post('/api/del', {})).text, '{}')
})

test('each edit changes the text and the time of the edit', async (t) => {
  const name = await submit(bob, 'tea', { text: 'first' })
  const answer = await bob.post('/api/editusertext', { thing_id: name, text: 'second', api_type: 'json' })
  t.is(answer.at('json.data.things.0.data.selftext'), 'second')
  const at = answer.at('json.data.things.0.data.edited')
  t.is(typeof at, 'number')
  t.is(refusalOf(await bob.post('/api/editusertext', { thing_id: name, text: '' })), '')
  const edited = await readThing(site, name)
  t.is(edited.selftext, '')
  t.true(Number(edited.edited) >= Number(at))
})

test('only one’s own existing self-posts and comments can be edited', async (t) => {
  const self = await submit(bob, 'tea', { text: 'mine' })
  const link = await submit(bob, 'tea', { url: 'http://example.com/uneditable' })
  const edit = async (who: typeof bob, thing_id: string, text = 'x') => refusalOf(await who.post('/api/editusertext', { thing_id, text }))
  t.is(await edit(ann, self), 'NOT_AUTHOR thing_id')
  t.is(await edit(bob, 't5_zzzz'), 'NOT_AUTHOR thing_id')
  t.is(await edit(bob, ''), 'NOT_AUTHOR thing_id')
  t.is(await edit(bob, link), '403')
  t.is(await edit(bob, self, 'x'.repeat(40_001)), 'TOO_LONG text')
  await bob.post('/api/del', { id: self })
  t.is(await edit(bob, self), '403')
  t.is((await readThing(site, self)).selftext, '[deleted]')
})

test('the text of a removed self-post is visible to its author and the moderators only', async (t) => {
  const name = await submit(bob, 'tea', { text: 'words' })
  await ann.post('/api/remove', { id: name, spam: 'false' })
  t.like(await readThing(site, name), { selftext: '[removed]', author: 'bob', banned_by: null })
  t.like(await readThing(ann, name), { selftext: 'words', banned_by: 'ann', approved_by: null })
  t.like(await readThing(bob, name), { selftext: 'words', banned_by: null })
  t.false(names(await bob.get('/s/tea/new?limit=100')).includes(name), 'in no subsite listing for anybody')
  t.true(names(await bob.get('/user/bob/submitted?limit=100')).includes(name))
  await ann.post('/api/approve', { id: name })
  t.like(await readThing(ann, name), { selftext: 'words', banned_by: null, approved_by: 'ann' })
  t.true(names(await bob.get('/s/tea/new?limit=100')).includes(name))
})

test('a link counts its comments without deleted ones', async (t) => {
  const name = await submit(bob, 'tea')
  await say(ann, name)
  const gone = await say(bob, name)
  t.is((await readThing(site, name)).num_comments, 2)
  await bob.post('/api/del', { id: gone })
  await bob.post('/api/del', { id: gone })
  t.is((await readThing(site, name)).num_comments, 1)
})

test('every link in an over-18 subsite is marked over 18', async (t) => {
  const subsite = await foundSubsite(ann, 'adults', { over_18: 'true' })
  const name = await submit(bob, 'adults', { url: 'http://example.com/adult' })
  t.like(await readThing(site, name), { over_18: true, thumbnail: 'nsfw' })
  t.deepEqual(names(await site.get('/s/adults/new?obey_over18=true')), [])
  await settle(ann, subsite, { over_18: 'false' })
  t.like(await readThing(site, name), { over_18: false })
})
