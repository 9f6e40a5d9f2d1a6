import { MAX_SUBSCRIPTIONS_PER_ACCOUNT, Subscribed, Subscription } from '../../src/domain/subscription.ts'
import { newcomer, startWithDefaults } from '../support/cast.ts'
import { dataOf, displayNames, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, refusalOf } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'
import { recordForMany } from '../support/unknown-others.ts'

const test = testOn(() => startWithDefaults(['ann', 'bob', 'carol', 'dora', 'emil', 'eve', 'fred']))

test.serial('subscribing and unsubscribing take a name, a fullname or several names', async (t) => {
  const { site, ann } = t.context
  const who = await newcomer(site)
  const sr = await foundSubsite(ann, 'juice')
  await foundSubsite(ann, 'water')
  const mine = () => displayNames(who, '/subs/mine/subscriber')
  t.is((await who.post('/api/subscribe', { action: 'sub', sr: 'juice' })).text, '{}')
  t.true((await mine()).includes('juice'))
  await postForm(who, '/api/subscribe', { action: 'unsub', sr_name: '/s/juice' })
  t.false((await mine()).includes('juice'))
  await postForm(who, '/api/subscribe', { action: 'sub', sr })
  t.true((await mine()).includes('juice'))
  await postForm(who, '/api/subscribe', { action: 'unsub', sr })
  await postForm(who, '/api/subscribe', { action: 'sub', sr_name: 'juice,water' })
  t.deepEqual(await mine(), ['general', 'juice', 'news', 'water'])
})

test.serial('the first subscription of an account adds the default subsites', async (t) => {
  const { ann, carol } = t.context
  await foundSubsite(ann, 'chosen')
  t.deepEqual(await displayNames(carol, '/subs/mine/subscriber'), [])
  await postForm(carol, '/api/subscribe', { action: 'sub', sr: 'chosen' })
  t.deepEqual(await displayNames(carol, '/subs/mine/subscriber'), ['chosen', 'general', 'news'])
})

test.serial('a subscriber is counted once, until they unsubscribe; unsubscribing again is 404', async (t) => {
  const { site, ann } = t.context
  const who = await newcomer(site)
  const sr = await foundSubsite(ann, 'counted')
  const count = async () => (await site.get('/s/counted/about')).at('data.subscribers')
  const refused = () => recordsNothing(site, async () => t.is((await who.post('/api/subscribe', { action: 'unsub', sr })).status, 404))
  t.true(await refused(), 'who has not subscribed')
  await postForm(who, '/api/subscribe', { action: 'sub', sr })
  t.is(await count(), 2)
  t.true(await recordsNothing(site, () => postForm(who, '/api/subscribe', { action: 'sub', sr })))
  await postForm(who, '/api/subscribe', { action: 'unsub', sr })
  t.is(await count(), 1)
  t.true(await refused(), 'who has unsubscribed')
})

test.serial('subscribing to a subsite that does not exist, or is an aggregate, or by an unknown action is refused', async (t) => {
  const { site, ann } = t.context
  const who = await newcomer(site)
  await foundSubsite(ann, 'offered')
  for (const [form, status] of [
    [{ action: 'sub', sr: 'nowhere' }, 404],
    [{ action: 'sub', sr: 't4_zzzz' }, 404],
    [{ action: 'sub' }, 404],
    [{ action: 'sub', sr: 'all' }, 403],
    [{ action: 'sub', sr: '/s/Mod/' }, 403],
    [{ action: 'unsub', sr: 'all' }, 404],
    [{ action: 'join', sr: 'offered' }, 400],
    [{ sr: 'offered' }, 400],
  ] as const)
    t.true(await recordsNothing(site, async () => t.is((await who.post('/api/subscribe', form)).status, status, JSON.stringify(form))))
})

test.serial('subscribing needs an account and the scope subscribe', async (t) => {
  const { site, bob } = t.context
  t.is(refusalOf(await site.post('/api/subscribe', { action: 'sub', sr: 'general' })), 'USER_REQUIRED')
  t.is((await (await bob.withScopes('read')).post('/api/subscribe', { action: 'sub', sr: 'general' })).status, 403)
})

test.serial('a new account can unsubscribe from a default subsite, and none is added again', async (t) => {
  const { eve } = t.context
  await postForm(eve, '/api/subscribe', { action: 'unsub', sr: 'news' })
  t.deepEqual(await displayNames(eve, '/subs/mine/subscriber'), ['general'])
  await postForm(eve, '/api/subscribe', { action: 'unsub', sr: 'general' })
  t.deepEqual(await displayNames(eve, '/subs/mine/subscriber'), [])
  await postForm(eve, '/api/subscribe', { action: 'sub', sr: 'news' })
  t.deepEqual(await displayNames(eve, '/subs/mine/subscriber'), ['news'])
})

test.serial('a banned account can subscribe', async (t) => {
  const { ann, bob } = t.context
  const sr = await foundSubsite(ann, 'barred')
  await postForm(ann, '/s/barred/api/friend', { type: 'banned', name: 'bob' })
  await postForm(bob, '/api/subscribe', { action: 'sub', sr })
  t.true((await displayNames(bob, '/subs/mine/subscriber')).includes('barred'))
})

test.serial('a subscription outlasts the right to view, and can be ended without it', async (t) => {
  const { site, ann } = t.context
  const who = await newcomer(site)
  const sr = await foundSubsite(ann, 'closing')
  await postForm(who, '/api/subscribe', { action: 'sub', sr })
  const seen = async () => (await displayNames(who, '/subs/mine/subscriber')).includes('closing')
  const count = async () => (await ann.get('/s/closing/about')).at('data.subscribers')
  t.true(await seen())
  await postForm(ann, '/api/site_admin', { sr, type: 'private' })
  t.deepEqual([await seen(), await count()], [false, 2])
  await postForm(ann, '/api/site_admin', { sr, type: 'public' })
  t.true(await seen(), 'and is there again')
  await postForm(ann, '/api/site_admin', { sr, type: 'private' })
  await postForm(who, '/api/subscribe', { action: 'unsub', sr })
  t.is(await count(), 1)
})

test.serial('lists of subsites leave out private ones and those for adults', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'adults', { over_18: 'true' })
  await foundSubsite(ann, 'shown')
  await foundSubsite(ann, 'hushed', { type: 'private' })
  const popular = await displayNames(site, '/subs/popular?limit=100')
  t.deepEqual(
    ['shown', 'adults', 'hushed'].map((name) => popular.includes(name)),
    [true, false, false],
  )
})

test.serial('the list of popular subsites begins with those of most subscribers, and is the one shown by default', async (t) => {
  const { site, ann, dora, emil, fred } = t.context
  await foundSubsite(ann, 'liked')
  await foundSubsite(ann, 'less_liked')
  for (const who of [dora, emil, fred]) await postForm(who, '/api/subscribe', { action: 'sub', sr: 'liked' })
  const popular = await displayNames(site, '/subs/popular?limit=100')
  t.deepEqual(popular, await displayNames(site, '/subs?limit=100'))
  const sizes = dataOf(await site.get('/subs/popular?limit=100')).map(({ subscribers }) => Number(subscribers))
  t.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  )
  t.true(popular.indexOf('liked') < popular.indexOf('less_liked'))
})

test.serial('subsites kept out of /s/all, default ones and those for gold have lists of their own; other lists are 404', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'quiet', { allow_top: 'false' })
  t.true((await displayNames(site, '/subs/popular?limit=100')).includes('quiet'))
  t.deepEqual(await displayNames(site, '/subs/notall'), ['quiet'])
  t.deepEqual((await displayNames(site, '/subs/default')).toSorted(), ['general', 'news'])
  t.deepEqual(await displayNames(site, '/subreddits/default'), await displayNames(site, '/subs/default'))
  t.deepEqual(await displayNames(site, '/subs/gold'), [])
  t.is((await site.get('/subs/cheap')).status, 404)
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

test.serial('a viewer can list the subsites that they moderate, with their permissions', async (t) => {
  const { ann, bob } = t.context
  await foundSubsite(ann, 'own_list', { over_18: 'true' })
  t.deepEqual(await displayNames(bob, '/subs/mine/moderator'), [])
  const moderated = dataOf(await ann.get('/subs/mine/moderator?limit=100'))
  t.deepEqual(moderated[0]?.mod_permissions, ['all'])
  t.true(moderated.some(({ display_name }) => display_name === 'own_list'))
})

test.serial('a list of the own subsites is refused without an account, by an unknown name or after an unknown anchor', async (t) => {
  const { site, ann } = t.context
  t.is((await ann.get('/subs/mine/moderator?after=t5_1')).status, 400)
  t.is((await ann.get('/subs/mine/cheap')).status, 404)
  const refused = await site.get('/subs/mine/subscriber')
  t.deepEqual([refused.status, refused.at('reason')], [403, 'USER_REQUIRED'])
})

test.serial('a subsite that the viewer may not view is no anchor of a list', async (t) => {
  const { ann, bob } = t.context
  const secret = await foundSubsite(ann, 'vault', { type: 'private' })
  for (const path of ['/subs/new', '/subs/popular', '/subs/mine/subscriber']) {
    t.is((await bob.get(`${path}?after=${secret}`)).status, 403, path)
    t.is((await ann.get(`${path}?after=${secret}`)).status, 200, path)
  }
})

const search = async (caller: Caller, form: Record<string, string>) => (await caller.post('/api/search_site_names', form)).at('names')

test.serial(
  'search_site_names finds subsites whose names begin with a text, not private ones, nor those for adults if not asked',
  async (t) => {
    const { site, ann } = t.context
    await foundSubsite(ann, 'prefixOne')
    await foundSubsite(ann, 'prefixTwo', { over_18: 'true' })
    await foundSubsite(ann, 'prefixThree', { type: 'private' })
    t.deepEqual(await search(site, { query: 'PREFIX' }), ['prefixTwo', 'prefixOne'])
    t.deepEqual(await search(site, { query: 'prefix', include_over_18: 'false' }), ['prefixOne'])
    t.deepEqual((await site.post('/api/search_site_names?query=/s/prefixo')).at('names'), ['prefixOne'])
    for (const path of ['search_site_names', 'search_reddit_names.json'])
      t.deepEqual((await site.get(`/api/${path}?query=prefixo`)).body, { names: ['prefixOne'] }, path)
  },
)

test.serial('an exact search for a name finds the subsite of just that name, also a private one', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'exactlyThis', { type: 'private' })
  t.deepEqual(await search(site, { query: 'exactlythis', exact: 'true' }), ['exactlyThis'])
  t.is((await site.post('/api/search_site_names', { query: 'exactly', exact: 'true' })).status, 404)
})

test.serial('search_site_names finds nothing for a text that no name can begin with', async (t) => {
  for (const query of ['', 'x'.repeat(51), 'préfix', 'pre\u0007']) t.deepEqual(await search(t.context.site, { query }), [], query)
})

test.serial('search_site_names finds at most ten subsites', async (t) => {
  const { site, ann } = t.context
  for (let n = 0; n < 11; n += 1) await foundSubsite(ann, `eleven_${n}`)
  t.is(((await search(site, { query: 'eleven' })) as readonly string[]).length, 10)
})

test.serial('an account can subscribe to only a limited number of subsites; subscribing again to one is allowed', async (t) => {
  const { site, ann } = t.context
  const who = await newcomer(site)
  const subsite = await foundSubsite(ann, 'onebefore')
  const founded = await foundSubsite(ann, 'onetoomany')
  await postForm(who, '/api/subscribe', { action: 'sub', sr: subsite })
  const { length } = await displayNames(who, '/subs/mine/subscriber?limit=100')
  await recordForMany(site, who, Subscription, 'subsite', MAX_SUBSCRIPTIONS_PER_ACCOUNT - length, (sr) =>
    Subscribed({ account: who.id, subsite: sr }),
  )
  const refused = await who.post('/api/subscribe', { action: 'sub', sr: founded })
  t.deepEqual([refused.status, refused.at('reason')], [400, 'TOO_MANY_SUBSCRIBED'])
  t.is((await who.post('/api/subscribe', { action: 'sub', sr: subsite })).status, 200)
  await postForm(who, '/api/subscribe', { action: 'unsub', sr: subsite })
  await waitUntilSettled(site)
  t.is((await who.post('/api/subscribe', { action: 'sub', sr: founded })).status, 200)
  t.is((await who.get('/hot')).status, 200)
})
