import test from 'ava'
import { joinSite, newcomer, startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { foundSubsite, names, readThing, say, settle, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

const walked = async (reader: Caller, path: string): Promise<readonly string[]> => {
  const met: string[] = []
  for (let after: unknown = ''; after !== null; ) {
    const page = await reader.get(`${path}${path.includes('?') ? '&' : '?'}limit=1&after=${after}`)
    met.push(...names(page))
    after = page.at('data.after')
  }
  return met
}

test('overview lists links and comments, submitted and comments one kind each', async (t) => {
  const { author_1: author } = await joinSite(site, 'author_1')
  const link = await submit(author, 'tea', { title: 'Mine' })
  const comment = await say(author, link, 'words')
  const second = await submit(author, 'tea')
  for (const path of ['/user/author_1', '/user/AUTHOR_1/overview']) t.deepEqual(names(await site.get(path)), [second, comment, link])
  t.deepEqual(await walked(site, '/user/author_1/overview'), [second, comment, link])
  t.deepEqual(names(await site.get('/user/author_1/submitted')), [second, link])
  const answer = await site.get('/user/author_1/comments')
  t.deepEqual(names(answer), [comment])
  t.is(answer.at('data.children.0.data.link_title'), 'Mine')
  t.is(answer.at('data.children.0.data.link_author'), 'author_1')
  t.regex(String(answer.at('data.children.0.data.link_url')), /^http:.*\/comments\//)
})

test('user pages can be sorted in all five orders', async (t) => {
  const { author_2: author } = await joinSite(site, 'author_2')
  const link = await submit(author, 'tea')
  const comment = await say(author, link)
  await bob.post('/api/vote', { id: link, dir: 1 })
  await ann.post('/api/vote', { id: comment, dir: -1 })
  for (const [sort, expected] of [
    ['new', [comment, link]],
    ['top', [link, comment]],
    ['insightful', [link, comment]],
    ['fun', [comment, link]],
    ['hot', [link, comment]],
    ['nonsense', [comment, link]],
  ] as const)
    for (const t_ of ['', '&t=hour', '&t=x']) t.deepEqual(await walked(site, `/user/author_2/overview?sort=${sort}${t_}`), expected, sort)
})

test('on their author’s page removed links are redacted, removed comments visible to author and moderators, deleted ones gone', async (t) => {
  const { author_3: author } = await joinSite(site, 'author_3')
  const [removed, deleted] = [await submit(author, 'tea', { text: 'words' }), await submit(author, 'tea')]
  const [comment, gone] = [await say(author, removed, 'rude'), await say(author, removed, 'gone')]
  for (const id of [removed, comment]) await ann.post('/api/remove', { id })
  for (const id of [deleted, gone]) await author.post('/api/del', { id })
  t.deepEqual(names(await site.get('/user/author_3')), [removed])
  t.is((await site.get('/user/author_3')).at('data.children.0.data.selftext'), '[removed]')
  for (const reader of [ann, author]) t.deepEqual(names(await reader.get('/user/author_3')), [comment, removed])
})

test('user pages show things of private subsites to members only', async (t) => {
  await foundSubsite(ann, 'private_2', { type: 'private' })
  const link = await submit(ann, 'private_2')
  t.true(names(await ann.get('/user/ann?limit=100')).includes(link))
  t.false(names(await bob.get('/user/ann?limit=100')).includes(link))
  t.is((await bob.get(`/user/ann?after=${link}`)).status, 403)
})

/** An account that saved a link with a category, a comment without and a link of another subsite with another category, in this order. */
const keeping = async () => {
  const keeper = await newcomer(site)
  const cellar = `cellar_${keeper.name}`
  await foundSubsite(ann, cellar)
  const [link, other] = [await submit(bob, 'tea'), await submit(bob, cellar)]
  const comment = await say(bob, link)
  for (const [id, category] of [
    [link, 'To Read'],
    [comment, ''],
    [other, 'x_1'],
  ] as const)
    await postForm(keeper, '/api/save', { id, category })
  const saved = (query = '') => walked(keeper, `/user/${keeper.name}/saved${query}`)
  const categories = async () => (await keeper.get('/api/saved_categories')).body
  return { keeper, cellar, link, comment, other, saved, categories }
}

test('saved things are listed latest first with their categories, all or those of a category or a subsite', async (t) => {
  const { keeper, cellar, link, comment, other, saved } = await keeping()
  t.deepEqual(await saved(), [other, comment, link])
  t.deepEqual(await saved('?category=to%20read'), [link])
  t.deepEqual(await saved('?category=nothing'), [])
  t.deepEqual(await saved(`?sr=${cellar}`), [other])
  t.deepEqual(await saved('?sr=nowhere_at_all'), [])
  const listed = await keeper.get(`/user/${keeper.name}/saved`)
  t.deepEqual(
    [0, 1, 2].map((n) => listed.at(`data.children.${n}.data.category`)),
    ['x_1', null, 'to read'],
  )
})

test('a thing is shown as saved only to the account that saved it', async (t) => {
  const { keeper, comment } = await keeping()
  t.is((await readThing(keeper, comment)).saved, true)
  t.is((await readThing(bob, comment)).saved, false)
})

test('saving a saved thing moves it to the front and into the new category', async (t) => {
  const { keeper, link, comment, other, saved, categories } = await keeping()
  t.deepEqual(await categories(), { categories: [{ category: 'to read' }, { category: 'x_1' }] })
  t.is((await keeper.post('/api/save', { id: link, category: 'x_1' })).text, '{}')
  t.deepEqual(await saved(), [link, other, comment])
  t.deepEqual(await categories(), { categories: [{ category: 'x_1' }] })
})

test('a thing that is unsaved, also twice, is no longer listed, and its category only while others have it', async (t) => {
  const { keeper, link, comment, other, saved, categories } = await keeping()
  for (const id of [link, link, other]) t.is((await keeper.post('/api/unsave', { id })).text, '{}')
  t.deepEqual(await saved(), [comment])
  t.deepEqual(await categories(), { categories: [] })
})

test('the log has categories of saved things sealed', async (t) => {
  const { keeper, link } = await keeping()
  const { events } = await site.running.stores.events.read(`shelf-${keeper.id}.${link}`, 0, 10)
  t.true(events.length > 0)
  t.false(events.some(({ data }) => /to read/i.test(data)))
})

test('paging of saved things continues after an anchor that was unsaved', async (t) => {
  const { keeper_2: keeper } = await joinSite(site, 'keeper_2')
  const links: string[] = []
  for (let n = 0; n < 4; n += 1) links.unshift(await submit(bob, 'tea'))
  for (const id of links.toReversed()) await keeper.post('/api/save', { id })
  const first = await keeper.get('/user/keeper_2/saved?limit=2')
  t.deepEqual(names(first), links.slice(0, 2))
  await keeper.post('/api/unsave', { id: links[1] })
  t.deepEqual(names(await keeper.get(`/user/keeper_2/saved?limit=2&after=${first.at('data.after')}`)), links.slice(2))
})

test('save refuses invalid categories and things that cannot be saved', async (t) => {
  const link = await submit(bob, 'tea')
  for (const category of ['x'.repeat(21), 'a-b', 'é', '!'])
    t.is((await bob.post('/api/save', { id: link, category })).status, 403, category)
  for (const id of ['', 't5_zzzz', 't1_zzzz', bob.id, 'nonsense']) {
    t.is((await bob.post('/api/save', { id })).status, 400, id)
    t.is((await bob.post('/api/unsave', { id })).status, 400, id)
  }
  t.is((await readThing(bob, link)).saved, false)
})

test('hide takes 1 to 50 existing links, listed latest first', async (t) => {
  const { hider_1: hider } = await joinSite(site, 'hider_1')
  const [one, two] = [await submit(bob, 'tea'), await submit(bob, 'tea')]
  const comment = await say(bob, one)
  const hide = async (id: string) => (await hider.post('/api/hide', { id })).status
  const many = await Promise.all(Array.from({ length: 51 }, () => submit(hider, 'tea')))
  for (const id of ['', comment, 'nonsense', `${one},t5_zzzz`, many.join(',')]) t.is(await hide(id), 400, id)
  t.deepEqual(names(await hider.get('/user/hider_1/hidden')), [])
  t.is(await hide(one), 200)
  t.is(await hide(`${two} ${comment}`), 200)
  t.deepEqual(await walked(hider, '/user/hider_1/hidden'), [two, one])
  t.is(await hide(one), 200)
  t.deepEqual(await walked(hider, '/user/hider_1/hidden'), [one, two])
  t.is((await hider.post('/api/unhide', { id: `${one},${two}` })).text, '{}')
  t.deepEqual(names(await hider.get('/user/hider_1/hidden')), [])
  t.is(await hide(many.slice(1).join(',')), 200, 'fifty')
})

test('lists of saved, hidden and voted things are visible to their owner and admins only', async (t) => {
  const { root: admin } = await joinSite(site, 'root')
  for (const where of ['saved', 'hidden', 'upvoted', 'downvoted']) {
    t.is((await ann.get(`/user/bob/${where}`)).status, 403, where)
    t.is((await site.get(`/user/bob/${where}`)).status, 403, where)
    t.is((await bob.get(`/user/bob/${where}`)).status, 200, where)
    t.is((await admin.get(`/user/bob/${where}`)).status, 200, where)
  }
  t.is((await (await bob.withScopes('read')).get('/user/bob/saved')).status, 403)
})

test('the gildings that an account gave are visible to itself only', async (t) => {
  t.deepEqual(names(await site.get('/user/bob/gilded')), [])
  t.is((await site.get('/user/bob/gilded?show=given')).status, 403)
  t.deepEqual(names(await bob.get('/user/bob/gilded?show=given')), [])
})

test('unknown accounts and unknown pages are 404; me is the viewer', async (t) => {
  t.is((await site.get('/user/nobody_here/overview')).status, 404)
  t.is((await site.get('/user/bob/diary')).status, 404)
  for (const [path, location] of [
    ['/user/me/saved.json?limit=2&category=a+b', '/user/bob/saved.json?limit=2&category=a+b'],
    ['/u/ann', '/user/ann/overview'],
    ['/u/ann/comments.json?sort=top', '/user/ann/comments.json?sort=top'],
    ['/u/me/', '/user/bob/overview'],
    ['/user/ann/liked', '/user/ann/upvoted'],
    ['/user/bob/disliked.json', '/user/bob/downvoted.json'],
  ]) {
    const answer = await bob.get(String(path))
    t.deepEqual([answer.status, answer.headers.get('location')], [302, location], path)
  }
  t.is((await site.get('/user/me')).status, 403)
})

test('outsiders cannot save or hide things of a private subsite', async (t) => {
  await foundSubsite(ann, 'private_3', { type: 'private' })
  const link = await submit(ann, 'private_3')
  for (const path of ['save', 'unsave', 'hide', 'unhide']) t.is((await bob.post(`/api/${path}`, { id: link })).status, 403, path)
  t.is((await ann.post('/api/save', { id: link })).status, 200)
})

test('a category of saved things disappears with the last of them that may be viewed, and comes again with it', async (t) => {
  const keeper = await newcomer(site)
  const subsite = await foundSubsite(ann, 'curtain')
  const [secret, deleted, open] = [await submit(ann, 'curtain'), await submit(bob, 'tea'), await submit(bob, 'tea')]
  for (const [id, category] of [
    [secret, 'behind'],
    [deleted, 'gone'],
    [open, 'open'],
  ])
    await postForm(keeper, '/api/save', { id, category })
  const categories = async () =>
    ((await keeper.get('/api/saved_categories')).at('categories') as readonly { category: string }[]).map(({ category }) => category)
  t.deepEqual(await categories(), ['behind', 'gone', 'open'])
  await settle(ann, subsite, { type: 'private' })
  await postForm(bob, '/api/del', { id: deleted })
  t.deepEqual(await categories(), ['open'])
  await postForm(keeper, '/api/save', { id: open, category: 'behind' })
  t.deepEqual(await categories(), ['behind'])
  await settle(ann, subsite, { type: 'public' })
  await postForm(keeper, '/api/save', { id: open, category: 'open' })
  t.deepEqual(await categories(), ['behind', 'open'])
})

test('what was saved or hidden before a subsite became private can be unsaved and shown again', async (t) => {
  const keeper = await newcomer(site)
  const subsite = await foundSubsite(ann, 'closing')
  const [link, other] = [await submit(ann, 'closing'), await submit(ann, 'closing')]
  const comment = await say(ann, link)
  for (const id of [link, comment]) await postForm(keeper, '/api/save', { id })
  await postForm(keeper, '/api/hide', { id: link })
  await postForm(keeper, '/api/report', { thing_id: comment })
  await settle(ann, subsite, { type: 'private' })
  for (const path of ['unsave', 'unhide']) t.is((await keeper.post(`/api/${path}`, { id: other })).status, 403, path)
  t.is((await keeper.post('/api/unhide', { id: `${link},${other}` })).status, 403)
  for (const id of [link, comment]) t.is((await keeper.post('/api/save', { id })).status, 403)
  for (const id of [link, comment]) t.is((await keeper.post('/api/unsave', { id })).text, '{}')
  t.is((await keeper.post('/api/unhide', { id: `${link},${comment}` })).text, '{}')
  await settle(ann, subsite, { type: 'public' })
  for (const where of ['saved', 'hidden']) t.deepEqual(names(await keeper.get(`/user/${keeper.name}/${where}`)), [], where)
  t.false((await readThing(keeper, link)).hidden)
})
