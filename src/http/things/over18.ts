import type { Context } from '../contract/endpoint.ts'
import { cookieOf } from '../contract/incoming.ts'
import { isTrue } from '../contract/params.ts'

/** Tells whether the viewer reads over-18 content: a preference of an account, a cookie of an anonymous viewer. */
export const readsOver18 = async ({
  viewer,
  headers,
  preferences,
}: Pick<Context, 'viewer' | 'headers' | 'preferences'>): Promise<boolean> =>
  viewer.account === undefined
    ? viewer.via === 'anonymous' && typeof headers.cookie === 'string' && cookieOf(headers.cookie, 'over18') === '1'
    : (await preferences()).over_18

/** Tells whether a listing leaves out over-18 content that its viewer does not read. It depends on a cookie then, and is not shared. */
export const obeysOver18 = ({ query }: Pick<Context, 'query'>): boolean => isTrue(query.obey_over18 ?? '')

export const isWithoutOver18 = async (context: Pick<Context, 'query' | 'viewer' | 'headers' | 'preferences'>): Promise<boolean> =>
  obeysOver18(context) && !(await readsOver18(context))
