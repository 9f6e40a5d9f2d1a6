// Decision 72.

import type { Quota } from '../domain/quotas.ts'
import type { Refusal } from '../domain/refusal.ts'
import { MINUTE } from '../domain/time.ts'
import { askToWait } from './wait-refusal.ts'
import { type CountPorts, countAligned } from './window-count.ts'

/** The numbers of captchas that one account, and one address, may create. */
export const CAPTCHAS = {
  account: { most: 100, window: 5 * MINUTE },
  address: { most: 300, window: 5 * MINUTE },
} as const satisfies Readonly<Record<string, Quota>>

type CaptchaContext = CountPorts & { readonly viewer: { readonly account: string | undefined }; readonly ip: string }

/** Counts a new captcha of the viewer. Refuses above the limit. */
export const countCaptcha = async (context: CaptchaContext): Promise<Refusal | undefined> => {
  const { account } = context.viewer
  const counts = [
    countAligned(context, `captcha.address.${context.ip}`, CAPTCHAS.address),
    ...(account === undefined ? [] : [countAligned(context, `captcha.account.${account}`, CAPTCHAS.account)]),
  ]
  for (const { take } of counts) {
    const wait = await take()
    if (wait > 0) return { ...askToWait(wait), code: 'TOO_MANY_REQUESTS', field: null }
  }
  return undefined
}
