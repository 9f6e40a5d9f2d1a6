import test from 'ava'
import { startTea } from '../support/cast.ts'
import { processorTime } from '../support/hostile-texts.ts'
import { foundSubsite, id36, readThing, say, submit } from '../support/posting.ts'
import fc, { anyText } from '../support/properties.ts'

const { site, ann } = await startTea([], { logLevel: 'silent' })
const link = await submit(ann, 'tea')
const comment = await say(ann, link)
test.after.always(() => site.stop())

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    'NaN',
    '1e9',
    '99999999999999999999',
    'true',
    'null',
    '[]',
    '{}',
    '\u0000',
    '\ud800',
    '%',
    '%00',
    '../..',
    't5_',
    't5_zzzzzzzzzzz',
    't1_zzzzzzzzzzz',
    't9_1',
    "'; DROP TABLE links; --",
    '"',
    'ñ',
    '𝒳'.repeat(400),
    'a,b,,c',
    'all',
    'tea+tea',
    'mod-tea',
  ),
  anyText({ maxLength: 20 }),
  fc.constantFrom('LINK', 'COMMENT'),
)

const writes: Readonly<Record<string, readonly string[]>> = {
  '/api/submit': ['kind', 'sr', 'title', 'url', 'text', 'sendreplies', 'resubmit', 'extension'],
  '/api/comment': ['thing_id', 'parent', 'text'],
  '/api/editusertext': ['thing_id', 'text'],
  '/api/vote': ['id', 'dir', 'rank'],
  '/api/save': ['id', 'category'],
  '/api/unsave': ['id'],
  '/api/hide': ['id'],
  '/api/unhide': ['id'],
  '/api/morechildren': ['link_id', 'children', 'sort'],
}

const reads: Readonly<Record<string, readonly string[]>> = {
  '/s/tea/hot': ['after', 'before', 'limit', 'count', 'show', 'sr_detail', 'obey_over18'],
  '/s/tea/top': ['after', 't', 'limit'],
  '/new': ['after', 'before'],
  '/s/all/fun': ['t', 'before'],
  '/api/info': ['id', 'url', 'limit'],
  '/comments/ARTICLE': ['comment', 'context', 'depth', 'limit', 'sort', 'showmore', 'showedits'],
  '/user/ann/overview': ['sort', 't', 'after', 'limit'],
  '/user/ann/saved': ['category', 'sr', 'after'],
  '/duplicates/ARTICLE': ['after', 'before', 'limit', 'sr_detail'],
  '/s/tea/random': ['limit'],
  '/s/tea/search': ['q', 'sort', 't', 'syntax', 'type', 'restrict_sr', 'include_facets', 'after', 'before', 'limit'],
}

const filled = (value: string) => (value === 'LINK' ? link : value === 'COMMENT' ? comment : value)

test('no invalid input causes a 5xx', async (t) => {
  const one = (table: typeof writes) =>
    fc
      .constantFrom(...Object.entries(table))
      .chain(([path, fields]) => fc.tuple(fc.constant(path), fc.dictionary(fc.constantFrom(...fields), odd)))
  await fc.assert(
    fc.asyncProperty(one(writes), one(reads), async ([write, form], [read, query]) => {
      const fields = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, filled(value)]))
      const written = await ann.post(write, fields)
      t.true(written.status < 500, `${write} ${JSON.stringify(fields)}: ${written.text}`)
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, filled(value)]))
      const got = await ann.get(`${read.replace('ARTICLE', id36(link))}?${search}`)
      t.true(got.status < 500, `${read}?${search}: ${got.text}`)
    }),
    { numRuns: 100 },
  )
})

test('no path segment causes a 5xx', async (t) => {
  for (const part of ['%00', '%ff', '%', '..', '%2e%2e', 'a%2fb', 'zzzzzzzzzzzzzzzzzzzz', "'", '%F0%9F%98%80', 'x'.repeat(3000)])
    for (const path of [
      `/comments/${part}`,
      `/comments/${id36(link)}/_/${part}`,
      `/s/${part}/hot`,
      `/user/${part}/overview`,
      `/by_id/${part}`,
      `/s/tea/comments/${part}/x/y`,
    ])
      t.true((await site.get(path)).status < 500, path)
})

test('any text is returned as it was written', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyText({ minLength: 1, maxLength: 200 }), async (text) => {
      if (text.trim() === '') return
      const name = await say(ann, link, text)
      t.is((await readThing(ann, name)).body, text.toWellFormed())
    }),
    { numRuns: 30 },
  )
})

test('long texts are rendered like short ones in every response', async (t) => {
  const words = (length: number) => '*word* '.repeat(Math.floor(length / 7)).trim()
  const html = (length: number) => `<p>${'<em>word</em> '.repeat(Math.floor(length / 7)).trim()}</p>`
  const post = await submit(ann, 'tea', { text: words(40_000) })
  t.true(String((await readThing(ann, post)).selftext_html).includes(html(40_000)))
  const reply = await say(ann, post, words(10_000))
  t.true(String((await readThing(ann, reply)).body_html).includes(html(10_000)))
  t.true(String((await ann.get(`/comments/${id36(post)}?raw_json=1`)).at('1.data.children.0.data.body_html')).includes(html(10_000)))
  await ann.post('/api/compose', { to: 'ann', subject: 'long', text: words(10_000) })
  t.true(String((await ann.get('/message/sent?raw_json=1')).at('data.children.0.data.body_html')).includes(html(10_000)))
  await foundSubsite(ann, 'wordy', { description: words(5_120) })
  t.true(String((await ann.get('/s/wordy/about?raw_json=1')).at('data.description_html')).includes(html(5_120)))
})

test('a text that is too long is refused before it is parsed', async (t) => {
  for (const [path, fields] of [
    ['/api/comment', { thing_id: link, api_type: 'json' }],
    ['/api/compose', { to: 'ann', subject: 'x', api_type: 'json' }],
    ['/api/submit', { sr: 'tea', kind: 'self', title: 'x', api_type: 'json' }],
    ['/api/editusertext', { thing_id: comment, api_type: 'json' }],
  ] as const) {
    const spent = await processorTime(async () => {
      const answer = await ann.post(path, { ...fields, text: `x ${'`'.repeat(160_000)}` })
      t.deepEqual([answer.at('json.errors.0.0'), answer.at('json.errors.0.2')], ['TOO_LONG', 'text'], `${path}: ${answer.text}`)
    })
    t.true(spent < 500, `${path}: ${spent} ms`)
  }
})
