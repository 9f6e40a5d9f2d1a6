import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest, Agent as SecureAgent } from 'node:https'
import { setTimeout } from 'node:timers/promises'

export type Answer = {
  readonly status: number
  readonly body: unknown
  readonly cookie: string | undefined
  /** The log position of a write, or the one that a read reached. */
  readonly position: string | undefined
}

type Fields = Readonly<Record<string, string>>
/** A body that is no form. */
export type Encoded = { readonly type: string; readonly bytes: Uint8Array }

/** Sends one request over kept-alive connections; at most `connections` at once, the rest wait their turn. Fields of a GET are its query. */
export type Send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, content: Fields | Encoded, headers: Fields) => Promise<Answer>

const isEncoded = (content: Fields | Encoded): content is Encoded => 'bytes' in content && typeof content.bytes !== 'string'

const encode = (content: Fields | Encoded): Encoded =>
  isEncoded(content) ? content : { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(new URLSearchParams(content).toString()) }

/** The number of times that a request is repeated if the service is too busy. */
const MAX_RETRIES = 30

export const connect = (base: URL, connections: number): Send => {
  const secure = base.protocol === 'https:'
  const agent = secure
    ? new SecureAgent({ keepAlive: true, maxSockets: connections })
    : new Agent({ keepAlive: true, maxSockets: connections })
  const send = secure ? httpsRequest : httpRequest

  const once = (...[method, path, content, headers]: Parameters<Send>) =>
    new Promise<Answer & { readonly retryAfter: number }>((resolve, reject) => {
      const { type, bytes } = encode(content)
      const isRead = method === 'GET'
      const target = new URL(isRead && bytes.length > 0 ? `${path}?${Buffer.from(bytes).toString()}` : path, base)
      const fields = isRead ? {} : { 'content-type': type, 'content-length': String(bytes.length) }
      const outgoing = send(target, { method, agent, headers: { ...fields, ...headers } }, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const json = incoming.headers['content-type']?.startsWith('application/json') && text !== ''
          const cookie = incoming.headers['set-cookie']?.[0]?.split(';')[0]
          const position = incoming.headers['x-log-position']?.toString()
          const retryAfter = Number(incoming.headers['retry-after'] ?? 1)
          resolve({ status: incoming.statusCode ?? 0, body: json ? JSON.parse(text) : text, cookie, position, retryAfter })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(isRead ? undefined : bytes)
    })

  return async (...request) => {
    for (let tries = 0; ; tries += 1) {
      const answer = await once(...request)
      if (answer.status !== 503 || tries === MAX_RETRIES) return answer
      await setTimeout(answer.retryAfter * 1_000)
    }
  }
}

/** Returns the refusal of a form endpoint, or undefined. */
export const refusalOf = ({ status, body }: Answer): string | undefined => {
  if (status >= 400) return `HTTP ${status}`
  const errors = (body as { json?: { errors?: readonly (readonly string[])[] } }).json?.errors ?? []
  return errors[0]?.[0]
}

/** A person who is logged in: a session and its modhash. */
export type Person = {
  readonly name: string
  readonly fullname: string
  readonly passwd: string
  readonly post: (path: string, form: Fields) => Promise<Answer>
  readonly put: (path: string, form: Fields) => Promise<Answer>
  readonly get: (path: string, query: Fields) => Promise<Answer>
  /** Uploads a file, with fields beside it. */
  readonly upload: (path: string, fields: Fields, file: Uint8Array) => Promise<Answer>
}

const multipart = async (fields: Fields, file: Uint8Array): Promise<Encoded> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([new Uint8Array(file)]), 'picture.png')
  const encoded = new Response(form)
  return { type: encoded.headers.get('content-type') ?? '', bytes: new Uint8Array(await encoded.arrayBuffer()) }
}

const session = async (send: Send, name: string, passwd: string, { body, cookie = '' }: Answer): Promise<Person> => {
  const { modhash = '' } = (body as { json?: { data?: { modhash?: string } } }).json?.data ?? {}
  const me = await send('GET', '/api/me.json', {}, { cookie })
  const { id = '' } = (me.body as { data?: { id?: string } }).data ?? {}
  const headers = { cookie, 'x-modhash': modhash }
  return {
    name,
    fullname: `t2_${id}`,
    passwd,
    post: (path, form) => send('POST', path, { ...form, api_type: 'json', raw_json: '1' }, headers),
    put: (path, form) => send('PUT', path, form, headers),
    get: (path, query) => send('GET', path, { ...query, raw_json: '1' }, headers),
    upload: async (path, fields, file) => send('POST', path, await multipart(fields, file), headers),
  }
}

/** Logs in to an existing account. */
export const logIn = async (send: Send, name: string, passwd: string): Promise<Person> => {
  const loggedIn = await send('POST', '/api/login', { user: name, passwd, api_type: 'json' }, {})
  const failed = refusalOf(loggedIn)
  if (failed !== undefined) throw new Error(`logging in as ${name} was refused: ${failed}`)
  return session(send, name, passwd, loggedIn)
}

/** Registers an account, or logs in to it if an earlier run registered it. */
export const enter = async (send: Send, name: string, passwd: string): Promise<Person> => {
  const registered = await send('POST', '/api/register', { user: name, passwd, passwd2: passwd, api_type: 'json' }, {})
  const refused = refusalOf(registered)
  if (refused === undefined) return session(send, name, passwd, registered)
  if (refused !== 'USERNAME_TAKEN') throw new Error(`registering ${name} was refused: ${refused}`)
  return logIn(send, name, passwd)
}

/** Requests of an account with the token of its own app, for endpoints that need a token. */
export type Token = (method: 'POST' | 'PATCH', path: string, content: object) => Promise<Answer>

/** Registers an app for an account, and gets a token for it; undefined if either was refused. */
export const tokenOf = async (send: Send, { name, passwd, post }: Person): Promise<Token | undefined> => {
  const app = await post('/api/v1/apps', { name: 'demo', app_type: 'script', redirect_uri: 'http://localhost' })
  const { client_id: id, client_secret: secret } = app.body as { client_id?: string; client_secret?: string }
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const grant = { grant_type: 'password', username: name, password: passwd }
  const granted = await send('POST', '/api/v1/access_token', grant, { authorization: basic })
  const { access_token: token } = granted.body as { access_token?: string }
  if (token === undefined) return undefined
  return (method, path, content) => {
    const bytes = Buffer.from(JSON.stringify(content))
    const body = method === 'PATCH' ? { type: 'application/json', bytes } : (content as Fields)
    return send(method, path, body, { authorization: `bearer ${token}` })
  }
}
