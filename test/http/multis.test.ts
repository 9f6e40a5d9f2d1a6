import test from 'ava'
import { startCast } from '../support/cast.ts'
import { done } from '../support/community.ts'
import { found, names, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const { site, ann, bob, carol, dave, root } = await startCast(['ann', 'bob', 'carol', 'dave', 'root'], { admins: ['root'] })
const tea = await found(ann, 'Tea')
await found(ann, 'coffee')
const secret = await found(ann, 'secret', { type: 'private' })
test.after.always(() => site.stop())

type Model = Readonly<Record<string, unknown>>
const of = (...subsites: readonly string[]) => ({ subreddits: subsites.map((name) => ({ name })) })
const sending = (model?: Model) => ({ form: model === undefined ? {} : { model: JSON.stringify(model) } })
const put = (who: Caller, path: string, model?: Model) => who.request('PUT', `/api/multi/${path}`, sending(model))
const post = (who: Caller, path: string, model?: Model) => who.request('POST', `/api/multi/${path}`, sending(model))
const show = (who: Caller, path: string, query = '') => who.get(`/api/multi/${path}?raw_json=1${query}`)
const refusal = (answer: Answer) =>
  `${answer.status} ${answer.at('reason')}${answer.at('fields.0') === undefined ? '' : ` ${answer.at('fields.0')}`}`
const subsitesOf = (answer: Answer) => (answer.at('data.subreddits') as readonly { readonly name: string }[]).map(({ name }) => name)
const pathsOf = (answer: Answer) => (answer.body as readonly { readonly data: { readonly path: string } }[]).map(({ data }) => data.path)

test('a multi is created once, regardless of the case of its path and the slashes around it', async (t) => {
  const created = await post(ann, 'user/ANN/m/Drinks/', of('tea', 'TEA', '/s/coffee/'))
  t.is(created.status, 201)
  t.like(created.at('data'), {
    can_edit: true,
    copied_from: null,
    description_html: '',
    description_md: '',
    display_name: 'drinks',
    icon_name: '',
    icon_url: null,
    key_color: '#cee3f8',
    name: 'drinks',
    path: '/user/ann/m/drinks',
    subreddits: [{ name: 'Tea' }, { name: 'coffee' }],
    visibility: 'private',
    weighting_scheme: 'classic',
  })
  t.is(created.at('data.created'), created.at('data.created_utc'))
  t.is(refusal(await post(ann, 'user/ann/m/drinks', of())), '409 MULTI_EXISTS multipath')
  t.deepEqual((await show(ann, '/user/Ann/m/DRINKS')).body, created.body)
})

test('an invalid path is named as the parameter at fault when writing, and is 404 when reading', async (t) => {
  for (const [path, expected] of [
    ['user/ann/x/tea', '400 BAD_MULTI_PATH multipath'],
    ['user/ann/m', '400 BAD_MULTI_PATH multipath'],
    ['user/ann/m/tea/more', '400 BAD_MULTI_PATH multipath'],
    ['user/an%20n/m/tea', '400 BAD_MULTI_PATH multipath'],
    ['user/ann/m/_tea', '400 BAD_MULTI_NAME multipath'],
    ['user/ann/m/t', '400 BAD_MULTI_NAME multipath'],
    ['user/ann/m/hot%20tea', '400 BAD_MULTI_NAME multipath'],
    ['user/ann/m/t%C3%A9a', '400 BAD_MULTI_NAME multipath'],
    [`user/ann/m/${'x'.repeat(22)}`, '400 BAD_MULTI_NAME multipath'],
    [`user/ann/m/${'x'.repeat(5000)}`, '400 BAD_MULTI_PATH multipath'],
    ['user/ann/f/tea', '400 BAD_MULTI_NAME multipath'],
    ['user/bob/m/tea', '403 MULTI_CANNOT_EDIT multipath'],
  ] as const) {
    t.is(refusal(await put(ann, path, {})), expected, path)
    t.is(refusal(await post(ann, path, {})), expected, path)
    t.is(refusal(await show(ann, path)), '404 MULTI_NOT_FOUND multipath', path)
    t.is(refusal(await ann.request('DELETE', `/api/multi/${path}`)), '404 MULTI_NOT_FOUND multipath', path)
  }
  t.regex(String((await put(ann, 'user/ann/m/_tea', {})).at('explanation')), /underscore/)
  t.is(refusal(await put(ann, 'user/ann/m/description', {})), '404 MULTI_NOT_FOUND multipath', 'an address below a multi is no multi')
  t.is(refusal(await post(ann, 'user/ann/m/description', {})), '400 BAD_MULTI_NAME multipath')
})

test('a model with an invalid key is refused with that key, and changes nothing', async (t) => {
  const path = 'user/ann/m/checked'
  await put(ann, path, { ...of('tea'), display_name: 'Checked' })
  const before = (await show(ann, path)).body
  t.is(refusal(await put(ann, path)), '400 JSON_PARSE_ERROR model')
  t.is(refusal(await ann.request('PUT', `/api/multi/${path}`, { form: { model: '{' } })), '400 JSON_PARSE_ERROR model')
  for (const text of ['[]', '1', 'null', '"x"'])
    t.is(refusal(await ann.request('PUT', `/api/multi/${path}`, { form: { model: text } })), '400 JSON_INVALID model', text)
  const many = of(...Array.from({ length: 101 }, (_, n) => `many_${n}`))
  for (const [model, expected] of [
    [{ display_name: '' }, '400 NO_TEXT display_name'],
    [{ display_name: ' \u00a0' }, '400 NO_TEXT display_name'],
    [{ display_name: null }, '400 NO_TEXT display_name'],
    [{ display_name: 'x'.repeat(51) }, '400 TOO_LONG display_name'],
    [{ display_name: 'a\u0007b' }, '400 BAD_STRING display_name'],
    [{ display_name: {} }, '400 JSON_INVALID display_name'],
    [{ description_md: 'x'.repeat(10_001) }, '400 TOO_LONG description_md'],
    [{ description_md: [] }, '400 JSON_INVALID description_md'],
    [{ icon_name: 'teapot' }, '400 INVALID_OPTION icon_name'],
    [{ icon_name: 'constructor' }, '400 INVALID_OPTION icon_name'],
    [{ key_color: 'red' }, '400 BAD_COLOR key_color'],
    [{ key_color: 0 }, '400 BAD_COLOR key_color'],
    [{ visibility: 'secret' }, '400 INVALID_OPTION visibility'],
    [{ visibility: null }, '400 INVALID_OPTION visibility'],
    [{ weighting_scheme: 'stale' }, '400 INVALID_OPTION weighting_scheme'],
    [{ subreddits: {} }, '400 JSON_INVALID subreddits'],
    [{ subreddits: ['tea'] }, '400 JSON_INVALID subreddits'],
    [{ subreddits: [{ id: 'tea' }] }, '400 JSON_MISSING_KEY subreddits'],
    [of('a+b'), '400 BAD_SR_NAME subreddits'],
    [{ subreddits: [{ name: 7 }] }, '400 BAD_SR_NAME subreddits'],
    [of('coffee', 'no_such'), '400 SUBSITE_NOEXIST subreddits'],
    [of('coffee', 'all'), '400 MULTI_SPECIAL_SUBSITE subreddits'],
    [many, '409 MULTI_TOO_MANY_SUBSITES subreddits'],
    [{ description_md: 'changed', visibility: 'x' }, '400 INVALID_OPTION visibility'],
  ] as const)
    t.is(refusal(await put(ann, path, model)), expected, JSON.stringify(model).slice(0, 80))
  t.deepEqual((await show(ann, path)).body, before)
})

test('PUT creates a multi, or changes those keys of it that the model contains', async (t) => {
  const path = 'user/ann/m/upserted'
  const first = await put(ann, path, {
    ...of('tea'),
    description_md: '*hot*',
    key_color: '#AABBCC',
    icon_name: 'news',
    display_name: '  Up  serted ',
  })
  t.is(first.status, 201)
  t.like(first.at('data'), { display_name: 'Up serted', description_md: '*hot*', key_color: '#aabbcc', icon_name: 'news' })
  t.regex(String((await show(ann, path)).at('data.description_html')), /^<!-- SC_OFF --><div class="md"><p><em>hot<\/em><\/p>/)
  const second = await put(ann, path, { visibility: 'public', icon_name: null, nonsense: 1 })
  t.is(second.status, 200)
  t.like(second.at('data'), { visibility: 'public', icon_name: '', description_md: '*hot*', key_color: '#aabbcc' })
  t.deepEqual(subsitesOf(second), ['Tea'])
  const third = await put(ann, path, { ...of('coffee'), description_md: null, key_color: '', weighting_scheme: 'fresh' })
  t.deepEqual(subsitesOf(third), ['coffee'])
  t.like(third.at('data'), {
    description_md: '',
    description_html: '',
    key_color: '',
    weighting_scheme: 'fresh',
    created: first.at('data.created'),
  })
  const events = async () => {
    let count = 0
    for await (const page of site.running.app.readStream(`multi-${ann.id}.m.upserted`)) count += page.length
    return count
  }
  const before = await events()
  const again = await put(ann, path, { ...of('Coffee'), key_color: null })
  t.is(again.status, 200)
  t.is(await events(), before, 'what changes nothing writes nothing')
})

test('a half character in a model becomes a replacement character', async (t) => {
  const answer = await ann.request('PUT', '/api/multi/user/ann/m/halves', {
    form: { model: '{"display_name":"a\\ud83d","description_md":"\\udc00"}' },
  })
  t.is(answer.status, 201, answer.text)
  t.like((await show(ann, 'user/ann/m/halves')).at('data'), { display_name: 'a\ufffd', description_md: '\ufffd' })
})

test('a multi without a path is named after its display name, in ASCII, with a number if that is taken', async (t) => {
  const own = await site.register('caller')
  const named = async (display_name: string) => (await post(own, '', { display_name })).at('data.path')
  t.is(await named('Thé & Café!'), '/user/caller/m/the_cafe')
  t.is(await named('the cafe'), '/user/caller/m/the_cafe1')
  t.is(await named('The  cafe'), '/user/caller/m/the_cafe2')
  t.is(await named('茶茶'), '/user/caller/m/chacha')
  t.is(await named('Description'), '/user/caller/m/description1')
  t.is(await named('words that are longer than a name may be'), '/user/caller/m/words_that_are_longer')
  t.is(await named('x'.repeat(50)), `/user/caller/m/${'x'.repeat(21)}`)
  t.is(await named('x'.repeat(49)), `/user/caller/m/${'x'.repeat(20)}1`)
  t.is(refusal(await post(own, '', { display_name: '!?' })), '400 BAD_MULTI_NAME display_name')
  t.is(refusal(await post(own, '', {})), '400 BAD_MULTI_PATH multipath')
})

test('private and hidden multis do not exist for others; public ones can be read by them and edited by their owner only', async (t) => {
  const named = (name: string) => `user/carol/m/${name}`
  for (const visibility of ['private', 'hidden', 'public'] as const) await put(carol, named(visibility), { ...of('tea'), visibility })
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
  t.deepEqual((await (await site.register('without')).get('/api/multi/mine')).body, [])
})

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
  t.is(refusal(await ann.get('/api/filter/user/ann/f/all/description')), '404 MULTI_NOT_FOUND multipath')
})

const copy = (who: Caller, form: Record<string, string>) => who.post('/api/multi/copy', form)
const rename = (who: Caller, form: Record<string, string>) => who.post('/api/multi/rename', form)

test('a copy of a multi is private, names its source, and stays when that is deleted', async (t) => {
  await put(bob, 'user/bob/m/source', {
    ...of('tea', 'coffee'),
    display_name: 'The source',
    description_md: 'Mine.',
    visibility: 'public',
    icon_name: 'ask',
    key_color: '#112233',
  })
  const copied = await copy(ann, { from: '/user/bob/m/source/', to: 'user/ann/m/copy_of_bobs' })
  t.is(copied.status, 200, copied.text)
  t.like(copied.at('data'), {
    path: '/user/ann/m/copy_of_bobs',
    display_name: 'The source',
    visibility: 'private',
    icon_name: 'ask',
    key_color: '#112233',
    copied_from: '/user/bob/m/source',
    description_md: 'Mine.\n\ncopied from [/user/bob/m/source](/user/bob/m/source)',
    can_edit: true,
  })
  t.deepEqual(subsitesOf(copied), ['Tea', 'coffee'])
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/ann/m/copy_of_bobs' })), '409 MULTI_EXISTS multipath')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', display_name: 'New' })), '403 MULTI_CANNOT_EDIT to')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/bob/m/other' })), '403 MULTI_CANNOT_EDIT to')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source' })), '400 BAD_MULTI_PATH to')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/ann/f/all' })), '400 BAD_MULTI_PATH to')
  t.is(
    refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/ann/m/ok', display_name: 'x'.repeat(51) })),
    '400 TOO_LONG display_name',
  )
  await put(bob, 'user/bob/m/closed', of('tea'))
  for (const from of ['user/bob/m/closed', 'user/bob/m/missing', 'user/bob/f/all', 'nonsense'])
    t.is(refusal(await copy(ann, { from, to: 'user/ann/m/ok' })), '404 MULTI_NOT_FOUND from', from)
  const second = await copy(bob, { from: 'user/bob/m/closed', display_name: 'Closed' })
  t.like(second.at('data'), {
    path: '/user/bob/m/closed1',
    display_name: 'Closed',
    description_md: 'copied from [/user/bob/m/closed](/user/bob/m/closed)',
  })
  await put(ann, 'user/ann/m/copy_of_bobs', { visibility: 'public' })
  t.is((await show(bob, 'user/ann/m/copy_of_bobs')).at('data.copied_from'), null, 'only for who can edit it')
  t.deepEqual(
    [(await bob.request('DELETE', '/api/multi/user/bob/m/source')).text, (await show(bob, 'user/bob/m/source')).status],
    ['', 404],
  )
  t.is((await bob.request('DELETE', '/api/multi/user/bob/m/source')).status, 404)
  t.is((await show(ann, 'user/ann/m/copy_of_bobs')).status, 200)
})

test('a copy, also of a copy, does not name the owner of its source once that account is deleted', async (t) => {
  const fay = await site.register('Fay_1')
  await put(fay, 'user/fay_1/m/source', { ...of('tea'), visibility: 'public', description_md: 'By me, /u/Fay_1.' })
  await copy(ann, { from: '/user/fay_1/m/source', to: 'user/ann/m/first_copy' })
  await put(ann, 'user/ann/m/first_copy', { visibility: 'public' })
  await copy(bob, { from: '/user/ann/m/first_copy', to: 'user/bob/m/second_copy' })
  const described = async () => [
    (await show(ann, 'user/ann/m/first_copy')).at('data.description_md'),
    (await bob.get('/api/multi/user/bob/m/second_copy/description')).at('data.body_md'),
  ]
  const line = (who: string) => `copied from [/user/${who}/m/source](/user/${who}/m/source)`
  const copied = `By me, /u/Fay_1.\n\n${line('Fay_1')}`
  t.deepEqual(await described(), [copied, `${copied}\n\ncopied from [/user/ann/m/first_copy](/user/ann/m/first_copy)`])
  await done(await fay.session(), '/api/delete_user', { passwd: fay.password })
  const after = 'By me, /u/Fay_1.\n\ncopied from /user/[deleted]/m/source'
  t.deepEqual(await described(), [after, `${after}\n\ncopied from [/user/ann/m/first_copy](/user/ann/m/first_copy)`])
  t.is((await show(ann, 'user/ann/m/first_copy')).at('data.copied_from'), '/user/[deleted]/m/source')
  t.false(String((await ann.get('/api/multi/mine')).text).includes('/user/Fay_1'))
})

test('a renamed multi keeps everything but its path, and its old name is free again', async (t) => {
  const made = await put(ann, 'user/ann/m/old_name', { ...of('tea'), visibility: 'public', description_md: 'kept', display_name: 'Old' })
  const renamed = await rename(ann, { from: '/user/ann/m/old_name', to: '/user/ann/m/new_name' })
  t.is(renamed.status, 200, renamed.text)
  t.deepEqual(renamed.at('data'), { ...(made.at('data') as object), name: 'new_name', path: '/user/ann/m/new_name' })
  t.is(refusal(await show(ann, 'user/ann/m/old_name')), '404 MULTI_NOT_FOUND multipath')
  t.is(refusal(await rename(ann, { from: '/user/ann/m/old_name', to: '/user/ann/m/newer' })), '404 MULTI_NOT_FOUND from')
  t.is((await put(ann, 'user/ann/m/old_name', of('coffee'))).status, 201)
  t.is(refusal(await rename(ann, { from: 'user/ann/m/old_name', to: 'user/ann/m/new_name' })), '409 MULTI_EXISTS multipath')
  t.is(refusal(await rename(ann, { from: 'user/ann/m/old_name', to: 'user/bob/m/new_name' })), '400 MULTI_CANNOT_EDIT to')
  t.is(refusal(await rename(bob, { from: 'user/ann/m/new_name', to: 'user/bob/m/mine_now' })), '403 MULTI_CANNOT_EDIT from')
  t.is(refusal(await rename(ann, { from: 'user/ann/m/new_name' })), '400 BAD_MULTI_PATH to')
  const again = await rename(ann, { from: 'user/ann/m/new_name', display_name: 'Old name' })
  t.like(again.at('data'), { path: '/user/ann/m/old_name1', display_name: 'Old name', visibility: 'public' })
  t.deepEqual(subsitesOf(await show(ann, 'user/ann/m/old_name')), ['coffee'])
})

test('a rename repeated with the same Idempotency-Key gets the first response', async (t) => {
  await put(ann, 'user/ann/m/repeated', of('tea'))
  const key = { 'Idempotency-Key': 'rename-once' }
  const form = { from: 'user/ann/m/repeated', display_name: 'Repeated twice' }
  const first = await ann.post('/api/multi/rename', form, key)
  const second = await ann.post('/api/multi/rename', form, key)
  t.is(first.status, 200)
  t.deepEqual(second.body, first.body)
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
