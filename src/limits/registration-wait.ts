import type { Refusal } from '../domain/refusal.ts'
import type { Vault } from '../ports/vault.ts'
import { waitFirst } from './wait-refusal.ts'

/** Milliseconds between two registrations from one address. */
const REGISTRATION_WAIT_MS = 600_000

/** At most one registration from an address in ten minutes, also when many come at once and at several processes. */
export type RegistrationWait = {
  /** Begins the wait, before the account is created; refused while an earlier wait lasts. */
  readonly begin: () => Promise<Refusal | undefined>
  /** Ends the wait that was begun here, since no account was created. */
  readonly cancel: () => Promise<void>
}

export const registrationWait = (vault: Vault, clock: () => number, address: string): RegistrationWait => {
  const id = `register:${address}`
  let begun = false
  return {
    begin: async () => {
      begun = await vault.putIf('limit', id, 0, { value: {}, expires: clock() + REGISTRATION_WAIT_MS })
      if (begun) return undefined
      const { expires = 0 } = (await vault.get('limit', id)) ?? {}
      return waitFirst(Math.max(1, expires - clock()))
    },
    cancel: async () => {
      if (begun) await vault.delete('limit', id)
    },
  }
}
