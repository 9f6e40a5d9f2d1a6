import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestSecure } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { shellOf } from '../support/guides.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { startProxy } from './proxy.ts'

type Answering = (received: IncomingMessage, body: string, response: ServerResponse) => void

/** The proxy in front of a server that answers so. */
const startProxyBefore = async (
  t: ExecutionContext,
  answering: Answering,
  options: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) => {
  const server = createServer(async (received, response) => answering(received, await text(received), response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const proxy = await startProxy(service, options, environment)
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
    data: { id: 'a', name: 't5_a', subsite: 'tea', subsite_id: 't4_b', title: 't5_a', selftext: 'subsite /s/tea', author: 't5_a' },
  }
  const accounts = [{ name: 't5_a', id: 't2_b' }, { name: 't5_a' }]
  const { url } = await startProxyBefore(t, (_, __, response) =>
    json(response, { children: [link], accounts, errors: [['SUBSITE_NOEXIST', 'no', 'sr']], after: 't6_c' }),
  )
  const answer = (await (await fetch(url)).json()) as { readonly children: readonly [Thing] }
  t.like(answer.children[0], {
    kind: 't3',
    data: { id: 'a', name: 't3_a', subreddit: 'tea', subreddit_id: 't5_b', title: 't5_a', selftext: 'subsite /s/tea', author: 't5_a' },
  })
  t.like(answer, { accounts, errors: [['SUBREDDIT_NOEXIST', 'no', 'sr']], after: 't4_c' })
})

type Thing = { readonly kind: string; readonly data: Readonly<Record<string, unknown>> }

/** The data of a thing as it comes through the proxy. */
const throughProxy = async (t: ExecutionContext, thing: Thing) => {
  const { url } = await startProxyBefore(t, (_, __, response) => json(response, thing))
  return { url, data: ((await (await fetch(url)).json()) as Thing).data }
}

test('addresses in values lead to /r/, and absolute ones of things to the proxy', async (t) => {
  const { url, data: text } = await throughProxy(t, {
    kind: 't5',
    data: { id: 'a', is_self: true, permalink: '/s/tea/comments/a/x/', url: 'https://site.example/s/tea/comments/a/x/' },
  })
  t.like(text, { permalink: '/r/tea/comments/a/x/', url: `${url}/r/tea/comments/a/x/` })
  const { data: link } = await throughProxy(t, {
    kind: 't5',
    data: { id: 'a', is_self: false, url: 'https://other.example/s/tea/comments/b/x/' },
  })
  t.is(link.url, 'https://other.example/s/tea/comments/b/x/', 'an address of something else stays')
  t.is((await throughProxy(t, { kind: 't4', data: { url: '/s/tea/' } })).data.url, '/r/tea/')
  const { url: own, data: comment } = await throughProxy(t, {
    kind: 't1',
    data: {
      id: 'c',
      link_id: 't5_a',
      link_title: 'x',
      permalink: '/s/tea/comments/a/x/c',
      link_url: 'https://site.example/s/tea/comments/a/x/',
      context: '/s/tea/comments/a/x/c/?context=3',
    },
  })
  t.like(comment, {
    permalink: '/r/tea/comments/a/x/c/',
    link_permalink: `${own}/r/tea/comments/a/x/`,
    link_url: `${own}/r/tea/comments/a/x/`,
    context: '/r/tea/comments/a/x/c/?context=3',
  })
  const { data: action } = await throughProxy(t, { kind: 'modaction', data: { target_permalink: '/s/tea/comments/a/x/', subsite: 'tea' } })
  t.like(action, { target_permalink: '/r/tea/comments/a/x/', subreddit_name_prefixed: 'r/tea' })
})

test('an invitation to moderate has the subject and the first word that bots look for', async (t) => {
  const { data } = await throughProxy(t, {
    kind: 't6',
    data: {
      subject: 'invitation to moderate /s/tea',
      body: 'you are invited to become a moderator of [/s/tea](/s/tea). nothing changes until you accept.',
      body_html: '&lt;p&gt;you are invited to become a moderator of &lt;a href="/s/tea"&gt;/s/tea&lt;/a&gt;&lt;/p&gt;',
    },
  })
  t.like(data, {
    subject: 'invitation to moderate /r/tea',
    body: 'gadzooks! you are invited to become a moderator of [/r/tea](/r/tea). nothing changes until you accept.',
    body_html: '&lt;p&gt;gadzooks! you are invited to become a moderator of &lt;a href="/r/tea"&gt;/r/tea&lt;/a&gt;&lt;/p&gt;',
  })
  const { data: other } = await throughProxy(t, { kind: 't6', data: { subject: 'Hello', body: 'you are invited to x/s/tea and /s/tea' } })
  t.like(other, { subject: 'Hello', body: 'you are invited to x/s/tea and /r/tea' })
})

test('fields that clients always receive have the value of something new where the service has none, and its own where it has one', async (t) => {
  const { data: link } = await throughProxy(t, {
    kind: 't5',
    data: { subsite: 'tea', is_self: false, url: 'https://x.example/', num_crossposts: 3 },
  })
  t.like(link, { all_awardings: [], is_gallery: false, num_crossposts: 3, url_overridden_by_dest: 'https://x.example/' })
  t.like((await throughProxy(t, { kind: 't4', data: { display_name: 'tea' } })).data, { display_name_prefixed: 'r/tea', key_color: '' })
  t.like((await throughProxy(t, { kind: 't2', data: { name: 'ann', id: 'b' } })).data, { name: 'ann', icon_img: '', subreddit: null })
  const { url } = await startProxyBefore(t, (_, __, response) => json(response, { name: 'ann', id: 'b', gold_csites: 2 }))
  t.like(await (await fetch(`${url}/api/v1/me`)).json(), { name: 'ann', gold_creddits: 2, coins: 0, icon_img: '' })
})

test('scopes have their names on each side, and those of features that the service lacks are dropped', async (t) => {
  const { url } = await startProxyBefore(t, echo)
  const sent = async (scope: string) => {
    const { body } = (await (await fetch(url, { method: 'POST', body: new URLSearchParams({ scope }) })).json()) as {
      readonly body: string
    }
    return new URLSearchParams(body).get('scope')
  }
  t.is(await sent('identity mysubreddits creddits modlog read modnote livemanage'), 'identity mysubsites csites read')
  t.is(await sent('identity,mysubreddits'), 'identity,mysubsites')
  t.is(await sent('*'), '*')
  t.is(await sent('modnote'), 'modnote', 'an empty list would ask for everything')
  const { url: answering } = await startProxyBefore(t, ({ url: target }, _, response) =>
    json(
      response,
      target === '/api/v1/scopes'
        ? { read: { id: 'read', name: 'read', description: 'Read subsites.' } }
        : { access_token: 'T', scope: 'mysubsites read vote' },
    ),
  )
  t.is(((await (await fetch(`${answering}/api/v1/access_token`)).json()) as { scope: string }).scope, 'mysubreddits read vote')
  t.deepEqual(await (await fetch(`${answering}/api/v1/scopes`)).json(), {
    read: { id: 'read', name: 'read', description: 'Read subreddits.' },
    modlog: { id: 'modlog', name: 'modlog', description: 'Read subreddits.' },
    modtraffic: { id: 'modtraffic', name: 'modtraffic', description: 'Read subreddits.' },
  })
})

test('the proxy answers for pages that clients know: popular, short links, and stand-ins if it is told so', async (t) => {
  const answering: Answering = ({ url: target }, _, response) => {
    if (/^\/[0-9a-z]+(\.json)?$/.test(target ?? '') && target !== '/new' && target !== '/fun') response.statusCode = 404
    json(response, { target })
  }
  const { url } = await startProxyBefore(t, answering)
  const asked = async (path: string, at = url) => {
    const answer = await fetch(at + path, { redirect: 'manual' })
    const text = await answer.text()
    const { target = '' } = (text === '' ? {} : JSON.parse(text)) as { readonly target?: string }
    return [answer.status, target, answer.headers.get('x-answered-with'), answer.headers.get('location')]
  }
  t.deepEqual(await asked('/r/popular/hot.json?limit=1'), [200, '/r/all/hot.json?limit=1', null, null])
  t.deepEqual(await asked('/r/popularity/hot'), [200, '/r/popularity/hot', null, null])
  t.deepEqual(await asked('/r/tea/duplicates/abc123'), [200, '/r/tea/duplicates/abc123', null, null])
  t.deepEqual(await asked('/abc123.json'), [302, '', null, `${url}/comments/abc123.json`])
  t.deepEqual(await asked('/new'), [200, '/new', null, null], 'a page of the service is no short link')
  t.deepEqual(await asked('/rising'), [404, '/rising', null, null])
  t.deepEqual(await asked('/r/tea/rising.json?limit=1'), [200, '/r/tea/rising.json?limit=1', null, null])
  const { url: standingIn } = await startProxyBefore(t, answering, ['--stand-ins'])
  t.deepEqual(await asked('/r/tea/rising.json?limit=1', standingIn), [200, '/r/tea/new.json?limit=1', 'new', null])
  t.deepEqual(await asked('/controversial', standingIn), [200, '/fun', 'fun', null])
  t.deepEqual(await asked('/r/rising/hot', standingIn), [200, '/r/rising/hot', null, null])
})

test('with an app of the service, the proxy sends its credentials instead of those of a program', async (t) => {
  const { url } = await startProxyBefore(t, echo, ['--app', 'ours'], { ROSTRA_APP_SECRET: 'secret' })
  const received = async (path: string, authorization: string) =>
    (await (await fetch(url + path, { headers: { authorization } })).json()) as { url: string; headers: Record<string, string> }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  t.is((await received('/api/v1/access_token', basic('theirs:'))).headers.authorization, basic('ours:secret'))
  t.is((await received('/api/v1/me', 'bearer T')).headers.authorization, 'bearer T')
  t.is((await received('/api/v1/me', basic('theirs:'))).headers.authorization, basic('theirs:'), 'its secret goes nowhere else')
  t.is((await received('/api/v1/authorize?client_id=theirs&state=x', 'bearer T')).url, '/api/v1/authorize?client_id=ours&state=x')
})

test('the proxy renames the parameters that name things, in paths, queries, forms and JSON', async (t) => {
  const { url } = await startProxyBefore(t, echo)
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
  const { url, service } = await startProxyBefore(t, echo)
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
  const { url, service } = await startProxyBefore(t, (received, _, response) => {
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
  const { url } = await startProxyBefore(t, ({ method, url: target }, body, response) => {
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
  t.is(await requestRaw(url, '/last'), 200)
  const bodies = ['GET', 'DELETE', 'POST'].flatMap((method) => [`${method} /chunked ${inner}`, `${method} /named ${inner}`])
  t.deepEqual(seen, [...bodies, 'GET /last '])
})

test('the proxy says from whom a request is only to a service that counts it, and then last', async (t) => {
  const { url } = await startProxyBefore(t, echo)
  const forwardedFor = async (at: string, headers: Record<string, string> = {}) =>
    ((await (await fetch(at, { headers })).json()) as { headers: Record<string, string> }).headers['x-forwarded-for']
  t.is(await forwardedFor(url), undefined)
  t.is(await forwardedFor(url, { 'x-forwarded-for': '192.0.2.1' }), undefined, 'nor what the request says itself')
  const { url: counted } = await startProxyBefore(t, echo, ['--forwarded'])
  t.is(await forwardedFor(counted), '127.0.0.1')
  t.is(await forwardedFor(counted, { 'x-forwarded-for': '192.0.2.1' }), '192.0.2.1, 127.0.0.1')
})

/** A request line that no client library would send. */
const requestRaw = (url: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    request({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode ?? 0))
      .on('error', reject)
      .end()
  })

test('the proxy forwards to its one service only', async (t) => {
  let requests = 0
  const { url } = await startProxyBefore(t, (_, __, response) => {
    requests += 1
    response.end()
  })
  for (const path of ['http://192.0.2.1/', '//192.0.2.1/', '*']) t.is(await requestRaw(url, path), 400, path)
  t.is(requests, 0)
  t.is(await requestRaw(url, '/hot'), 200)
})

test('the proxy bounds what it renames, and streams what it does not', async (t) => {
  const large = 'x'.repeat(3 * 2 ** 20)
  const { url } = await startProxyBefore(t, (_, body, response) => response.end(String(body.length)))
  const form = await fetch(url, { method: 'POST', body: new URLSearchParams({ text: large }) })
  t.is(form.status, 413)
  t.is(await (await fetch(url, { method: 'POST', body: large })).text(), String(large.length))
})

test('the proxy holds a few long answers at a time: another waits until one of them is read', async (t) => {
  const long = JSON.stringify({ title: 'x'.repeat(24 * 2 ** 20) })
  const { url } = await startProxyBefore(t, (_, __, response) => response.setHeader('content-type', 'application/json').end(long))
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
  const { url } = await startProxyBefore(t, (_, __, response) => response.setHeader('content-type', 'application/json').end('{'))
  t.is((await fetch(url)).status, 502)
})

// --- TLS ---

/** The certificate that the commands of the guide make. */
const certificate = async (t: ExecutionContext) => {
  const directory = temporaryDirectory(t)
  await promisify(execFile)('bash', ['-eu', '-c', await shellOf('reddit-programs')], { cwd: directory })
  const at = (name: string) => join(directory, name)
  return { options: ['--cert', at('proxy.pem'), '--key', at('proxy.key')], ca: await readFile(at('authority.pem'), 'utf8') }
}

const servername = 'www.reddit.com'

const self: Thing = { kind: 't5', data: { id: 'a', url: 'https://site.example/s/tea/comments/a/x/' } }

type Answer = { readonly status: number; readonly text: string }

/** Asks by HTTP/1.1 or HTTP/2 over TLS. */
const askSecurely = (url: string, ca: string, alpn: 'http/1.1' | 'h2', body = ''): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const method = body === '' ? 'GET' : 'POST'
    if (alpn === 'http/1.1') {
      const asking = requestSecure(new URL('/x', url), { ca, servername, method }, async (answer) =>
        resolve({ status: answer.statusCode ?? 0, text: await text(answer) }),
      )
      asking.on('error', reject).end(body)
      return
    }
    const session = connectHttp2(url, { ca, servername }).on('error', reject)
    const asking = session.request({ ':method': method, ':authority': new URL(url).host, ':path': '/x' })
    asking.on('error', reject).on('response', async (fields) => {
      resolve({ status: Number(fields[':status']), text: await text(asking) })
      session.close()
    })
    if (body === '') asking.end()
    else asking.end(body)
  })

test('with a certificate the proxy speaks HTTP/1.1 and HTTP/2 over TLS, and plain HTTP on the same port', async (t) => {
  const { options, ca } = await certificate(t)
  const { url } = await startProxyBefore(
    t,
    (received, body, response) => json(response, received.method === 'GET' ? self : { method: body }),
    options,
  )
  t.regex(url, /^https:/)
  for (const alpn of ['http/1.1', 'h2'] as const) {
    const { status, text: answered } = await askSecurely(url, ca, alpn)
    t.is(status, 200, alpn)
    t.is((JSON.parse(answered) as Thing).data.url, `${url}/r/tea/comments/a/x/`, alpn)
    t.deepEqual(JSON.parse((await askSecurely(url, ca, alpn, 'a body')).text), { method: 'a body' }, alpn)
  }
  t.is((await fetch(url.replace('https:', 'http:'))).status, 200)
})

test('a service that is away is said over HTTP/2, too', async (t) => {
  const { options, ca } = await certificate(t)
  const { url, stop } = await startProxy('http://127.0.0.1:1', options)
  t.teardown(stop)
  t.like(JSON.parse((await askSecurely(url, ca, 'h2')).text), { error: 502 })
})

test('a tunnel to a host of Reddit ends at the proxy, and no other is made', async (t) => {
  const { options, ca } = await certificate(t)
  const { url } = await startProxyBefore(t, (_, __, response) => json(response, self), options)
  const { hostname, port } = new URL(url)
  const tunnel = (target: string): Promise<Socket | number> =>
    new Promise((resolve, reject) => {
      request({ hostname, port, method: 'CONNECT', path: target })
        .on('connect', ({ statusCode = 0 }, socket) => resolve(statusCode === 200 ? socket : statusCode))
        .on('error', reject)
        .end()
    })
  t.is(await tunnel('example.com:443'), 403)
  t.is(await tunnel('www.reddit.com.example.com:443'), 403)
  t.is(await tunnel('www.reddit.com:22'), 403)
  const socket = await tunnel('www.reddit.com:443')
  if (typeof socket === 'number') return t.fail(String(socket))
  const answered = await new Promise<string>((resolve, reject) => {
    const secured = connectTls({ socket, ca, servername })
    const asking = request({ createConnection: () => secured, headers: { host: 'www.reddit.com' }, path: '/x' }, async (answer) =>
      resolve(await text(answer)),
    )
    asking.on('error', reject).end()
  })
  t.is((JSON.parse(answered) as Thing).data.url, 'https://www.reddit.com/r/tea/comments/a/x/')
})
