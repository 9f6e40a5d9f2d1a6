import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { either as E } from 'fp-ts'
import { createClient } from '../../src/auth/clients.ts'
import type { Scope } from '../../src/auth/scopes.ts'
import { hashPassword } from '../../src/commands/credentials.ts'
import { register as registerAccount } from '../../src/commands/register.ts'
import { type Running, start } from '../../src/compose.ts'
import type { Config } from '../../src/config.ts'
import { openLog } from '../../src/logging.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { queues } from '../../src/runtime/queues.ts'
import { departureOf } from './interface-document.ts'
import { servers } from './shape.ts'

/** An answer, read to its end. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON body; undefined for anything else. */
  readonly body: unknown
  /** What stands at a path of the JSON body, such as `data.children.0.data.id`; undefined where there is nothing. */
  readonly at: (path: string) => unknown
}

type Fields = Readonly<Record<string, string | number | boolean | undefined>>
export type Sending = {
  readonly form?: Fields
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

/** Somebody who speaks to the site, with or without credentials. Redirects are answers. */
export type Caller = {
  readonly request: (method: string, path: string, sending?: Sending) => Promise<Answer>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly post: (path: string, form?: Fields, headers?: Readonly<Record<string, string>>) => Promise<Answer>
}

/** An account: it calls with a token of every scope, unless told otherwise. */
export type User = Caller & {
  readonly name: string
  readonly id: string
  readonly password: string
  /** The same account with a token of some scopes only. */
  readonly withScopes: (...scopes: readonly Scope[]) => Promise<Caller>
  /** The same account with a session cookie and its modhash. */
  readonly session: () => Promise<Caller & { readonly modhash: string; readonly cookie: string }>
}

export type TestSite = Caller & {
  readonly url: string
  readonly running: Running
  readonly directory: string
  /** A new account. */
  readonly register: (name: string) => Promise<User>
  /** A token without a user. */
  readonly appOnly: () => Promise<Caller>
  readonly stop: () => Promise<void>
}

const pick = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inner, key) => (inner === null || typeof inner !== 'object' ? undefined : Reflect.get(inner, key)), value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const formOf = (fields: Fields): URLSearchParams => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, String(value))
  return form
}

/** An answer to a write waits so long for the read models. */
const PATIENCE = 1_000
/** How long the read models of a slow server may need for whatever a test wrote at once. */
const LATEST = 60_000

/** The sites here whose read models may be later than an answer waits for, by their addresses. */
const maybeLate = new Map<string, Running>()

/**
 * On servers, goes on as a careful client does: who was answered late, and so perhaps before the read models showed it, waits until
 * they do. Who was answered in time may read at once.
 */
const readable = async (url: string, answeredIn: number, position: string | null): Promise<void> => {
  const site = maybeLate.get(url)
  if (!site || answeredIn < PATIENCE || position === null) return
  if (!(await site.app.freshness.waitUntil(position, LATEST))) throw new Error('the read models do not come')
}

/** Speaks to a site at an address with these header fields. */
export const callerAt = (url: string, standing: Readonly<Record<string, string>> = {}): Caller => {
  const request: Caller['request'] = async (method, path, { form, json, body, headers } = {}) => {
    const sent = form ? formOf(form) : json === undefined ? body : JSON.stringify(json)
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const asked = performance.now()
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...standing, ...type, ...headers },
      redirect: 'manual',
      ...(sent !== undefined && { body: sent }),
    })
    const text = await response.text()
    if (method !== 'GET') await readable(url, performance.now() - asked, response.headers.get('x-log-position'))
    const value = parsed(text)
    const { pathname, search } = new URL(response.url)
    const departure = departureOf(method, `${pathname}${search}`, response.status, response.headers.get('content-type'), value)
    if (departure !== undefined) throw new Error(`not as the OpenAPI document has it: ${departure}`)
    return { status: response.status, headers: response.headers, text, body: value, at: (at) => pick(value, at) }
  }
  return {
    request,
    get: (path, headers) => request('GET', path, headers ? { headers } : {}),
    post: (path, form = {}, headers) => request('POST', path, headers ? { form, headers } : { form }),
  }
}

const PASSWORD = 'correct horse'

const defaults: Config = {
  host: '127.0.0.1',
  port: 0,
  publicUrl: 'http://127.0.0.1:0',
  eventStoreUrl: '',
  documentStoreUrl: '',
  sessionSecret: undefined,
  trustProxy: 0,
  admins: ['root'],
  defaultSubsites: [],
  captcha: false,
  rateLimits: false,
  projections: 'inline',
  workerPort: 0,
  logLevel: 'warn',
}

/** A whole site on a free port and a new directory; `directory` takes up an earlier one. */
export const startSite = async (options: Partial<Config> & { readonly directory?: string } = {}): Promise<TestSite> => {
  const { directory: given, ...overrides } = options
  const directory = given ?? (await mkdtemp(join(tmpdir(), 'rostra-')))
  const file = `sqlite:${join(directory, 'rostra.db')}`
  const stores = servers ? await servers.join(directory) : { eventStoreUrl: file, documentStoreUrl: file }
  const config = { ...defaults, ...stores, ...overrides }
  const running = await start(config, openLog(config.logLevel))
  const { url, app } = running
  if (servers && config.projections === 'inline') maybeLate.set(url, running)
  const anonymous = callerAt(url)

  let client: string | undefined
  const clientId = async (owner: string) => {
    client ??= (
      await createClient(app.vault, {
        name: 'tests',
        type: 'script',
        redirectUri: 'http://localhost/',
        description: '',
        owner,
        created: app.clock(),
      })
    ).client.id
    return client
  }

  const withToken = async (account: string | null, scopes: readonly Scope[] | '*'): Promise<Caller> => {
    const grant = { account, client: await clientId(account ?? 't2_0'), scopes, subsites: null, refresh: null }
    return callerAt(url, { Authorization: `bearer ${await app.tokens.issue(grant)}` })
  }

  /** Passwords of one address are hashed one at a time, and few may wait for that. */
  const inTurn = queues()

  const sessionOf = (name: string) =>
    inTurn('passwords', async () => {
      const answer = await anonymous.post('/api/login', { user: name, passwd: PASSWORD, api_type: 'json' })
      const modhash = String(answer.at('json.data.modhash'))
      const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
      return { ...callerAt(url, { Cookie: cookie, 'X-Modhash': modhash }), modhash, cookie }
    })

  /** As `npm run register` does: names of admins are for nobody else. */
  const registerHere = async (name: string): Promise<string> => {
    const hash = async () => E.right(await hashPassword(PASSWORD))
    const registration = { name, email: undefined, reserved: [], check: async () => undefined, hash }
    const registered = await registerAccount(app, registration, commandOf(seedOf(app.mint()), { account: null, as: 'user' }))
    if (E.isLeft(registered)) throw new Error(`cannot register ${name}: ${registered.left.code}`)
    return registered.right.id
  }

  const registerThere = async (name: string): Promise<string> => {
    const answer = await anonymous.post('/api/register', { user: name, passwd: PASSWORD, passwd2: PASSWORD, api_type: 'json' })
    if (answer.at('json.errors.0') !== undefined || answer.status !== 200) throw new Error(`cannot register ${name}: ${answer.text}`)
    const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
    const session = await app.sessions.find(cookie.slice(cookie.indexOf('=') + 1))
    if (!session) throw new Error(`registering ${name} gave no session: ${answer.text}`)
    return session.account
  }

  const register = async (name: string): Promise<User> => {
    const id = await inTurn('passwords', () => (config.admins.includes(name.toLowerCase()) ? registerHere(name) : registerThere(name)))
    return {
      ...(await withToken(id, '*')),
      name,
      id,
      password: PASSWORD,
      withScopes: (...scopes) => withToken(id, scopes),
      session: () => sessionOf(name),
    }
  }

  return {
    ...anonymous,
    url,
    running,
    directory,
    register,
    appOnly: () => withToken(null, '*'),
    stop: async () => {
      maybeLate.delete(url)
      await running.stop()
      if (given !== undefined) servers?.leave(directory)
      else {
        await servers?.end(directory)
        await rm(directory, { recursive: true, force: true })
      }
    },
  }
}
