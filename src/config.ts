import { basename, dirname, join } from 'node:path'
import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import ipaddr from 'ipaddr.js'
import {
  DEFAULT_HEAD_SECONDS,
  DOCUMENT_STORE_URL,
  DOMAINS,
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
} from './operations/config-variables.ts'

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
  /** For how long a cache in front may send pages of anonymous viewers; 0: not without asking. */
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
  readonly rateLimits: boolean
  /** As whom everybody is answered, from a data file that is only read; undefined: the site runs. */
  readonly readOnlyAs: ReadOnlyAs | undefined
  readonly projections: 'inline' | 'external'
  /** Port of a projection worker's health page; 0 for any free port. */
  readonly workerPort: number
  readonly logLevel: LogLevel
}

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
  const readOnlyAsAnywhere = value('READ_ONLY_AS_ANYWHERE', onOff) ?? false
  if (readOnlyAs !== 'anybody' && guarded && !readOnlyAsAnywhere)
    throw new BadValue(
      `READ_ONLY_AS is "${readOnlyAs}", but with this HOST, PUBLIC_URL or TRUST_PROXY others than this machine would read as that: READ_ONLY_AS_ANYWHERE=on allows it`,
    )
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
    sharedCacheSeconds: value('SHARED_CACHE_SECONDS', SHARED_SECONDS) ?? 0,
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
