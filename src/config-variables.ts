import { isIP } from 'node:net'
import { distance } from 'fastest-levenshtein'
import * as t from 'io-ts'
import { type Witness, witnessKeyIn } from './history/cosignature.ts'

// The variables of the environment that configure the service: their accepted values, their defaults, and their purpose.

const readers = ['anybody', 'moderator', 'admin'] as const
export type ReadOnlyAs = (typeof readers)[number]

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Returns a codec from text. Its name describes the accepted values. */
const textCodec = <T>(accepted: string, parse: (text: string) => T | undefined): t.Type<T, string, unknown> =>
  new t.Type<T, string, unknown>(
    accepted,
    (u): u is T => u !== undefined,
    (u, context) => {
      const value = typeof u === 'string' ? parse(u) : undefined
      return value === undefined ? t.failure(u, context) : t.success(value)
    },
    String,
  )

const oneOf = <V extends string>(...values: readonly V[]) => textCodec(values.join(', '), (text) => values.find((value) => value === text))

export const onOff = textCodec('on or off', (text) => (text === 'on' ? true : text === 'off' ? false : undefined))

const names = (pattern: RegExp, accepted: string) =>
  textCodec(`${accepted}, separated by commas`, (text) => {
    const list = text
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== '')
    return list.every((name) => pattern.test(name)) ? list : undefined
  })

const address = (accepted: string, schemes: RegExp) => textCodec(accepted, (text) => (schemes.test(text) ? text : undefined))

/** Returns an address as it is written in a URL, with IPv6 in brackets. */
export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const hostName = /^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/i
/** Tells whether a text is a host name. A text that ends in a number can only be an address. */
const isHostName = (text: string): boolean => hostName.test(text) && !/(^|\.)(\d+|0x[\da-f]*)$/i.test(text)
export const HOST = textCodec('a host name or an IP address', (text) =>
  (isIP(text) > 0 || isHostName(text)) && URL.canParse(urlOf(text, 1)) ? text : undefined,
)
export const PORT = textCodec('a port from 0 to 65535', (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined,
)
export const PUBLIC_URL = textCodec('an http or https address without credentials, query and fragment', (text) => {
  const url = URL.parse(text)
  // it begins Location fields and permalinks, so anything that the parser of addresses would mend or encode is not accepted
  return url && /^https?:\/\/[\w.~!$&()*+,;=:[\]%/-]+$/i.test(text) ? text.replace(/\/+$/, '') : undefined
})
export const EVENT_STORE_URL = address(
  'sqlite:FILE, esdb://… or esdb+discover://… (kurrentdb and kdb mean the same as esdb)',
  /^(sqlite:(?!:memory:$|file:|\s).+|(esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/.+)$/,
)
export const DOCUMENT_STORE_URL = address('sqlite:FILE or mongodb://…', /^(sqlite:(?!:memory:$|file:|\s).+|mongodb(\+srv)?:\/\/.+)$/)
export const SESSION_SECRET = textCodec('at least 32 characters', (text) => (text.length >= 32 ? text : undefined))
export const DEFAULT_HEAD_SECONDS = 60
export const HISTORY_FILE = textCodec('the path of a file', (text) => (/\0|\/$/.test(text) ? undefined : text))
const MAX_WITNESSES = 20
export const WITNESSES = textCodec('addresses of witnesses, each with its key after a #, separated by commas', (text) => {
  const list = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one): Witness | undefined => {
      const [, url = '', key = ''] = /^(https?:\/\/[^\s#?@]+)#(\S+)$/.exec(one) ?? []
      const witness = witnessKeyIn(key)
      return witness && URL.canParse(url) ? { ...witness, url } : undefined
    })
    .filter((one) => one !== undefined)
  const isWhole = list.length === text.split(',').filter((one) => one.trim() !== '').length
  return isWhole && list.length <= MAX_WITNESSES && new Set(list.map(({ name }) => name)).size === list.length ? list : undefined
})
export const HEAD_SECONDS = textCodec('seconds from 1 to 3600', (text) =>
  /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3_600 ? Number(text) : undefined,
)
export const USERNAMES = names(/^[a-z0-9_-]{3,20}$/, 'usernames')
export const SUBSITES = names(/^[a-z0-9]\w{1,20}$/, 'names of subsites')
export const DOMAINS = names(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/, 'hosts')
export const SUBSITE = textCodec('the name of a subsite', (text) => (/^[a-z0-9]\w{1,20}$/i.test(text) ? text.toLowerCase() : undefined))
export const CONTACT = textCodec('a mailto: or https: address', (text) =>
  /^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*)$/.test(text) ? text : undefined,
)
export const READ_ONLY_AS = oneOf(...readers)
export const PROJECTIONS = oneOf('inline', 'external')
export const DUTIES = oneOf('on', 'off', 'only')
export const LOG_LEVEL = oneOf(...logLevels)
export const TRUST_PROXY = textCodec('off, or the number of proxies in front (1 to 9)', (text) =>
  text === 'off' ? 0 : /^[1-9]$/.test(text) ? Number(text) : undefined,
)

export const SHARED_SECONDS = textCodec('off, or seconds from 1 to 3600', (text) =>
  text === 'off' ? 0 : /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3_600 ? Number(text) : undefined,
)

/** A variable as the documentation has it. `fallback` is its default, in words if that depends. */
type Variable = { readonly accepted: string; readonly fallback: string; readonly about: string }

const declareVariable = (codec: { readonly name: string }, fallback: string, about: string): Variable => ({
  accepted: codec.name,
  fallback,
  about,
})

/** The default of protections. A site that nobody else can reach needs none: a test, or a first look. */
const UNGUARDED = 'off when HOST and PUBLIC_URL are loopback addresses and no proxy is trusted, on otherwise'

/** Everything that can be configured. */
export const variables: Readonly<Record<string, Variable>> = {
  HOST: declareVariable(HOST, '127.0.0.1', 'The address to listen on.'),
  PORT: declareVariable(PORT, '8080', 'The port to listen on; 0 takes any free port, which the ready line names.'),
  PUBLIC_URL: declareVariable(
    PUBLIC_URL,
    'http://HOST:PORT',
    'The public address of the service, used for permalinks; needed where HOST is a wildcard address such as 0.0.0.0. With https, cookies are Secure.',
  ),
  EVENT_STORE_URL: declareVariable(EVENT_STORE_URL, 'sqlite:data/rostra.db', 'The event store (the log).'),
  DOCUMENT_STORE_URL: declareVariable(
    DOCUMENT_STORE_URL,
    'sqlite:data/rostra.db',
    'The document store (read models and vault): the same file as the log, or MongoDB with EventStoreDB.',
  ),
  SESSION_SECRET: declareVariable(
    SESSION_SECRET,
    'generated at the first start, kept beside the data file',
    'The key that signs modhashes. With EventStoreDB and MongoDB it must be set, to the same value for every process.',
  ),
  HISTORY_KEY_FILE: declareVariable(
    HISTORY_FILE,
    'made at the first start, beside the data file; no history with EventStoreDB and MongoDB',
    'The file of the key that signs what the log holds, outside both stores. `npx rostra history key` makes it; the same for every process.',
  ),
  HISTORY_HEAD_FILE: declareVariable(
    HISTORY_FILE,
    'beside the history key, with `last-head.` before its name',
    'The file of the last head that was signed, outside both stores: by it a log that was put back together with its history is noticed. Each host has its own, which the process can write; no backup puts it back.',
  ),
  HISTORY_HEAD_SECONDS: declareVariable(
    HEAD_SECONDS,
    String(DEFAULT_HEAD_SECONDS),
    'The time between two signed heads of the log, or of a moderation log, that has grown.',
  ),
  HISTORY_WITNESSES: declareVariable(
    WITNESSES,
    '',
    'Those who are asked to cosign each signed head of the log, by C2SP tlog-witness: `npx rostra witness` prints what to write here. Nothing else is ever asked.',
  ),
  TRUST_PROXY: declareVariable(TRUST_PROXY, 'off', 'The number of reverse proxies whose `X-Forwarded-For` is trusted.'),
  SHARED_CACHE_SECONDS: declareVariable(
    SHARED_SECONDS,
    'off',
    'For how long a cache in front may send the pages of viewers without account without asking again (`s-maxage`).',
  ),
  ADMINS: declareVariable(
    USERNAMES,
    '',
    'Usernames with all permissions everywhere. They can be registered with `npx rostra register` only.',
  ),
  DEFAULT_SUBSITES: declareVariable(SUBSITES, '', 'Subsites on the front page of viewers without subscriptions; empty: all subsites.'),
  BANNED_DOMAINS: declareVariable(DOMAINS, '', 'Hosts, with all below them, to which no link can be submitted (`DOMAIN_BANNED`).'),
  HOME_SUBSITE: declareVariable(SUBSITE, '', 'The subsite whose sidebar and wiki are those of the whole site; empty: the site has none.'),
  CAPTCHA: declareVariable(
    onOff,
    UNGUARDED,
    'Whether viewers without karma must solve captchas to register, submit, send messages and create subsites.',
  ),
  PAGES: declareVariable(onOff, 'on', 'Whether browsers get pages for people; off: they get JSON, as everybody else does.'),
  SECURITY_CONTACT: declareVariable(
    CONTACT,
    '',
    'Whom to tell about a vulnerability, in /.well-known/security.txt; empty: there is no such file.',
  ),
  RATE_LIMITS: declareVariable(
    onOff,
    UNGUARDED,
    'Whether quotas, posting limits and the wait between registrations apply. The limit on failed logins always applies.',
  ),
  READ_ONLY: declareVariable(
    onOff,
    'off',
    'Whether the data file is only read, as the copy of an earlier state that `npx rostra replay` makes: nobody can log in or write, and the clock stands at its last event.',
  ),
  READ_ONLY_AS: declareVariable(
    READ_ONLY_AS,
    'anybody',
    'With READ_ONLY, as whom every request is answered, without a login: `moderator` of all subsites, or `admin`. Unless READ_ONLY_AS_ANYWHERE is on, only where no other machine can reach the service.',
  ),
  READ_ONLY_AS_ANYWHERE: declareVariable(
    onOff,
    'off',
    'Whether `READ_ONLY_AS` may be `moderator` or `admin` although other machines can reach the service (HOST or PUBLIC_URL is not a loopback address, or a proxy is trusted): all of them then read as moderator or admin.',
  ),
  PROJECTIONS: declareVariable(
    PROJECTIONS,
    'inline with SQLite, external with EventStoreDB and MongoDB',
    'Where projections run: in this process, or in separate workers (`npx rostra worker`).',
  ),
  DUTIES: declareVariable(
    DUTIES,
    'on',
    'With servers, whether this process may have the duties beside requests: reactions, the history, first audiences and expiry. `only`, which `npx rostra duties` sets: it has them, and serves `/health` and `/metrics` alone.',
  ),
  WORKER_PORT: declareVariable(PORT, '0', 'The port on which a worker serves `/health` and `/metrics`.'),
  LOG_LEVEL: declareVariable(LOG_LEVEL, 'info', 'The lowest level of the log lines on stderr, one JSON object a line.'),
}

/** The most letters in which a misspelt name differs; of a short name only one, so that HOME is not taken for HOST. */
const MAX_WRONG_LETTERS = 2
const SHORT_NAME = 4

const isMisspelling = (name: string, known: string): boolean =>
  distance(name.toUpperCase(), known) <= (known.length <= SHORT_NAME ? 1 : MAX_WRONG_LETTERS)

/** Finds the variables of an environment that have a value and are nearly, but not exactly, known ones: `CAPTHCA is not known: CAPTCHA?` */
export const misspeltVariables = (environment: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(environment).flatMap(([name, value]) => {
    if (!value || Object.hasOwn(variables, name)) return []
    const known = Object.keys(variables).find((one) => isMisspelling(name, one))
    return known === undefined ? [] : [`${name} is not a variable of this service: did you mean ${known}?`]
  })

/** Returns the variables, one line each, as `--help` shows them. */
export const variablesInWords = (): string =>
  Object.entries(variables)
    .map(([name, { fallback, about }]) => `  ${name.padEnd(18)}  ${about.replaceAll('`', '')}${fallback && ` Default: ${fallback}.`}`)
    .join('\n')
