import test from 'ava'
import { newcomer } from '../support/cast.ts'
import { dataOf } from '../support/community.ts'
import { copy, modelForm, modelOf, pathsOf, put, refusal, rename, show, startMultis, subsitesOf } from '../support/multis.ts'
import { foundSubsite, names, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, carol, dave, root, without } = await startMultis()
test.after.always(() => site.stop())

const named = (name: string) => `user/carol/m/${name}`
test.before(async () => {
  for (const visibility of ['private', 'hidden', 'public'] as const) await put(carol, named(visibility), { ...modelOf('tea'), visibility })
})

test('private and hidden multis do not exist for others, except for admins, who cannot edit them', async (t) => {
  const missing = await show(ann, named('missing'))
  for (const visibility of ['private', 'hidden']) {
    const path = named(visibility)
    for (const who of [ann, site]) t.deepEqual((await show(who, path)).body, missing.body)
    for (const [method, at, model] of [
      ['DELETE', path, undefined],
      ['GET', `${path}/description`, undefined],
      ['PUT', `${path}/description`, { body_md: 'x' }],
      ['GET', `${path}/s/tea`, undefined],
      ['PUT', `${path}/s/tea`, { name: 'tea' }],
      ['DELETE', `${path}/s/tea`, undefined],
    ] as const)
      t.is(
        refusal(await ann.request(method, `/api/multi/${at}`, method === 'GET' ? {} : modelForm(model))),
        '404 MULTI_NOT_FOUND multipath',
        `${method} ${at}`,
      )
    for (const where of ['', '/hot', '/new', '/top', '/about/log']) {
      const listed = await ann.get(`/${path}${where}`)
      t.is(refusal(listed), '404 MULTI_NOT_FOUND', where)
      t.is((await ann.get(`/${named('missing')}${where}`)).text, listed.text)
    }
    t.is((await show(root, path)).at('data.can_edit'), false)
    t.is((await carol.get(`/${path}/hot`)).status, 200)
  }
})

test('a public multi can be read by all and edited by its owner only', async (t) => {
  t.is((await show(site, named('public'))).at('data.can_edit'), false)
  for (const [method, at, model] of [
    ['DELETE', named('public'), undefined],
    ['PUT', `${named('public')}/description`, { body_md: 'x' }],
    ['PUT', `${named('public')}/s/coffee`, { name: 'coffee' }],
    ['DELETE', `${named('public')}/s/tea`, undefined],
  ] as const)
    for (const who of [ann, root])
      t.is(refusal(await who.request(method, `/api/multi/${at}`, modelForm(model))), '403 MULTI_CANNOT_EDIT multipath', at)
  t.is(refusal(await put(ann, named('private'), {})), '403 MULTI_CANNOT_EDIT multipath')
})

test('an account lists its own multis, others those of them that are public, admins all', async (t) => {
  for (const [who, seen] of [
    [ann, ['public']],
    [site, ['public']],
    [carol, ['hidden', 'private', 'public']],
    [root, ['hidden', 'private', 'public']],
  ] as const)
    t.deepEqual(
      pathsOf(await who.get('/api/multi/user/CAROL')),
      seen.map((name) => `/user/carol/m/${name}`),
    )
  t.deepEqual(pathsOf(await carol.get('/api/filter/mine')), ['/user/carol/m/hidden', '/user/carol/m/private', '/user/carol/m/public'])
  t.is(refusal(await site.get('/api/multi/user/nobody_here')), '400 USER_DOESNT_EXIST username')
  for (const name of ['no%20body', 'b%C3%B6b', 'a.b', 'x'.repeat(21)])
    t.is(refusal(await site.get(`/api/multi/user/${name}`)), '400 BAD_MULTI_PATH username', name)
  t.deepEqual((await without.get('/api/multi/mine')).body, [])
})

/** Subsites of a new account with a link each, of which one is private, and a public multi of all three. */
const garden = async () => {
  const owner = await newcomer(site)
  const [green, black, hidden] = ['green', 'black', 'hidden'].map((name) => `${name}_${owner.name}`) as [string, string, string]
  for (const name of [green, black]) await foundSubsite(owner, name)
  await foundSubsite(owner, hidden, { type: 'private' })
  const links = { green: await submit(owner, green), black: await submit(owner, black), hidden: await submit(owner, hidden) }
  const leaves = `user/${owner.name}/m/leaves`
  await put(owner, leaves, { ...modelOf(green, black, hidden), visibility: 'public' })
  await put(owner, `user/${owner.name}/m/herbs`, modelOf(black))
  return { owner, green, black, links, leaves }
}

test('links of a multi are listed by its address or by the parameter m, without those the viewer may not view', async (t) => {
  const { owner, links, leaves } = await garden()
  const paths = [`/${leaves}`, `/u/${owner.name.toUpperCase()}/m/LEAVES/new`, `/${leaves}/new.json`, `/new?m=/${leaves}`]
  for (const path of paths) {
    t.deepEqual(names(await owner.get(path)).toSorted(), Object.values(links).toSorted(), path)
    for (const who of [dave, site]) t.deepEqual(names(await who.get(path)), [links.black, links.green], path)
  }
})

test('a stickied link of a subsite has no place of its own in a multi', async (t) => {
  const { owner, green, links, leaves } = await garden()
  await owner.post('/api/set_subsite_sticky', { id: links.green, state: true })
  t.is(names(await site.get(`/s/${green}/hot`))[0], links.green)
  for (const who of [dave, site]) t.deepEqual(names(await who.get(`/${leaves}/new`)), [links.black, links.green])
})

test('an account lists its own multis by /me/m, also several at once', async (t) => {
  const { owner, links } = await garden()
  t.is(names(await owner.get('/me/m/leaves/top')).length, 3)
  t.deepEqual(names(await owner.get('/me/m/herbs/hot')), [links.black])
  t.is(names(await owner.get('/me/m/herbs+leaves/new')).length, 3)
  t.is(names(await owner.get(`/new?m=user/${owner.name}/m/herbs&m=/me/m/leaves`)).length, 3)
})

test('a listing of a multi that does not exist for the viewer, or of no multi, is refused', async (t) => {
  const { owner, leaves } = await garden()
  t.is(refusal(await owner.get('/me/m/herbs+not_there/new')), '404 MULTI_NOT_FOUND')
  t.is(refusal(await dave.get(`/new?m=user/${owner.name}/m/herbs&m=/${leaves}`)), '404 MULTI_NOT_FOUND')
  for (const m of ['herbs', '/', `/user/${owner.name}`, 'me/m'])
    for (const who of [owner, site]) {
      const expected = m.startsWith('me') && who === site ? '403 USER_REQUIRED' : '404 MULTI_NOT_FOUND'
      t.is(refusal(await who.get(`/new?m=${m}`)), expected, `what is no path of a multi: ${m}`)
    }
  t.is(refusal(await site.get('/me/m/herbs')), '403 USER_REQUIRED')
  t.is((await owner.get(`/me/m/${Array.from({ length: 11 }, () => 'herbs').join('+')}/new`)).status, 400)
})

test('links of a multi are paged and fed like those of a subsite', async (t) => {
  const { links, leaves } = await garden()
  const first = await dave.get(`/${leaves}/new?limit=1`)
  t.deepEqual(names(first), [links.black])
  t.deepEqual(names(await dave.get(`/${leaves}/new?limit=1&after=${first.at('data.after')}`)), [links.green])
  const feed = await site.get(`/${leaves}/new.rss`)
  t.regex(feed.headers.get('content-type') ?? '', /atom/)
  t.is(feed.text.match(/<entry>/g)?.length, 2)
})

test('a subsite taken out of a multi, or a multi made private, is no longer shown from a cached page', async (t) => {
  const { owner, black, links, leaves } = await garden()
  for (const who of [dave, site]) t.is(names(await who.get(`/${leaves}/new`)).length, 2)
  await owner.request('DELETE', `/api/multi/${leaves}/s/${black}`)
  for (const who of [dave, site, dave, site]) t.deepEqual(names(await who.get(`/${leaves}/new`)), [links.green])
  await put(owner, leaves, { visibility: 'private' })
  for (const who of [dave, site]) t.is((await who.get(`/${leaves}/new`)).status, 404)
  t.deepEqual(names(await owner.get('/me/m/herbs/hot')), [links.black], 'another multi of the same subsite')
})

test('multis of a permanently suspended account are visible to itself and admins only', async (t) => {
  const vain = await site.register('vain')
  await put(vain, 'user/vain/m/shown', { visibility: 'public', ...modelOf('tea') })
  const paths = ['/api/multi/user/vain/m/shown', '/user/vain/m/shown/new', '/api/multi/user/vain']
  const seenBy = async (who: Caller) => Promise.all(paths.map(async (path) => (await who.get(path)).status))
  t.deepEqual(await seenBy(site), [200, 200, 200])
  await root.post('/api/suspend_user', { name: 'vain', duration: 1 })
  t.deepEqual(await seenBy(dave), [200, 200, 200], 'for a while')
  await root.post('/api/suspend_user', { name: 'vain' })
  for (const who of [site, dave]) t.deepEqual(await seenBy(who), [404, 404, 400])
  t.is(refusal(await dave.post('/api/multi/copy', { from: 'user/vain/m/shown', to: 'user/dave/m/shown' })), '404 MULTI_NOT_FOUND from')
  for (const who of [vain, root]) t.deepEqual(await seenBy(who), [200, 200, 200])
})

/** An account that filters Tea out of all subsites, where it has a link as well as in one of its own. */
const filtering = async () => {
  const owner = await newcomer(site)
  const own = `picked_${owner.name}`
  await foundSubsite(owner, own)
  const [left, kept] = [await submit(owner, 'tea'), await submit(owner, own)]
  const filter = `/api/filter/user/${owner.name}/f/all`
  /** Tells whether a listing has each of the links. */
  const has = async (who: Caller, path: string) => {
    const listed = names(await who.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`))
    return [listed.includes(left), listed.includes(kept)]
  }
  const add = () => owner.request('PUT', `${filter}/s/tea`, modelForm({ name: 'tea' }))
  return { owner, filter, has, add }
}

test('a filter begins with the first subsite that is added, and shows its subsites to its owner', async (t) => {
  const { owner, filter, add } = await filtering()
  t.is((await owner.get(filter)).status, 404)
  const added = await add()
  t.deepEqual([added.status, added.body], [201, { name: 'Tea' }])
  t.is((await add()).status, 200)
  const shown = await owner.get(filter)
  t.like(shown.at('data'), { path: `/user/${owner.name}/f/all`, name: 'all', visibility: 'private' })
  t.deepEqual(subsitesOf(shown), ['Tea'])
})

test('filters leave subsites out of the listings of their owner only, unless it asks for all', async (t) => {
  const { owner, filter, has, add } = await filtering()
  t.deepEqual(await has(owner, '/me/f/all/new'), [true, true])
  await add()
  for (const path of ['/s/all/new', '/s/all/hot', '/me/f/all/new', `/user/${owner.name}/f/all/top`])
    t.deepEqual(await has(owner, path), [false, true], path)
  t.deepEqual(await has(owner, '/s/all/new?show=all'), [true, true])
  t.deepEqual(await has(owner, '/s/tea/new'), [true, false])
  for (const who of [ann, site]) t.deepEqual(await has(who, '/s/all/new'), [true, true])
  t.is((await owner.request('DELETE', `${filter}/s/tea`)).status, 200)
  t.deepEqual(await has(owner, '/s/all/new'), [true, true])
  t.is((await owner.request('DELETE', filter)).status, 200)
})

test('a filter does not exist for others, and is no multi that can be listed, copied or renamed', async (t) => {
  const { owner, filter, add } = await filtering()
  await add()
  t.is(refusal(await ann.get(`/user/${owner.name}/f/all/new`)), '404 MULTI_NOT_FOUND')
  t.is(refusal(await ann.get(filter)), '404 MULTI_NOT_FOUND multipath')
  t.deepEqual(pathsOf(await owner.get('/api/multi/mine')), [])
  const form = { from: `user/${owner.name}/f/all`, to: `user/${owner.name}/m/all_of` }
  t.is(refusal(await copy(owner, form)), '404 MULTI_NOT_FOUND from')
  t.is(refusal(await rename(owner, form)), '404 MULTI_NOT_FOUND from')
})

/** An account with three subsites and a link in each, of which it removed the first two; one was removed by another in Tea, which is in its multi, too. */
const keeping = async () => {
  const keeper = await newcomer(site)
  const subsites = [1, 2, 3].map((n) => `${keeper.name}_${n}`) as [string, string, string]
  const links: string[] = []
  for (const name of subsites) {
    await foundSubsite(keeper, name)
    links.push(await submit(bob, name))
  }
  const [one = '', two = ''] = links
  for (const id of [one, two]) await keeper.post('/api/remove', { id })
  await ann.post('/api/remove', { id: await submit(bob, 'tea') })
  const [first, second] = subsites
  await put(keeper, `user/${keeper.name}/m/kept`, { ...modelOf(first, second, 'tea', 'secret'), visibility: 'public' })
  return { keeper, first, second, one, two }
}

test('the queues of a multi are those of its subsites that the viewer moderates, its log that of all the viewer may view', async (t) => {
  const { keeper, first, second, one, two } = await keeping()
  t.deepEqual(names(await keeper.get('/me/m/kept/about/spam')), [two, one])
  t.is((await bob.get(`/user/${keeper.name}/m/kept/about/spam`)).status, 403)
  const logged = dataOf(await site.get(`/user/${keeper.name}/m/kept/about/log`)).map(({ subsite }) => subsite)
  t.true(logged.includes('Tea'))
  t.deepEqual(
    logged.filter((subsite) => subsite !== 'Tea'),
    [second, first],
  )
})

test('a filter of /s/mod is for its listings, unless all is asked for, and leaves the queues of /s/mod complete', async (t) => {
  const { keeper, first, one, two } = await keeping()
  await keeper.request('PUT', `/api/filter/user/${keeper.name}/f/mod/s/${first}`, modelForm({ name: first }))
  t.deepEqual(names(await keeper.get('/s/mod/about/spam')), [two, one])
  t.deepEqual(names(await keeper.get('/me/f/mod/about/spam')), [two])
  await keeper.post('/api/approve', { id: one })
  await keeper.post('/api/approve', { id: two })
  t.is(names(await keeper.get('/s/mod/new')).length, 2)
  t.is(names(await keeper.get('/s/mod/new?show=all')).length, 3)
})
