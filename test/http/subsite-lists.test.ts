import { MOST_SUBSCRIBED, Subscribed, Subscription } from '../../src/domain/subscription.ts'
import { newcomer, startWithDefaults } from '../support/cast.ts'
import { dataOf, displayNames, done, settled, unchanged } from '../support/community.ts'
import { found, refusalOf } from '../support/posting.ts'
import { testOn } from '../support/test-on.ts'
import { recordForMany } from '../support/unknown-others.ts'

const test = testOn(() => startWithDefaults(['ann', 'bob', 'carol', 'dora', 'emil', 'eve', 'fred']))

test.serial('subscribing takes a name, a fullname or several names, and can be undone', async (t) => {
  const { site, ann, carol } = t.context
  const sr = await found(ann, 'juice')
  await found(ann, 'water')
  const mine = () => displayNames(carol, '/subs/mine/subscriber')
  const count = async () => (await site.get('/s/juice/about')).at('data.subscribers')
  t.deepEqual(await mine(), [])
  t.true(await unchanged(site, async () => t.is((await carol.post('/api/subscribe', { action: 'unsub', sr })).status, 404)))
  t.is((await carol.post('/api/subscribe', { action: 'sub', sr: 'juice' })).text, '{}')
  t.deepEqual(await mine(), ['general', 'juice', 'news'], 'the first time, the defaults come along')
  t.is(await count(), 2)
  t.true(await unchanged(site, () => done(carol, '/api/subscribe', { action: 'sub', sr })))
  await done(carol, '/api/subscribe', { action: 'unsub', sr_name: '/s/juice' })
  t.is(await count(), 1)
  t.true(await unchanged(site, async () => t.is((await carol.post('/api/subscribe', { action: 'unsub', sr })).status, 404)))
  await done(carol, '/api/subscribe', { action: 'sub', sr_name: 'juice,water' })
  t.deepEqual(await mine(), ['general', 'juice', 'news', 'water'])
  for (const [form, status] of [
    [{ action: 'sub', sr: 'nowhere' }, 404],
    [{ action: 'sub', sr: 't4_zzzz' }, 404],
    [{ action: 'sub' }, 404],
    [{ action: 'sub', sr: 'all' }, 403],
    [{ action: 'sub', sr: '/s/Mod/' }, 403],
    [{ action: 'unsub', sr: 'all' }, 404],
    [{ action: 'join', sr: 'juice' }, 400],
    [{ sr: 'juice' }, 400],
  ] as const)
    t.true(await unchanged(site, async () => t.is((await carol.post('/api/subscribe', form)).status, status, JSON.stringify(form))))
  t.is(refusalOf(await site.post('/api/subscribe', { action: 'sub', sr: 'juice' })), 'USER_REQUIRED')
  t.is((await (await carol.withScopes('read')).post('/api/subscribe', { action: 'sub', sr: 'juice' })).status, 403)
})

test.serial('a new account can unsubscribe from a default subsite, and none is added again', async (t) => {
  const { eve } = t.context
  await done(eve, '/api/subscribe', { action: 'unsub', sr: 'news' })
  t.deepEqual(await displayNames(eve, '/subs/mine/subscriber'), ['general'])
  await done(eve, '/api/subscribe', { action: 'unsub', sr: 'general' })
  t.deepEqual(await displayNames(eve, '/subs/mine/subscriber'), [])
  await done(eve, '/api/subscribe', { action: 'sub', sr: 'news' })
  t.deepEqual(await displayNames(eve, '/subs/mine/subscriber'), ['news'])
})

test.serial('a banned account can subscribe, and a subscription outlasts the right to view', async (t) => {
  const { ann, bob } = t.context
  const sr = await found(ann, 'closing')
  await done(ann, '/s/closing/api/friend', { type: 'banned', name: 'bob' })
  await done(bob, '/api/subscribe', { action: 'sub', sr })
  const seen = async () => (await displayNames(bob, '/subs/mine/subscriber')).includes('closing')
  t.true(await seen())
  await done(ann, '/api/site_admin', { sr, type: 'private' })
  t.false(await seen())
  t.is((await ann.get('/s/closing/about')).at('data.subscribers'), 2)
  await done(ann, '/api/site_admin', { sr, type: 'public' })
  t.true(await seen(), 'and is there again')
  await done(ann, '/api/site_admin', { sr, type: 'private' })
  await done(bob, '/api/subscribe', { action: 'unsub', sr })
  t.is((await ann.get('/s/closing/about')).at('data.subscribers'), 1, 'and can be ended without it')
})

test.serial('lists of subsites leave out private ones and those for adults, and begin with those of most subscribers', async (t) => {
  const { site, ann, dora, emil, fred } = t.context
  await found(ann, 'adults', { over_18: 'true' })
  await found(ann, 'quiet', { allow_top: 'false' })
  await found(ann, 'liked')
  await found(ann, 'hushed', { type: 'private' })
  for (const who of [dora, emil, fred]) await done(who, '/api/subscribe', { action: 'sub', sr: 'liked' })
  const popular = await displayNames(site, '/subs/popular?limit=100')
  t.deepEqual(popular, await displayNames(site, '/subs?limit=100'))
  t.deepEqual(
    ['liked', 'adults', 'hushed'].map((name) => popular.includes(name)),
    [true, false, false],
  )
  const sizes = dataOf(await site.get('/subs/popular?limit=100')).map(({ subscribers }) => Number(subscribers))
  t.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  )
  t.true(popular.indexOf('liked') < popular.indexOf('quiet'))
  t.deepEqual(await displayNames(site, '/subs/notall'), ['quiet'])
  t.deepEqual((await displayNames(site, '/subs/default')).toSorted(), ['general', 'news'])
  t.deepEqual(await displayNames(site, '/subs/gold'), [])
  t.is((await site.get('/subs/cheap')).status, 404)
  t.deepEqual(await displayNames(site, '/subreddits/default'), await displayNames(site, '/subs/default'))
})

test.serial('lists of subsites are paged without gaps or repetitions', async (t) => {
  const { site } = t.context
  for (const where of ['popular', 'new'] as const) {
    const whole = await displayNames(site, `/subs/${where}?limit=100`)
    const walked: unknown[] = []
    let after: unknown = ''
    do {
      const page = await site.get(`/subs/${where}?limit=2&after=${after}`)
      walked.push(...dataOf(page).map(({ display_name }) => display_name))
      after = page.at('data.after')
    } while (after !== null && walked.length < 100)
    t.deepEqual(walked, whole, where)
  }
})

test.serial('a viewer can list the subsites that they moderate; only an account has such lists', async (t) => {
  const { site, ann, bob } = t.context
  await found(ann, 'own_list', { over_18: 'true' })
  t.deepEqual(await displayNames(bob, '/subs/mine/moderator'), [])
  const moderated = dataOf(await ann.get('/subs/mine/moderator?limit=100'))
  t.deepEqual(moderated[0]?.mod_permissions, ['all'])
  t.true(moderated.some(({ display_name }) => display_name === 'own_list'))
  t.is((await ann.get('/subs/mine/moderator?after=t5_1')).status, 400)
  t.is((await ann.get('/subs/mine/cheap')).status, 404)
  t.is((await site.get('/subs/mine/subscriber')).at('reason'), 'USER_REQUIRED')
  t.is((await site.get('/subs/mine/subscriber')).status, 403)
})

test.serial('a subsite that the viewer may not view is no anchor of a list', async (t) => {
  const { ann, bob } = t.context
  const secret = await found(ann, 'vault', { type: 'private' })
  for (const path of ['/subs/new', '/subs/popular', '/subs/mine/subscriber']) {
    t.is((await bob.get(`${path}?after=${secret}`)).status, 403, path)
    t.is((await ann.get(`${path}?after=${secret}`)).status, 200, path)
  }
})

test.serial('search_site_names finds subsites whose names begin with a text', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'prefixOne')
  await found(ann, 'prefixTwo', { over_18: 'true' })
  await found(ann, 'prefixThree', { type: 'private' })
  const search = async (form: Record<string, string>) => (await site.post('/api/search_site_names', form)).at('names')
  t.deepEqual(await search({ query: 'PREFIX' }), ['prefixTwo', 'prefixOne'])
  t.deepEqual(await search({ query: 'prefix', include_over_18: 'false' }), ['prefixOne'])
  t.deepEqual(await search({ query: 'prefixthree', exact: 'true' }), ['prefixThree'])
  t.is((await site.post('/api/search_site_names', { query: 'prefix', exact: 'true' })).status, 404)
  t.deepEqual(await search({ query: '' }), [])
  for (const query of ['x'.repeat(51), 'préfix', 'pre\u0007']) t.deepEqual(await search({ query }), [], query)
  for (let n = 0; n < 11; n += 1) await found(ann, `eleven_${n}`)
  t.is(((await search({ query: 'eleven' })) as readonly string[]).length, 10)
  t.deepEqual((await site.post('/api/search_site_names?query=/s/prefixo')).at('names'), ['prefixOne'])
})

test.serial('an account can subscribe to only a limited number of subsites; subscribing again to one is allowed', async (t) => {
  const { site, ann } = t.context
  const who = await newcomer(site)
  const subsite = await found(ann, 'onebefore')
  const founded = await found(ann, 'onetoomany')
  await done(who, '/api/subscribe', { action: 'sub', sr: subsite })
  const { length } = await displayNames(who, '/subs/mine/subscriber?limit=100')
  await recordForMany(site, who, Subscription, 'subsite', MOST_SUBSCRIBED - length, (sr) => Subscribed({ account: who.id, subsite: sr }))
  const refused = await who.post('/api/subscribe', { action: 'sub', sr: founded })
  t.deepEqual([refused.status, refused.at('reason')], [400, 'TOO_MANY_SUBSCRIBED'])
  t.is((await who.post('/api/subscribe', { action: 'sub', sr: subsite })).status, 200)
  await done(who, '/api/subscribe', { action: 'unsub', sr: subsite })
  await settled(site)
  t.is((await who.post('/api/subscribe', { action: 'sub', sr: founded })).status, 200)
  t.is((await who.get('/hot')).status, 200)
})
