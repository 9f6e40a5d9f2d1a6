import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import * as t from 'io-ts'
import { LRUCache } from 'lru-cache'
import { AccountId } from '../domain/ids.ts'
import type { Vault } from '../ports/vault.ts'
import { hashOf } from './tokens.ts'

export const COOKIE = 'rostra_session'

const SessionValue = t.type({ account: AccountId, created: t.number })
/** `id` is the hash of the cookie's value. */
export type Session = t.TypeOf<typeof SessionValue> & { readonly id: string }

/** Milliseconds that a session lasts: a year when it is to be remembered, else a day. */
const LIFETIME = { remembered: 365 * 86_400_000, short: 86_400_000 } as const

export type Sessions = {
  /** A new session: the cookie's value, and the session. */
  readonly create: (account: AccountId, remember: boolean) => Promise<{ readonly cookie: string; readonly session: Session }>
  readonly find: (cookie: string) => Promise<Session | undefined>
  readonly end: (cookie: string) => Promise<void>
  readonly endAll: (account: AccountId) => Promise<void>
  /** Belongs to one session and says nothing about it. */
  readonly modhashOf: (session: Session) => string
  /** In constant time. */
  readonly isModhash: (session: Session, modhash: string) => boolean
  /** The `Set-Cookie` field that starts (a value) or ends (undefined) a session. */
  readonly setCookie: (value: string | undefined, remember: boolean) => string
}

/** Milliseconds that another process's logout may go unnoticed. */
const MEMORY = 5_000

export const openSessions = (vault: Vault, secret: string, clock: () => number, secure: boolean): Sessions => {
  const memory = new LRUCache<string, Session>({ max: 50_000, ttl: MEMORY })
  const modhashes = new WeakMap<Session, string>()
  const modhashOf = (session: Session): string => {
    const known = modhashes.get(session)
    if (known !== undefined) return known
    const modhash = createHmac('sha256', secret).update(`modhash:${session.id}`).digest('hex').slice(0, 50)
    modhashes.set(session, modhash)
    return modhash
  }

  return {
    create: async (account, remember) => {
      const cookie = randomBytes(32).toString('base64url')
      const value = { account, created: clock() }
      const expires = clock() + (remember ? LIFETIME.remembered : LIFETIME.short)
      await vault.put('session', hashOf(cookie), { value, owner: account, expires })
      return { cookie, session: { ...value, id: hashOf(cookie) } }
    },
    find: async (cookie) => {
      const id = hashOf(cookie)
      const known = memory.get(id)
      if (known) return known
      const record = await vault.get('session', id)
      if (!record) return undefined
      if (!SessionValue.is(record.value)) throw new Error(`the vault's record of session ${id} cannot be read`)
      const session = { ...record.value, id }
      memory.set(id, session)
      return session
    },
    end: async (cookie) => {
      memory.delete(hashOf(cookie))
      await vault.delete('session', hashOf(cookie))
    },
    endAll: async (account) => {
      memory.clear()
      await vault.deleteAll('session', account)
    },
    modhashOf,
    isModhash: (session, modhash) => {
      const right = Buffer.from(modhashOf(session))
      const given = Buffer.from(modhash)
      return right.length === given.length && timingSafeEqual(right, given)
    },
    setCookie: (value, remember) =>
      [
        `${COOKIE}=${value ?? ''}`,
        'Path=/',
        'HttpOnly',
        'SameSite=Lax',
        ...(secure ? ['Secure'] : []),
        ...(value === undefined ? ['Max-Age=0'] : remember ? [`Max-Age=${LIFETIME.remembered / 1000}`] : []),
      ].join('; '),
  }
}
