import type { Context } from '../contract/endpoint.ts'
import { cookieOf } from '../contract/incoming.ts'

/** Whether the viewer reads over-18 content: a preference of an account, a cookie of an anonymous viewer. */
export const readsOver18 = async ({
  viewer,
  headers,
  preferences,
}: Pick<Context, 'viewer' | 'headers' | 'preferences'>): Promise<boolean> =>
  viewer.account === undefined
    ? viewer.via === 'anonymous' && typeof headers.cookie === 'string' && cookieOf(headers.cookie, 'over18') === '1'
    : (await preferences()).over_18
