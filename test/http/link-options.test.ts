import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, logOf, unchanged } from '../support/community.ts'
import { found, id36, names, refusalOf, say, settle, submit, thing } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

let named = 0
/** A subsite of ann's with a post of bob's. */
const scene = async ({ ann, bob }: Five, settings = {}) => {
  const name = `options${named++}`
  const id = await found(ann, name, settings)
  return { name, id, link: await submit(bob, name) }
}
const form = (fields: object) => ({ ...fields, api_type: 'json' })

test.serial('marking a link as nsfw is a mod log entry by a moderator, and none by its author', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const { name, link } = await scene(t.context)
  await appoint(ann, name, carol, '+flair')
  const over18 = async () => (await thing(dave, link)).over_18
  t.is((await ann.post('/api/marknsfw', { id: link })).text, '{}')
  t.true(await over18())
  t.true(await unchanged(site, () => ann.post('/api/marknsfw', { id: link })))
  await done(bob, '/api/unmarknsfw', { id: link })
  t.false(await over18(), 'the author takes away what a moderator marked')
  await done(bob, '/api/marknsfw', { id: link })
  await done(root, '/api/unmarknsfw', { id: link })
  const own = await submit(ann, name)
  await done(ann, '/api/marknsfw', { id: own })
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
  t.true((await thing(dave, said)).over_18)
  await done(bob, '/api/unmarknsfw', { id: said })
  t.false((await thing(dave, said)).over_18)
  await settle(ann, id, { over_18: true })
  t.true((await thing(dave, said)).over_18, 'in an over-18 subsite every link counts as marked')
})

type Node = { readonly kind: string; readonly data: { readonly name: string; readonly score: number; readonly score_hidden: boolean } }
const thread = async (who: Caller, link: string, query = '') =>
  (await who.get(`/comments/${id36(link)}?${query}`)).at('1.data.children') as readonly Node[]

test.serial('contest mode shows comments in random order, with scores to moderators only', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const { name, link } = await scene(t.context)
  const said: string[] = []
  for (let n = 0; n < 12; n += 1) said.push(await say(bob, link, `c${n}`))
  for (const who of [ann, dave]) await who.post('/api/vote', { id: said[7], dir: 1 })
  for (const who of [ann, dave]) t.is((await thing(who, String(said[7]))).score, 6)
  t.deepEqual((await ann.post('/api/set_contest_mode', form({ id: link, state: 'true' }))).body, { json: { errors: [] } })
  t.true((await thing(dave, link)).contest_mode)
  for (const who of [site, bob, dave]) {
    const orders = new Set<string>()
    for (let n = 0; n < 4; n += 1) {
      const shown = await thread(who, link, 'sort=top')
      t.deepEqual(shown.map(({ data }) => data.name).toSorted(), said.toSorted())
      t.true(shown.every(({ data }) => data.score === 1 && data.score_hidden))
      orders.add(shown.map(({ data }) => data.name).join())
    }
    t.is(orders.size, 4, 'another order each time, whatever was asked')
  }
  const hidden = await thing(bob, String(said[7]))
  t.like(hidden, { score: 1, ups: 1, downs: 0, controversiality: 0, score_hidden: true }, 'also from its author, and elsewhere')
  const more = async (who: Caller) =>
    names(await who.get(`/api/morechildren?link_id=${link}&sort=top&children=${said.map(id36).join()}`), 'json.data.things')
  t.not((await more(dave)).join(), (await more(dave)).join())
  for (const who of [ann, root]) {
    const shown = await thread(who, link)
    t.is(shown[0]?.data.name, said[7], 'the best first')
    t.like(shown[0]?.data, { score: 6, score_hidden: false })
    t.is((await thread(who, link, 'sort=old'))[0]?.data.name, said[0])
    t.is((await more(who))[0], said[7])
  }
  t.true(await unchanged(site, () => ann.post('/api/set_contest_mode', form({ id: link, state: 'true' }))))
  await done(ann, '/api/set_contest_mode', form({ id: link }))
  t.is((await thread(dave, link))[0]?.data.name, said[7])
  t.like(await thing(dave, String(said[7])), { score: 6, score_hidden: false })
  t.deepEqual(await logOf(carol, name), [`ann unsetcontestmode ${link}`, `ann setcontestmode ${link}`])
})

test.serial('a suggested sort applies to viewers who request no sort', async (t) => {
  const { ann, bob, carol, dave } = t.context
  const { name, id, link } = await scene(t.context)
  const [first, second] = [await say(bob, link, 'first'), await say(bob, link, 'second')]
  await dave.post('/api/vote', { id: first, dir: 1 })
  const order = async (query = '') => (await thread(carol, link, query)).map(({ data }) => data.name)
  const suggest = (sort: string) => ann.post('/api/set_suggested_sort', form({ id: link, sort }))
  t.deepEqual(await order(), [first, second])
  t.deepEqual((await suggest('new')).body, { json: { errors: [] } })
  t.is((await thing(dave, link)).suggested_sort, 'new')
  t.deepEqual(await order(), [second, first])
  t.deepEqual(await order('sort=top'), [first, second])
  t.is(refusalOf(await suggest('sideways')), 'INVALID_OPTION sort')
  t.is((await thing(dave, link)).suggested_sort, 'new', 'what is refused changes nothing')
  await settle(ann, id, { suggested_comment_sort: 'new' })
  await suggest('blank')
  t.is((await thing(dave, link)).suggested_sort, null)
  t.deepEqual(await order(), [first, second], 'blank overrides the subsite')
  await suggest('')
  t.is((await thing(dave, link)).suggested_sort, 'new', 'empty leaves it to the subsite')
  t.deepEqual(await order(), [second, first])
  await suggest('qa')
  const question = await say(dave, link, 'a question')
  await say(dave, question, 'an aside')
  const shows = async (who: Caller) => JSON.stringify(await thread(who, link)).includes('"an aside"')
  t.deepEqual([await shows(carol), await shows(bob)], [false, true], 'the author of the link sees no selection of questions and answers')
  const log = (await logOf(dave, name)).filter((line) => line.includes('suggestedsort'))
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

test.serial('authors can switch reply notices on and off for future replies', async (t) => {
  const { site, bob, carol, dave } = t.context
  const { name, link } = await scene(t.context)
  const comment = await say(carol, link, 'a comment')
  const inbox = async (who: Caller) => dataOf(await who.get('/message/inbox?limit=100')).map((one) => one.name)
  const before = await say(dave, link, 'before')
  t.is((await bob.post('/api/sendreplies', { id: link, state: 'false' })).text, '{}')
  await done(carol, '/api/sendreplies', { id: comment })
  const [quiet, quietly] = [await say(dave, link, 'quiet'), await say(dave, comment, 'quietly')]
  const mention = await say(dave, comment, 'listen, /u/carol')
  t.true((await inbox(bob)).includes(before), 'what came stays')
  t.false((await inbox(bob)).includes(quiet))
  t.false((await inbox(carol)).includes(quietly))
  t.true((await inbox(carol)).includes(mention), 'mentions come all the same')
  await done(bob, '/api/sendreplies', { id: link, state: 'true' })
  await done(carol, '/api/sendreplies', { id: comment, state: 'true' })
  const [loud, loudly] = [await say(dave, link, 'loud'), await say(dave, comment, 'loudly')]
  t.true((await inbox(bob)).includes(loud))
  t.true((await inbox(carol)).includes(loudly))
  for (const id of [link, comment, 't5_zzzz', 't6_1', '', 'x'])
    t.true(await unchanged(site, async () => t.is((await dave.post('/api/sendreplies', { id, state: 'false' })).text, '{}', id)))
  t.deepEqual(await logOf(dave, name), [])
})
