import test from 'ava'
import { type Model, of, pathsOf, put, refusal, rename, sending, show, startMultis, subsitesOf } from '../support/multis.ts'

const { site, ann, bob, dave, tea, secret } = await startMultis()
test.after.always(() => site.stop())

test('subsites of a multi can be added, read and removed one by one', async (t) => {
  const path = '/api/multi/user/ann/m/single'
  await put(ann, 'user/ann/m/single', of())
  const one = (method: string, name: string, model?: Model) =>
    ann.request(method, `${path}/${name}`, method === 'GET' ? {} : sending(model))
  t.is(refusal(await one('PUT', 's/tea')), '400 JSON_PARSE_ERROR model')
  t.is(refusal(await one('PUT', 's/tea', {})), '400 JSON_MISSING_KEY name')
  for (const [name, expected] of [
    ['no_such', '400 SUBSITE_NOEXIST srname'],
    ['all', '400 MULTI_SPECIAL_SUBSITE srname'],
    ['a+b', '400 BAD_SR_NAME srname'],
  ] as const) {
    t.is(refusal(await one('PUT', `s/${name}`, { name })), expected)
    t.is(refusal(await one('GET', `s/${name}`)), expected)
    t.is(refusal(await one('DELETE', `s/${name}`)), expected)
  }
  const added = await one('PUT', 's/TEA', { name: 'coffee' })
  t.deepEqual([added.status, added.body], [201, { name: 'Tea' }], 'the name in the path counts')
  t.is((await one('PUT', 'r/tea', { name: 'tea' })).status, 200)
  t.deepEqual((await one('GET', 's/tea')).body, { name: 'Tea' })
  t.is((await one('GET', 's/coffee')).status, 404)
  for (const name of ['s/coffee', 's/tea', 's/tea']) {
    const gone = await one('DELETE', name)
    t.deepEqual([gone.status, gone.text], [200, ''])
  }
  t.deepEqual(subsitesOf(await show(ann, 'user/ann/m/single')), [])
  t.is(
    refusal(await ann.request('PUT', '/api/multi/user/ann/m/not_there/s/tea', sending({ name: 'tea' }))),
    '404 MULTI_NOT_FOUND multipath',
  )
})

test('expand_srs adds the records of the subsites that the viewer may see', async (t) => {
  const path = 'user/ann/m/expanded'
  const written = await ann.request('PUT', `/api/multi/${path}?expand_srs=true`, sending({ ...of('tea', 'secret'), visibility: 'public' }))
  t.like(written.at('data.subreddits.1'), {
    name: 'secret',
    data: { name: secret, display_name: 'secret', user_is_moderator: true, subscribers: 1 },
  })
  const [forAnn, forBob, forAll] = await Promise.all([ann, bob, site].map((who) => show(who, path, '&expand_srs=1')))
  t.like(forAnn?.at('data.subreddits.0'), {
    name: 'Tea',
    data: { name: tea, display_name: 'Tea', url: '/s/Tea/', subscribers: 1, user_is_moderator: true },
  })
  t.like(forBob?.at('data.subreddits.0.data'), { subscribers: 1, user_is_moderator: false, user_is_subscriber: false })
  t.like(forAll?.at('data.subreddits.0.data'), { subscribers: 1, user_is_moderator: null, user_is_subscriber: null })
  for (const answer of [forBob, forAll]) {
    const { name, display_name, url, ...rest } = Object(answer?.at('data.subreddits.1.data'))
    t.deepEqual([name, display_name, url], [secret, 'secret', '/s/secret/'])
    t.deepEqual(
      Object.values(rest).filter((value) => value !== null),
      [],
    )
  }
  t.is((await show(ann, path)).at('data.subreddits.0.data'), undefined)
  await put(dave, 'user/dave/m/one', of('tea'))
  t.like((await dave.get('/api/multi/mine?expand_srs=true')).at('0.data.subreddits.0.data'), { name: tea, user_is_subscriber: false })
})

test('the description of a multi can be read by logged-in viewers of it, and written by its owner', async (t) => {
  const path = '/api/multi/user/ann/m/described'
  await put(ann, 'user/ann/m/described', { visibility: 'public' })
  t.deepEqual((await bob.get(`${path}/description`)).body, { kind: 'LabeledMultiDescription', data: { body_html: '', body_md: '' } })
  t.is(refusal(await site.get(`${path}/description`)), '403 USER_REQUIRED')
  const reading = await ann.withScopes('read')
  const describe = (model?: Model) => reading.request('PUT', `${path}/description`, sending(model))
  t.is(refusal(await describe()), '400 JSON_PARSE_ERROR model')
  t.is(refusal(await describe({ text: 'x' })), '400 JSON_MISSING_KEY body_md')
  t.is(refusal(await describe({ body_md: 'x'.repeat(10_001) })), '400 TOO_LONG body_md')
  const answer = await describe({ body_md: 'All *hot* <script>' })
  t.is(answer.status, 200)
  t.is(answer.at('data.body_md'), 'All *hot* &lt;script&gt;')
  t.deepEqual((await bob.get(`${path}/description`)).body, answer.body)
  t.notRegex(String((await bob.get(`${path}/description?raw_json=1`)).at('data.body_html')), /<script/)
  t.is((await describe({ body_md: 'é'.repeat(10_000) })).status, 200)
})

test('a filter has a description like a multi', async (t) => {
  const gil = await site.register('gil')
  const path = '/api/filter/user/gil/f/all'
  t.is(refusal(await gil.get(`${path}/description`)), '404 MULTI_NOT_FOUND multipath')
  t.is((await gil.request('PUT', `${path}/s/tea`, sending({ name: 'tea' }))).status, 201)
  const described = await gil.request('PUT', `${path}/description`, sending({ body_md: 'Too *hot*' }))
  t.is(described.at('data.body_md'), 'Too *hot*')
  t.deepEqual((await gil.get(`${path}/description`)).body, described.body)
  t.is((await gil.get(path)).at('data.description_md'), 'Too *hot*')
})

test('an account can have 100 multis and 200,000 characters of descriptions', async (t) => {
  const hoarder = await site.register('hoarder')
  const model = (n: number) => put(hoarder, `user/hoarder/m/no_${n}`, { description_md: n < 20 ? 'x'.repeat(10_000) : '' })
  for (let n = 0; n < 100; n += 1) {
    const answer = await model(n)
    if (answer.status !== 201) t.fail(answer.text)
  }
  t.is(refusal(await model(100)), '409 TOO_MANY_MULTIS multipath')
  t.is(
    refusal(await put(hoarder, 'user/hoarder/m/no_99', { description_md: 'one more' })),
    '409 MULTI_TOO_LONG_DESCRIPTIONS description_md',
  )
  t.is((await put(hoarder, 'user/hoarder/m/no_19', { description_md: 'less' })).status, 200)
  t.is((await put(hoarder, 'user/hoarder/m/no_99', { description_md: 'one more' })).status, 200)
  t.is((await rename(hoarder, { from: 'user/hoarder/m/no_0', to: 'user/hoarder/m/no_100' })).status, 200, 'a renamed one is not one more')
  t.is(
    (await hoarder.request('PUT', '/api/filter/user/hoarder/f/all/s/tea', sending({ name: 'tea' }))).status,
    201,
    'a filter is not one more',
  )
  const all = await hoarder.get('/api/multi/mine?expand_srs=true')
  t.is(pathsOf(all).length, 100)
})
