import test from 'ava'
import { foundSubsite, names, submit } from '../support/posting.ts'
import { addressOf, findBy, startSearched } from '../support/searching.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, carol, dave } = await startSearched()
test.after.always(() => site.stop())

const find = findBy(site)

test('what a deleted account wrote is not found by its name or its id', async (t) => {
  const gone = await site.register('gone')
  const link = await submit(gone, 'tea', { title: 'saiga' })
  const byId = `saiga author_fullname:${gone.id}`
  t.deepEqual(await find(byId), [link])
  const { status } = await (await gone.session()).post('/api/delete_user', { passwd: gone.password, confirm: true })
  t.is(status, 200)
  t.deepEqual(await find('saiga'), [link])
  t.deepEqual(await find(byId), [])
  t.deepEqual(await find('saiga author:gone'), [])
  t.deepEqual(await find(`saiga -author_fullname:${gone.id}`), [link])
})

test('a search is restricted to the subsites of the path only with restrict_sr', async (t) => {
  await foundSubsite(carol, 'juice')
  const [tea, milk, juice] = [
    await submit(bob, 'tea', { title: 'marmot' }),
    await submit(bob, 'milk', { title: 'marmot' }),
    await submit(carol, 'juice', { title: 'marmot' }),
  ]
  const all = [tea, milk, juice].toSorted()
  const within = async (path: string, restrict_sr: string, reader: Caller = bob) =>
    (await find('marmot', { restrict_sr }, reader, path)).toSorted()
  t.deepEqual(await within('/s/tea', 'false'), all)
  t.deepEqual(await within('/s/tea', 'on'), [tea])
  t.deepEqual(await within('/s/tea+milk', 'true'), [tea, milk].toSorted())
  t.deepEqual(await within('/s/all-tea', 'true'), [milk, juice].toSorted())
  t.deepEqual(await within('', 'true'), all)
  t.deepEqual(await within('/s/mod', 'true', carol), [juice])
  await dave.request('PUT', '/api/v1/me/friends/carol', { json: {} })
  t.deepEqual(await within('/s/friends', 'true', dave), [juice])
  t.is((await site.get(`/s/friends${addressOf('marmot', { restrict_sr: '1' })}`)).status, 403)
  t.is((await site.get(`/s/friends${addressOf('marmot')}`)).status, 200)
  t.is((await site.get(`/s/nowhere${addressOf('marmot')}`)).status, 404)
})

test('removed and deleted links are not found, approved ones are', async (t) => {
  const [kept, removed, deleted] = [
    await submit(bob, 'tea', { title: 'okapi' }),
    await submit(bob, 'tea', { title: 'okapi' }),
    await submit(bob, 'tea', { title: 'okapi' }),
  ]
  await ann.post('/api/remove', { id: removed })
  await bob.post('/api/del', { id: deleted })
  for (const reader of [site, ann, bob]) t.deepEqual(await find('okapi', {}, reader), [kept])
  t.deepEqual(await find('author:bob okapi', {}, bob), [kept])
  await ann.post('/api/approve', { id: removed })
  t.deepEqual(await find('okapi', { sort: 'new' }), [removed, kept])
  await bob.post('/api/hide', { id: kept })
  t.true((await find('okapi', {}, bob)).includes(kept), 'hidden links are found')
})

test('outsiders find nothing of a private subsite: no link, no facet, no subsite, no page', async (t) => {
  await foundSubsite(carol, 'vault', { type: 'private', public_description: 'axolotls' })
  const secret = await submit(carol, 'vault', { title: 'axolotl', url: 'https://axolotl.example/' })
  const open = await submit(bob, 'tea', { title: 'axolotl' })
  for (const q of ['axolotl', 'author:carol axolotl', 'subsite:vault', 'https://axolotl.example/'])
    for (const reader of [site, bob, dave]) t.false((await find(q, {}, reader)).includes(secret), q)
  t.deepEqual((await find('axolotl', {}, carol)).toSorted(), [secret, open].toSorted())
  t.deepEqual(await find('https://axolotl.example/', {}, carol), [secret])
  const answer = await bob.get(addressOf('axolotl', { include_facets: 'true' }))
  t.deepEqual(answer.at('data.facets'), { subsites: [{ name: 'tea', url: '/s/tea/', count: 1 }] })
  t.deepEqual(await find('axolotls', { type: 'sr' }, bob), [])
  t.is((await find('axolotls', { type: 'sr' }, carol)).length, 1)
  t.is((await bob.get(addressOf('axolotl', { after: secret }))).status, 403)
  t.is((await bob.get(`/s/vault${addressOf('axolotl')}`)).status, 403)
  const { text } = await site.get('/search.rss?q=axolotl')
  t.regex(text, new RegExp(open))
  t.notRegex(text, /vault/)
})

test('links for adults are found, unless the client sends obey_over18', async (t) => {
  await foundSubsite(ann, 'late', { over_18: true })
  const [plain, marked, placed] = [
    await submit(bob, 'tea', { title: 'ocelot' }),
    await submit(bob, 'tea', { title: 'ocelot nsfw' }),
    await submit(bob, 'late', { title: 'ocelot' }),
  ]
  t.deepEqual((await find('ocelot')).toSorted(), [plain, marked, placed].toSorted())
  t.deepEqual(await find('ocelot', { obey_over18: 'true' }), [plain])
  t.is(names(await site.get(addressOf('ocelot', { obey_over18: 'true' }), { Cookie: 'over18=1' })).length, 3)
  t.deepEqual((await find('ocelot nsfw:yes')).toSorted(), [marked, placed].toSorted(), 'a subsite makes its links so')
})

test('flair is found by its text and its class, and links of those whom the viewer blocked are not found', async (t) => {
  const link = await submit(carol, 'tea', { title: 'numbat' })
  const other = await submit(bob, 'tea', { title: 'numbat' })
  await ann.post('/s/tea/api/flair', { link, text: 'Seldom Seen', css_class: 'marsupial' })
  for (const q of ['flair:marsupial', 'flair:"seldom seen"', 'flair_text:seldom', 'flair_css_class:marsupial', 'numbat seldom'])
    t.deepEqual(await find(q), [link], q)
  t.deepEqual(await find('flair:numbat'), [])
  const reader = await site.register('blocker')
  t.is((await find('numbat', {}, reader)).length, 2)
  await carol.post('/api/compose', { to: 'blocker', subject: 'x', text: 'y' })
  await reader.post('/api/block', { id: String((await reader.get('/message/inbox')).at('data.children.0.data.name')) })
  t.deepEqual(await find('numbat', {}, reader), [other])
})

test('a token restricted to subsites finds only what is in them', async (t) => {
  await submit(bob, 'milk', { title: 'dugong' })
  const here = await submit(bob, 'tea', { title: 'dugong' })
  t.is((await find('dugong')).length, 2)
  t.deepEqual(await find('dugong', { restrict_sr: 'true' }, bob, '/s/tea'), [here])
})
