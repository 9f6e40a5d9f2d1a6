#!/usr/bin/env node
/*
 * Speaks to Reddit-style clients in the words that they know, and to a Rostra service in its own:
 *
 *     node rostra-proxy.mjs http://127.0.0.1:8080 --port 8081
 *
 * It renames `subsite…` to `subreddit…`, the kinds of things (a link is `t5` there and `t3` here) and `/s/` in redirects to `/r/`. It listens on
 * 127.0.0.1 unless `--host` says otherwise, forwards to that one service only, follows no redirects and keeps nothing. For a service whose limits
 * count callers it appends their addresses to X-Forwarded-For (`TRUST_PROXY`). Node 20 or newer is all it needs.
 */
import { createServer, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { pipeline } from 'node:stream'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** What the service calls t3 (an award), t4 (a subsite), t5 (a link) and t6 (a message). */
const KIND_OF_CLIENTS = { t3: 't6', t4: 't5', t5: 't3', t6: 't4' }
const KIND_OF_SERVICE = Object.fromEntries(Object.entries(KIND_OF_CLIENTS).map(([service, client]) => [client, service]))

const FULLNAME = /\b(t[3-6])(?=_[0-9a-z]+\b)/g
const FULLNAMES = /^t[1-6]_[0-9a-z]+(?:[, ]+t[1-6]_[0-9a-z]+)*$/
const renamedKinds = (text, kinds) => text.replace(FULLNAME, (kind) => kinds[kind])

/** Fields of responses whose values are fullnames; in others a text that looks like one is a text. */
const NAMES_THINGS = /^(id|fullname|after|before|target_fullname|first_message_name|\w+_id)$/
const CODE = /^[A-Z]+(_[A-Z]+)*$/

/** The `name` of a thing is its fullname, which ends in its `id`; an account or an app may have a name that only looks like one. */
const isNameOfThing = (name, { id }) => typeof name === 'string' && name.replace(/^t[1-6]_/, '') === id

/** JSON of the service as clients read it. */
export const toClient = (value, key = '') => {
  if (Array.isArray(value)) return value.map((one) => toClient(one, key))
  if (typeof value === 'string') {
    if (key === 'kind') return value === 'subsite_settings' ? 'subreddit_settings' : (KIND_OF_CLIENTS[value] ?? value)
    if (NAMES_THINGS.test(key) && FULLNAMES.test(value)) return renamedKinds(value, KIND_OF_CLIENTS)
    if ((key === 'errors' || key === 'reason') && CODE.test(value)) return value.replace('SUBSITE', 'SUBREDDIT')
    return value
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/^subsite(?=$|_)/, 'subreddit'),
      toClient(inner, name === 'name' && isNameOfThing(inner, value) ? 'fullname' : name),
    ]),
  )
}

/** Parameters whose values are fullnames. */
const NAMING = new Set(['id', 'thing_id', 'parent', 'link_id', 'link', 'links', 'sr', 'container', 'names', 'after', 'before', 'mid'])

/** The value of a parameter of a client as the service reads it. */
export const parameterToService = (name, value) =>
  NAMING.has(name) && typeof value === 'string' && FULLNAMES.test(value) ? renamedKinds(value, KIND_OF_SERVICE) : value

/** What names no things stays as it is written, so that the service itself judges what is malformed. */
const formToService = (text) =>
  text
    .split('&')
    .map((pair) => {
      const [[name, value] = ['', '']] = new URLSearchParams(pair)
      const renamed = parameterToService(name, value)
      return renamed === value ? pair : String(new URLSearchParams([[name, renamed]]))
    })
    .join('&')

const bodyToService = (type, text) => {
  if (type.startsWith('application/x-www-form-urlencoded')) return formToService(text)
  const value = JSON.parse(text)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return text
  return JSON.stringify(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, parameterToService(name, inner)])))
}

/** A path, with or without a query. */
export const pathToService = (target) => {
  const [path = '', ...query] = target.split('?')
  const renamed = /^\/?(by_id|api\/v1\/gold\/gild)\//.test(path) ? renamedKinds(path, KIND_OF_SERVICE) : path
  return query.length === 0 ? renamed : `${renamed}?${formToService(query.join('?'))}`
}

/** Of one connection, not of the message. */
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
const withoutHop = (headers) => {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name) && !named.includes(name)))
}

const FORM_BYTES = 2 * 2 ** 20
const JSON_BYTES = 32 * 2 ** 20
/** Of all bodies that are held at the same time, so that many long ones do not fill the memory. */
const HELD_BYTES = 64 * 2 ** 20
const WAIT_MS = 60_000

/** What says where a body ends. Without it, Node sends the body of a GET or a DELETE after the request, where it would be read as the next request. */
const framing = (headers) => {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' }
  return headers['content-length'] === undefined ? {} : { 'content-length': headers['content-length'] }
}

/** Whoever sent a request comes last, so that a service that counts this proxy (`TRUST_PROXY`) believes no address that a client made up. */
const forwardedFor = ({ headers, socket }) => [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ')

let held = 0

/** Does something with a whole body, which counts as held until that is done; rejects once it is longer than it may be, or all bodies are together. */
const withBody = async (stream, most, use) => {
  const chunks = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      held += chunk.length
      if (bytes > most) throw Object.assign(new Error('the body is too long'), { status: 413 })
      if (held > HELD_BYTES) throw Object.assign(new Error('too many long bodies at this moment: try again'), { status: 503 })
      chunks.push(chunk)
    }
    return await use(Buffer.concat(chunks).toString('utf8'))
  } finally {
    held -= bytes
  }
}

const refuse = (response, status, message) => {
  if (response.headersSent) return response.destroy()
  const body = JSON.stringify({ error: status, message })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' }
  response.writeHead(status, status === 503 ? { ...headers, 'retry-after': '1' } : headers).end(body)
}

/** A redirect within the service leads through the proxy. */
const locationToClient = (location, base, host) => {
  const target = URL.canParse(location, base) ? new URL(location, base) : undefined
  if (target?.origin !== base.origin) return location
  return `http://${host}${target.pathname.replace(/^\/s\//, '/r/')}${target.search}${target.hash}`
}

const answer = async (incoming, response, base, host) => {
  const headers = withoutHop(incoming.headers)
  if (headers.location) headers.location = locationToClient(headers.location, base, host)
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
    response.writeHead(incoming.statusCode, headers)
    return pipeline(incoming, response, () => {})
  }
  return withBody(incoming, JSON_BYTES, (text) => {
    const body = text === '' ? '' : JSON.stringify(toClient(JSON.parse(text)))
    // what was asked for by HEAD has a length and no text
    if (text !== '') headers['content-length'] = String(Buffer.byteLength(body))
    response.writeHead(incoming.statusCode, headers).end(body)
    return finished(response).catch(() => {})
  })
}

/** A server that forwards to one service, given by its address. */
export const proxyTo = (address) => {
  const base = new URL(address)
  const send = base.protocol === 'https:' ? requestSecure : requestPlain
  const forward = async (request, response) => {
    // an absolute address would name another service
    if (!request.url?.startsWith('/') || request.url.startsWith('//'))
      return refuse(response, 400, 'only paths of the service are forwarded')
    const type = request.headers['content-type'] ?? ''
    const renamed = /^application\/(x-www-form-urlencoded|json)\b/.test(type)
    const form = renamed ? await withBody(request, FORM_BYTES, (text) => (text === '' ? undefined : bodyToService(type, text))) : undefined
    const { host, ...kept } = withoutHop(request.headers)
    const headers = {
      ...kept,
      'accept-encoding': 'identity',
      host: base.host,
      'x-forwarded-for': forwardedFor(request),
      ...(renamed ? { 'content-length': Buffer.byteLength(form ?? '') } : framing(request.headers)),
    }
    const path = base.pathname.replace(/\/$/, '') + pathToService(request.url)
    const outgoing = send({
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      method: request.method,
      path,
      headers,
    })
    outgoing.setTimeout(WAIT_MS, () => outgoing.destroy(new Error('the service does not answer')))
    outgoing.on('response', (incoming) =>
      answer(incoming, response, base, host).catch(({ status }) =>
        status === 503
          ? refuse(response, 503, 'too many long answers at this moment: try again')
          : refuse(response, 502, 'the answer of the service cannot be read'),
      ),
    )
    outgoing.on('error', () => refuse(response, 502, 'the service cannot be reached'))
    response.on('close', () => outgoing.destroy())
    // who does not read an answer lets others wait for the memory that it takes
    response.setTimeout(2 * WAIT_MS, () => response.destroy())
    if (renamed) outgoing.end(form)
    else pipeline(request, outgoing, () => {})
  }
  return createServer({ requestTimeout: WAIT_MS }, (request, response) => {
    forward(request, response).catch((error) => refuse(response, error.status ?? 400, error.message))
  })
}

const main = () => {
  const { values, positionals } = parseArgs({
    options: { port: { type: 'string', default: '8081' }, host: { type: 'string', default: '127.0.0.1' } },
    allowPositionals: true,
  })
  const [address] = positionals
  const target = URL.canParse(address ?? '') ? new URL(address) : undefined
  if (positionals.length !== 1 || !/^https?:$/.test(target?.protocol ?? '')) {
    process.stderr.write('usage: node rostra-proxy.mjs http://127.0.0.1:8080 [--port 8081] [--host 127.0.0.1]\n')
    process.exit(2)
  }
  const server = proxyTo(target.href)
  server.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  server.listen(Number(values.port), values.host, () => {
    const { address: host, port } = server.address()
    process.stdout.write(`proxy to ${target.origin} listening on http://${host.includes(':') ? `[${host}]` : host}:${port}\n`)
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
