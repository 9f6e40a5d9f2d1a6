// Decision 72.

import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import * as t from 'io-ts'
import type { Vault } from '../ports/vault.ts'
import { hashOf } from './tokens.ts'

/** The time in which a captcha can be solved. */
const CAPTCHA_LIFETIME_MS = 300_000
/** Characters that are not easily confused. */
const CAPTCHA_LETTERS = 'ACDEFHJKLMNPRTUVWXY34679'
const CAPTCHA_CHARACTERS = 4

const Value = t.type({ nonce: t.string })

/** Returns a name of 32 characters for a captcha that does not exist yet. */
export const newIden = (): string => randomUUID().replaceAll('-', '')

const mayBeIden = (iden: string): boolean => /^[0-9A-Za-z]{32}$/.test(iden)

/**
 * The captchas that can be solved. The vault does not hold the solutions, but values from which the service derives them with its secret.
 */
export type Captchas = {
  /**
   * Returns the solution of the captcha of an iden. If there is no captcha, one is created, unless `begin` refuses. The solution is
   * unchanged until one is tried, or for five minutes.
   */
  readonly answerOf: <Refused>(iden: string, begin: () => Promise<Refused | undefined>) => Promise<string | { readonly refused: Refused }>
  /** Tries a solution. A captcha can be tried once: of concurrent tries with the right solution, one succeeds. */
  readonly solve: (iden: string, answer: string) => Promise<boolean>
}

export const openCaptchas = (vault: Pick<Vault, 'get' | 'putIf' | 'take'>, secret: string, clock: () => number): Captchas => {
  const derive = (iden: string, nonce: string): string => {
    const digest = createHmac('sha256', secret).update(`captcha:${iden}:${nonce}`).digest()
    return Array.from({ length: CAPTCHA_CHARACTERS }, (_, n) => CAPTCHA_LETTERS[digest.readUInt32BE(4 * n) % CAPTCHA_LETTERS.length]).join(
      '',
    )
  }
  const nonceOf = (record: { readonly value: unknown } | undefined) => (record && Value.is(record.value) ? record.value.nonce : undefined)

  return {
    answerOf: async (iden, begin) => {
      const id = hashOf(iden)
      const waiting = nonceOf(await vault.get('captcha', id))
      if (waiting !== undefined) return derive(iden, waiting)
      const nonce = randomBytes(16).toString('base64url')
      // a text that cannot be an iden is never solved, so nothing is stored for it
      if (!mayBeIden(iden)) return derive(iden, nonce)
      const refused = await begin()
      if (refused !== undefined) return { refused }
      const isFirst = await vault.putIf('captcha', id, 0, { value: { nonce }, expires: clock() + CAPTCHA_LIFETIME_MS })
      return derive(iden, (isFirst ? undefined : nonceOf(await vault.get('captcha', id))) ?? nonce)
    },
    solve: async (iden, answer) => {
      if (!mayBeIden(iden)) return false
      const nonce = nonceOf(await vault.take('captcha', hashOf(iden)))
      if (nonce === undefined) return false
      const right = Buffer.from(derive(iden, nonce))
      const typed = Buffer.from(answer.trim().toUpperCase())
      return right.length === typed.length && timingSafeEqual(right, typed)
    },
  }
}
