import { either as E } from 'fp-ts'
import { refuse } from '../domain/decision.ts'
import type { Need, Viewer } from './endpoint.ts'
import type { Incoming } from './incoming.ts'

/** Whether a browser says that a page of another site sends this. Programs that are no browsers say nothing of the kind. */
const isCrossSite = ({ origin, host, 'sec-fetch-site': relation }: Incoming['headers'], publicUrl: string): boolean => {
  if (relation !== undefined) return relation !== 'same-origin' && relation !== 'none'
  if (origin === undefined) return false
  return origin !== new URL(publicUrl).origin && URL.parse(String(origin))?.host !== host
}

/**
 * No page of another site sends this: with it somebody could be logged in as another account than they think. There is no session yet
 * whose modhash could tell.
 */
export const notCrossSite: Need<true, unknown, Viewer> = ({ headers, config }) =>
  isCrossSite(headers, config.publicUrl) ? refuse('FORBIDDEN') : E.right(true)
