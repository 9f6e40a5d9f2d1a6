import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest, Agent as SecureAgent } from 'node:https'

export type Answer = { readonly status: number; readonly body: unknown; readonly cookie: string | undefined }

/** Sends one request over kept-alive connections; at most `connections` at once, the rest wait their turn. */
export type Send = (
  method: 'GET' | 'POST',
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
) => Promise<Answer>

export const connect = (base: URL, connections: number): Send => {
  const secure = base.protocol === 'https:'
  const agent = secure
    ? new SecureAgent({ keepAlive: true, maxSockets: connections })
    : new Agent({ keepAlive: true, maxSockets: connections })
  const send = secure ? httpsRequest : httpRequest

  return (method, path, form, headers) =>
    new Promise((resolve, reject) => {
      const encoded = new URLSearchParams(form).toString()
      const body = method === 'POST' ? encoded : ''
      const target = new URL(method === 'GET' && encoded !== '' ? `${path}?${encoded}` : path, base)
      const fields =
        method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(Buffer.byteLength(body)) } : {}
      const outgoing = send(target, { method, agent, headers: { ...fields, ...headers } }, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const json = incoming.headers['content-type']?.startsWith('application/json') && text !== ''
          const cookie = incoming.headers['set-cookie']?.[0]?.split(';')[0]
          resolve({ status: incoming.statusCode ?? 0, body: json ? JSON.parse(text) : text, cookie })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
}

/** What a form endpoint refused, or undefined. */
export const refusalOf = ({ status, body }: Answer): string | undefined => {
  if (status >= 400) return `HTTP ${status}`
  const errors = (body as { json?: { errors?: readonly (readonly string[])[] } }).json?.errors ?? []
  return errors[0]?.[0]
}

/** A person who is logged in: a session and its modhash. */
export type Person = {
  readonly name: string
  readonly fullname: string
  readonly post: (path: string, form: Readonly<Record<string, string>>) => Promise<Answer>
}

const session = async (send: Send, name: string, { body, cookie = '' }: Answer): Promise<Person> => {
  const { modhash = '' } = (body as { json?: { data?: { modhash?: string } } }).json?.data ?? {}
  const me = await send('GET', '/api/me.json', {}, { cookie })
  const { id = '' } = (me.body as { data?: { id?: string } }).data ?? {}
  const headers = { cookie, 'x-modhash': modhash }
  const post: Person['post'] = (path, form) => send('POST', path, { ...form, api_type: 'json', raw_json: '1' }, headers)
  return { name, fullname: `t2_${id}`, post }
}

/** Registers somebody, or logs in who is there already from an earlier run. */
export const enter = async (send: Send, name: string, passwd: string): Promise<Person> => {
  const registered = await send('POST', '/api/register', { user: name, passwd, passwd2: passwd, api_type: 'json' }, {})
  const refused = refusalOf(registered)
  if (refused === undefined) return session(send, name, registered)
  if (refused !== 'USERNAME_TAKEN') throw new Error(`registering ${name} was refused: ${refused}`)
  const loggedIn = await send('POST', '/api/login', { user: name, passwd, api_type: 'json' }, {})
  const failed = refusalOf(loggedIn)
  if (failed !== undefined) throw new Error(`logging in as ${name} was refused: ${failed}`)
  return session(send, name, loggedIn)
}
