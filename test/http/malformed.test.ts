import { request as rawRequest } from 'node:http'
import { connect } from 'node:net'
import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { FULL } from '../support/full.ts'
import fc, { anyText } from '../support/properties.ts'
import { isFault } from '../support/shape.ts'

/** Requests for each endpoint. */
const RUNS = FULL ? 200 : 10

const { site, ann } = await startTea()
const token = await site.tokenOf(ann.id)
const { port } = new URL(site.url)

test.after.always(() => site.stop())

type Raw = { readonly method: string; readonly path: string; readonly headers: Record<string, string>; readonly body: Buffer }

/** What fetch would never send. The status; undefined when the server closed the connection instead. */
const send = ({ method, path, headers, body }: Raw): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = rawRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
      response.on('error', () => resolve(response.statusCode))
    })
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })

/** Bytes as they are, whatever they are. */
const exchange = (text: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (data) => {
      answer += data.toString('latin1')
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', () => resolve(answer))
    socket.setTimeout(30_000, () => socket.destroy())
  })

const nasty = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    'null',
    'true',
    '%',
    '%zz',
    '%ff%fe',
    '%00',
    '%ED%A0%80',
    '+++',
    'a'.repeat(3000),
    '\u0000',
    '../..',
    "';--",
  ),
  fc.constantFrom(
    't5_1',
    't1_zzzzzzzzzzz',
    't5_',
    'T5_ABC',
    't9_1',
    't5_1,t5_2 t1_3',
    '9'.repeat(40),
    '1e999',
    'NaN',
    '[]',
    '{"a":',
    '"',
    'tea',
    'ann',
  ),
  anyText({ maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[^!-~]/g, '%')),
)

const encodePath = (text: string) => text.replace(/[^!-~]/g, '%20').replace(/[?#]/g, '%3F')

const pathOf = ({ path, values }: AnyEndpoint) =>
  fc.tuple(fc.constantFrom('', '/s/tea', '/r/all', '/s/a+b', '/s/%ff'), fc.infiniteStream(nasty)).map(([site, stream]) =>
    path
      .replace('[/s/{sub}]', site)
      .replace('{sub}', 'tea')
      .replace(/\{(\w+)\}/g, (_, name: string) => values?.[name]?.[0] ?? encodePath(String(stream.next().value || 'x'))),
  )

const namesOf = (endpoint: AnyEndpoint) => [
  ...Object.keys(endpoint.params),
  'limit',
  'after',
  'before',
  'count',
  'min_position',
  'raw_json',
  'jsonp',
  's',
  'uh',
  '__proto__',
  'constructor',
  'id[]',
]

const formOf = (endpoint: AnyEndpoint) =>
  fc
    .array(fc.tuple(fc.constantFrom(...namesOf(endpoint)), nasty), { maxLength: 8 })
    .map((pairs) => pairs.map(([k, v]) => `${k}=${v}`).join('&'))

const bodyOf = (endpoint: AnyEndpoint): fc.Arbitrary<{ readonly type: string | undefined; readonly bytes: Buffer }> =>
  fc.oneof(
    formOf(endpoint).map((form) => ({ type: 'application/x-www-form-urlencoded', bytes: Buffer.from(form) })),
    fc
      .dictionary(fc.constantFrom(...namesOf(endpoint)), fc.jsonValue({ maxDepth: 2 }))
      .map((value) => ({ type: 'application/json', bytes: Buffer.from(JSON.stringify(value)) })),
    fc
      .tuple(
        fc.constantFrom(
          undefined,
          'application/json',
          'text/plain',
          'multipart/form-data',
          'multipart/form-data; boundary=x',
          'a/b; charset=latin1',
          ';;',
        ),
        fc.uint8Array({ maxLength: 200 }),
      )
      .map(([type, bytes]) => ({ type, bytes: Buffer.from(bytes) })),
    fc
      .constantFrom('{', '[1,2', '"x"', 'null', '{"id":{"id":{}}}', '--x\r\nContent-Disposition: form-data; name="id"\r\n\r\nt5_1\r\n--x--')
      .map((text) => ({
        type: text.startsWith('--x') ? 'multipart/form-data; boundary=x' : 'application/json',
        bytes: Buffer.from(text),
      })),
  )

const rawOf = (endpoint: AnyEndpoint): fc.Arbitrary<Raw> =>
  fc
    .record({
      path: pathOf(endpoint),
      query: formOf(endpoint),
      body: bodyOf(endpoint),
      method: fc.constantFrom(
        endpoint.method,
        endpoint.method,
        endpoint.method,
        endpoint.method,
        'PUT',
        'DELETE',
        'HEAD',
        'OPTIONS',
        'PROPFIND',
      ),
      suffix: fc.constantFrom('', '', '.json', '/.json', '/', '//', '.rss'),
      credentials: fc.constantFrom(
        { Authorization: `bearer ${token}` },
        { Cookie: 'rostra_session=%%; a' },
        { Authorization: 'Basic Og==' },
        {},
      ),
      extra: fc.constantFrom(
        {},
        { 'Idempotency-Key': 'k' },
        { 'Idempotency-Key': ' ' },
        { 'X-Modhash': 'x' },
        { 'Content-Encoding': 'gzip' },
        { Expect: 'x' },
      ),
    })
    .map(({ path, query, body: { type, bytes }, method, suffix, credentials, extra }) => ({
      method,
      path: `${path}${suffix}?${query.replace(/[^!-~]/g, '%20')}`,
      headers: { ...credentials, ...extra, ...(type !== undefined && { 'Content-Type': type }) } as Record<string, string>,
      body: method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : bytes,
    }))

for (const endpoint of endpoints)
  test(`${endpoint.method} ${endpoint.path}: no malformed input causes a 5xx`, async (t) => {
    await fc.assert(
      fc.asyncProperty(rawOf(endpoint), async (raw) => {
        const status = await send(raw)
        return status === undefined || !isFault(status, raw.path)
      }),
      { numRuns: RUNS, seed: 20260101, endOnFailure: true },
    )
    t.pass()
  })

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

test.serial('invalid HTTP is 400, and headers that are too long are 431', async (t) => {
  t.regex(await exchange('GET\r\n\r\n'), /^HTTP\/1\.1 400 /)
  t.regex(await exchange('FROB /hot HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 400 /)
  t.regex(await exchange(`GET /hot HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
  for (const [request, reason] of [
    ['GET\r\n\r\n', 'BAD_REQUEST'],
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
