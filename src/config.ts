import { basename, dirname, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import ipaddr from 'ipaddr.js'
import {
  CONTACT,
  DEFAULT_HEAD_SECONDS,
  DOCUMENT_STORE_URL,
  DOMAINS,
  DUTIES,
  EVENT_STORE_URL,
  HEAD_SECONDS,
  HISTORY_FILE,
  HOST,
  LOG_LEVEL,
  type LogLevel,
  onOff,
  PORT,
  PROJECTIONS,
  PUBLIC_URL,
  READ_ONLY_AS,
  type ReadOnlyAs,
  SESSION_SECRET,
  SHARED_SECONDS,
  SUBSITE,
  SUBSITES,
  TRUST_PROXY,
  USERNAMES,
  urlOf,
  WITNESSES,
} from './config-variables.ts'
import type { Witness } from './history/cosignature.ts'

/** The configuration, decoded once from the environment. */
export type Config = {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly eventStoreUrl: string
  readonly documentStoreUrl: string
  readonly sessionSecret: string | undefined
  /** The file of the key that signs the history. Undefined means beside the data file, or none. */
  readonly historyKeyFile: string | undefined
  /** The file of the last head that was signed. Undefined means beside that of the key. */
  readonly historyHeadFile: string | undefined
  /** Seconds between two signed heads of a tree that grows. */
  readonly historyHeadSeconds: number
  /** The witnesses that are asked to cosign each head of the log. */
  readonly historyWitnesses: readonly Witness[]
  /** The number of proxies whose `X-Forwarded-*` is trusted. */
  readonly trustProxy: number
  /** The time for which a cache in front may send pages of anonymous viewers; 0 means not without asking. */
  readonly sharedCacheSeconds: number
  /** Lower-cased usernames. */
  readonly admins: readonly string[]
  /** Lower-cased names of the subsites that viewers without subscriptions see on the front page. */
  readonly defaultSubsites: readonly string[]
  /** Lower-cased hosts, with all below them, whose addresses cannot be submitted. */
  readonly bannedDomains: readonly string[]
  /** Lower-cased name of the subsite whose sidebar and wiki are the site's own. */
  readonly homeSubsite: string | undefined
  readonly captcha: boolean
  /** The address to which vulnerabilities are reported. */
  readonly securityContact: string | undefined
  /** True if browsers get pages; otherwise everybody gets JSON. */
  readonly pages: boolean
  readonly rateLimits: boolean
  /** The viewer as whom everybody is answered, from a data file that is only read. Undefined for a running site. */
  readonly readOnlyAs: ReadOnlyAs | undefined
  readonly projections: 'inline' | 'external'
  /** `on`: this process may have the duties beside requests; `only`: it serves no site. */
  readonly duties: 'on' | 'off' | 'only'
  /** Port of a projection worker's health page; 0 for any free port. */
  readonly workerPort: number
  readonly logLevel: LogLevel
}

/** Returns an address as it may be printed. */
export const withoutCredentials = (address: string): string => address.replace(/^([a-z+]+:\/\/).*@/i, '$1***@')

const quoteAddress = (address: string): string => JSON.stringify(withoutCredentials(address))

export type Environment = Readonly<Record<string, string | undefined>>

class BadValue extends Error {}

/** Reads a variable. An empty one counts as not set. */
const read = <T>(environment: Environment, name: string, codec: t.Type<T, string, unknown>): T | undefined => {
  const text = environment[name]
  if (text === undefined || text === '') return undefined
  const decoded = codec.decode(text)
  if (E.isRight(decoded)) return decoded.right
  throw new BadValue(`${name} is ${name === 'SESSION_SECRET' ? '(hidden)' : quoteAddress(text)}, but must be ${codec.name}`)
}

/** Returns the file of the history key; undefined if no history is kept. */
export const historyKeyFileOf = ({ historyKeyFile, eventStoreUrl }: Pick<Config, 'historyKeyFile' | 'eventStoreUrl'>): string | undefined =>
  historyKeyFile ?? (eventStoreUrl.startsWith('sqlite:') ? `${eventStoreUrl.slice('sqlite:'.length)}.history-key` : undefined)

/** Returns the file of the last head that was signed, beside a history key by default. */
export const lastHeadFileOf = ({ historyHeadFile }: Pick<Config, 'historyHeadFile'>, keyFile: string): string =>
  historyHeadFile ?? join(dirname(keyFile), `last-head.${basename(keyFile)}`)

/** Returns the host of an address; the parser of addresses writes names in small letters and numbers in one way. */
const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[(.*)\]$/, '$1')

/** Tells whether only this machine can reach an address. */
const isLoopback = (address: string): boolean => {
  const host = hostOf(address)
  return ipaddr.isValid(host) ? ipaddr.process(host).range() === 'loopback' : host === 'localhost'
}

/** Tells whether an address stands for all addresses of this machine, which no client can connect to. */
const isWildcard = (address: string): boolean => {
  const host = hostOf(address)
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'unspecified'
}

/** Only a process that serves HTTP needs the session secret. */
type Purpose = 'serve' | 'work'

const decode = (environment: Environment, purpose: Purpose): Config => {
  const value = <T>(name: string, codec: t.Type<T, string, unknown>) => read(environment, name, codec)
  const host = value('HOST', HOST) ?? '127.0.0.1'
  const port = value('PORT', PORT) ?? 8080
  const configuredUrl = value('PUBLIC_URL', PUBLIC_URL)
  const publicUrl = configuredUrl ?? urlOf(host, port)
  if (isWildcard(publicUrl))
    throw new BadValue(
      configuredUrl === undefined
        ? `HOST is ${quoteAddress(host)}, which no link can name: set PUBLIC_URL to the address that clients use, such as http://localhost:${port}`
        : `PUBLIC_URL is ${quoteAddress(publicUrl)}, but must be an address that clients can use, such as http://localhost:${port}`,
    )
  const eventStoreUrl = value('EVENT_STORE_URL', EVENT_STORE_URL) ?? 'sqlite:data/rostra.db'
  const documentStoreUrl = value('DOCUMENT_STORE_URL', DOCUMENT_STORE_URL) ?? 'sqlite:data/rostra.db'
  const embedded = eventStoreUrl.startsWith('sqlite:')
  if (embedded !== documentStoreUrl.startsWith('sqlite:'))
    throw new BadValue(
      `DOCUMENT_STORE_URL is ${quoteAddress(documentStoreUrl)}, but with EVENT_STORE_URL ${quoteAddress(eventStoreUrl)} must be ${embedded ? 'the same sqlite:FILE' : 'mongodb://…'}`,
    )
  if (embedded && eventStoreUrl !== documentStoreUrl)
    throw new BadValue(`DOCUMENT_STORE_URL is ${quoteAddress(documentStoreUrl)}, but must be the same file as EVENT_STORE_URL`)
  const sessionSecret = value('SESSION_SECRET', SESSION_SECRET)
  if (purpose === 'serve' && !embedded && sessionSecret === undefined)
    throw new BadValue(`SESSION_SECRET is not set, but must be ${SESSION_SECRET.name} with EventStoreDB and MongoDB`)
  const readOnly = value('READ_ONLY', onOff) ?? false
  const readOnlyAs = value('READ_ONLY_AS', READ_ONLY_AS) ?? 'anybody'
  if (readOnlyAs !== 'anybody' && !readOnly) throw new BadValue(`READ_ONLY_AS is "${readOnlyAs}", but READ_ONLY is not on`)
  if (readOnly && !embedded)
    throw new BadValue(`READ_ONLY is "on", but EVENT_STORE_URL ${quoteAddress(eventStoreUrl)} is no data file: npx rostra replay makes one`)
  const trustProxy = value('TRUST_PROXY', TRUST_PROXY) ?? 0
  const guarded = !isLoopback(urlOf(host, port)) || !isLoopback(publicUrl) || trustProxy > 0
  const readOnlyAsAnywhere = value('READ_ONLY_AS_ANYWHERE', onOff) ?? false
  if (readOnlyAs !== 'anybody' && guarded && !readOnlyAsAnywhere)
    throw new BadValue(
      `READ_ONLY_AS is "${readOnlyAs}", but with this HOST, PUBLIC_URL or TRUST_PROXY other machines can reach the service and would read as that account: READ_ONLY_AS_ANYWHERE=on allows it`,
    )
  const projections = value('PROJECTIONS', PROJECTIONS) ?? (embedded ? 'inline' : 'external')
  if (embedded && projections === 'external') throw new BadValue('PROJECTIONS is "external", but must be inline with SQLite')
  const duties = value('DUTIES', DUTIES) ?? 'on'
  if (embedded && duties !== 'on') throw new BadValue(`DUTIES is "${duties}", but must be on with SQLite`)
  return {
    host,
    port,
    publicUrl,
    eventStoreUrl,
    documentStoreUrl,
    sessionSecret,
    historyKeyFile: value('HISTORY_KEY_FILE', HISTORY_FILE),
    historyHeadFile: value('HISTORY_HEAD_FILE', HISTORY_FILE),
    historyWitnesses: value('HISTORY_WITNESSES', WITNESSES) ?? [],
    historyHeadSeconds: value('HISTORY_HEAD_SECONDS', HEAD_SECONDS) ?? DEFAULT_HEAD_SECONDS,
    trustProxy,
    sharedCacheSeconds: value('SHARED_CACHE_SECONDS', SHARED_SECONDS) ?? 0,
    admins: value('ADMINS', USERNAMES) ?? [],
    defaultSubsites: value('DEFAULT_SUBSITES', SUBSITES) ?? [],
    bannedDomains: value('BANNED_DOMAINS', DOMAINS) ?? [],
    homeSubsite: value('HOME_SUBSITE', SUBSITE),
    captcha: value('CAPTCHA', onOff) ?? guarded,
    pages: value('PAGES', onOff) ?? true,
    securityContact: value('SECURITY_CONTACT', CONTACT),
    rateLimits: value('RATE_LIMITS', onOff) ?? guarded,
    readOnlyAs: readOnly ? readOnlyAs : undefined,
    projections,
    duties,
    workerPort: value('WORKER_PORT', PORT) ?? 0,
    logLevel: value('LOG_LEVEL', LOG_LEVEL) ?? 'info',
  }
}

/**
 * Decodes the configuration. Left is one line that names the variable, its value and the accepted values. Workers and commands need no
 * session secret.
 */
export const configOf = (environment: Environment, purpose: Purpose = 'serve'): E.Either<string, Config> => {
  try {
    return E.right(decode(environment, purpose))
  } catch (error) {
    if (error instanceof BadValue) return E.left(error.message)
    throw error
  }
}
