import { isIP } from 'node:net'
import { basename, dirname, join } from 'node:path'
import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import ipaddr from 'ipaddr.js'

/** The configuration, decoded once from the environment. */
export type Config = {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly eventStoreUrl: string
  readonly documentStoreUrl: string
  readonly sessionSecret: string | undefined
  /** The file of the key that signs the history; undefined: beside the data file, or none. */
  readonly historyKeyFile: string | undefined
  /** The file of the last head that was signed; undefined: beside that of the key. */
  readonly historyHeadFile: string | undefined
  /** Seconds between two signed heads of a tree that grows. */
  readonly historyHeadSeconds: number
  /** Number of proxies whose `X-Forwarded-*` is trusted. */
  readonly trustProxy: number
  /** Lower-cased usernames. */
  readonly admins: readonly string[]
  /** Lower-cased names of the subsites that viewers without subscriptions see on the front page. */
  readonly defaultSubsites: readonly string[]
  /** Lower-cased hosts, with all below them, whose addresses cannot be submitted. */
  readonly bannedDomains: readonly string[]
  /** Lower-cased name of the subsite whose sidebar and wiki are the site's own. */
  readonly homeSubsite: string | undefined
  readonly captcha: boolean
  readonly rateLimits: boolean
  /** As whom everybody is answered, from a data file that is only read; undefined: the site runs. */
  readonly readOnlyAs: ReadOnlyAs | undefined
  readonly projections: 'inline' | 'external'
  /** Port of a projection worker's health page; 0 for any free port. */
  readonly workerPort: number
  readonly logLevel: LogLevel
}

const readers = ['anybody', 'moderator', 'admin'] as const
type ReadOnlyAs = (typeof readers)[number]

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** A codec from text; its name says what is accepted. */
const accepted = <T>(what: string, parse: (text: string) => T | undefined): t.Type<T, string, unknown> =>
  new t.Type<T, string, unknown>(
    what,
    (u): u is T => u !== undefined,
    (u, context) => {
      const value = typeof u === 'string' ? parse(u) : undefined
      return value === undefined ? t.failure(u, context) : t.success(value)
    },
    String,
  )

const oneOf = <V extends string>(...values: readonly V[]) => accepted(values.join(', '), (text) => values.find((value) => value === text))

const onOff = accepted('on or off', (text) => (text === 'on' ? true : text === 'off' ? false : undefined))

const names = (pattern: RegExp, what: string) =>
  accepted(`${what}, separated by commas`, (text) => {
    const list = text
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== '')
    return list.every((name) => pattern.test(name)) ? list : undefined
  })

const address = (what: string, schemes: RegExp) => accepted(what, (text) => (schemes.test(text) ? text : undefined))

/** An address as it stands in a URL: IPv6 in brackets. */
export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const hostName = /^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/i
/** What ends in a number can only be an address. */
const isHostName = (text: string): boolean => hostName.test(text) && !/(^|\.)(\d+|0x[\da-f]*)$/i.test(text)
const HOST = accepted('a host name or an IP address', (text) =>
  (isIP(text) > 0 || isHostName(text)) && URL.canParse(urlOf(text, 1)) ? text : undefined,
)
const PORT = accepted('a port from 0 to 65535', (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined))
const PUBLIC_URL = accepted('an http or https address without credentials, query and fragment', (text) => {
  const url = URL.parse(text)
  // it begins Location fields and permalinks: what the parser of addresses would mend or encode is not accepted
  return url && /^https?:\/\/[\w.~!$&()*+,;=:[\]%/-]+$/i.test(text) ? text.replace(/\/+$/, '') : undefined
})
const EVENT_STORE_URL = address(
  'sqlite:FILE, esdb://… or esdb+discover://… (kurrentdb and kdb mean the same as esdb)',
  /^(sqlite:(?!:memory:$|file:|\s).+|(esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/.+)$/,
)
const DOCUMENT_STORE_URL = address('sqlite:FILE or mongodb://…', /^(sqlite:(?!:memory:$|file:|\s).+|mongodb(\+srv)?:\/\/.+)$/)
const SESSION_SECRET = accepted('at least 32 characters', (text) => (text.length >= 32 ? text : undefined))
const DEFAULT_HEAD_SECONDS = 60
const HISTORY_FILE = accepted('the path of a file', (text) => (/\0|\/$/.test(text) ? undefined : text))
const HEAD_SECONDS = accepted('seconds from 1 to 3600', (text) =>
  /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3_600 ? Number(text) : undefined,
)
const USERNAMES = names(/^[a-z0-9_-]{3,20}$/, 'usernames')
const SUBSITES = names(/^[a-z0-9]\w{1,20}$/, 'names of subsites')
const DOMAINS = names(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/, 'hosts')
const SUBSITE = accepted('the name of a subsite', (text) => (/^[a-z0-9]\w{1,20}$/i.test(text) ? text.toLowerCase() : undefined))
const READ_ONLY_AS = oneOf(...readers)
const PROJECTIONS = oneOf('inline', 'external')
const LOG_LEVEL = oneOf(...logLevels)
const TRUST_PROXY = accepted('off, or the number of proxies in front (1 to 9)', (text) =>
  text === 'off' ? 0 : /^[1-9]$/.test(text) ? Number(text) : undefined,
)

/** A variable as the documentation has it; `fallback` stands where it is not set, in words where that depends. */
type Variable = { readonly accepted: string; readonly fallback: string; readonly about: string }

const variable = (codec: { readonly name: string }, fallback: string, about: string): Variable => ({
  accepted: codec.name,
  fallback,
  about,
})

/** What nobody else can reach needs no protection: a test, or a first look. */
const UNGUARDED = 'off when HOST and PUBLIC_URL are loopback addresses and no proxy is trusted, on otherwise'

/** Everything that can be configured. */
export const variables: Readonly<Record<string, Variable>> = {
  HOST: variable(HOST, '127.0.0.1', 'The address to listen on.'),
  PORT: variable(PORT, '8080', 'The port to listen on; 0 takes any free port, which the ready line names.'),
  PUBLIC_URL: variable(
    PUBLIC_URL,
    'http://HOST:PORT',
    'The public address of the service, used for permalinks. With https, cookies are Secure.',
  ),
  EVENT_STORE_URL: variable(EVENT_STORE_URL, 'sqlite:data/rostra.db', 'The event store (the log).'),
  DOCUMENT_STORE_URL: variable(
    DOCUMENT_STORE_URL,
    'sqlite:data/rostra.db',
    'The document store (read models and vault): the same file as the log, or MongoDB with EventStoreDB.',
  ),
  SESSION_SECRET: variable(
    SESSION_SECRET,
    'generated at the first start, kept beside the data file',
    'The key that signs modhashes. With EventStoreDB and MongoDB it must be set, to the same value for every process.',
  ),
  HISTORY_KEY_FILE: variable(
    HISTORY_FILE,
    'made at the first start, beside the data file; no history with EventStoreDB and MongoDB',
    'The file of the key that signs what the log holds, outside both stores. `npm run history -- key` makes it; the same for every process.',
  ),
  HISTORY_HEAD_FILE: variable(
    HISTORY_FILE,
    'beside the history key, with `last-head.` before its name',
    'The file of the last head that was signed, outside both stores: by it a log that was put back together with its history is noticed. Each host has its own, which the process can write; no backup puts it back.',
  ),
  HISTORY_HEAD_SECONDS: variable(
    HEAD_SECONDS,
    String(DEFAULT_HEAD_SECONDS),
    'The time between two signed heads of the log, or of a moderation log, that has grown.',
  ),
  TRUST_PROXY: variable(TRUST_PROXY, 'off', 'The number of reverse proxies whose `X-Forwarded-For` is trusted.'),
  ADMINS: variable(USERNAMES, '', 'Usernames with all permissions everywhere. They can be registered with `npm run register` only.'),
  DEFAULT_SUBSITES: variable(SUBSITES, '', 'Subsites on the front page of viewers without subscriptions; empty: all subsites.'),
  BANNED_DOMAINS: variable(DOMAINS, '', 'Hosts, with all below them, to which no link can be submitted (`DOMAIN_BANNED`).'),
  HOME_SUBSITE: variable(SUBSITE, '', 'The subsite whose sidebar and wiki are those of the whole site; empty: the site has none.'),
  CAPTCHA: variable(
    onOff,
    UNGUARDED,
    'Whether viewers without karma must solve captchas to register, submit, send messages and create subsites.',
  ),
  RATE_LIMITS: variable(
    onOff,
    UNGUARDED,
    'Whether quotas, posting limits and the wait between registrations apply. The limit on failed logins always applies.',
  ),
  READ_ONLY: variable(
    onOff,
    'off',
    'Whether the data file is only read, as the copy of an earlier state that `npm run replay` makes: nobody can log in or write, and the clock stands at its last event.',
  ),
  READ_ONLY_AS: variable(
    READ_ONLY_AS,
    'anybody',
    'With READ_ONLY, as whom every request is answered, without a login: `moderator` of all subsites, or `admin`. Whoever reaches HOST reads it.',
  ),
  PROJECTIONS: variable(
    PROJECTIONS,
    'inline with SQLite, external with EventStoreDB and MongoDB',
    'Where projections run: in this process, or in separate workers (`npm run projections`).',
  ),
  WORKER_PORT: variable(PORT, '0', 'The port on which a worker serves `/health` and `/metrics`.'),
  LOG_LEVEL: variable(LOG_LEVEL, 'info', 'The lowest level of the log lines on stderr, one JSON object a line.'),
}

/** The variables, one line each, as `--help` shows them. */
export const variablesInWords = (): string =>
  Object.entries(variables)
    .map(([name, { fallback, about }]) => `  ${name.padEnd(18)}  ${about.replaceAll('`', '')}${fallback && ` Default: ${fallback}.`}`)
    .join('\n')

/** An address as it may be printed. */
export const withoutCredentials = (address: string): string => address.replace(/^([a-z+]+:\/\/).*@/i, '$1***@')

const shown = (address: string): string => JSON.stringify(withoutCredentials(address))

type Environment = Readonly<Record<string, string | undefined>>

class BadValue extends Error {}

/** A variable that is empty counts as not set. */
const read = <T>(environment: Environment, name: string, codec: t.Type<T, string, unknown>): T | undefined => {
  const text = environment[name]
  if (text === undefined || text === '') return undefined
  const decoded = codec.decode(text)
  if (E.isRight(decoded)) return decoded.right
  throw new BadValue(`${name} is ${name === 'SESSION_SECRET' ? '(hidden)' : shown(text)}, but must be ${codec.name}`)
}

/** The file of the history key; undefined where no history is kept. */
export const historyKeyFileOf = ({ historyKeyFile, eventStoreUrl }: Pick<Config, 'historyKeyFile' | 'eventStoreUrl'>): string | undefined =>
  historyKeyFile ?? (eventStoreUrl.startsWith('sqlite:') ? `${eventStoreUrl.slice('sqlite:'.length)}.history-key` : undefined)

/** The file of the last head that was signed, where a history key is. */
export const lastHeadFileOf = ({ historyHeadFile }: Pick<Config, 'historyHeadFile'>, keyFile: string): string =>
  historyHeadFile ?? join(dirname(keyFile), `last-head.${basename(keyFile)}`)

/** Whether only this machine can reach what is at this address; the parser of addresses writes names in small letters and numbers in one way. */
const isLoopback = (address: string): boolean => {
  const host = new URL(address).hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(host) ? ipaddr.process(host).range() === 'loopback' : host === 'localhost'
}

/** Only a process that serves HTTP needs the session secret. */
type Purpose = 'serve' | 'work'

const decode = (environment: Environment, purpose: Purpose): Config => {
  const value = <T>(name: string, codec: t.Type<T, string, unknown>) => read(environment, name, codec)
  const host = value('HOST', HOST) ?? '127.0.0.1'
  const port = value('PORT', PORT) ?? 8080
  const publicUrl = value('PUBLIC_URL', PUBLIC_URL) ?? urlOf(host, port)
  const eventStoreUrl = value('EVENT_STORE_URL', EVENT_STORE_URL) ?? 'sqlite:data/rostra.db'
  const documentStoreUrl = value('DOCUMENT_STORE_URL', DOCUMENT_STORE_URL) ?? 'sqlite:data/rostra.db'
  const embedded = eventStoreUrl.startsWith('sqlite:')
  if (embedded !== documentStoreUrl.startsWith('sqlite:'))
    throw new BadValue(
      `DOCUMENT_STORE_URL is ${shown(documentStoreUrl)}, but with EVENT_STORE_URL ${shown(eventStoreUrl)} must be ${embedded ? 'the same sqlite:FILE' : 'mongodb://…'}`,
    )
  if (embedded && eventStoreUrl !== documentStoreUrl)
    throw new BadValue(`DOCUMENT_STORE_URL is ${shown(documentStoreUrl)}, but must be the same file as EVENT_STORE_URL`)
  const sessionSecret = value('SESSION_SECRET', SESSION_SECRET)
  if (purpose === 'serve' && !embedded && sessionSecret === undefined)
    throw new BadValue(`SESSION_SECRET is not set, but must be ${SESSION_SECRET.name} with EventStoreDB and MongoDB`)
  const readOnly = value('READ_ONLY', onOff) ?? false
  const readOnlyAs = value('READ_ONLY_AS', READ_ONLY_AS) ?? 'anybody'
  if (readOnlyAs !== 'anybody' && !readOnly) throw new BadValue(`READ_ONLY_AS is "${readOnlyAs}", but READ_ONLY is not on`)
  if (readOnly && !embedded)
    throw new BadValue(`READ_ONLY is "on", but EVENT_STORE_URL ${shown(eventStoreUrl)} is no data file: npm run replay makes one`)
  const trustProxy = value('TRUST_PROXY', TRUST_PROXY) ?? 0
  const guarded = !isLoopback(urlOf(host, port)) || !isLoopback(publicUrl) || trustProxy > 0
  const projections = value('PROJECTIONS', PROJECTIONS) ?? (embedded ? 'inline' : 'external')
  if (embedded && projections === 'external') throw new BadValue('PROJECTIONS is "external", but must be inline with SQLite')
  return {
    host,
    port,
    publicUrl,
    eventStoreUrl,
    documentStoreUrl,
    sessionSecret,
    historyKeyFile: value('HISTORY_KEY_FILE', HISTORY_FILE),
    historyHeadFile: value('HISTORY_HEAD_FILE', HISTORY_FILE),
    historyHeadSeconds: value('HISTORY_HEAD_SECONDS', HEAD_SECONDS) ?? DEFAULT_HEAD_SECONDS,
    trustProxy,
    admins: value('ADMINS', USERNAMES) ?? [],
    defaultSubsites: value('DEFAULT_SUBSITES', SUBSITES) ?? [],
    bannedDomains: value('BANNED_DOMAINS', DOMAINS) ?? [],
    homeSubsite: value('HOME_SUBSITE', SUBSITE),
    captcha: value('CAPTCHA', onOff) ?? guarded,
    rateLimits: value('RATE_LIMITS', onOff) ?? guarded,
    readOnlyAs: readOnly ? readOnlyAs : undefined,
    projections,
    workerPort: value('WORKER_PORT', PORT) ?? 0,
    logLevel: value('LOG_LEVEL', LOG_LEVEL) ?? 'info',
  }
}

/** Left: one line that names the variable, its value and what is accepted. Workers and commands need no session secret. */
export const configOf = (environment: Environment, purpose: Purpose = 'serve'): Either<string, Config> => {
  try {
    return E.right(decode(environment, purpose))
  } catch (error) {
    if (error instanceof BadValue) return E.left(error.message)
    throw error
  }
}
