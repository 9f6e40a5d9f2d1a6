import test from 'ava'
import { copy, of, pathsOf, put, refusal, rename, sending, show, startMultis, subsitesOf } from '../support/multis.ts'
import { found, names, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const { site, ann, bob, carol, dave, root, without } = await startMultis()
test.after.always(() => site.stop())

const named = (name: string) => `user/carol/m/${name}`
test.before(async () => {
  for (const visibility of ['private', 'hidden', 'public'] as const) await put(carol, named(visibility), { ...of('tea'), visibility })
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
        refusal(await ann.request(method, `/api/multi/${at}`, method === 'GET' ? {} : sending(model))),
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
      t.is(refusal(await who.request(method, `/api/multi/${at}`, sending(model))), '403 MULTI_CANNOT_EDIT multipath', at)
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
  t.deepEqual((await without.get('/api/multi/mine')).body, [])
})

test('links of a multi are listed, paged and fed like those of a subsite, without those the viewer may not view', async (t) => {
  const reader = await site.register('reader_1')
  await found(ann, 'green')
  await found(ann, 'black')
  const [green, black, hidden] = [await submit(ann, 'green'), await submit(ann, 'black'), await submit(ann, 'secret')]
  await submit(ann, 'tea')
  await put(ann, 'user/ann/m/leaves', { ...of('green', 'black', 'secret'), visibility: 'public' })
  await put(ann, 'user/ann/m/herbs', of('black'))
  await ann.post('/api/set_subsite_sticky', { id: green, state: true })
  for (const path of ['/user/ann/m/leaves', '/u/Ann/m/LEAVES/new', '/user/ann/m/leaves/new.json', '/new?m=/user/ann/m/leaves']) {
    t.deepEqual(names(await ann.get(path)).toSorted(), [green, black, hidden].toSorted(), path)
    for (const who of [reader, site]) t.deepEqual(names(await who.get(path)), [black, green], path)
  }
  t.deepEqual(names(await ann.get('/me/m/leaves/top')).length, 3)
  t.deepEqual(names(await ann.get('/me/m/herbs/hot')), [black])
  t.deepEqual(names(await ann.get('/me/m/herbs+leaves/new')).length, 3)
  t.deepEqual(names(await ann.get('/new?m=user/ann/m/herbs&m=/me/m/leaves')).length, 3)
  t.is(refusal(await ann.get('/me/m/herbs+not_there/new')), '404 MULTI_NOT_FOUND')
  t.is(refusal(await reader.get('/new?m=user/ann/m/herbs&m=/user/ann/m/leaves')), '404 MULTI_NOT_FOUND')
  for (const m of ['herbs', '/', '/user/ann', 'me/m'])
    for (const who of [ann, site]) {
      const expected = m.startsWith('me') && who === site ? '403 USER_REQUIRED' : '404 MULTI_NOT_FOUND'
      t.is(refusal(await who.get(`/new?m=${m}`)), expected, `what is no path of a multi: ${m}`)
    }
  t.is(refusal(await site.get('/me/m/herbs')), '403 USER_REQUIRED')
  t.is((await ann.get(`/me/m/${Array.from({ length: 11 }, () => 'herbs').join('+')}/new`)).status, 400)
  const first = await reader.get('/user/ann/m/leaves/new?limit=1')
  t.deepEqual(names(first), [black])
  t.deepEqual(names(await reader.get(`/user/ann/m/leaves/new?limit=1&after=${first.at('data.after')}`)), [green])
  const feed = await site.get('/user/ann/m/leaves/new.rss')
  t.regex(feed.headers.get('content-type') ?? '', /atom/)
  t.is(feed.text.match(/<entry>/g)?.length, 2)
  await ann.request('DELETE', '/api/multi/user/ann/m/leaves/s/black')
  for (const who of [reader, site, reader, site]) t.deepEqual(names(await who.get('/user/ann/m/leaves/new')), [green])
  await put(ann, 'user/ann/m/leaves', { visibility: 'private' })
  for (const who of [reader, site]) t.is((await who.get('/user/ann/m/leaves/new')).status, 404)
  t.deepEqual(names(await ann.get('/user/ann/m/herbs/hot')), [black])
  t.deepEqual(names(await ann.get('/s/green/hot'))[0], green)
})

test('multis of a permanently suspended account are visible to itself and admins only', async (t) => {
  const vain = await site.register('vain')
  await put(vain, 'user/vain/m/shown', { visibility: 'public', ...of('tea') })
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

test('filters leave subsites out of the listings of their owner only', async (t) => {
  const picky = await site.register('picky')
  await found(picky, 'picked')
  const [left, kept] = [await submit(picky, 'tea'), await submit(picky, 'picked')]
  const has = async (who: Caller, path: string) => {
    const listed = names(await who.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`))
    return [listed.includes(left), listed.includes(kept)]
  }
  const filter = '/api/filter/user/picky/f'
  t.is((await picky.get(`${filter}/all`)).status, 404)
  t.deepEqual(await has(picky, '/me/f/all/new'), [true, true])
  const added = await picky.request('PUT', `${filter}/all/s/tea`, sending({ name: 'tea' }))
  t.deepEqual([added.status, added.body], [201, { name: 'Tea' }])
  t.is((await picky.request('PUT', `${filter}/all/s/tea`, sending({ name: 'tea' }))).status, 200)
  const shown = await picky.get(`${filter}/all`)
  t.like(shown.at('data'), { path: '/user/picky/f/all', name: 'all', visibility: 'private' })
  t.deepEqual(subsitesOf(shown), ['Tea'])
  for (const path of ['/s/all/new', '/s/all/hot', '/me/f/all/new', '/user/picky/f/all/top'])
    t.deepEqual(await has(picky, path), [false, true], path)
  t.deepEqual(await has(picky, '/s/all/new?show=all'), [true, true])
  t.deepEqual(await has(picky, '/s/tea/new'), [true, false])
  for (const who of [ann, site]) t.deepEqual(await has(who, '/s/all/new'), [true, true])
  t.is(refusal(await ann.get('/user/picky/f/all/new')), '404 MULTI_NOT_FOUND')
  t.is(refusal(await ann.get(`${filter}/all`)), '404 MULTI_NOT_FOUND multipath')
  t.deepEqual(pathsOf(await picky.get('/api/multi/mine')), [])
  t.is(refusal(await copy(picky, { from: 'user/picky/f/all', to: 'user/picky/m/all_of' })), '404 MULTI_NOT_FOUND from')
  t.is(refusal(await rename(picky, { from: 'user/picky/f/all', to: 'user/picky/m/all_of' })), '404 MULTI_NOT_FOUND from')
  t.is((await picky.request('DELETE', `${filter}/all/s/tea`)).status, 200)
  t.deepEqual(await has(picky, '/s/all/new'), [true, true])
  t.is((await picky.request('DELETE', `${filter}/all`)).status, 200)
})

test('the queues and the log of a multi are those of its subsites; a filter of /s/mod leaves the queues of /s/mod complete', async (t) => {
  const keeper = await site.register('keeper')
  for (const name of ['keep_1', 'keep_2', 'keep_3']) await found(keeper, name)
  const [one, two] = [await submit(bob, 'keep_1'), await submit(bob, 'keep_2')]
  await submit(bob, 'keep_3')
  const foreign = await submit(bob, 'tea')
  for (const id of [one, two]) await keeper.post('/api/remove', { id })
  await ann.post('/api/remove', { id: foreign })
  await put(keeper, 'user/keeper/m/kept', { ...of('keep_1', 'keep_2', 'tea', 'secret'), visibility: 'public' })
  t.deepEqual(names(await keeper.get('/me/m/kept/about/spam')), [two, one])
  t.is((await bob.get('/user/keeper/m/kept/about/spam')).status, 403)
  const targets = (answer: Answer) =>
    (answer.at('data.children') as readonly { readonly data: { readonly target_fullname: string; readonly subsite: string } }[]).map(
      ({ data }) => data.subsite,
    )
  t.deepEqual(targets(await site.get('/user/keeper/m/kept/about/log?limit=3')), ['Tea', 'keep_2', 'keep_1'])
  await keeper.request('PUT', '/api/filter/user/keeper/f/mod/s/keep_1', sending({ name: 'keep_1' }))
  t.deepEqual(names(await keeper.get('/s/mod/about/spam')), [two, one])
  t.deepEqual(names(await keeper.get('/me/f/mod/about/spam')), [two])
  await keeper.post('/api/approve', { id: one })
  await keeper.post('/api/approve', { id: two })
  t.is(names(await keeper.get('/s/mod/new')).length, 2)
  t.is(names(await keeper.get('/s/mod/new?show=all')).length, 3)
})
