import test from 'ava'
import { modelOf, post, put, refusal, show, startMultis, subsitesOf } from '../support/multis.ts'
import type { User } from '../support/site.ts'

const { site, ann } = await startMultis()
test.after.always(() => site.stop())

test('a multi is created once, regardless of the case of its path and the slashes around it', async (t) => {
  const created = await post(ann, 'user/ANN/m/Drinks/', modelOf('tea', 'TEA', '/s/coffee/'))
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
  t.is(refusal(await post(ann, 'user/ann/m/drinks', modelOf())), '409 MULTI_EXISTS multipath')
  t.deepEqual((await show(ann, '/user/Ann/m/DRINKS')).body, created.body)
})

test('an invalid path is named as the parameter at fault when writing, and is 404 when reading', async (t) => {
  for (const [path, expected] of [
    ['user/ann/x/tea', '400 BAD_MULTI_PATH multipath'],
    ['user/ann/m', '400 BAD_MULTI_PATH multipath'],
    ['user/ann/m/tea/more', '400 BAD_MULTI_PATH multipath'],
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
})

test('a path below a name that no account can have is invalid, also when reading', async (t) => {
  const expected = '400 BAD_MULTI_PATH multipath'
  for (const name of ['an%20n', 'a.b', 'b%C3%B6b', 'x'.repeat(21)]) {
    const path = `user/${name}/m/tea`
    for (const kind of ['multi', 'filter']) t.is(refusal(await ann.get(`/api/${kind}/${path}`)), expected, name)
    t.is(refusal(await ann.get(`/api/multi/${path}/description`)), expected, name)
    t.is(refusal(await put(ann, path, {})), expected, name)
    t.is(refusal(await post(ann, path, {})), expected, name)
    t.is(refusal(await ann.request('DELETE', `/api/multi/${path}`)), expected, name)
  }
})

test('no multi has the name of the address below one', async (t) => {
  t.is(refusal(await put(ann, 'user/ann/m/description', {})), '404 MULTI_NOT_FOUND multipath')
  t.regex(refusal(await post(ann, 'user/ann/m/description', {})), /^405 METHOD_NOT_ALLOWED/)
})

test('a model with an invalid key is refused with that key, and changes nothing', async (t) => {
  const path = 'user/ann/m/checked'
  await put(ann, path, { ...modelOf('tea'), display_name: 'Checked' })
  const before = (await show(ann, path)).body
  t.is(refusal(await put(ann, path)), '400 JSON_PARSE_ERROR model')
  t.is(refusal(await ann.request('PUT', `/api/multi/${path}`, { form: { model: '{' } })), '400 JSON_PARSE_ERROR model')
  for (const text of ['[]', '1', 'null', '"x"'])
    t.is(refusal(await ann.request('PUT', `/api/multi/${path}`, { form: { model: text } })), '400 JSON_INVALID model', text)
  const many = modelOf(...Array.from({ length: 101 }, (_, n) => `many_${n}`))
  for (const [model, expected] of [
    [{ display_name: '' }, '400 NO_TEXT display_name'],
    [{ display_name: ' \u00a0' }, '400 NO_TEXT display_name'],
    [{ display_name: '\u2060\u202e' }, '400 NO_TEXT display_name'],
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
    [modelOf('a+b'), '400 BAD_SR_NAME subreddits'],
    [{ subreddits: [{ name: 7 }] }, '400 BAD_SR_NAME subreddits'],
    [modelOf('coffee', 'no_such'), '400 SUBSITE_NOEXIST subreddits'],
    [modelOf('coffee', 'all'), '400 MULTI_SPECIAL_SUBSITE subreddits'],
    [many, '409 MULTI_TOO_MANY_SUBSITES subreddits'],
    [{ description_md: 'changed', visibility: 'x' }, '400 INVALID_OPTION visibility'],
  ] as const)
    t.is(refusal(await put(ann, path, model)), expected, JSON.stringify(model).slice(0, 80))
  t.deepEqual((await show(ann, path)).body, before)
})

test('a multi made by PUT has the values of its model, of which spaces and case are normalized', async (t) => {
  const path = 'user/ann/m/upserted'
  const first = await put(ann, path, {
    ...modelOf('tea'),
    description_md: '*hot*',
    key_color: '#AABBCC',
    icon_name: 'news',
    display_name: '  Up  serted ',
  })
  t.is(first.status, 201)
  t.like(first.at('data'), { display_name: 'Up serted', description_md: '*hot*', key_color: '#aabbcc', icon_name: 'news' })
  t.regex(String((await show(ann, path)).at('data.description_html')), /^<!-- SC_OFF --><div class="md"><p><em>hot<\/em><\/p>/)
})

/** A multi of ann's with tea, a description, a color and an icon; and its record. */
const filled = async (path: string) => {
  const made = await put(ann, path, { ...modelOf('tea'), description_md: '*hot*', key_color: '#aabbcc', icon_name: 'news' })
  return made.at('data') as Readonly<Record<string, unknown>>
}

test('PUT changes those keys of a multi that the model contains', async (t) => {
  const before = await filled('user/ann/m/changed')
  const answer = await put(ann, 'user/ann/m/changed', { visibility: 'public', weighting_scheme: 'fresh', nonsense: 1 })
  t.is(answer.status, 200)
  t.deepEqual(answer.at('data'), { ...before, visibility: 'public', weighting_scheme: 'fresh' })
  t.deepEqual(subsitesOf(await put(ann, 'user/ann/m/changed', modelOf('coffee'))), ['coffee'])
})

test('null or an empty text empties a description, a color or an icon', async (t) => {
  const before = await filled('user/ann/m/cleared')
  const answer = await put(ann, 'user/ann/m/cleared', { description_md: null, key_color: '', icon_name: null })
  t.deepEqual(answer.at('data'), { ...before, description_md: '', description_html: '', key_color: '', icon_name: '' })
})

test('a PUT that changes nothing writes nothing', async (t) => {
  await put(ann, 'user/ann/m/same', { ...modelOf('coffee'), key_color: '' })
  const events = async () => {
    let count = 0
    for await (const page of site.running.app.readStream(`multi-${ann.id}.m.same`)) count += page.length
    return count
  }
  const before = await events()
  const again = await put(ann, 'user/ann/m/same', { ...modelOf('Coffee'), key_color: null })
  t.is(again.status, 200)
  t.true(before > 0)
  t.is(await events(), before)
})

test('a half character in a model becomes a replacement character', async (t) => {
  const answer = await ann.request('PUT', '/api/multi/user/ann/m/halves', {
    form: { model: '{"display_name":"a\\ud83d","description_md":"\\udc00"}' },
  })
  t.is(answer.status, 201, answer.text)
  t.like((await show(ann, 'user/ann/m/halves')).at('data'), { display_name: 'a\ufffd', description_md: '\ufffd' })
})

const named = async (who: User, display_name: string) => (await post(who, '', { display_name })).at('data.path')

test('a multi without a path is named after its display name, in ASCII and at most 21 characters', async (t) => {
  const own = await site.register('caller')
  t.is(await named(own, 'Thé & Café!'), '/user/caller/m/the_cafe')
  t.is(await named(own, '茶茶'), '/user/caller/m/chacha')
  t.is(await named(own, 'words that are longer than a name may be'), '/user/caller/m/words_that_are_longer')
  t.is(await named(own, 'x'.repeat(50)), `/user/caller/m/${'x'.repeat(21)}`)
  t.is(refusal(await post(own, '', { display_name: '!?' })), '400 BAD_MULTI_NAME display_name')
  t.is(refusal(await post(own, '', {})), '400 BAD_MULTI_PATH multipath')
})

test('a multi whose name would be taken, or an address, gets a number instead', async (t) => {
  const own = await site.register('numberer')
  t.is(await named(own, 'Thé & Café!'), '/user/numberer/m/the_cafe')
  t.is(await named(own, 'the cafe'), '/user/numberer/m/the_cafe1')
  t.is(await named(own, 'The  cafe'), '/user/numberer/m/the_cafe2')
  t.is(await named(own, 'Description'), '/user/numberer/m/description1')
  t.is(await named(own, 'x'.repeat(50)), `/user/numberer/m/${'x'.repeat(21)}`)
  t.is(await named(own, 'x'.repeat(49)), `/user/numberer/m/${'x'.repeat(20)}1`)
})
