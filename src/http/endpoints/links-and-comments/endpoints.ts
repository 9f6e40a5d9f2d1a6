import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { commentEndpoints } from './comments.ts'
import { linkOptionEndpoints } from './link-options.ts'
import { lookupEndpoints } from './lookups.ts'
import { shelfEndpoints } from './save-and-hide.ts'
import { linkEndpoints } from './submit-and-vote.ts'
import { visitEndpoints } from './visits.ts'

export const linkAndCommentEndpoints: readonly AnyEndpoint[] = [
  ...linkEndpoints,
  ...linkOptionEndpoints,
  ...commentEndpoints,
  ...lookupEndpoints,
  ...shelfEndpoints,
  ...visitEndpoints,
]
