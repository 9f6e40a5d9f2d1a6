import { Agent, type IncomingHttpHeaders, request as rawRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { longestTurn } from '../support/hostile-texts.ts'
import { startSite } from '../support/site.ts'

const site = await startSite({ logLevel: 'silent' })
const { port } = new URL(site.url)
test.after.always(() => site.stop())

const OVER = 513 * 1024

type Conversation = { readonly text: string; readonly closed: boolean }

/** Writes pieces to one connection, with a pause after each, and reads until the other side closes it, or half a minute long. */
const converse = (...pieces: readonly (string | Buffer)[]): Promise<Conversation> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    const end = (closed: boolean) => {
      socket.destroy()
      resolve({ text, closed })
    }
    socket.on('data', (data) => {
      text += data.toString('latin1')
    })
    socket.on('end', () => end(true))
    socket.on('error', () => end(true))
    socket.setTimeout(30_000, () => end(false))
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return
        socket.write(piece)
        await sleep(20)
      }
    })
  })

const head = (path: string, ...fields: readonly string[]) => `${[`POST ${path} HTTP/1.1`, 'Host: x', ...fields].join('\r\n')}\r\n\r\n`

const FORM = 'Content-Type: application/x-www-form-urlencoded'
const next = 'GET /api/saved_categories HTTP/1.1\r\nHost: x\r\n\r\n'
const filler = Buffer.alloc(OVER, 'x')
const multipart = Buffer.concat([
  Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'),
  Buffer.alloc(2 * 1024 * 1024, 'x'),
  Buffer.from('\r\n--b--\r\n'),
])
const MULTIPART = 'Content-Type: multipart/form-data; boundary=b'
const zipped = gzipSync(Buffer.alloc(50_000_000, 'x'))

const refused: Readonly<Record<string, readonly [status: number, ...pieces: readonly (string | Buffer)[]]>> = {
  'a body announced as too large': [413, head('/api/login', FORM, `Content-Length: ${OVER}`), filler, next],
  'a body announced as too large that is never sent': [413, head('/api/login', FORM, `Content-Length: ${OVER}`), next],
  'a body that turns out too large': [
    413,
    head('/api/login', FORM, 'Transfer-Encoding: chunked'),
    `${OVER.toString(16)}\r\n`,
    filler,
    '\r\n0\r\n\r\n',
    next,
  ],
  'an upload that is too large': [413, head('/api/login', MULTIPART, `Content-Length: ${multipart.length}`), multipart, next],
  'an upload without a length': [
    411,
    head('/api/login', MULTIPART, 'Transfer-Encoding: chunked'),
    `${multipart.length.toString(16)}\r\n`,
    multipart,
    '\r\n0\r\n\r\n',
    next,
  ],
  'a broken upload': [400, head('/api/login', 'Content-Type: multipart/form-data', 'Content-Length: 5'), 'xxxxx', next],
  'a compressed body': [415, head('/api/login', FORM, 'Content-Encoding: gzip', `Content-Length: ${zipped.length}`), zipped, next],
  'a body compressed twice': [415, head('/api/login', FORM, 'Content-Encoding: gzip, br', 'Content-Length: 3'), 'abc', next],
  'broken JSON': [200, head('/api/login', 'Content-Type: application/json', 'Content-Length: 1'), '{', next],
}

for (const [what, [status, ...pieces]] of Object.entries(refused))
  test(`${what} is refused, and what follows on its connection is not read as a request`, async (t) => {
    const { text, closed } = await converse(...pieces)
    t.regex(text, new RegExp(`^HTTP/1\\.1 ${status} `))
    t.regex(text, /^Connection: close\r$/im)
    t.true(closed, 'the connection is closed')
    t.is(text.match(/HTTP\/1\.1 \d{3} /g)?.length, 1, text)
  })

type Sent = { readonly status: number | undefined; readonly headers: IncomingHttpHeaders; readonly text: string }

/** One request of a client that keeps its connections, as proxies do. */
const through = (agent: Agent, path: string, headers: Readonly<Record<string, string | number>>, body: Buffer): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sent = rawRequest({ host: '127.0.0.1', port, method: 'POST', path, headers: { ...headers }, agent }, (response) => {
      let text = ''
      response.on('data', (data) => {
        text += data
      })
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })

test('other requests on a connection with refused bodies get their responses', async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const bodies = [
    { status: 413, path: '/api/login', headers: { ...form, 'Content-Length': 3_000_000 }, body: Buffer.alloc(3_000_000, 'x') },
    { status: 413, path: '/api/login', headers: { ...form, 'Transfer-Encoding': 'chunked' }, body: Buffer.alloc(3_000_000, 'x') },
    { status: 415, path: '/api/login', headers: { ...form, 'Content-Encoding': 'gzip', 'Content-Length': zipped.length }, body: zipped },
    // refused before anybody looks at the body
    { status: 404, path: '/api/nothing', headers: { ...form, 'Content-Length': 3_000_000 }, body: Buffer.alloc(3_000_000, 'x') },
    { status: 404, path: '/api/nothing', headers: { ...form, 'Content-Length': 3_000 }, body: Buffer.alloc(3_000, 'x') },
    {
      status: 401,
      path: '/api/vote',
      headers: { ...form, Authorization: 'bearer no', 'Content-Length': 3_000 },
      body: Buffer.alloc(3_000, 'x'),
    },
  ]
  for (const { status, path, headers, body } of bodies) {
    t.is((await through(agent, path, headers, body)).status, status, path)
    const answer = await through(agent, '/api/comment', { ...form, 'Content-Length': 8 }, Buffer.from('id=t1_zz'))
    t.is(answer.status, 200)
    t.regex(answer.text, /USER_REQUIRED/)
  }
})

test('a small refused body keeps its connection, and a body that is not expected is ignored', async (t) => {
  const small = head('/api/nothing', FORM, 'Content-Length: 5')
  const { text } = await converse(
    `${small}a=b&c`,
    `${head('/api/vote', FORM, 'Content-Length: 3')}a=b`,
    next.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
  )
  t.is(text.match(/HTTP\/1\.1 \d{3} /g)?.length, 3, text)
})

test('Content-Encoding: identity is accepted', async (t) => {
  const answer = await site.request('POST', '/api/vote', { form: { id: 'a' }, headers: { 'Content-Encoding': 'identity' } })
  t.is(answer.status, 200)
})

const part = (head: string) => `--b\r\n${head}\r\n\r\nv\r\n`
const filled = (unit: (index: number) => string, bytes: number) => {
  let text = ''
  for (let index = 0; text.length < bytes; index += 1) text += unit(index)
  return text
}
const JSON_TYPE = 'application/json'
const PARTS = 'multipart/form-data; boundary=b'
/** A separator far longer than the 70 characters that RFC 2046 allows, and a body that is full of nearly the same. */
const LONG = 'b'.repeat(4_000)
const nearly = `--${LONG}\r\n\r\n${filled(() => `\r\n--${LONG.slice(1)}c`, 900_000)}\r\n--${LONG}--\r\n`

const costly: Readonly<Record<string, readonly [type: string, body: string, status: number]>> = {
  'parts without a name': [PARTS, filled(() => '--b\r\n\r\n\r\n', 900_000), 413],
  'fields by the ten thousand': [PARTS, filled((n) => part(`Content-Disposition: form-data; name="a${n}"`), 900_000), 413],
  'files by the ten thousand': [PARTS, filled(() => part('Content-Disposition: form-data; name="a"; filename="f"'), 900_000), 413],
  'a part with a hundred thousand lines in its head': [PARTS, part(filled(() => 'A: b\r\n', 900_000)), 413],
  'a part with a hundred thousand parameters in its head': [
    PARTS,
    part(`Content-Disposition: form-data; ${filled(() => 'a=b; ', 900_000)}`),
    413,
  ],
  'a part with an endless head': [PARTS, `--b\r\nContent-Disposition: form-data; ${filled(() => 'a=b; ', 900_000)}`, 413],
  'nearly as many separators as a long one allows': [`multipart/form-data; boundary=${LONG}`, nearly, 400],
  'nearly as many separators behind another one': [`multipart/form-data; x="; boundary=b"; boundary=${LONG}`, nearly, 400],
  'lists within lists': [JSON_TYPE, '['.repeat(200_000) + ']'.repeat(200_000), 200],
  'lists within lists in a member': [JSON_TYPE, `{"id":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 200],
  'objects within objects': [JSON_TYPE, '{"a":'.repeat(80_000) + '1'.padEnd(80_001, '}'), 200],
  'empty objects by the hundred thousand': [JSON_TYPE, `{"id":[${'{},'.repeat(170_000)}1]}`, 200],
  'halves of surrogate pairs by the ten thousand': [JSON_TYPE, `{"link_id":"t5_zz","other":[${'"\\ud800",'.repeat(55_000)}1]}`, 403],
  'members by the ten thousand': [JSON_TYPE, `{${filled((n) => `"${n.toString(36)}":1,`, 500_000)}"a":1}`, 200],
}

for (const [what, [type, body, status]] of Object.entries(costly))
  test.serial(`a body of ${what} occupies the event loop for at most 50 ms`, async (t) => {
    const agent = new Agent({ keepAlive: false })
    const bytes = Buffer.from(body)
    const spent = await longestTurn(async () => {
      const answer = await through(
        agent,
        '/api/morechildren?api_type=json',
        { 'Content-Type': type, 'Content-Length': bytes.length },
        bytes,
      )
      t.is(answer.status, status, answer.text.slice(0, 200))
      if (status === 200) t.regex(answer.text, /JSON_PARSE_ERROR/)
    })
    t.true(spent < 50, `${spent} ms`)
  })

test('JSON as deep and with as many names as any request needs is accepted', async (t) => {
  const post = (json: unknown) => site.request('POST', '/api/morechildren', { json })
  const ids = Array.from({ length: 20_000 }, (_, index) => index.toString(36))
  t.is((await post({ link_id: 't5_zz', children: ids, api_type: 'json' })).status, 403)
  t.is((await post({ link_id: 't5_zz', other: [[[[[[[['x']]]]]]]] })).status, 403)
})
