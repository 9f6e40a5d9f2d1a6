import { request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { documentationUrl } from '../../src/http/contract/documentation-url.ts'
import { type RefusalCode, refusals } from '../../src/http/contract/refusals.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { eventually, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, settle, submit } from '../support/posting.ts'

const { site, ann } = await startTea()
for (let n = 0; n < 5; n++) await submit(ann, 'tea', { title: `Cup ${n}`, text: 'warm '.repeat(100) })
test.after.always(() => site.stop())

type Raw = { readonly status: number; readonly headers: Readonly<Record<string, string | undefined>>; readonly body: Buffer }

/** An answer as it is on the wire: fetch decodes bodies and takes their coding away. */
const raw = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(`${site.url}${path}`, { method, headers, agent: false }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers as Raw['headers'], body: Buffer.concat(chunks) })
    })
    sent.on('error', reject)
    sent.end()
  })

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = { gzip: gunzipSync, br: brotliDecompressSync }

for (const [accepted, coding] of [
  ['gzip', 'gzip'],
  ['br, gzip', 'br'],
  ['gzip, deflate, br', 'gzip'],
  ['br;q=0.1, gzip', 'gzip'],
] as const)
  test.serial(`a listing is sent as ${coding} to a client that accepts ${accepted}`, async (t) => {
    const plain = await raw('/s/tea/new')
    t.is(plain.headers['content-encoding'], undefined)
    for (let n = 0; n < 4; n++) {
      const coded = await raw('/s/tea/new', { 'Accept-Encoding': accepted })
      t.is(coded.headers['content-encoding'], coding)
      t.regex(coded.headers.vary ?? '', /Accept-Encoding/)
      t.is(coded.headers['content-length'], String(coded.body.length))
      t.true(coded.body.length < plain.body.length / 2)
      t.true(decoders[coding]?.(coded.body).equals(plain.body))
    }
  })

test.serial('responses with identity encoding, short ones and those to a session are not compressed; those to a token are', async (t) => {
  const accepting = { 'Accept-Encoding': 'gzip' }
  t.is((await raw('/s/tea/new', { 'Accept-Encoding': 'gzip;q=0, identity' })).headers['content-encoding'], undefined)
  t.is((await raw('/health/live', accepting)).headers['content-encoding'], undefined)
  const { cookie } = await ann.session()
  t.is((await raw('/s/tea/new', { ...accepting, Cookie: cookie })).headers['content-encoding'], undefined)
  const answer = await ann.request('GET', '/s/tea/new', { headers: accepting })
  t.is(answer.headers.get('content-encoding'), 'gzip')
})

test.serial('a GET has an ETag, and If-None-Match gets 304 until the body changes', async (t) => {
  const { headers, body } = await raw('/s/tea/new')
  const tag = headers.etag ?? ''
  t.regex(tag, /^W\/"[\w-]+"$/)
  for (const sent of [tag, `"x", ${tag}`, '*']) {
    const same = await raw('/s/tea/new', { 'If-None-Match': sent })
    t.is(same.status, 304)
    t.is(same.body.length, 0)
    t.is(same.headers['content-type'], undefined)
    t.is(same.headers.etag, tag)
    t.truthy(same.headers['x-log-position'])
  }
  t.is((await raw('/s/tea/new', { 'If-None-Match': '"other"' })).status, 200)
  t.is((await raw('/s/tea/new', { 'If-None-Match': tag, 'Accept-Encoding': 'gzip' })).status, 304)
  await ann.post('/api/submit', { api_type: 'json', sr: 'tea', kind: 'self', title: 'One more cup', text: 'warm' })
  const changed = await raw('/s/tea/new', { 'If-None-Match': tag })
  t.is(changed.status, 200)
  t.false(changed.body.equals(body))
})

test.serial('If-None-Match decides alone, whatever Cache-Control, Pragma and If-Modified-Since say', async (t) => {
  const tag = (await raw('/s/tea/about')).headers.etag ?? ''
  const dates = ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 2100 00:00:00 GMT', 'yesterday', '']
  const beside: readonly Record<string, string>[] = [
    ...['no-cache', 'no-store', 'max-age=0', 'no-cache, max-age=0'].map((value) => ({ 'Cache-Control': value, Pragma: 'no-cache' })),
    ...dates.map((date) => ({ 'If-Modified-Since': date })),
  ]
  const tags = [tag, tag.slice(2), `"a, b",${tag}`, `${tag},"x"`, `W/"x" , ${tag}`, ' * ']
  for (const others of beside) {
    for (const sent of tags) t.is((await raw('/s/tea/about', { ...others, 'If-None-Match': sent })).status, 304, sent)
    for (const sent of ['"other"', '', tag.slice(3, -1), `W/"x${tag.slice(3)}`])
      t.is((await raw('/s/tea/about', { ...others, 'If-None-Match': sent })).status, 200, sent)
    t.is((await raw('/s/tea/about', others)).status, 200)
  }
  const fetched = await fetch(`${site.url}/s/tea/about`, { headers: { 'If-None-Match': tag } })
  t.is(fetched.status, 304)
})

test.serial('a former ETag never answers 304 once a subsite has turned private, nor once it is public again', async (t) => {
  const subsite = await foundSubsite(ann, 'pots')
  const link = await submit(ann, 'pots', { title: 'Samovar' })
  await waitUntilSettled(site)
  const path = '/search?q=samovar'
  const search = async (...tags: readonly string[]) => raw(path, tags.length === 0 ? {} : { 'If-None-Match': tags.join(', ') })
  const shows = async () => (await search()).body.includes(link)
  await eventually(shows)
  const open = (await search()).headers.etag ?? ''
  t.is((await search(open)).status, 304)
  await settle(ann, subsite, { type: 'private' })
  await eventually(async () => !(await shows()))
  t.is((await search(open)).status, 200)
  const closed = (await search()).headers.etag ?? ''
  await settle(ann, subsite, { type: 'public' })
  for (const former of [open, closed]) t.is((await search(former)).status, 200, former)
  await eventually(shows)
  t.is((await search(open, closed)).status, 200)
  t.is((await search((await search()).headers.etag ?? '')).status, 304)
})

test('writes and errors have no ETag', async (t) => {
  t.is((await ann.post('/api/vote', {})).headers.get('etag'), null)
  t.is((await raw('/s/nowhere/new')).headers.etag, undefined)
})

for (const path of ['/s/tea/new', '/', '/openapi.json', '/health/live', '/s/nowhere/about'])
  test.serial(`HEAD ${path} responds as GET does, without the body`, async (t) => {
    for (const accepting of [{}, { 'Accept-Encoding': 'gzip' }, { 'Accept-Encoding': 'br' }] as const) {
      const [get, head] = [await raw(path, accepting), await raw(path, accepting, 'HEAD')]
      t.is(head.status, get.status)
      t.is(head.body.length, 0)
      for (const name of ['content-type', 'content-length', 'content-encoding', 'etag', 'cache-control', 'access-control-allow-origin'])
        t.is(head.headers[name], get.headers[name], name)
    }
  })

test('pages of other sites can read every response and its headers, errors and writes included', async (t) => {
  const answers = {
    read: await site.get('/s/tea/new'),
    unknown: await site.get('/nothing/here'),
    refused: await site.post('/api/vote', { id: 't5_1', dir: 1 }),
    'bad token': await site.request('GET', '/api/v1/me', { headers: { Authorization: 'bearer old' } }),
    write: await ann.post('/api/submit', { api_type: 'json', sr: 'nowhere', kind: 'self', title: 'Shared', text: 'x' }),
    'not allowed': await site.request('DELETE', '/hot', {}),
    'client credentials': await site.post('/api/v1/access_token', { grant_type: 'password' }),
  }
  for (const [name, { headers }] of Object.entries(answers)) {
    t.is(headers.get('access-control-allow-origin'), '*', name)
    t.is(headers.get('access-control-allow-credentials'), null, name)
    for (const field of ['X-Log-Position', 'X-Ratelimit-Remaining', 'Retry-After', 'ETag', 'X-Reason'])
      t.true(headers.get('access-control-expose-headers')?.includes(field), `${name} ${field}`)
  }
  const preflight = await site.request('OPTIONS', '/api/vote', { headers: { Origin: 'https://elsewhere.example' } })
  t.is(preflight.status, 204)
  for (const field of ['Authorization', 'Idempotency-Key', 'If-None-Match'])
    t.true(preflight.headers.get('access-control-allow-headers')?.includes(field), field)
})

test('GET / is a page for browsers and the front page as JSON for clients', async (t) => {
  const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  for (let n = 0; n < 3; n++) {
    const page = await site.get('/', browser)
    t.is(page.headers.get('content-type'), 'text/html; charset=UTF-8')
    for (const address of ['/docs', '/hot', '/register?dest=%2F', '/login?dest=%2F'])
      t.true(page.text.includes(`href="${address}"`), address)
    for (const headers of [{}, { Accept: 'application/json' }, { Accept: '*/*' }])
      t.is((await site.get('/', headers)).at('kind'), 'Listing')
    t.is((await site.get('/.json', browser)).at('kind'), 'Listing')
  }
})

test('every refusal that is JSON has a machine code, a sentence, and an address that explains it', async (t) => {
  const stranger = await site.register('stranger')
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace('[/s/{sub}]', '').replace(/\{(\w+)\}/g, (_, name: string) => endpoint.values?.[name]?.[0] ?? 'x1')
    for (const caller of [site, stranger]) {
      const { status, body } = await caller.request(endpoint.method, path, endpoint.method === 'GET' ? {} : { form: {} })
      if (status < 400 || endpoint.path.startsWith('/api/v1/access_token') || endpoint.path.startsWith('/api/v1/revoke')) continue
      if (body === undefined) continue
      const { reason, explanation, message, error, documentation_url } = body as Readonly<Record<string, unknown>>
      t.true(error === status || error === 'invalid_scopes', `${endpoint.method} ${path} ${status}`)
      t.is(documentation_url, documentationUrl(site.url, reason as RefusalCode))
      t.true(String(reason) in refusals, String(reason))
      t.regex(String(reason), /^[A-Z][A-Z0-9_]+$/, `${endpoint.method} ${path} ${status}`)
      t.true(typeof explanation === 'string' && explanation.length > 5, `${endpoint.method} ${path} ${status}`)
      t.is(typeof message, 'string', `${endpoint.method} ${path} ${status}`)
    }
  }
})

const hostile = ['', '\0', '-', '🫖', 'no such thing', 't9_1', 'x'.repeat(200_000)]

test('a parameter that cannot be decoded is named by the refusal, whatever its status', (t) => {
  for (const { method, path, params } of endpoints)
    for (const [name, { decode }] of Object.entries(params))
      for (const value of [undefined, ...hostile]) {
        const decoded = decode(value, name)
        if (E.isLeft(decoded)) t.truthy(decoded.left.field, `${method} ${path} ${name}=${value?.slice(0, 20)}: ${decoded.left.code}`)
      }
})

const unknown = { link: 't5_zzzzzz', comment: 't1_zzzzzz', message: 't6_zzzzzz' }

for (const [request, status, field] of [
  [['/api/set_subsite_sticky', { id: unknown.comment, state: 'true' }], 400, 'id'],
  [['/api/save', { id: unknown.link }], 400, 'id'],
  [['/api/hide', { id: unknown.comment }], 400, 'id'],
  [['/api/vote', { id: unknown.link, dir: '1' }], 404, 'id'],
  [['/api/vote', { id: unknown.link, dir: '7' }], 404, 'id'],
  [['/api/distinguish', { id: unknown.comment, how: 'yes' }], 404, 'id'],
  [['/api/read_message', { id: unknown.message }], 400, 'id'],
  [['/api/unfriend', { type: 'no such type', name: 'ann' }], 400, 'type'],
  [['/s/tea/api/unfriend', { type: 'banned', name: 'nobody_here' }], 400, 'name'],
  [['/api/subscribe', { action: 'sub', sr: 'no_such_place' }], 404, 'sr'],
  [['/api/subscribe', { action: 'join', sr: 'tea' }], 400, 'action'],
] as const)
  test(`${request[0]} with ${JSON.stringify(request[1])} names ${field} and says more than a bad address`, async (t) => {
    const answer = await ann.post(request[0], request[1])
    t.is(answer.status, status)
    t.deepEqual(answer.at('fields'), [field])
    t.notRegex(String(answer.at('explanation')), /address|malformed/)
  })

test('a value that is not possible is named, also by endpoints that answer most refusals with 200', async (t) => {
  const vote = await ann.post('/api/vote', { id: String((await site.get('/s/tea/new')).at('data.children.0.data.name')), dir: 7 })
  t.is(vote.status, 400)
  t.deepEqual([vote.at('error'), vote.at('fields')], [400, ['dir']])
})
