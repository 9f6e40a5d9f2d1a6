import test from 'ava'
import { type Model, modelForm, modelOf, pathsOf, put, refusal, rename, show, startMultis, subsitesOf } from '../support/multis.ts'

const { site, ann, bob, dave, tea, secret } = await startMultis()
test.after.always(() => site.stop())

/** Requests for one subsite of a new multi of ann's. */
const oneByOne = async (name: string) => {
  await put(ann, `user/ann/m/${name}`, modelOf())
  return (method: string, part: string, model?: Model) =>
    ann.request(method, `/api/multi/user/ann/m/${name}/${part}`, method === 'GET' ? {} : modelForm(model))
}

test('a subsite is added to a multi once, and is the one that the path names', async (t) => {
  const one = await oneByOne('added')
  const added = await one('PUT', 's/TEA', { name: 'coffee' })
  t.deepEqual([added.status, added.body], [201, { name: 'Tea' }])
  t.is((await one('PUT', 'r/tea', { name: 'tea' })).status, 200)
  t.deepEqual((await one('GET', 's/tea')).body, { name: 'Tea' })
  t.is((await one('GET', 's/coffee')).status, 404)
  t.deepEqual(subsitesOf(await show(ann, 'user/ann/m/added')), ['Tea'])
})

test('a subsite can be removed from a multi, also if it is not there', async (t) => {
  const one = await oneByOne('emptied')
  await one('PUT', 's/tea', { name: 'tea' })
  for (const part of ['s/coffee', 's/tea', 's/tea']) {
    const gone = await one('DELETE', part)
    t.deepEqual([gone.status, gone.text], [200, ''])
  }
  t.deepEqual(subsitesOf(await show(ann, 'user/ann/m/emptied')), [])
})

test('a name that no subsite of a multi can have is refused, also when reading and removing', async (t) => {
  const one = await oneByOne('misnamed')
  for (const [name, expected] of [
    ['no_such', '400 SUBSITE_NOEXIST srname'],
    ['all', '400 MULTI_SPECIAL_SUBSITE srname'],
    ['a+b', '400 BAD_SR_NAME srname'],
  ] as const) {
    t.is(refusal(await one('PUT', `s/${name}`, { name })), expected)
    t.is(refusal(await one('GET', `s/${name}`)), expected)
    t.is(refusal(await one('DELETE', `s/${name}`)), expected)
  }
})

test('adding a subsite to a multi needs a model with a name, and the multi', async (t) => {
  const one = await oneByOne('unsaid')
  t.is(refusal(await one('PUT', 's/tea')), '400 JSON_PARSE_ERROR model')
  t.is(refusal(await one('PUT', 's/tea', {})), '400 JSON_MISSING_KEY name')
  t.is(
    refusal(await ann.request('PUT', '/api/multi/user/ann/m/not_there/s/tea', modelForm({ name: 'tea' }))),
    '404 MULTI_NOT_FOUND multipath',
  )
})

test('expand_srs adds the records of the subsites, as the viewer sees them', async (t) => {
  const path = 'user/ann/m/expanded'
  await put(ann, path, { ...modelOf('tea'), visibility: 'public' })
  const [forAnn, forBob, forAll] = await Promise.all([ann, bob, site].map((who) => show(who, path, '&expand_srs=1')))
  t.like(forAnn?.at('data.subreddits.0'), {
    name: 'Tea',
    data: { name: tea, display_name: 'Tea', url: '/s/Tea/', subscribers: 1, user_is_moderator: true },
  })
  t.like(forBob?.at('data.subreddits.0.data'), { subscribers: 1, user_is_moderator: false, user_is_subscriber: false })
  t.like(forAll?.at('data.subreddits.0.data'), { subscribers: 1, user_is_moderator: null, user_is_subscriber: null })
  t.is((await show(ann, path)).at('data.subreddits.0.data'), undefined, 'not unless asked for')
})

test('of a subsite that the viewer may not view, expand_srs shows its id, name and address only', async (t) => {
  const path = 'user/ann/m/expanded_secret'
  const written = await ann.request(
    'PUT',
    `/api/multi/${path}?expand_srs=true`,
    modelForm({ ...modelOf('tea', 'secret'), visibility: 'public' }),
  )
  t.like(written.at('data.subreddits.1'), {
    name: 'secret',
    data: { name: secret, display_name: 'secret', user_is_moderator: true, subscribers: 1 },
  })
  for (const who of [bob, site]) {
    const { name, display_name, url, ...rest } = Object((await show(who, path, '&expand_srs=1')).at('data.subreddits.1.data'))
    t.deepEqual([name, display_name, url], [secret, 'secret', '/s/secret/'])
    t.deepEqual(
      Object.values(rest).filter((value) => value !== null),
      [],
    )
  }
})

test('expand_srs also applies to the list of the own multis', async (t) => {
  await put(dave, 'user/dave/m/one', modelOf('tea'))
  t.like((await dave.get('/api/multi/mine?expand_srs=true')).at('0.data.subreddits.0.data'), { name: tea, user_is_subscriber: false })
})

/** A new public multi of ann's, the address of its description, and how a token of hers changes it. */
const describing = async (name: string) => {
  await put(ann, `user/ann/m/${name}`, { visibility: 'public' })
  const path = `/api/multi/user/ann/m/${name}/description`
  const token = await ann.withScopes('read')
  return { path, describe: (model?: Model) => token.request('PUT', path, modelForm(model)) }
}

test('the description of a multi can be read by its logged-in viewers', async (t) => {
  const { path } = await describing('empty')
  t.deepEqual((await bob.get(path)).body, { kind: 'LabeledMultiDescription', data: { body_html: '', body_md: '' } })
  t.is(refusal(await site.get(path)), '403 USER_REQUIRED')
})

test('the owner of a multi can describe it in Markdown, without HTML', async (t) => {
  const { path, describe } = await describing('described')
  const answer = await describe({ body_md: 'All *hot* <script>' })
  t.is(answer.status, 200)
  t.is(answer.at('data.body_md'), 'All *hot* &lt;script&gt;')
  t.deepEqual((await bob.get(path)).body, answer.body)
  t.notRegex(String((await bob.get(`${path}?raw_json=1`)).at('data.body_html')), /<script/)
})

test('a description of a multi is a text of up to 10,000 characters', async (t) => {
  const { describe } = await describing('long')
  t.is(refusal(await describe()), '400 JSON_PARSE_ERROR model')
  t.is(refusal(await describe({ text: 'x' })), '400 JSON_MISSING_KEY body_md')
  t.is(refusal(await describe({ body_md: 'x'.repeat(10_001) })), '400 TOO_LONG body_md')
  t.is((await describe({ body_md: 'é'.repeat(10_000) })).status, 200)
})

test('a filter has a description like a multi', async (t) => {
  const gil = await site.register('gil')
  const path = '/api/filter/user/gil/f/all'
  t.is(refusal(await gil.get(`${path}/description`)), '404 MULTI_NOT_FOUND multipath')
  t.is((await gil.request('PUT', `${path}/s/tea`, modelForm({ name: 'tea' }))).status, 201)
  const described = await gil.request('PUT', `${path}/description`, modelForm({ body_md: 'Too *hot*' }))
  t.is(described.at('data.body_md'), 'Too *hot*')
  t.deepEqual((await gil.get(`${path}/description`)).body, described.body)
  t.is((await gil.get(path)).at('data.description_md'), 'Too *hot*')
})

test('an account can have 100 multis, of which a renamed one is one; filters are not counted', async (t) => {
  const hoarder = await site.register('hoarder')
  const make = (n: number) => put(hoarder, `user/hoarder/m/no_${n}`, {})
  for (let n = 0; n < 100; n += 1) {
    const answer = await make(n)
    if (answer.status !== 201) t.fail(answer.text)
  }
  t.is(refusal(await make(100)), '409 TOO_MANY_MULTIS multipath')
  t.is((await rename(hoarder, { from: 'user/hoarder/m/no_0', to: 'user/hoarder/m/no_100' })).status, 200)
  t.is((await hoarder.request('PUT', '/api/filter/user/hoarder/f/all/s/tea', modelForm({ name: 'tea' }))).status, 201)
  t.is(pathsOf(await hoarder.get('/api/multi/mine?expand_srs=true')).length, 100)
})

test('the descriptions of an account’s multis can have 200,000 characters together', async (t) => {
  const writer = await site.register('writer')
  const describe = (n: number, description_md: string) => put(writer, `user/writer/m/no_${n}`, { description_md })
  for (let n = 0; n <= 20; n += 1) {
    const answer = await describe(n, n < 20 ? 'x'.repeat(10_000) : '')
    if (answer.status !== 201) t.fail(answer.text)
  }
  t.is(refusal(await describe(20, 'one more')), '409 MULTI_TOO_LONG_DESCRIPTIONS description_md')
  t.is((await describe(19, 'less')).status, 200)
  t.is((await describe(20, 'one more')).status, 200)
})
