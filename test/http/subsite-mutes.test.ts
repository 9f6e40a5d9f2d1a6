import test from 'ava'
import { avoidanceId, avoidances } from '../../projections/avoidances.ts'
import { Avoidance, MOST_MUTED, SubsiteMuted } from '../../src/domain/avoidance.ts'
import { five, newcomer, startCast } from '../support/cast.ts'
import { children, dataOf, displayNames, done, unchanged } from '../support/community.ts'
import { found, names, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { recordForMany, unknown } from '../support/unknown-others.ts'

const { site, ann, bob, root } = await startCast(five)
await found(ann, 'tea')
test.after.always(() => site.stop())

const subsiteId = async (name: string) => String((await site.get(`/s/${name}/about`)).at('data.name'))
const mutedBy = (who: Caller, query = '') => displayNames(who, `/subs/mine/muted${query}`)

test.serial('a muted subsite is left out of /s/all only', async (t) => {
  const who = await newcomer(site)
  const id = await found(ann, 'loud')
  await done(who, '/api/subscribe', { sr: 'loud', action: 'sub' })
  const [link, own] = [await submit(ann, 'loud'), await submit(who, 'loud')]
  const all = async (query = '') => names(await who.get(`/s/all/new?limit=100${query}`)).filter((name) => [link, own].includes(name))
  t.deepEqual(await all(), [own, link])
  t.is((await who.post('/api/mute_subsite', { id })).text, '{}')
  t.true(await unchanged(site, () => who.post('/api/mute_subsite', { id })))
  t.deepEqual(await all(), [], 'own links included')
  t.deepEqual(await all('&show=all'), [own, link])
  const comment = await say(who, link)
  for (const [reader, muted] of [
    [who, true],
    [ann, false],
    [site, false],
  ] as const)
    for (const thing of dataOf(await reader.get(`/api/info?id=${link},${comment}`))) t.is(thing.muted, muted, 'on the records')
  t.deepEqual(names(await who.get('/s/loud/new')), [own, link])
  t.deepEqual(names(await who.get('/s/subscribed/new')), [own, link])
  t.is((await who.get('/s/loud/random')).headers.get('location'), `${site.url}/s/loud/`, 'drawn no more')
  t.true(names(await ann.get('/s/all/new?limit=100')).includes(link), 'for others it is there')
  await done(root, '/api/mute_subsite', { id })
  t.true(names(await root.get('/s/all/new?limit=100')).includes(link), 'and for admins that mute it')
  t.is((await who.post('/api/unmute_subsite', { id })).text, '{}')
  t.true(await unchanged(site, () => who.post('/api/unmute_subsite', { id })))
  t.deepEqual(await all(), [own, link])
})

test.serial('muted subsites are listed latest first, in pages; a private one only while the viewer may view it', async (t) => {
  const who = await newcomer(site)
  for (const name of ['muteda', 'mutedb', 'mutedc']) await found(ann, name)
  for (const name of ['mutedb', 'muteda', 'mutedc']) await done(who, '/api/mute_subsite', { id: await subsiteId(name) })
  t.deepEqual(await mutedBy(who), ['mutedc', 'muteda', 'mutedb'])
  const page = await who.get('/subs/mine/muted?limit=2')
  t.deepEqual(
    dataOf(page).map(({ display_name }) => display_name),
    ['mutedc', 'muteda'],
  )
  t.deepEqual(await mutedBy(who, `?limit=2&after=${page.at('data.after')}`), ['mutedb'])
  t.deepEqual(children(await ann.get('/subs/mine/muted')), [])
  await done(ann, '/api/site_admin', { sr: await subsiteId('mutedb'), title: 'b', type: 'private' })
  t.deepEqual(await mutedBy(who), ['mutedc', 'muteda'])
})

test.serial('muting an unknown or a moderated subsite is 400', async (t) => {
  const own = await subsiteId('tea')
  const link = await submit(bob, 'tea')
  for (const path of ['/api/mute_subsite', '/api/unmute_subsite'])
    for (const id of [undefined, '', 'tea', 't4_zzzz', 'all', link]) t.is((await bob.post(path, { id })).status, 400, `${path} ${id}`)
  t.is((await ann.post('/api/mute_subsite', { id: own })).status, 400, 'the moderator')
  t.is((await (await bob.withScopes('subscribe')).post('/api/mute_subsite', { id: own })).status, 403)
})

test.serial('an account can mute only a limited number of subsites', async (t) => {
  const who = await newcomer(site)
  await recordForMany(site, who, Avoidance, 'subsite', MOST_MUTED, (subsite) => SubsiteMuted({ account: who.id, subsite }))
  t.is((await site.running.app.documents.getMany(avoidances, [avoidanceId(who.id, unknown('subsite', 0))])).size, 1)
  const refused = await who.post('/api/mute_subsite', { id: await subsiteId('tea') })
  t.deepEqual([refused.status, refused.at('reason')], [400, 'TOO_MANY_MUTED'])
})
