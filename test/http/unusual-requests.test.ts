import test from 'ava'
import { startTea } from '../support/cast.ts'
import { submit } from '../support/posting.ts'
import { rawRequests } from '../support/raw-requests.ts'

const { site, ann } = await startTea()
const token = await site.tokenOf(ann.id)
const { exchange, send } = rawRequests(site)
test.after.always(() => site.stop())

test('a path or query that is not percent-encoded UTF-8 is 400', async (t) => {
  const headers = {}
  const body = Buffer.alloc(0)
  for (const path of ['/s/%ff/hot', '/hot?after=%ff', '/hot?x=%', '/%', '/s/%C3%28/about'])
    t.is(await send({ method: 'GET', path, headers, body }), 400, path)
})

test('broken JSON is 400 and says so', async (t) => {
  const answer = await ann.request('POST', '/api/v1/apps', { body: '{"name": ', headers: { 'Content-Type': 'application/json' } })
  t.is(answer.status, 400)
  t.is(answer.at('reason'), 'JSON_PARSE_ERROR')
})

test('a body of more than half a mebibyte is 413, with or without Content-Length', async (t) => {
  const body = 'x'.repeat(513 * 1024)
  t.is((await ann.request('POST', '/api/comment', { body: `text=${body}` })).status, 413)
  const stream = await send({
    method: 'POST',
    path: '/api/comment',
    headers: { Authorization: `bearer ${token}`, 'Transfer-Encoding': 'chunked' },
    body: Buffer.from(`text=${body}`),
  })
  t.true(stream === 413 || stream === undefined, String(stream))
})

test('a form or JSON body can have at most a thousand parameters', async (t) => {
  const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, '1']))
  for (const [type, written] of [
    ['application/x-www-form-urlencoded', (count: number) => new URLSearchParams(named(count)).toString()],
    ['application/json', (count: number) => JSON.stringify(named(count))],
  ] as const) {
    const post = (body: string) => fetch(`${site.url}/api/morechildren`, { method: 'POST', headers: { 'content-type': type }, body })
    t.is((await post(written(1000))).status, 403, type)
    const refused = await post(written(1001))
    t.is(refused.status, 400, type)
    t.like(await refused.json(), { reason: 'BAD_REQUEST', explanation: 'too many parameters' })
  }
})

test('a POST without a length is 411', async (t) => {
  t.regex(await exchange(`POST /api/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 411 /)
})

test('an unknown expectation is ignored', async (t) => {
  t.regex(await exchange('GET /hot HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 200 /)
})

test.serial('invalid HTTP is 400, and headers that are too long are 431', async (t) => {
  t.regex(await exchange('GET\r\n\r\n'), /^HTTP\/1\.1 400 /)
  t.regex(await exchange('FROB /hot HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 400 /)
  t.regex(await exchange(`GET /hot HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
  for (const [request, reason] of [
    ['GET\r\n\r\n', 'BAD_REQUEST'],
    ['GET /hot HTTP/1.1\r\n\r\n', 'BAD_REQUEST'],
    [`GET /hot HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`, 'HEADERS_TOO_LARGE'],
  ] as const) {
    const [head = '', body = ''] = (await exchange(request)).split('\r\n\r\n')
    t.regex(head, /\r\nAccess-Control-Allow-Origin: \*\r\n/)
    t.like(JSON.parse(body), { reason })
  }
})

test('a body without a Content-Type can be JSON, with numbers and booleans, or a form', async (t) => {
  const json = await ann.request('POST', '/api/site_admin', {
    body: JSON.stringify({ name: 'untyped', title: 'U', type: 'public', link_type: 'any', wikimode: 'disabled', over_18: true }),
  })
  t.deepEqual(json.body, { json: { errors: [] } })
  t.is((await site.get('/s/untyped/about')).at('data.over18'), true)
})

test('the last value of a repeated parameter counts; unknown parameters are ignored', async (t) => {
  t.is((await site.get('/s/tea/hot?limit=1&limit=2&what=ever')).status, 200)
})

test('a lone surrogate becomes U+FFFD', async (t) => {
  const answer = await ann.request('POST', '/api/submit', {
    body: '{"sr":"tea","kind":"self","title":"a\\ud800b","api_type":"json"}',
    headers: { 'Content-Type': 'application/json' },
  })
  t.is(answer.status, 200)
  const found = await site.get(`/s/tea/new?raw_json=1&limit=100`)
  t.true(found.text.includes('a\uFFFDb'))
})

test.serial('an absolute URL as the request target is handled as its path, for any host', async (t) => {
  for (const host of ['[x', 'x:99999', 'elsewhere.test', 'user:secret@elsewhere.test']) {
    const answer = await exchange(`GET http://${host}/hot.rss HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    t.regex(answer, /^HTTP\/1\.1 200 /, host)
    t.true(answer.includes(`<id>${site.url}/hot.rss</id>`), answer)
  }
})

test.serial('several slashes where a path begins are one, and lead to no other site', async (t) => {
  const get = (path: string) => exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const link = await submit(ann, 'tea')
  const plain = (await site.get(`/by_id/${link}`)).text
  for (const path of [`//by_id/${link}`, `///by_id/${link}`]) t.true((await get(path)).endsWith(plain), path)
  t.true((await get('//hot.rss')).includes(`<id>${site.url}/hot.rss</id>`))
  for (const path of ['//evil.example/s/random/hot', '//evil.example', '//evil.example//s/random']) {
    const answer = await get(path)
    t.regex(answer, /^HTTP\/1\.1 404 /, path)
    t.notRegex(answer, /^location:/im, path)
  }
  t.regex(await get('//s/random/hot'), /^location: \/s\/tea\/hot\r$/im)
  t.regex(await get(`/by_id//${link}`), /^HTTP\/1\.1 404 /, 'only where it begins')
  t.regex(await get('/metrics'), /^HTTP\/1\.1 200 /)
  for (const path of ['//metrics', '///metrics/', '//metrics.json', '//metrics?x'])
    t.regex(await get(path), /^HTTP\/1\.1 404 /, `${path}: a proxy that hides what begins with /metrics does not know it`)
})
