import * as E from 'fp-ts/lib/Either.js'
import { isCrossSite } from '../../contract/cross-site.ts'
import type { Need } from '../../contract/endpoint.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'

/**
 * Refuses requests from pages of other sites: they could log a user in to an account of an attacker. A login has no session yet, so no
 * modhash can protect it.
 */
export const notCrossSite: Need<true, unknown, Viewer> = ({ headers, config }) =>
  isCrossSite(headers, config.publicUrl) ? refuseRule('FORBIDDEN') : E.right(true)
