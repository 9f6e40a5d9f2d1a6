import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { startProxy } from './proxy.ts'

type Answering = (received: IncomingMessage, body: string, response: ServerResponse) => void

/** The proxy in front of a server that answers so. */
const proxied = async (t: ExecutionContext, answering: Answering) => {
  const server = createServer(async (received, response) => answering(received, await text(received), response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const proxy = await startProxy(service)
  t.teardown(() => {
    proxy.stop()
    server.closeAllConnections()
    server.close()
  })
  return { service, url: proxy.url }
}

const json = (response: ServerResponse, value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))

/** Says what was received. */
const echo: Answering = ({ method, url, headers }, body, response) => response.end(JSON.stringify({ method, url, headers, body }))

test('the proxy renames what a response says of things, and no text', async (t) => {
  const link = {
    kind: 't5',
    data: { id: 'a', name: 't5_a', subsite: 'tea', subsite_id: 't4_b', title: 't5_a', selftext: 'subsite', author: 't5_a' },
  }
  const accounts = [{ kind: 't2', data: { name: 't5_a', id: 'b' } }, { name: 't5_a', id: 't2_b' }, { name: 't5_a' }]
  const { url } = await proxied(t, (_, __, response) =>
    json(response, { children: [link], accounts, errors: [['SUBSITE_NOEXIST', 'no', 'sr']], after: 't6_c' }),
  )
  const renamed = {
    kind: 't3',
    data: { id: 'a', name: 't3_a', subreddit: 'tea', subreddit_id: 't5_b', title: 't5_a', selftext: 'subsite', author: 't5_a' },
  }
  t.deepEqual(await (await fetch(url)).json(), {
    children: [renamed],
    accounts,
    errors: [['SUBREDDIT_NOEXIST', 'no', 'sr']],
    after: 't4_c',
  })
})

test('the proxy renames the parameters that name things, in paths, queries, forms and JSON', async (t) => {
  const { url } = await proxied(t, echo)
  const sent = async (path: string, init: RequestInit = {}) => (await (await fetch(url + path, init)).json()) as Record<string, string>
  t.is((await sent('/by_id/t3_a,t3_b?after=t3_c&q=t3_d')).url, '/by_id/t5_a,t5_b?after=t5_c&q=t3_d')
  t.is((await sent('/r/t3_a/hot')).url, '/r/t3_a/hot')
  const malformed = '/hot?%zz=%ff&a&a=b%20c+d&&before=t3_c&q=%'
  t.is((await sent(malformed)).url, malformed.replace('t3_c', 't5_c'), 'all else stays as it is written')
  const form = new URLSearchParams({ thing_id: 't3_a', id: 't1_a,t4_b', text: 't3_a', parent: 't4_c' })
  t.is((await sent('/api/comment', { method: 'POST', body: form })).body, 'thing_id=t5_a&id=t1_a%2Ct6_b&text=t3_a&parent=t6_c')
  const headers = { 'content-type': 'application/json' }
  t.is((await sent('/api/x', { method: 'PATCH', headers, body: '{"sr":"t5_a","title":"t5_a"}' })).body, '{"sr":"t4_a","title":"t5_a"}')
  t.is((await sent('/api/x', { method: 'PUT', body: 'id=t3_a' })).body, 'id=t3_a')
})

test('the proxy passes a token and the method, and nothing of the connection', async (t) => {
  const { url, service } = await proxied(t, echo)
  const headers = { authorization: 'bearer T', 'proxy-authorization': 'Basic x', 'x-modhash': 'm' }
  const received = (await (await fetch(`${url}/api/x`, { method: 'DELETE', headers })).json()) as {
    readonly method: string
    readonly headers: Record<string, string>
  }
  t.is(received.method, 'DELETE')
  t.like(received.headers, { authorization: 'bearer T', 'x-modhash': 'm', host: new URL(service).host })
  t.is(received.headers['proxy-authorization'], undefined)
})

test('the proxy hands redirects on without following them: those of the service lead through it, others as they are', async (t) => {
  let requests = 0
  const { url, service } = await proxied(t, (received, _, response) => {
    requests += 1
    response.writeHead(302, { location: received.url === '/out' ? 'http://192.0.2.1/s/x' : `${service}/s/tea/comments/a?sort=new` }).end()
  })
  const led = async (path: string) => (await fetch(url + path, { redirect: 'manual' })).headers.get('location')
  t.is(await led('/random'), `${url}/r/tea/comments/a?sort=new`)
  t.is(await led('/out'), 'http://192.0.2.1/s/x')
  t.is(requests, 2)
})

/** Sends exactly these bytes, and waits for the answer. */
const sendBytes = (url: string, bytes: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('error', reject).once('data', () => {
      socket.destroy()
      resolve()
    })
  })

test('the proxy keeps a body with its request, whatever its method and connection', async (t) => {
  const seen: string[] = []
  const { url } = await proxied(t, ({ method, url: target }, body, response) => {
    seen.push(`${method} ${target} ${body}`)
    response.end()
  })
  const inner = 'POST /inner HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'
  const chunked = `Host: x\r\nTransfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
  const named = `Host: x\r\nConnection: content-length\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`
  for (const method of ['GET', 'DELETE', 'POST']) {
    await sendBytes(url, `${method} /chunked HTTP/1.1\r\n${chunked}`)
    await sendBytes(url, `${method} /named HTTP/1.1\r\n${named}`)
  }
  t.is(await raw(url, '/last'), 200)
  const bodies = ['GET', 'DELETE', 'POST'].flatMap((method) => [`${method} /chunked ${inner}`, `${method} /named ${inner}`])
  t.deepEqual(seen, [...bodies, 'GET /last '])
})

test('the proxy says last from whom a request is, behind what the request says itself', async (t) => {
  const { url } = await proxied(t, echo)
  const forwardedFor = async (headers: Record<string, string>) =>
    ((await (await fetch(url, { headers })).json()) as { headers: Record<string, string> }).headers['x-forwarded-for']
  t.is(await forwardedFor({}), '127.0.0.1')
  t.is(await forwardedFor({ 'x-forwarded-for': '192.0.2.1' }), '192.0.2.1, 127.0.0.1')
})

/** A request line that no client library would send. */
const raw = (url: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    request({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode ?? 0))
      .on('error', reject)
      .end()
  })

test('the proxy forwards to its one service only', async (t) => {
  let requests = 0
  const { url } = await proxied(t, (_, __, response) => {
    requests += 1
    response.end()
  })
  for (const path of ['http://192.0.2.1/', '//192.0.2.1/', '*']) t.is(await raw(url, path), 400, path)
  t.is(requests, 0)
  t.is(await raw(url, '/hot'), 200)
})

test('the proxy bounds what it renames, and streams what it does not', async (t) => {
  const large = 'x'.repeat(3 * 2 ** 20)
  const { url } = await proxied(t, (_, body, response) => response.end(String(body.length)))
  const form = await fetch(url, { method: 'POST', body: new URLSearchParams({ text: large }) })
  t.is(form.status, 413)
  t.is(await (await fetch(url, { method: 'POST', body: large })).text(), String(large.length))
})

test('the proxy holds a few long answers at a time: another waits until one of them is read', async (t) => {
  const long = JSON.stringify({ title: 'x'.repeat(24 * 2 ** 20) })
  const { url } = await proxied(t, (_, __, response) => response.setHeader('content-type', 'application/json').end(long))
  const unread = [await fetch(url), await fetch(url)]
  const refused = await fetch(url)
  t.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  t.deepEqual(await refused.json(), { error: 503, message: 'too many long answers at this moment: try again' })
  for (const answer of unread) t.is((await answer.text()).length, long.length)
  t.is((await (await fetch(url)).text()).length, long.length)
})

test('the proxy says when the service cannot be reached, or answers what is no JSON', async (t) => {
  const proxy = await startProxy('http://127.0.0.1:1')
  t.teardown(proxy.stop)
  const answer = await fetch(proxy.url)
  t.is(answer.status, 502)
  t.deepEqual(await answer.json(), { error: 502, message: 'the service cannot be reached' })
  const { url } = await proxied(t, (_, __, response) => response.setHeader('content-type', 'application/json').end('{'))
  t.is((await fetch(url)).status, 502)
})
