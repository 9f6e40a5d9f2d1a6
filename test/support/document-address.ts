import { MongoClient } from 'mongodb'

const PARTS = /^(mongodb(?:\+srv)?:\/\/)(?:([^@/]+)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/

const partsOf = (url: string) => {
  const [, scheme = '', user, hosts = '', database = '', options = ''] = PARTS.exec(url) ?? []
  return { scheme, user: user === undefined ? '' : `${user}@`, hosts, database, options: new URLSearchParams(options) }
}

const joinAddress = ({ scheme, user, hosts, database, options }: ReturnType<typeof partsOf>): string =>
  `${scheme}${user}${hosts}/${database}${options.size > 0 ? `?${options}` : ''}`

/**
 * Returns an address of the same server with another database. A user stays where it was looked for, which is in the database of the
 * address unless that says otherwise.
 */
export const withDatabase = (url: string, database: string): string => {
  const parts = partsOf(url)
  if (parts.user !== '' && !parts.options.has('authSource')) parts.options.set('authSource', parts.database || 'admin')
  return joinAddress({ ...parts, database })
}

export type Primary = {
  readonly host: string
  readonly port: number
  /** The address of the same database on that one server, as it is reached by another port of this machine. */
  readonly by: (port: number) => string
}

/** Returns the listening address of the primary that an address leads to. */
export const primaryOf = async (url: string): Promise<Primary> => {
  const client = await new MongoClient(url).connect()
  const { me, primary = me } = await client.db('admin').command({ hello: 1 })
  await client.close()
  const parts = partsOf(url)
  // A set may know its members by names that mean nothing here; the one host of an address does.
  const address = parts.hosts.includes(',') || parts.scheme.includes('srv') ? String(primary) : parts.hosts
  const options = new URLSearchParams(parts.options)
  options.delete('replicaSet')
  options.set('directConnection', 'true')
  if (options.get('tls') === 'true') options.set('tlsAllowInvalidHostnames', 'true')
  const [host = '', port = '27017'] = address.split(':')
  return { host, port: Number(port), by: (other) => joinAddress({ ...parts, scheme: 'mongodb://', hosts: `127.0.0.1:${other}`, options }) }
}
