import { fullname } from '../../src/domain/ids.ts'
import { Subscription, subscribe } from '../../src/domain/subscription.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { startCast } from '../support/cast.ts'
import { dataOf, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, settle, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(['ann', 'bob', 'carol', 'root'], { homeSubsite: 'home' }))

const namesIn = (answer: Answer) => dataOf(answer).map(({ display_name }) => display_name)

test.serial('a search finds subsites by what everybody may read of them, the most subscribed first', async (t) => {
  const { site, ann, bob, root } = t.context
  await foundSubsite(ann, 'Oolong', { title: 'Half fermented leaves', description: 'Steep sevenfold.', 'header-title': 'hovering' })
  await foundSubsite(ann, 'pekoe', { title: 'Leaves in bud', public_description: 'Orange, without oranges', over_18: 'true' })
  await foundSubsite(bob, 'cellar', {
    title: 'Secret leaves',
    description: 'The sevenfold key.',
    public_description: 'Knock.',
    type: 'private',
  })
  await postForm(root, '/api/subscribe', { action: 'sub', sr_name: 'pekoe' })
  const sought = async (q: string, reader: Caller = site, more = '') =>
    namesIn(await reader.get(`/subsites/search?q=${encodeURIComponent(q)}${more}`))
  t.deepEqual(await sought('leaves'), ['pekoe', 'cellar', 'Oolong'])
  t.deepEqual(await sought('LEAVES half'), ['Oolong'], 'every word')
  t.deepEqual(await sought('oolong'), ['Oolong'])
  t.deepEqual(await sought('/s/oolong'), ['Oolong'])
  t.deepEqual(await sought('oranges'), ['pekoe'])
  t.deepEqual(await sought('hovering'), ['Oolong'])
  t.deepEqual(await sought('sevenfold'), ['Oolong'], 'not by the sidebar of a private one')
  t.deepEqual(await sought('sevenfold', bob), ['Oolong'], 'not even for its moderator')
  t.deepEqual(await sought('leaves', site, '&sort=activity'), ['pekoe', 'cellar', 'Oolong'])
  t.deepEqual(await sought('leaves', site, '&obey_over18=true'), ['cellar', 'Oolong'])
  for (const q of ['', '   ', '"', '%', '*', 'nothinglikethis']) t.deepEqual(await sought(q), [], q)
  const [closed] = dataOf(await ann.get('/subsites/search?q=knock'))
  t.like(closed, { display_name: 'cellar', title: 'Secret leaves', public_description: 'Knock.', subsite_type: 'private' })
  t.like(closed, { description: null, subscribers: null, submit_text: null, header_img: null, community_rules: null })
  t.is(dataOf(await bob.get('/subsites/search?q=knock'))[0]?.description, 'The sevenfold key.')
  const first = await site.get('/subsites/search?q=leaves&limit=1')
  t.deepEqual(first.at('data.facets'), {})
  t.deepEqual(namesIn(await site.get(`/subsites/search?q=leaves&limit=5&after=${first.at('data.after')}`)), ['cellar', 'Oolong'])
  t.is((await site.get('/subsites/search.rss?q=leaves')).status, 200)
  await settle(bob, String(closed?.name), { type: 'public' })
  t.deepEqual((await sought('sevenfold')).toSorted(), ['Oolong', 'cellar'])
})

test.serial('a search finds subsites by parts of titles in scripts without spaces, by emoji and by full-width forms', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'shanghai', { title: '我爱上海东边🍵', public_description: 'ชาเขียวมาก' })
  for (const q of ['上海', '爱', '🍵', 'ชาเขียว', 'ｓｈａｎｇｈａｉ'])
    t.deepEqual(namesIn(await site.get(`/subsites/search?q=${encodeURIComponent(q)}`)), ['shanghai'], q)
})

test.serial('subsites that at least two subscribers of a subsite share are recommended', async (t) => {
  const { site, ann, bob, carol } = t.context
  const likes = async (srnames: string, query = '', reader: Caller = site) =>
    ((await reader.get(`/api/recommend/sr/${srnames}${query}`)).body as { sr_name: string }[]).map(({ sr_name }) => sr_name)
  const subscribe = (who: Caller, sr_name: string) => postForm(who, '/api/subscribe', { action: 'sub', sr_name })
  for (const name of ['hub', 'near', 'far', 'lonely']) await foundSubsite(ann, name)
  await foundSubsite(ann, 'adult', { over_18: 'true' })
  await foundSubsite(ann, 'apart', { allow_top: 'false' })
  await foundSubsite(ann, 'vault', { type: 'private' })
  for (const name of ['adult', 'apart', 'near', 'far', 'hub']) await subscribe(bob, name)
  for (const name of ['near', 'hub']) await subscribe(carol, name)
  for (const member of [bob, carol]) {
    await postForm(ann, '/s/vault/api/friend', { type: 'contributor', name: member.name })
    await subscribe(member, 'vault')
  }
  t.deepEqual(await likes('hub'), ['near', 'far'], 'the most shared first; nothing that is over-18, kept apart, private or of one account')
  t.deepEqual(await likes('HUB,unknown'), ['near', 'far'])
  t.deepEqual(await likes('hub', '?omit=near,unknown'), ['far'])
  t.deepEqual(await likes('hub,near'), ['far'])
  t.deepEqual((await likes('hub,adult')).toSorted(), ['far', 'near'], 'what is asked for is not answered')
  t.deepEqual((await likes('adult')).toSorted(), ['far', 'hub', 'near'])
  t.deepEqual(await likes('hub', '', bob), ['near', 'far'], 'nor is a private subsite recommended to its members')
  t.deepEqual(await likes('vault'), [], 'what members of a private subsite share is not told to others')
  t.deepEqual((await likes('vault', '', bob)).toSorted(), ['far', 'hub', 'near'])
  t.deepEqual(await likes('unknown'), [])
  t.deepEqual(await likes('lonely'), [])
  const empty = await site.get('/api/recommend/sr/%2C')
  t.deepEqual([empty.status, empty.at('reason'), empty.at('fields')], [400, 'BAD_SR_NAME', ['srnames']])
  await postForm(bob, '/api/subscribe', { action: 'unsub', sr_name: 'far' })
  t.deepEqual(await likes('hub'), ['near'])
})

test.serial('only the newest fifty subscriptions of an account count for recommendations', async (t) => {
  const { site } = t.context
  const [mia, noa] = [await site.register('mia'), await site.register('noa')]
  const recommended = async () => {
    await waitUntilSettled(site)
    return ((await site.get('/api/recommend/sr/hive')).body as { sr_name: string }[]).map(({ sr_name }) => sr_name)
  }
  for (const name of ['earliest', 'hive']) {
    await foundSubsite(mia, name) // the founder is subscribed
    await postForm(noa, '/api/subscribe', { action: 'sub', sr_name: name })
  }
  const { app } = site.running
  const subscribeTo = async (n: number) => {
    const other = fullname('subsite', 6_000_000 + n)
    const by = commandOf(seedOf(app.mint()), { account: noa.id, as: 'user' })
    await app.run(Subscription, `${noa.id}.${other}`, subscribe(noa.id, other), by)
  }
  await Promise.all(Array.from({ length: 48 }, (_, n) => subscribeTo(n)))
  t.deepEqual(await recommended(), ['earliest'], 'the fiftieth')
  await subscribeTo(48)
  t.deepEqual(await recommended(), [], 'the fifty-first')
})

test.serial('archived subsites and default ones are not found by topic', async (t) => {
  const { site, ann, root } = await startCast(['ann', 'root'], { defaultSubsites: ['everyday'] })
  t.teardown(site.stop)
  const ids = new Map<string, string>()
  for (const name of ['everyday', 'museum', 'garden']) {
    ids.set(name, await foundSubsite(ann, name))
    await submit(ann, name, { title: 'On lichen' })
  }
  const about = async () =>
    ((await site.get('/api/subsites_by_topic?query=lichen')).body as { readonly name: string }[]).map(({ name }) => name).toSorted()
  t.deepEqual(await about(), ['garden', 'museum'])
  await postForm(root, '/api/site_admin', { sr: ids.get('museum'), type: 'archived' })
  t.deepEqual(await about(), ['garden'])
})

test.serial('a topic finds the subsites of the links about it', async (t) => {
  const { site, ann, bob } = t.context
  const about = async (query: string, reader: Caller = site, cookie = {}) =>
    ((await reader.get(`/api/subsites_by_topic?query=${encodeURIComponent(query)}`, cookie)).body as { name: string }[]).map(
      ({ name }) => name,
    )
  await foundSubsite(ann, 'brewing')
  await foundSubsite(ann, 'baking')
  await foundSubsite(ann, 'hushed', { type: 'private' })
  await foundSubsite(ann, 'adults', { over_18: 'true' })
  for (const name of ['brewing', 'brewing', 'baking', 'hushed', 'adults']) await submit(ann, name, { title: 'On yeast', text: 'It lives.' })
  t.deepEqual(await about('yeast'), ['brewing', 'baking'])
  t.deepEqual((await about('yeast', ann)).toSorted(), ['baking', 'brewing', 'hushed'])
  t.deepEqual((await about('yeast', site, { Cookie: 'over18=1' })).toSorted(), ['adults', 'baking', 'brewing'])
  for (const query of ['', 'y', 'the', 'x'.repeat(51), 'yeast water']) t.deepEqual(await about(query, bob), [], query)
})
