// Decision 81.

import * as E from 'fp-ts/lib/Either.js'
import { stranger } from '../../../domain/standing.ts'
import { mayView } from '../../../domain/subsite-access.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { andThen, subsiteHere } from '../../needs/facts.ts'

/* Images and stylesheets of subsites, at addresses that name their content. */

/** The time for which an image of a public subsite may be cached. */
const FILE_MAX_AGE_SECONDS = 86_400

/** Returns the Cache-Control of content-addressed files: private if not everybody may view the subsite. */
export const fileCacheHeaders = (type: Parameters<typeof mayView>[0]): Readonly<Record<string, string>> =>
  mayView(type, stranger)
    ? { 'Cache-Control': `public, max-age=${FILE_MAX_AGE_SECONDS}` }
    : { 'Cache-Control': 'private, max-age=0, must-revalidate', Expires: '-1' }

/**
 * Returns the subsite whose file is asked for. If not everybody may view it, a token needs `read`, or `modconfig`, whose endpoints give out
 * the addresses of files.
 */
export const subsiteOfFile = andThen(subsiteHere(), (subsite, { viewer: { scopes } }) => {
  const opens = scopes === undefined || scopes === 'all' || scopes.has('read') || scopes.has('modconfig')
  return opens || mayView(subsite.type, stranger) ? E.right(subsite) : refuseRule('FORBIDDEN')
})
