import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { messageOf } from '../../ports/faults.ts'

export type Endpoint = { readonly address: string; readonly port: number }

/** A parsed connection string: everything the client needs, so that it never sees (nor prints) the string itself. */
export type ConnectionSettings = {
  readonly hosts: readonly [Endpoint, ...Endpoint[]]
  /** True if the single host is a DNS name behind which gossip finds the nodes. */
  readonly discover: boolean
  readonly credentials: { readonly username: string; readonly password: string } | undefined
  /** Undefined for a plaintext connection. */
  readonly tls: { readonly authority?: Buffer; readonly userCertificate?: Buffer; readonly userKey?: Buffer } | undefined
  readonly connectionName: string | undefined
  readonly settings: { readonly [Name in NumberSetting]?: number }
}

type NumberSetting =
  | 'maxDiscoverAttempts'
  | 'discoveryInterval'
  | 'gossipTimeout'
  | 'keepAliveInterval'
  | 'keepAliveTimeout'
  | 'defaultDeadline'

const VARIABLE = 'EVENT_STORE_URL'
const DEFAULT_PORT = 2113
const LOWEST_KEEP_ALIVE = 10_000 // the client warns about a smaller value

// The client only warns about a key it does not know, so a misspelt key would silently mean the default.
const OPTIONS = [
  'tls',
  'tlsCAFile',
  'tlsVerifyCert',
  'userCertFile',
  'userKeyFile',
  'connectionName',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'nodePreference',
  'throwOnAppendFailure',
  'keepAliveInterval',
  'keepAliveTimeout',
  'defaultDeadline',
] as const

type Option = (typeof OPTIONS)[number]
type Options = ReadonlyMap<Option, string>

const flat = (key: string): string => key.toLowerCase().replace(/[_-]/g, '')

/** Returns the string without its secrets, for messages. */
const withoutSecrets = (url: string): string => url.replace(/\/\/[^/?]*@/, '//***@')

const text = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

const readEndpoint = (host: string): E.Either<string, Endpoint> => {
  const [, address = '', port] = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(.*))?$/i.exec(host.trim()) ?? []
  if (!/^(\[.+\]|[\w.-]+)$/.test(address)) return E.left(`"${host}" is not a host; expected host or host:port`)
  if (port === undefined) return E.right({ address, port: DEFAULT_PORT })
  const number = Number(port)
  return /^\d+$/.test(port) && number >= 1 && number <= 65_535
    ? E.right({ address, port: number })
    : E.left(`port "${port}" of ${address} is not a number from 1 to 65535`)
}

const readOptions = (query: string): E.Either<string, Options> => {
  const options = new Map<Option, string>()
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [, key = pair, encoded = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? []
    const option = OPTIONS.find((name) => flat(name) === flat(key))
    const value = text(encoded)?.trim()
    if (!option) return E.left(`unknown option "${key}"; accepted options are ${OPTIONS.join(', ')}`)
    if (!value) return E.left(`option ${option} has no value, or one that cannot be decoded`)
    if (options.has(option)) return E.left(`option ${option} is given twice`)
    options.set(option, value)
  }
  return E.right(options)
}

const oneOf = (options: Options, name: Option, accepted: readonly string[], why: string): string | undefined => {
  const value = options.get(name)
  return value === undefined || accepted.includes(value)
    ? undefined
    : `${name}=${value} is not supported (accepted: ${accepted.join(' or ')}): ${why}`
}

const contradiction = (options: Options, discover: boolean, hosts: number, credentials: boolean): string | undefined => {
  const plaintext = options.get('tls') === 'false'
  if (discover && hosts > 1) return 'esdb+discover:// takes one DNS name; list several nodes as esdb://a,b,c'
  if (plaintext && credentials) return 'with tls=false the user and password would silently not be sent; leave out one of the two'
  for (const name of ['tlsCAFile', 'userCertFile', 'userKeyFile'] as const) {
    if (plaintext && options.has(name)) return `${name} has no effect with tls=false`
  }
  if (options.has('userCertFile') !== options.has('userKeyFile')) return 'userCertFile and userKeyFile must be given together'
  return (
    oneOf(options, 'tls', ['true', 'false'], 'no other value is supported') ??
    oneOf(options, 'tlsVerifyCert', ['true'], 'certificates are always verified; name the authority with tlsCAFile') ??
    oneOf(options, 'throwOnAppendFailure', ['true'], 'failed appends are distinguished by their errors') ??
    oneOf(options, 'nodePreference', ['leader'], 'commands must read from the leader, whose answers are never stale')
  )
}

const MINIMA: Readonly<Record<NumberSetting, number>> = {
  maxDiscoverAttempts: 1,
  discoveryInterval: 1,
  gossipTimeout: 1,
  keepAliveInterval: LOWEST_KEEP_ALIVE,
  keepAliveTimeout: 1,
  defaultDeadline: 1,
}

const readNumbers = (options: Options): E.Either<string, ConnectionSettings['settings']> => {
  const settings: { [Name in NumberSetting]?: number } = {}
  for (const name of Object.keys(MINIMA) as NumberSetting[]) {
    const value = options.get(name)
    if (value === undefined) continue
    if (!/^\d+$/.test(value) || Number(value) < MINIMA[name])
      return E.left(`${name}=${value} is not an integer of at least ${MINIMA[name]}`)
    settings[name] = Number(value)
  }
  return E.right(settings)
}

const FILES = { tlsCAFile: 'authority', userCertFile: 'userCertificate', userKeyFile: 'userKey' } as const

const readFiles = (options: Options): E.Either<string, ConnectionSettings['tls']> => {
  if (options.get('tls') === 'false') return E.right(undefined)
  const files: { authority?: Buffer; userCertificate?: Buffer; userKey?: Buffer } = {}
  for (const option of Object.keys(FILES) as (keyof typeof FILES)[]) {
    const path = options.get(option)
    if (path === undefined) continue
    try {
      files[FILES[option]] = readFileSync(path)
    } catch (error) {
      return E.left(`${option} cannot be read: ${messageOf(error)}`)
    }
  }
  return E.right(files)
}

const readCredentials = (userinfo: string | undefined): E.Either<string, ConnectionSettings['credentials']> => {
  if (userinfo === undefined) return E.right(undefined)
  const [, user = '', secret = ''] = /^([^:]*):(.*)$/s.exec(userinfo) ?? []
  const [username, password] = [text(user), text(secret)]
  return username && password
    ? E.right({ username, password })
    : E.left('expected user:password before the @, both with / ? @ : and % percent-encoded')
}

const understand = (url: string): E.Either<string, ConnectionSettings> => {
  // KurrentDB is the later name of EventStoreDB; its documentation uses addresses of every spelling.
  const parts = /^(?:esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/(?:([^@/?]*)@)?([^@/?]*)\/*(?:\?([^?]*))?$/.exec(url.trim())
  if (!parts) return E.left('expected esdb://[user:password@]host[:port][,…][?option=value&…] or esdb+discover://…')
  const [, discovery, userinfo, names = '', query = ''] = parts
  const discover = discovery !== undefined
  const credentials = readCredentials(userinfo)
  if (E.isLeft(credentials)) return credentials
  const hosts = E.traverseArray(readEndpoint)(names.split(','))
  if (E.isLeft(hosts)) return hosts
  const [first, ...others] = hosts.right
  const options = readOptions(query)
  if (E.isLeft(options) || !first) return E.isLeft(options) ? options : E.left('the host is missing')
  const wrong = contradiction(options.right, discover, hosts.right.length, userinfo !== undefined)
  if (wrong) return E.left(wrong)
  const settings = readNumbers(options.right)
  if (E.isLeft(settings)) return settings
  const tls = readFiles(options.right)
  if (E.isLeft(tls)) return tls
  return E.right({
    hosts: [first, ...others],
    discover,
    credentials: credentials.right,
    tls: tls.right,
    connectionName: options.right.get('connectionName'),
    settings: settings.right,
  })
}

/** Reads a connection string. Left is one line that names the variable, the value without its secrets, and the problem. */
export const readConnectionString = (url: string): E.Either<string, ConnectionSettings> =>
  E.mapLeft((wrong: string) => `${VARIABLE}: ${wrong} (the value is ${withoutSecrets(url)})`)(understand(url))
