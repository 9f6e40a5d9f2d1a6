// Decision 59.

import type { IncomingRequest } from './incoming.ts'

/** Tells whether the browser says that a page of another site sent the request. Clients that are not browsers send no such header. */
export const isCrossSite = ({ origin, host, 'sec-fetch-site': relation }: IncomingRequest['headers'], publicUrl: string): boolean => {
  if (relation !== undefined) return relation !== 'same-origin' && relation !== 'none'
  if (origin === undefined) return false
  return origin !== new URL(publicUrl).origin && URL.parse(String(origin))?.host !== host
}

/** Returns the path of `dest` if it is one of this site, and never another site's address in any spelling. */
export const pathWithin = (dest: string): string | undefined => (/^\/(?![/\\])[^\\\s]*$/.test(dest) ? dest : undefined)
