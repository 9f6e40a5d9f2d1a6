import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, dataOf, logOf, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, id36, names, readThing, refusalOf, say, settle, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

let named = 0
/** A subsite of ann's with a post of bob's. */
const scene = async ({ ann, bob }: Five, settings = {}) => {
  const name = `options${named++}`
  const id = await foundSubsite(ann, name, settings)
  return { name, id, link: await submit(bob, name) }
}
const form = (fields: object) => ({ ...fields, api_type: 'json' })

test.serial('marking a link as nsfw is a mod log entry by a moderator, and none by its author', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const { name, link } = await scene(t.context)
  await appoint(ann, name, carol, '+flair')
  const over18 = async () => (await readThing(dave, link)).over_18
  t.is((await ann.post('/api/marknsfw', { id: link })).text, '{}')
  t.true(await over18())
  t.true(await recordsNothing(site, () => ann.post('/api/marknsfw', { id: link })))
  await postForm(bob, '/api/unmarknsfw', { id: link })
  t.false(await over18(), 'the author takes away what a moderator marked')
  await postForm(bob, '/api/marknsfw', { id: link })
  await postForm(root, '/api/unmarknsfw', { id: link })
  const own = await submit(ann, name)
  await postForm(ann, '/api/marknsfw', { id: own })
  for (const who of [dave, carol, site]) t.is((await who.post('/api/marknsfw', { id: link })).status, 403)
  const log = (await logOf(dave, name)).filter((line) => line.includes('marknsfw'))
  t.deepEqual(log, [`ann marknsfw ${own}`, `root marknsfw ${link} remove`, `ann marknsfw ${link}`])
})

test.serial('only links can be marked as nsfw, and nsfw in the title marks a new link', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, id, link } = await scene(t.context)
  for (const target of [await say(bob, link), 't5_zzzz', '', 'nonsense']) {
    const refused = await ann.post('/api/marknsfw', { id: target })
    t.deepEqual([refused.status, refused.at('reason')], [400, 'NO_THING_ID'], target)
  }
  const said = await submit(bob, name, { title: 'a nsfw leaf' })
  t.true((await readThing(dave, said)).over_18)
  await postForm(bob, '/api/unmarknsfw', { id: said })
  t.false((await readThing(dave, said)).over_18)
  await settle(ann, id, { over_18: true })
  t.true((await readThing(dave, said)).over_18, 'in an over-18 subsite every link counts as marked')
})

type Node = { readonly kind: string; readonly data: { readonly name: string; readonly score: number; readonly score_hidden: boolean } }
const thread = async (who: Caller, link: string, query = '') =>
  (await who.get(`/comments/${id36(link)}?${query}`)).at('1.data.children') as readonly Node[]

/** A post of bob's with twelve comments of his, the eighth of which two others voted up, and how ann switches its contest mode. */
const contest = async (cast: Five) => {
  const { ann, bob, dave } = cast
  const { name, link } = await scene(cast)
  const said: string[] = []
  for (let n = 0; n < 12; n += 1) said.push(await say(bob, link, `c${n}`))
  const best = String(said[7])
  for (const who of [ann, dave]) await who.post('/api/vote', { id: best, dir: 1 })
  const set = (state?: string) => postForm(ann, '/api/set_contest_mode', form({ id: link, state }))
  const more = async (who: Caller) =>
    names(await who.get(`/api/morechildren?link_id=${link}&sort=top&children=${said.map(id36).join()}`), 'json.data.things')
  return { name, link, said, best, set, more }
}

test.serial('in contest mode comments are in a random order whatever sort is requested, but not for moderators', async (t) => {
  const { site, ann, bob, dave, root } = t.context
  const { link, said, best, set, more } = await contest(t.context)
  await set('true')
  t.true((await readThing(dave, link)).contest_mode)
  for (const who of [site, bob, dave]) {
    const orders = new Set<string>()
    for (let n = 0; n < 4; n += 1) {
      const shown = (await thread(who, link, 'sort=top')).map(({ data }) => data.name)
      t.deepEqual(shown.toSorted(), said.toSorted())
      orders.add(shown.join())
    }
    t.is(orders.size, 4, 'another order each time')
  }
  t.not((await more(dave)).join(), (await more(dave)).join())
  for (const who of [ann, root]) {
    t.is((await thread(who, link))[0]?.data.name, best, 'the best first')
    t.is((await thread(who, link, 'sort=old'))[0]?.data.name, said[0])
    t.is((await more(who))[0], best)
  }
})

test.serial('in contest mode scores are hidden from all but moderators, also from authors', async (t) => {
  const { site, ann, bob, dave, root } = t.context
  const { link, best, set } = await contest(t.context)
  for (const who of [ann, dave]) t.is((await readThing(who, best)).score, 6)
  await set('true')
  for (const who of [site, bob, dave])
    t.true((await thread(who, link, 'sort=top')).every(({ data }) => data.score === 1 && data.score_hidden))
  t.like(await readThing(bob, best), { score: 1, ups: 1, downs: 0, controversiality: 0, score_hidden: true })
  for (const who of [ann, root]) t.like((await thread(who, link))[0]?.data, { score: 6, score_hidden: false })
})

test.serial('after contest mode the order and the scores are shown again', async (t) => {
  const { dave } = t.context
  const { link, best, set } = await contest(t.context)
  await set('true')
  await set()
  t.is((await thread(dave, link))[0]?.data.name, best)
  t.like(await readThing(dave, best), { score: 6, score_hidden: false })
})

test.serial('switching contest mode on or off is a log entry, and repeating it changes nothing', async (t) => {
  const { site, ann, carol } = t.context
  const { name, link } = await scene(t.context)
  const set = (state?: string) => ann.post('/api/set_contest_mode', form({ id: link, state }))
  t.deepEqual((await set('true')).body, { json: { errors: [] } })
  t.true(await recordsNothing(site, () => set('true')))
  await set()
  t.deepEqual(await logOf(carol, name), [`ann unsetcontestmode ${link}`, `ann setcontestmode ${link}`])
})

/** A post of bob's with two comments, the first of which dave voted up, and how ann suggests a sort for it. */
const suggesting = async (cast: Five) => {
  const { ann, bob, carol, dave } = cast
  const { name, id, link } = await scene(cast)
  const [first, second] = [await say(bob, link, 'first'), await say(bob, link, 'second')]
  await dave.post('/api/vote', { id: first, dir: 1 })
  const order = async (query = '') => (await thread(carol, link, query)).map(({ data }) => data.name)
  const suggest = (sort: string) => ann.post('/api/set_suggested_sort', form({ id: link, sort }))
  const suggested = async () => (await readThing(dave, link)).suggested_sort
  return { name, id, link, first, second, order, suggest, suggested }
}

test.serial('a suggested sort applies to viewers who request no sort', async (t) => {
  const { first, second, order, suggest, suggested } = await suggesting(t.context)
  t.deepEqual(await order(), [first, second])
  t.deepEqual((await suggest('new')).body, { json: { errors: [] } })
  t.is(await suggested(), 'new')
  t.deepEqual(await order(), [second, first])
  t.deepEqual(await order('sort=top'), [first, second])
})

test.serial('a sort that is none cannot be suggested, and changes nothing', async (t) => {
  const { suggest, suggested } = await suggesting(t.context)
  await suggest('new')
  t.is(refusalOf(await suggest('sideways')), 'INVALID_OPTION sort')
  t.is(await suggested(), 'new')
})

test.serial('the suggestion blank overrides that of the subsite, an empty one leaves it to the subsite', async (t) => {
  const { id, first, second, order, suggest, suggested } = await suggesting(t.context)
  await settle(t.context.ann, id, { suggested_comment_sort: 'new' })
  await suggest('blank')
  t.is(await suggested(), null)
  t.deepEqual(await order(), [first, second])
  await suggest('')
  t.is(await suggested(), 'new')
  t.deepEqual(await order(), [second, first])
})

test.serial('questions and answers, if suggested, are selected for all but the author of the link', async (t) => {
  const { bob, carol, dave } = t.context
  const { link, suggest } = await suggesting(t.context)
  await suggest('qa')
  await say(dave, await say(dave, link, 'a question'), 'an aside')
  const shows = async (who: Caller) => JSON.stringify(await thread(who, link)).includes('"an aside"')
  t.deepEqual([await shows(carol), await shows(bob)], [false, true])
})

test.serial('each change of the suggested sort is a log entry', async (t) => {
  const { name, link, suggest } = await suggesting(t.context)
  for (const sort of ['new', 'blank', '', 'qa']) await suggest(sort)
  const log = (await logOf(t.context.dave, name)).filter((line) => line.includes('suggestedsort'))
  t.deepEqual(log, Array(4).fill(`ann setsuggestedsort ${link}`))
})

test.serial('only moderators can set contest mode and the suggested sort', async (t) => {
  const { site, ann, bob, dave } = t.context
  const { link } = await scene(t.context)
  const comment = await say(bob, link)
  for (const path of ['/api/set_contest_mode', '/api/set_suggested_sort']) {
    for (const who of [site, bob, dave]) t.is((await who.post(path, form({ id: link, sort: 'bogus' }))).status, 403, path)
    for (const id of ['', 't5_zzzz', 'nonsense']) t.is((await ann.post(path, form({ id }))).status, 403, `${path} ${id}`)
    t.is((await ann.post(path, form({ id: comment }))).status, 400, `${path} of a comment`)
  }
})

/** A post of bob's with a comment of carol's, and whether a new reply of dave's to each is in the inbox of its author. */
const noticed = async (cast: Five) => {
  const { bob, carol, dave } = cast
  const { name, link } = await scene(cast)
  const comment = await say(carol, link, 'a comment')
  const inbox = async (who: Caller) => dataOf(await who.get('/message/inbox?limit=100')).map((one) => one.name)
  const arrive = async () => {
    const [toLink, toComment] = [await say(dave, link), await say(dave, comment)]
    return [(await inbox(bob)).includes(toLink), (await inbox(carol)).includes(toComment)]
  }
  return { name, link, comment, inbox, arrive }
}

test.serial('authors can switch reply notices on and off for future replies, without a log entry', async (t) => {
  const { bob, carol, dave } = t.context
  const { name, link, comment, inbox, arrive } = await noticed(t.context)
  const before = await say(dave, link, 'before')
  t.is((await bob.post('/api/sendreplies', { id: link, state: 'false' })).text, '{}')
  await postForm(carol, '/api/sendreplies', { id: comment })
  t.deepEqual(await arrive(), [false, false])
  t.true((await inbox(bob)).includes(before), 'what came stays')
  await postForm(bob, '/api/sendreplies', { id: link, state: 'true' })
  await postForm(carol, '/api/sendreplies', { id: comment, state: 'true' })
  t.deepEqual(await arrive(), [true, true])
  t.deepEqual(await logOf(dave, name), [])
})

test.serial('a mention notifies also who switched reply notices off', async (t) => {
  const { carol, dave } = t.context
  const { comment, inbox } = await noticed(t.context)
  await postForm(carol, '/api/sendreplies', { id: comment })
  const mention = await say(dave, comment, 'listen, /u/carol')
  t.true((await inbox(carol)).includes(mention))
})

test.serial('reply notices of another’s thing, or of what does not exist, cannot be switched', async (t) => {
  const { site, dave } = t.context
  const { link, comment } = await noticed(t.context)
  for (const id of [link, comment, 't5_zzzz', 't6_1', '', 'x'])
    t.true(await recordsNothing(site, async () => t.is((await dave.post('/api/sendreplies', { id, state: 'false' })).text, '{}', id)))
})
