import test from 'ava'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { FULL } from '../support/full.ts'
import fc, { anyText } from '../support/properties.ts'
import { type Raw, rawRequests } from '../support/raw-requests.ts'

/** Requests for each endpoint. */
const RUNS = FULL ? 200 : 5

const { site, ann } = await startTea()
const token = await site.tokenOf(ann.id)
const { send } = rawRequests(site)

test.after.always(() => site.stop())

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
        return status === undefined || status < 500
      }),
      { numRuns: RUNS, seed: 20260101, endOnFailure: true },
    )
    t.pass()
  })
