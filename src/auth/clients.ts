import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import basicAuth from 'basic-auth'
import * as t from 'io-ts'
import { AccountId } from '../domain/ids.ts'
import type { Vault } from '../ports/vault.ts'

export const appTypes = ['web', 'installed', 'script'] as const

const ClientValue = t.type({
  name: t.string,
  type: t.keyof({ web: null, installed: null, script: null }),
  redirectUri: t.string,
  description: t.string,
  /** The hash of the secret; null for installed apps, which cannot keep one. */
  secret: t.union([t.string, t.null]),
  owner: AccountId,
  created: t.number,
})

/** An OAuth client: an app registered by an account. */
export type Client = t.TypeOf<typeof ClientValue> & { readonly id: string }

/** Tells whether a value is the vault's record of an app of this owner. */
export const isClientOf = (owner: string | null, value: unknown): boolean => ClientValue.is(value) && value.owner === owner

/** Tells whether a client is confidential: whether it can keep a secret. */
export const isConfidential = (client: Pick<Client, 'type'>): boolean => client.type !== 'installed'

const digest = (secret: string) => createHash('sha256').update(secret).digest()

const clientOf = (id: string, value: unknown): Client => {
  if (!ClientValue.is(value)) throw new Error(`the vault's record of client ${id} cannot be read`)
  return { ...value, id }
}

export const newClientId = (): string => randomBytes(10).toString('base64url')

/** Registers an app; its secret is returned only here and stored as a hash. */
export const registerClient = async (
  vault: Vault,
  app: Pick<Client, 'name' | 'type' | 'redirectUri' | 'description' | 'owner' | 'created'>,
  id: string = newClientId(),
): Promise<{ readonly client: Client; readonly secret: string }> => {
  const secret = isConfidential(app) ? randomBytes(20).toString('base64url') : ''
  const value = { ...app, secret: secret === '' ? null : digest(secret).toString('base64url') }
  await vault.put('client', id, { value, owner: app.owner })
  return { client: { ...value, id }, secret }
}

export const findClient = async (vault: Vault, id: string): Promise<Client | undefined> => {
  const record = await vault.get('client', id)
  return record && clientOf(id, record.value)
}

/** Returns those of some apps that still exist. */
export const findClients = async (vault: Vault, ids: readonly string[]): Promise<readonly Client[]> =>
  Array.from(await vault.getMany('client', ids), ([id, { value }]) => clientOf(id, value))

export const clientsOf = async (vault: Vault, owner: AccountId): Promise<readonly Client[]> =>
  (await vault.list('client', owner)).map(({ id, value }) => clientOf(id, value))

/** Returns the client that an `Authorization: Basic` header authenticates; undefined if it is invalid in any way. */
export const authenticateClient = async (vault: Vault, header: string | string[] | undefined): Promise<Client | undefined> => {
  const credentials = basicAuth.parse(String(header ?? ''))
  const client = credentials && (await findClient(vault, credentials.name))
  if (!client) return undefined
  if (client.secret === null) return client
  return timingSafeEqual(digest(credentials.pass), Buffer.from(client.secret, 'base64url')) ? client : undefined
}
