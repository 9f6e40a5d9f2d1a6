import test from 'ava'
import { muteAndBlockId, mutesAndBlocks } from '../../projections/mutes-and-blocks.ts'
import { MAX_MUTED_SUBSITES, MuteAndBlock, SubsiteMuted } from '../../src/domain/mutes-and-blocks.ts'
import { five, newcomer, startCast } from '../support/cast.ts'
import { childrenOf, dataOf, displayNames, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, names, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { recordForMany, unknownFullname } from '../support/unknown-others.ts'

const { site, ann, bob, root } = await startCast(five)
await foundSubsite(ann, 'tea')
test.after.always(() => site.stop())

/** A new account that is subscribed to a subsite with a link of ann's and one of its own, and which of the two it sees on a page. */
const subscriber = async (name: string) => {
  const who = await newcomer(site)
  const id = await foundSubsite(ann, name)
  await postForm(who, '/api/subscribe', { sr: name, action: 'sub' })
  const [link, own] = [await submit(ann, name), await submit(who, name)]
  const seen = async (path: string, reader: Caller = who) => names(await reader.get(path)).filter((at) => [link, own].includes(at))
  return { who, id, link, own, seen }
}
const mute = (who: Caller, id: string) => postForm(who, '/api/mute_subsite', { id })
const all = '/s/all/new?limit=100'

const subsiteId = async (name: string) => String((await site.get(`/s/${name}/about`)).at('data.name'))
const mutedBy = (who: Caller, query = '') => displayNames(who, `/subs/mine/muted${query}`)

test.serial('a muted subsite, own links included, is left out of /s/all, unless all is asked for', async (t) => {
  const { who, id, link, own, seen } = await subscriber('loud')
  t.deepEqual(await seen(all), [own, link])
  t.is((await who.post('/api/mute_subsite', { id })).text, '{}')
  t.deepEqual(await seen(all), [])
  t.deepEqual(await seen(`${all}&show=all`), [own, link])
  t.is((await who.post('/api/unmute_subsite', { id })).text, '{}')
  t.deepEqual(await seen(all), [own, link])
})

test.serial('a muted subsite stays in its own listings and those of subscriptions, but is not drawn at random', async (t) => {
  const { who, id, link, own, seen } = await subscriber('louder')
  await mute(who, id)
  t.deepEqual(await seen('/s/louder/new'), [own, link])
  t.deepEqual(await seen('/s/subscribed/new'), [own, link])
  t.is((await who.get('/s/louder/random')).headers.get('location'), `${site.url}/s/louder/`)
})

test.serial('muting twice, or unmuting twice, changes nothing', async (t) => {
  const { who, id } = await subscriber('twice')
  for (const path of ['/api/mute_subsite', '/api/unmute_subsite']) {
    await postForm(who, path, { id })
    t.true(await recordsNothing(site, () => postForm(who, path, { id })), path)
  }
})

test.serial('the records of links and comments show whether the viewer muted their subsite', async (t) => {
  const { who, id, link } = await subscriber('marked')
  const comment = await say(who, link)
  await mute(who, id)
  for (const [reader, muted] of [
    [who, true],
    [ann, false],
    [site, false],
  ] as const)
    t.deepEqual(
      dataOf(await reader.get(`/api/info?id=${link},${comment}`)).map((record) => record.muted),
      [muted, muted],
    )
})

test.serial('a muted subsite stays in /s/all for others, and for admins that mute it', async (t) => {
  const { who, id, link, own, seen } = await subscriber('shared')
  await mute(who, id)
  t.deepEqual(await seen(all, ann), [own, link])
  await mute(root, id)
  t.deepEqual(await seen(all, root), [own, link])
})

/** A new account that muted b, a and c of these subsites, in this order. */
const muter = async (prefix: string) => {
  const who = await newcomer(site)
  const [a, b, c] = [`${prefix}a`, `${prefix}b`, `${prefix}c`] as const
  const ids: Record<string, string> = {}
  for (const name of [a, b, c]) ids[name] = await foundSubsite(ann, name)
  for (const name of [b, a, c]) await mute(who, ids[name] ?? '')
  return { who, a, b, c, ids }
}

test.serial('an account can list the subsites that it muted, latest first, in pages', async (t) => {
  const { who, a, b, c } = await muter('muted')
  t.deepEqual(await mutedBy(who), [c, a, b])
  const page = await who.get('/subs/mine/muted?limit=2')
  t.deepEqual(
    dataOf(page).map(({ display_name }) => display_name),
    [c, a],
  )
  t.deepEqual(await mutedBy(who, `?limit=2&after=${page.at('data.after')}`), [b])
  t.deepEqual(childrenOf(await ann.get('/subs/mine/muted')), [])
})

test.serial('a muted subsite is listed only while the viewer may view it', async (t) => {
  const { who, a, b, c, ids } = await muter('closed')
  await postForm(ann, '/api/site_admin', { sr: ids[b], title: 'b', type: 'private' })
  t.deepEqual(await mutedBy(who), [c, a])
})

test.serial('muting needs the id of a subsite', async (t) => {
  const link = await submit(bob, 'tea')
  for (const path of ['/api/mute_subsite', '/api/unmute_subsite'])
    for (const id of [undefined, '', 'tea', 't4_zzzz', 'all', link]) t.is((await bob.post(path, { id })).status, 400, `${path} ${id}`)
})

test.serial('moderators cannot mute their subsite', async (t) => {
  t.is((await ann.post('/api/mute_subsite', { id: await subsiteId('tea') })).status, 400)
})

test.serial('a token of the scope subscribe cannot mute', async (t) => {
  const token = await bob.withScopes('subscribe')
  t.is((await token.post('/api/mute_subsite', { id: await subsiteId('tea') })).status, 403)
})

test.serial('an account can mute only a limited number of subsites', async (t) => {
  const who = await newcomer(site)
  await recordForMany(site, who, MuteAndBlock, 'subsite', MAX_MUTED_SUBSITES, (subsite) => SubsiteMuted({ account: who.id, subsite }))
  t.is((await site.running.app.documents.getMany(mutesAndBlocks, [muteAndBlockId(who.id, unknownFullname('subsite', 0))])).size, 1)
  const refused = await who.post('/api/mute_subsite', { id: await subsiteId('tea') })
  t.deepEqual([refused.status, refused.at('reason')], [400, 'TOO_MANY_MUTED'])
})
