import { randomBytes } from 'node:crypto'
import * as t from 'io-ts'
import { AccountId } from '../domain/ids.ts'
import { firstCharacters } from '../domain/text-limits.ts'
import { DAY } from '../domain/time.ts'
import type { Vault } from '../ports/vault.ts'
import { openLookUps } from './look-ups.ts'
import { type Modhashes, modhashesBy } from './modhash.ts'
import { hashOf } from './tokens.ts'

export const SESSION_COOKIE_NAME = 'rostra_session'

const SessionValue = t.intersection([
  t.type({ account: AccountId, created: t.number }),
  /** The `User-Agent` of the browser or app that logged in. */
  t.partial({ agent: t.string }),
])
/** `id` is the hash of the cookie's value. */
export type Session = t.TypeOf<typeof SessionValue> & { readonly id: string }

/** The most sessions of one account; one more ends the oldest. */
export const MAX_SESSIONS_PER_ACCOUNT = 100
/** The number of characters that are kept of a `User-Agent`. */
const MAX_USER_AGENT_CHARACTERS = 200

/** The lifetime of a session in milliseconds: a year with `rem`, else a day. */
export const SESSION_LIFETIMES_MS = { remembered: 365 * DAY, short: DAY } as const

export type Sessions = Modhashes & {
  /** Creates a session and returns the cookie's value and the session. */
  readonly create: (
    account: AccountId,
    remember: boolean,
    agent?: string,
  ) => Promise<{ readonly cookie: string; readonly session: Session }>
  readonly find: (cookie: string) => Promise<Session | undefined>
  /** Tells whether a session is open, as far as any process knows. */
  readonly isOpen: (cookie: string) => Promise<boolean>
  readonly end: (cookie: string) => Promise<void>
  /** Lists all sessions of an account, the oldest first, with the time when each ends by itself. */
  readonly list: (account: AccountId) => Promise<readonly (Session & { readonly expires: number | undefined })[]>
  /** Ends the sessions that match, and returns their number. */
  readonly endThose: (account: AccountId, which: (session: Session) => boolean) => Promise<number>
  readonly endAll: (account: AccountId) => Promise<void>
  /** Makes the next use of each session ask the vault again. */
  readonly forget: () => void
  /** Returns the `Set-Cookie` field that starts (a value) or ends (undefined) a session. */
  readonly setCookie: (value: string | undefined, remember: boolean) => string
}

export const openSessions = (vault: Vault, secret: string, clock: () => number, secure: boolean): Sessions => {
  const sessionOf = (id: string, value: unknown): Session => {
    if (!SessionValue.is(value)) throw new Error(`the vault's record of session ${id} cannot be read`)
    return { ...value, id }
  }

  const lookUps = openLookUps('sessions', async (id) => {
    const record = await vault.get('session', id)
    return record && sessionOf(id, record.value)
  })

  const end = (id: string) => vault.delete('session', id).finally(() => lookUps.forget(id))

  const list: Sessions['list'] = async (account) =>
    (await vault.list('session', account)).map(({ id, value, expires }) => ({ ...sessionOf(id, value), expires }))

  return {
    ...modhashesBy(secret),
    create: async (account, remember, agent = '') => {
      const cookie = randomBytes(32).toString('base64url')
      const value = { account, created: clock(), ...(agent !== '' && { agent: firstCharacters(MAX_USER_AGENT_CHARACTERS, agent) }) }
      const expires = clock() + (remember ? SESSION_LIFETIMES_MS.remembered : SESSION_LIFETIMES_MS.short)
      await vault.put('session', hashOf(cookie), { value, owner: account, expires })
      for (const { id } of (await list(account)).slice(0, -MAX_SESSIONS_PER_ACCOUNT)) await end(id)
      return { cookie, session: { ...value, id: hashOf(cookie) } }
    },
    find: (cookie) => lookUps.find(hashOf(cookie)),
    isOpen: async (cookie) => (await vault.get('session', hashOf(cookie))) !== undefined,
    end: (cookie) => end(hashOf(cookie)),
    list,
    endThose: async (account, which) => {
      const those = (await list(account)).filter(which)
      for (const { id } of those) await end(id)
      return those.length
    },
    endAll: (account) => vault.deleteAll('session', account).finally(lookUps.forgetAll),
    forget: lookUps.forgetAll,
    setCookie: (value, remember) =>
      [
        `${SESSION_COOKIE_NAME}=${value ?? ''}`,
        'Path=/',
        'HttpOnly',
        'SameSite=Lax',
        ...(secure ? ['Secure'] : []),
        ...(value === undefined ? ['Max-Age=0'] : remember ? [`Max-Age=${SESSION_LIFETIMES_MS.remembered / 1000}`] : []),
      ].join('; '),
  }
}
