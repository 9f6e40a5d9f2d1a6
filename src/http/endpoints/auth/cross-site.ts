import * as E from 'fp-ts/lib/Either.js'
import type { Need } from '../../contract/endpoint.ts'
import type { IncomingRequest } from '../../contract/incoming.ts'
import { refuse } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'

/** Whether the browser says that a page of another site sent the request. Clients that are not browsers send no such header. */
const isCrossSite = ({ origin, host, 'sec-fetch-site': relation }: IncomingRequest['headers'], publicUrl: string): boolean => {
  if (relation !== undefined) return relation !== 'same-origin' && relation !== 'none'
  if (origin === undefined) return false
  return origin !== new URL(publicUrl).origin && URL.parse(String(origin))?.host !== host
}

/**
 * Refuses requests from pages of other sites: they could log a user in to an account of an attacker. A login has no session yet, so that
 * no modhash can protect it.
 */
export const notCrossSite: Need<true, unknown, Viewer> = ({ headers, config }) =>
  isCrossSite(headers, config.publicUrl) ? refuse('FORBIDDEN') : E.right(true)
