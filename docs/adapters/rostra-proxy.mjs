#!/usr/bin/env node
/*
 * Speaks to Reddit-style clients in the words that they know, and to a Rostra service in its own:
 *
 *     node rostra-proxy.mjs http://127.0.0.1:8080 --port 8081
 *
 * rostra-words.mjs beside it has the words. The proxy listens on 127.0.0.1 unless `--host` says otherwise, forwards to that one service only,
 * follows no redirects and keeps nothing. Node 20 or newer is all it needs. USAGE below says what its options do.
 */
import { readFileSync } from 'node:fs'
import { createServer, request as requestPlain } from 'node:http'
import { createSecureServer } from 'node:http2'
import { request as requestSecure } from 'node:https'
import { createServer as createListener } from 'node:net'
import { pipeline } from 'node:stream'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bodyToService, locationToClient, pathToService, toClient } from './rostra-words.mjs'

const USAGE = `usage: node rostra-proxy.mjs http://127.0.0.1:8080 [options]

  --port N           the port to listen on (8081); 0 takes any free port
  --host ADDRESS     the address to listen on (127.0.0.1)
  --cert, --key FILE a certificate and its key: the port then also speaks TLS, HTTP/1.1 and HTTP/2, and serves CONNECT to hosts of Reddit
  --app ID           the app of the service that stands for whatever client id a program has; its secret is in ROSTRA_APP_SECRET
  --stand-ins        answers /rising with /new and /controversial with /fun, and says so in X-Answered-With
  --forwarded        appends the address of each caller to X-Forwarded-For, for a service that counts this proxy in TRUST_PROXY
`

/** Header fields of one connection, which are not the message's. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]
/** Fields that say from whom a request is. The service believes none of them unless it counts this proxy. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** The fields of a message, without those of the connection and the pseudo-fields of HTTP/2. */
const messageFields = (headers) => {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith(':') && !HOP_BY_HOP.includes(name) && !named.includes(name)),
  )
}

const FORM_BYTES = 2 * 2 ** 20
const JSON_BYTES = 32 * 2 ** 20
/** The limit for all bodies that are in memory at the same time. */
const HELD_BYTES = 64 * 2 ** 20
const WAIT_MS = 60_000

/**
 * Returns the field that says where a body ends. Without it, Node sends the body of a GET or a DELETE after the request, where it would be read as
 * the next request.
 */
const framing = ({ headers, stream }) => {
  if (headers['content-length'] !== undefined && headers['transfer-encoding'] === undefined)
    return { 'content-length': headers['content-length'] }
  const isEndless = headers['transfer-encoding'] !== undefined || stream?.endAfterHeaders === false
  return isEndless ? { 'transfer-encoding': 'chunked' } : {}
}

/** The caller comes last, so that a service that counts this proxy believes no address that a client made up. */
const forwardedFor = ({ headers, socket }) => [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ')

let bytesInMemory = 0

/** Does something with a whole body, which counts as in memory until that is done; rejects once it is too long, or all bodies are together. */
const withBody = async (stream, most, use) => {
  const chunks = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      bytesInMemory += chunk.length
      if (bytes > most) throw Object.assign(new Error('the body is too long'), { status: 413 })
      if (bytesInMemory > HELD_BYTES) throw Object.assign(new Error('too many long bodies at this moment: try again'), { status: 503 })
      chunks.push(chunk)
    }
    return await use(Buffer.concat(chunks).toString('utf8'))
  } finally {
    bytesInMemory -= bytes
  }
}

const abort = (response) => (response.stream ? response.stream.close() : response.destroy())

const refuse = (response, status, message) => {
  if (response.headersSent) return abort(response)
  const body = JSON.stringify({ error: status, message })
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(status === 503 && { 'retry-after': '1' }),
    // a connection of HTTP/2 carries other requests, too
    ...(response.stream === undefined && { connection: 'close' }),
  }
  response.writeHead(status, headers).end(body)
}

/** The address that the client uses for this proxy. */
const ownAddress = ({ headers, socket }) => {
  const host = headers[':authority'] ?? headers.host
  return host === undefined ? '' : `${socket.encrypted ? 'https' : 'http'}://${host}`
}

/** The path of a link by its id alone, as in https://redd.it/abc123. The names of listings that the service does not have are none. */
const SHORT_LINK = /^\/(?!(?:best|controversial|gilded|rising)\b)([0-9a-z]{4,13})(\.json)?\/?(\?.*)?$/

const answer = async (request, incoming, response, { base, extra }) => {
  const own = ownAddress(request)
  const headers = { ...messageFields(incoming.headers), ...extra }
  const [, id, extension = '', query = ''] = SHORT_LINK.exec(request.url) ?? []
  if (incoming.statusCode === 404 && id !== undefined && /^(GET|HEAD)$/.test(request.method)) {
    incoming.resume()
    return response.writeHead(302, { location: `${own}/comments/${id}${extension}${query}`, 'content-length': 0 }).end()
  }
  if (headers.location) headers.location = locationToClient(headers.location, base, own)
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
    response.writeHead(incoming.statusCode, headers)
    return pipeline(incoming, response, () => {})
  }
  return withBody(incoming, JSON_BYTES, (text) => {
    const body = text === '' ? '' : JSON.stringify(toClient(JSON.parse(text), { own, path: request.url }))
    // the answer to a HEAD has a length and no text
    if (text !== '') headers['content-length'] = String(Buffer.byteLength(body))
    response.writeHead(incoming.statusCode, headers).end(body)
    return finished(response).catch(() => {})
  })
}

const STAND_INS = { rising: 'new', controversial: 'fun' }

/** Returns the path of the listing that stands in for one that the service does not have, and the field that says so. */
const withStandIn = (target) => {
  const [, before, wanted, after] = /^((?:\/r\/[\w+-]+)?\/)(rising|controversial)((?:\.\w+)?\/?(?:\?.*)?)$/.exec(target) ?? []
  return wanted === undefined
    ? { path: target, extra: {} }
    : { path: before + STAND_INS[wanted] + after, extra: { 'x-answered-with': STAND_INS[wanted] } }
}

const IS_AUTHORIZE = /^\/api\/v1\/authorize(\.compact)?(?=\?|$)/
const IS_TOKEN = /^\/api\/v1\/(access_token|revoke_token)(?=\?|$)/

/** A path that names a client names our app instead. */
const asApp = (target, { id }) => (IS_AUTHORIZE.test(target) ? target.replace(/([?&]client_id=)[^&]*/, `$1${encodeURIComponent(id)}`) : target)

/** The credentials of our app, where a client sends its own. */
const credentialsOf = (target, { authorization = '' }, { id, secret }) =>
  IS_TOKEN.test(target) && /^basic /i.test(authorization)
    ? { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
    : {}

/** Returns the handler of requests for one service, given by its address. */
const forwarding = (address, { app, standIns = false, forwarded = false }) => {
  const base = new URL(address)
  const send = base.protocol === 'https:' ? requestSecure : requestPlain
  const forward = async (request, response) => {
    // an absolute address would name another service
    if (!request.url?.startsWith('/') || request.url.startsWith('//'))
      return refuse(response, 400, 'only paths of the service are forwarded')
    const type = request.headers['content-type'] ?? ''
    const renamed = /^application\/(x-www-form-urlencoded|json)\b/.test(type)
    const form = renamed ? await withBody(request, FORM_BYTES, (text) => (text === '' ? undefined : bodyToService(type, text))) : undefined
    const { host, ...fields } = messageFields(request.headers)
    for (const name of FORWARDING) delete fields[name]
    const { path, extra } = standIns ? withStandIn(request.url) : { path: request.url, extra: {} }
    const headers = {
      ...fields,
      ...(app && credentialsOf(path, fields, app)),
      'accept-encoding': 'identity',
      host: base.host,
      ...(forwarded && { 'x-forwarded-for': forwardedFor(request) }),
      ...(renamed ? { 'content-length': Buffer.byteLength(form ?? '') } : framing(request)),
    }
    const outgoing = send({
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      method: request.method,
      path: base.pathname.replace(/\/$/, '') + pathToService(app ? asApp(path, app) : path),
      headers,
    })
    outgoing.setTimeout(WAIT_MS, () => outgoing.destroy(new Error('the service does not answer')))
    outgoing.on('response', (incoming) =>
      answer(request, incoming, response, { base: base.href, extra }).catch(({ status }) =>
        status === 503
          ? refuse(response, 503, 'too many long answers at this moment: try again')
          : refuse(response, 502, 'the answer of the service cannot be read'),
      ),
    )
    outgoing.on('error', () => refuse(response, 502, 'the service cannot be reached'))
    response.on('close', () => outgoing.destroy())
    // a client that does not read its answer occupies memory that others wait for
    response.setTimeout(2 * WAIT_MS, () => abort(response))
    if (renamed) outgoing.end(form)
    else pipeline(request, outgoing, () => {})
  }
  return (request, response) => {
    forward(request, response).catch((error) => refuse(response, error.status ?? 400, error.message))
  }
}

/** The first byte of a connection that speaks TLS. */
const TLS_HANDSHAKE = 0x16
/** The hosts of Reddit to which a tunnel ends here instead. */
const HOSTS_OF_REDDIT = /^(?:[\w-]+\.)*(?:reddit\.com|redd\.it):443$/i

/** Puts what was read of a connection back and gives the connection to a server. */
const handOver = (server, socket, read) => {
  socket.pause()
  if (read.length > 0) socket.unshift(read)
  server.emit('connection', socket)
  // the server reads what was put back first
  process.nextTick(() => socket.resume())
}

/** A server that speaks plain HTTP and TLS on one port. CONNECT to a host of Reddit leads to the server itself. */
const onBoth = (plain, secure) => {
  plain.on('connect', ({ url }, socket, head) => {
    socket.on('error', () => socket.destroy())
    if (!HOSTS_OF_REDDIT.test(url)) return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    handOver(secure, socket, head)
  })
  return createListener((socket) => {
    const abandon = () => socket.destroy()
    socket.setTimeout(WAIT_MS, abandon).on('error', abandon)
    socket.once('data', (read) => {
      socket.setTimeout(0).off('timeout', abandon)
      handOver(read[0] === TLS_HANDSHAKE ? secure : plain, socket, read)
    })
  })
}

/** Returns a server that forwards to one service, given by its address. `tls` has the certificate and its key. */
export const proxyTo = (address, { tls, ...options } = {}) => {
  const forward = forwarding(address, options)
  const plain = createServer({ requestTimeout: WAIT_MS }, forward)
  return tls === undefined ? plain : onBoth(plain, createSecureServer({ ...tls, allowHTTP1: true }, forward))
}

/** Returns the arguments of the command, or undefined if they make no sense. */
const parsedArguments = () => {
  try {
    const text = { type: 'string' }
    const flag = { type: 'boolean', default: false }
    const { values, positionals } = parseArgs({
      options: {
        port: { ...text, default: '8081' },
        host: { ...text, default: '127.0.0.1' },
        cert: text,
        key: text,
        app: text,
        'stand-ins': flag,
        forwarded: flag,
      },
      allowPositionals: true,
    })
    const target = URL.parse(positionals[0] ?? '')
    const isSensible = positionals.length === 1 && /^https?:$/.test(target?.protocol ?? '') && (values.cert === undefined) === (values.key === undefined)
    return isSensible ? { target, values } : undefined
  } catch {
    return undefined
  }
}

const fail = (message, code) => {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

const main = () => {
  const { target, values } = parsedArguments() ?? fail(USAGE.trim(), 2)
  const { cert, key, app, port, host } = values
  try {
    const server = proxyTo(target.href, {
      app: app && { id: app, secret: process.env.ROSTRA_APP_SECRET ?? '' },
      standIns: values['stand-ins'],
      forwarded: values.forwarded,
      tls: cert && { cert: readFileSync(cert), key: readFileSync(key) },
    })
    server.on('error', ({ message }) => fail(message, 1))
    server.listen(Number(port), host, () => {
      const { address, port: taken } = server.address()
      const place = `${address.includes(':') ? `[${address}]` : address}:${taken}`
      process.stdout.write(`proxy to ${target.origin} listening on ${cert ? 'https' : 'http'}://${place}\n`)
    })
  } catch ({ message }) {
    fail(message, 1)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
