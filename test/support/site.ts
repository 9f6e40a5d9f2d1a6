import { randomUUID, scryptSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { registerClient } from '../../src/auth/clients.ts'
import type { Scope } from '../../src/auth/scopes.ts'
import type { TokenGrant } from '../../src/auth/tokens.ts'
import type { PasswordHash } from '../../src/commands/credentials.ts'
import { register as registerAccount } from '../../src/commands/register.ts'
import { type RunningSite, start } from '../../src/compose.ts'
import type { Config } from '../../src/config.ts'
import { createHistoryKey } from '../../src/history/key.ts'
import { openLog } from '../../src/operations/logging.ts'
import { queues } from '../../src/ports/queues.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { PROJECTION_WAIT_MS } from '../../src/runtime/run.ts'
import { departureOf } from './interface-document.ts'
import { servers } from './shape.ts'

/** A response, read to its end. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON body; undefined for anything else. */
  readonly body: unknown
  /** The value at a path of the JSON body, such as `data.children.0.data.id`; undefined where there is nothing. */
  readonly at: (path: string) => unknown
}

type Fields = Readonly<Record<string, string | number | boolean | undefined>>
export type Sending = {
  readonly form?: Fields
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the site, with or without credentials. It does not follow redirects. */
export type Caller = {
  readonly request: (method: string, path: string, sending?: Sending) => Promise<Answer>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly post: (path: string, form?: Fields, headers?: Readonly<Record<string, string>>) => Promise<Answer>
}

/** An account: it calls with a token of every scope by default. */
export type User = Caller & {
  readonly name: string
  readonly id: string
  readonly password: string
  /** Returns the account with a token of some scopes only. */
  readonly withScopes: (...scopes: readonly Scope[]) => Promise<Caller>
  /** Returns the account with a session cookie and its modhash. */
  readonly session: () => Promise<Caller & { readonly modhash: string; readonly cookie: string }>
}

export type TestSite = Caller & {
  readonly url: string
  readonly running: RunningSite
  readonly directory: string
  /** Registers a new account. */
  readonly register: (name: string) => Promise<User>
  /** Issues a token without a user. */
  readonly appOnly: () => Promise<Caller>
  /** A token of an account, or without one, for everything unless it is limited. */
  readonly tokenOf: (account: string | null, limits?: Partial<Pick<TokenGrant, 'scopes' | 'subsites'>>) => Promise<string>
  readonly stop: () => Promise<void>
}

const pick = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inner, key) => (inner === null || typeof inner !== 'object' ? undefined : Reflect.get(inner, key)), value)

const parseJson = (text: string): unknown => {
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

/** Milliseconds that the read models of a slow server may need for whatever a test wrote at once. */
const SLOW_PROJECTION_WAIT_MS = 60_000

/** The sites whose read models may be later than a response waits for, by their addresses. */
const maybeLate = new Map<string, RunningSite>()

/**
 * On servers, waits as a careful client does: after a late response, which perhaps came before the read models showed the write, until they
 * show it. After a response in time it may read at once.
 */
const waitUntilReadable = async (url: string, answeredIn: number, position: string | null): Promise<void> => {
  const site = maybeLate.get(url)
  if (!site || answeredIn < PROJECTION_WAIT_MS || position === null) return
  if (!(await site.app.freshness.waitUntil(position, SLOW_PROJECTION_WAIT_MS))) throw new Error('the read models do not come')
}

/** Makes a client of the site at an address, which sends these header fields. */
export const callerAt = (url: string, standing: Readonly<Record<string, string>> = {}): Caller => {
  const request: Caller['request'] = async (method, path, { form, json, body, headers } = {}) => {
    const content = form ? formOf(form) : json === undefined ? body : JSON.stringify(json)
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' }
    const askedAt = performance.now()
    const response = await fetch(`${url}${path}`, {
      method,
      // compression takes a third of the time of a small request; test/http/manners asks for it
      headers: { 'Accept-Encoding': 'identity', ...standing, ...type, ...headers },
      redirect: 'manual',
      ...(content !== undefined && { body: content }),
    })
    const text = await response.text()
    if (method !== 'GET') await waitUntilReadable(url, performance.now() - askedAt, response.headers.get('x-log-position'))
    const value = parseJson(text)
    const { pathname, search } = new URL(response.url)
    const departure = departureOf(method, `${pathname}${search}`, response.status, response.headers.get('content-type'), value)
    if (departure !== undefined) throw new Error(`not as the OpenAPI document has it: ${departure}`)
    if (/"author":(?:"\[deleted\]"|null),"author_fullname":"/.test(text))
      throw new Error(`a fullname of an author who is not shown: ${text}`)
    if (response.status === 429 && !response.headers.has('retry-after')) throw new Error(`429 without Retry-After: ${text}`)
    return { status: response.status, headers: response.headers, text, body: value, at: (at) => pick(value, at) }
  }
  return {
    request,
    get: (path, headers) => request('GET', path, headers ? { headers } : {}),
    post: (path, form = {}, headers) => request('POST', path, headers ? { form, headers } : { form }),
  }
}

const PASSWORD = 'correct horse'

/** Hashes passwords three hundred times cheaper than the service does. A hash names its cost, so logins are checked as usual. */
const cheapHash = (): PasswordHash => {
  const cost = { N: 256, r: 8, p: 1 }
  return { ...cost, salt: '', hash: scryptSync(PASSWORD, '', 32, cost).toString('base64') }
}
const hashed = cheapHash()

/** The default configuration of a site in tests. */
export const usualConfig: Config = {
  host: '127.0.0.1',
  port: 0,
  publicUrl: 'http://127.0.0.1:0',
  eventStoreUrl: '',
  documentStoreUrl: '',
  sessionSecret: undefined,
  historyKeyFile: undefined,
  historyHeadFile: undefined,
  historyHeadSeconds: 1,
  historyWitnesses: [],
  trustProxy: 0,
  sharedCacheSeconds: 0,
  admins: ['root'],
  defaultSubsites: [],
  bannedDomains: ['banned.example'],
  homeSubsite: undefined,
  captcha: false,
  pages: true,
  securityContact: undefined,
  rateLimits: false,
  readOnlyAs: undefined,
  projections: 'inline',
  duties: 'on',
  workerPort: 0,
  logLevel: 'warn',
}

/** On servers the key of the history is made before the first start, since processes must share it. */
export const keyFileIn = async (directory: string): Promise<string> => {
  const file = join(directory, 'history-key')
  await createHistoryKey(file)
  return file
}

/** Makes a data file with empty read models. A name of its own lets several threads do so at once; the last rename wins. */
const makeEmptyFile = async (empty: string): Promise<void> => {
  if (existsSync(empty)) return
  const mine = `${empty}-${randomUUID()}`
  const { close } = await openSqlite({ file: mine, projector: new URL('../../projections/engine/data-file-projector.ts', import.meta.url) })
  await close()
  await rename(mine, empty)
}

let emptyFile: Promise<void> | undefined

/** Copies the empty data file, which saves a quarter of the time of a start. The tests of one file run at once, so a thread makes it once. */
export const copyEmptyFile = async (file: string): Promise<void> => {
  const empty = process.env.EMPTY_DATA_FILE
  if (empty === undefined) return
  emptyFile ??= makeEmptyFile(empty)
  await emptyFile
  await copyFile(empty, file)
}

/** With AUDIT_SITES=1 every site is audited before it stops, and `stop` throws what the audit finds. */
const isAudited = process.env.AUDIT_SITES === '1'

/** A whole site on a free port and a new directory; `directory` takes up an earlier one. */
export const startSite = async (options: Partial<Config> & { readonly directory?: string } = {}): Promise<TestSite> => {
  const { directory: given, ...overrides } = options
  const directory = given ?? (await mkdtemp(join(tmpdir(), 'rostra-')))
  const file = join(directory, 'rostra.db')
  if (!servers && given === undefined) await copyEmptyFile(file)
  const data = `sqlite:${file}`
  const stores = servers ? await servers.join(directory) : { eventStoreUrl: data, documentStoreUrl: data }
  const historyKeyFile = servers && (await keyFileIn(directory))
  const config = { ...usualConfig, ...stores, historyKeyFile, ...overrides }
  const running = await start(config, openLog(config.logLevel))
  const { url, app } = running
  if (servers && config.projections === 'inline') maybeLate.set(url, running)
  const anonymous = callerAt(url)

  /** The app that all tokens are made for; it belongs to nobody here, so that no account ends it. */
  let client: Promise<string> | undefined
  const clientId = () => {
    client ??= registerClient(app.vault, {
      name: 'tests',
      type: 'script',
      redirectUri: 'http://localhost/',
      description: '',
      owner: 't2_0',
      created: app.clock(),
    }).then(({ client: { id } }) => id)
    return client
  }

  const tokenOf: TestSite['tokenOf'] = async (account, limits) =>
    app.tokens.issue({ account, client: await clientId(), scopes: '*', subsites: null, refresh: null, ...limits })

  const withToken = async (account: string | null, scopes: readonly Scope[] | '*'): Promise<Caller> =>
    callerAt(url, { Authorization: `bearer ${await tokenOf(account, { scopes })}` })

  /** Passwords of one address are hashed one at a time, and few may wait for that. */
  const inTurn = queues()

  const sessionOf = (name: string) =>
    inTurn('passwords', async () => {
      const answer = await anonymous.post('/api/login', { user: name, passwd: PASSWORD, api_type: 'json' })
      const modhash = String(answer.at('json.data.modhash'))
      const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
      return { ...callerAt(url, { Cookie: cookie, 'X-Modhash': modhash }), modhash, cookie }
    })

  /** As `npx rostra register` does, with a hash that costs little; test/http/auth.test.ts registers over HTTP. */
  const register = async (name: string): Promise<User> => {
    const registration = { name, email: undefined, reserved: [], check: async () => undefined, hash: async () => E.right(hashed) }
    const registered = await registerAccount(app, registration, commandOf(seedOf(app.mint()), { account: null, as: 'user' }))
    if (E.isLeft(registered)) throw new Error(`cannot register ${name}: ${registered.left.code}`)
    const { id } = registered.right
    if (maybeLate.has(url)) await app.freshness.waitUntil(await running.stores.events.head(), SLOW_PROJECTION_WAIT_MS)
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
    tokenOf,
    stop: async () => {
      const finding = isAudited ? await (await import('./audited-stop.ts')).findingBeforeStop(running) : undefined
      maybeLate.delete(url)
      await running.stop()
      if (given !== undefined) servers?.leave(directory)
      else {
        await servers?.end(directory)
        await rm(directory, { recursive: true, force: true })
      }
      if (finding) throw finding
    },
  }
}
