import { hash, randomBytes } from 'node:crypto'
import * as t from 'io-ts'
import { type AccountId, numberOf } from '../domain/ids.ts'
import type { Vault, VaultRecord } from '../ports/vault.ts'
import { openLookUps } from './look-ups.ts'
import type { Scope } from './scopes.ts'

/** The lifetime of an access token. */
export const ACCESS_TOKEN_LIFETIME_SECONDS = 3600

const GrantValue = t.intersection([
  t.type({
    /** Null for a token without a user. */
    account: t.union([t.string, t.null]),
    client: t.string,
    scopes: t.union([t.literal('*'), t.readonlyArray(t.string)]),
    /** Lower-cased names of the only subsites whose paths the token opens. */
    subsites: t.union([t.readonlyArray(t.string), t.null]),
    /** The hash of the refresh token that it was made from. */
    refresh: t.union([t.string, t.null]),
  }),
  /** The hash of the authorization code that both were made from. */
  t.partial({ code: t.string }),
])

/** Tells whether a value is the vault's record of a token of this account. */
export const isGrantOf = (account: string | null, value: unknown): boolean => GrantValue.is(value) && value.account === account

/** The most refresh tokens of one account; one more ends the oldest. */
export const MAX_REFRESH_TOKENS_PER_ACCOUNT = 100

/** The account, app, scopes and subsites of a token. */
export type TokenGrant = {
  readonly account: AccountId | null
  readonly client: string
  readonly scopes: readonly Scope[] | '*'
  readonly subsites: readonly string[] | null
  readonly refresh: string | null
  readonly code?: string
}

/** `permanent` means that the app holds a refresh token, which ends only when it is revoked. */
export type HeldGrant = TokenGrant & { readonly permanent: boolean }

/** Returns the hash of a secret, the only form in which it is kept. */
export const hashOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** Makes a token that is opaque to clients. It starts with the account's number, which is empty for a token without a user. */
const newToken = (account: AccountId | null): string =>
  `${account === null ? '' : numberOf(account)}-${randomBytes(20).toString('base64url')}`

const ownerOf = ({ account, client }: TokenGrant) => account ?? client

/** The tokens in the vault. Recently used ones are kept in memory for some seconds, and forgotten at once if this process revokes them. */
export type Tokens = {
  /** Issues an access token. */
  readonly issue: (grant: TokenGrant) => Promise<string>
  /** Issues a refresh token, which does not expire. */
  readonly issueRefresh: (grant: TokenGrant) => Promise<string>
  /** Returns the present grant of a bearer token; undefined for an unknown, expired or revoked one, or one of a deleted app. */
  readonly find: (token: string) => Promise<TokenGrant | undefined>
  readonly findRefresh: (token: string) => Promise<TokenGrant | undefined>
  readonly revoke: (token: string) => Promise<void>
  /** Revokes a refresh token and the access tokens made from it. */
  readonly revokeRefresh: (token: string) => Promise<void>
  /** Ends the tokens that were made from an authorization code, given by its hash. */
  readonly revokeMadeFrom: (account: AccountId, code: string) => Promise<void>
  /** Lists everything that apps were granted in an account's name and that has not ended, the oldest first. */
  readonly grantsOf: (account: AccountId) => Promise<readonly HeldGrant[]>
  /** Ends every token that an app holds of an account, and every code it has not redeemed. */
  readonly revokeClient: (account: AccountId, client: string) => Promise<void>
  /** Ends every token and code of an account. */
  readonly revokeAll: (account: AccountId) => Promise<void>
  /** Ends every token of a deleted app. */
  readonly forget: () => void
}

type GrantKind = 'code' | 'refresh' | 'access'

export const openTokens = (vault: Vault, clock: () => number): Tokens => {
  const grantOf = (id: string, value: unknown): TokenGrant => {
    if (!GrantValue.is(value)) throw new Error(`the vault's record of token ${id} cannot be read`)
    return value as TokenGrant
  }

  const live = async (kind: 'access' | 'refresh', id: string) => {
    const record = await vault.get(kind, id)
    if (!record) return undefined
    const grant = grantOf(id, record.value)
    // an access token that was made while its refresh token was revoked ends with it
    const [client, refresh] = await Promise.all([
      vault.get('client', grant.client),
      kind === 'refresh' || grant.refresh === null ? true : vault.get('refresh', grant.refresh),
    ])
    return client && refresh ? { grant, expires: record.expires ?? Number.POSITIVE_INFINITY } : undefined
  }

  const lookUps = openLookUps('tokens', (id) => live('access', id))

  const endThose = async (kinds: readonly GrantKind[], owner: string, which: (record: VaultRecord) => boolean): Promise<void> => {
    try {
      for (const kind of kinds) for (const record of await vault.list(kind, owner)) if (which(record)) await vault.delete(kind, record.id)
    } finally {
      lookUps.forgetAll()
    }
  }

  const endRefresh = async (ended: string) => {
    const record = await vault.take('refresh', ended).finally(lookUps.forgetAll)
    if (!record) return
    await endThose(['access'], ownerOf(grantOf(ended, record.value)), ({ id, value }) => grantOf(id, value).refresh === ended)
  }

  return {
    issue: async (grant) => {
      const token = newToken(grant.account)
      await vault.put('access', hashOf(token), {
        value: grant,
        owner: ownerOf(grant),
        expires: clock() + ACCESS_TOKEN_LIFETIME_SECONDS * 1000,
      })
      return token
    },
    issueRefresh: async (grant) => {
      const token = newToken(grant.account)
      await vault.put('refresh', hashOf(token), { value: grant, owner: ownerOf(grant) })
      for (const { id } of (await vault.list('refresh', ownerOf(grant))).slice(0, -MAX_REFRESH_TOKENS_PER_ACCOUNT)) await endRefresh(id)
      return token
    },
    find: async (token) => {
      const grant = await lookUps.find(hashOf(token))
      return grant && grant.expires > clock() ? grant.grant : undefined
    },
    findRefresh: async (token) => (await live('refresh', hashOf(token)))?.grant,
    revoke: async (token) => {
      const id = hashOf(token)
      await vault.delete('access', id).finally(() => lookUps.forget(id))
    },
    revokeRefresh: (token) => endRefresh(hashOf(token)),
    revokeMadeFrom: (account, code) => endThose(['refresh', 'access'], account, ({ id, value }) => grantOf(id, value).code === code),
    revokeAll: async (account) => {
      try {
        for (const kind of ['code', 'refresh', 'access'] as const) await vault.deleteAll(kind, account)
      } finally {
        lookUps.forgetAll()
      }
    },
    grantsOf: async (account) => {
      const tokensOf = async (kind: 'refresh' | 'access') =>
        (await vault.list(kind, account)).map(({ id, value }) => ({ ...grantOf(id, value), permanent: kind === 'refresh' }))
      return (await Promise.all([tokensOf('refresh'), tokensOf('access')])).flat()
    },
    revokeClient: (account, client) =>
      endThose(['code', 'refresh', 'access'], account, ({ value }) => (value as { readonly client: string }).client === client),
    forget: lookUps.forgetAll,
  }
}
