import test from 'ava'
import { startCast } from '../support/cast.ts'
import { foundSubsite, id36, names, say, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const { site, ann, bob, carol, dave } = await startCast(['ann', 'bob', 'carol', 'dave'])
await foundSubsite(ann, 'tea')
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

/** A link to a page of a host in tea, then another there, one for adults in a new subsite, and three to what is not quite that page. */
const duplicated = async (host: string, subsite: string) => {
  await foundSubsite(ann, subsite)
  const url = `https://www.${host.replace(/^./, (letter) => letter.toUpperCase())}/a#part`
  const link = await submit(bob, 'tea', { url })
  const again = await submit(bob, 'tea', { url: `https://${host}/a` })
  const other = await submit(ann, subsite, { url, over_18: true })
  await submit(bob, 'tea', { url: `http://${host}/a` })
  await submit(bob, 'tea', { url: `https://${host}/a/` })
  return { link, again, other }
}

test('duplicates are the other links with the same URL in any subsite, most comments first, then the newest', async (t) => {
  const { link, again, other } = await duplicated('dup.example', 'milk')
  t.deepEqual(await duplicatesFor(site, link), [other, again])
  await say(bob, again)
  t.deepEqual(await duplicatesFor(site, link), [again, other])
})

test('the same duplicates are listed below the subsite of a link', async (t) => {
  const { link, again, other } = await duplicated('below.example', 'below')
  const { status, body } = await site.get(`/s/tea/duplicates/${id36(link)}`)
  t.deepEqual([status, body], [200, (await site.get(`/duplicates/${id36(link)}`)).body])
  t.deepEqual(names(await site.get(`/s/tea/duplicates/${id36(link)}`), '1.data.children'), [other, again])
})

test('a link and its duplicates show the share of insightful votes', async (t) => {
  const { link } = await duplicated('share.example', 'sharing')
  for (const reader of [site, carol]) {
    const lists = await reader.get(`/duplicates/${id36(link)}`)
    t.is(lists.at('0.data.children.0.data.upvote_ratio'), 1)
    t.is(lists.at('1.data.children.0.data.upvote_ratio'), 1)
  }
})

test('duplicates that the viewer hid or that are for adults are not left out', async (t) => {
  const { link, again, other } = await duplicated('kept.example', 'cream')
  await carol.post('/api/hide', { id: again })
  t.deepEqual(await duplicatesFor(carol, link, '?obey_over18=true'), [other, again])
})

test('duplicates come in pages, each after the link itself', async (t) => {
  const { link, again, other } = await duplicated('paged.example', 'whey')
  await say(bob, again)
  const answer = await site.get(`/duplicates/${id36(link)}?limit=1&sr_detail=true`)
  t.deepEqual([names(answer, '0.data.children'), names(answer, '1.data.children')], [[link], [again]])
  t.deepEqual([answer.at('0.data.after'), answer.at('1.data.after'), answer.at('1.data.before')], [null, again, null])
  t.is(answer.at('1.data.children.0.data.sr_detail.display_name'), 'tea')
  const next = await site.get(`/duplicates/${id36(link)}?limit=1&after=${again}`)
  t.deepEqual([names(next, '1.data.children'), next.at('1.data.after'), next.at('1.data.before')], [[other], null, other])
})

/** A link of ann's in tea and one to the same address by carol in a private subsite. */
const withSecret = async (host: string, subsite: string) => {
  await foundSubsite(carol, subsite, { type: 'private' })
  const url = `https://${host}/`
  return { url, link: await submit(ann, 'tea', { url }), secret: await submit(carol, subsite, { url }) }
}

test('a deleted duplicate is shown to nobody, a removed one to its author and moderators only', async (t) => {
  const url = 'https://gone.example/'
  const [link, removed, deleted] = [await submit(ann, 'tea', { url }), await submit(bob, 'tea', { url }), await submit(bob, 'tea', { url })]
  await ann.post('/api/remove', { id: removed })
  await bob.post('/api/del', { id: deleted })
  for (const who of [site, dave, carol]) t.deepEqual(await duplicatesFor(who, link), [])
  for (const who of [bob, ann]) t.deepEqual(await duplicatesFor(who, link), [removed])
})

test('a duplicate in a private subsite is shown to its members only', async (t) => {
  const { link, secret } = await withSecret('secret.example', 'closed_dup')
  for (const who of [site, dave, bob, ann]) t.deepEqual(await duplicatesFor(who, link), [])
  t.deepEqual(await duplicatesFor(carol, link), [secret])
})

test('a link that the viewer may not view has no duplicates and continues none', async (t) => {
  const { link, secret } = await withSecret('unseen.example', 'closed_dup_2')
  t.is((await dave.get(`/duplicates/${id36(secret)}`)).status, 403)
  t.is((await dave.get(`/duplicates/${id36(link)}?after=${secret}`)).status, 403)
})

test('duplicates of what is no link are not found', async (t) => {
  for (const article of ['zzzzz', 'no-id', '']) t.is((await dave.get(`/duplicates/${article}`)).status, 404, article)
})

test('a self-post has no duplicates', async (t) => {
  const [text] = [await submit(bob, 'tea'), await submit(bob, 'tea')]
  t.deepEqual(await duplicatesFor(site, String(text)), [])
})

/** A subsite with two links by ann, and their pages. */
const dice = async (name: string) => {
  await foundSubsite(ann, name)
  const [first, second] = [await submit(ann, name, { title: 'one' }), await submit(ann, name, { title: 'two' })]
  const pages = [`/s/${name}/comments/${id36(first)}/one/`, `/s/${name}/comments/${id36(second)}/two/`] as const
  return { first, second, pages, draw: async (who: Caller) => drawn(await who.get(`/s/${name}/random`)) }
}

test('/random redirects to each link of a subsite at times, or without one back to its listing', async (t) => {
  await foundSubsite(ann, 'empty_dice')
  t.is(drawn(await site.get('/s/empty_dice/random')), '/s/empty_dice/')
  const { pages, draw } = await dice('dice')
  const met = new Set<string>()
  for (let n = 0; n < 40; n += 1) met.add(await draw(site))
  t.deepEqual([...met].toSorted(), pages.toSorted())
})

test('/random leads to a link that the viewer does not find insightful or saved while there is one, and to none that is removed or hidden', async (t) => {
  const { first, second, pages, draw } = await dice('known_dice')
  t.true((pages as readonly string[]).includes(await draw(ann)), 'authors find their own links insightful')
  await bob.post('/api/vote', { id: first, dir: 1 })
  for (let n = 0; n < 8; n += 1) t.is(await draw(bob), pages[1])
  await bob.post('/api/save', { id: second })
  const met = new Set<string>()
  for (let n = 0; n < 40; n += 1) met.add(await draw(bob))
  t.deepEqual([...met].toSorted(), pages.toSorted(), 'both are known now')
  await bob.post('/api/unsave', { id: second })
  t.is(await draw(bob), pages[1])
  await bob.post('/api/hide', { id: second })
  t.is(await draw(bob), pages[0])
  await bob.post('/api/unhide', { id: second })
  t.is(await draw(bob), pages[1])
  await ann.post('/api/remove', { id: second })
  t.is(await draw(bob), pages[0])
  await bob.post('/api/hide', { id: first })
  t.is(await draw(bob), '/s/known_dice/')
})

test('/random.json redirects to the page of a link as JSON', async (t) => {
  const { first, pages } = await dice('json_dice')
  await bob.post('/api/vote', { id: first, dir: 1 })
  t.is(drawn(await bob.get('/s/json_dice/random.json')), `${pages[1]}.json`)
})

test('/random of several subsites without a link leads back to the listing of their normal name', async (t) => {
  await foundSubsite(ann, 'lost_dice')
  const roots = [
    ['/s/lost_dice+lost_dice', '/s/lost_dice/'],
    ['/s/friends', '/s/friends/'],
    ['/s/mod-lost_dice', '/s/mod-lost_dice/'],
    ['/s/contrib', '/s/contrib/'],
  ] as const
  for (const [path, root] of roots) t.is(drawn(await bob.get(`${path}/random`)), root, path)
})

test('/random never chooses from private subsites or those left out of /s/all', async (t) => {
  await foundSubsite(carol, 'shy_dice', { allow_top: 'false' })
  await foundSubsite(carol, 'shut_dice', { type: 'private' })
  for (const name of ['shy_dice', 'shut_dice']) await submit(carol, name)
  t.is(drawn(await bob.get('/s/shy_dice/random')), '/s/shy_dice/')
  t.is((await bob.get('/s/shut_dice/random')).status, 403)
  await submit(bob, 'tea')
  for (let n = 0; n < 10; n += 1) t.regex(drawn(await dave.get('/s/all/random')), /^\/s\/(?!shy_dice|shut_dice)\w+\/comments\//)
})

test('a random subsite keeps the rest of the address', async (t) => {
  const { site, ann, bob } = await startCast(['ann', 'bob'])
  t.teardown(site.stop)
  await foundSubsite(ann, 'Mild')
  await foundSubsite(ann, 'strong', { over_18: true })
  await foundSubsite(ann, 'shut', { type: 'private' })
  await foundSubsite(ann, 'apart', { allow_top: false })
  t.is(location(await site.get('/s/randnsfw/new?limit=3&t=')), '/s/strong/new?limit=3&t=')
  t.is(location(await site.get('/s/random')), '/s/Mild')
  t.is(location(await bob.get('/s/myrandom/about.json')), '/s/all/about.json', 'bob is subscribed to nothing')
  await bob.post('/api/subscribe', { action: 'sub', sr_name: 'apart' })
  t.is(location(await bob.get('/r/myrandom/hot.rss?x=1')), '/s/apart/hot.rss?x=1', 'whatever is subscribed to')
  t.is((await bob.post('/s/random/api/site_admin', { title: 'x' })).status, 404)
})
