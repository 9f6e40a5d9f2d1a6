import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { commentEndpoints } from './comments.ts'
import { linkOptionEndpoints } from './link-options.ts'
import { linkEndpoints } from './links.ts'
import { lookupEndpoints } from './lookups.ts'
import { shelfEndpoints } from './shelves.ts'
import { visitEndpoints } from './visits.ts'

export const linkAndCommentEndpoints: readonly AnyEndpoint[] = [
  ...linkEndpoints,
  ...linkOptionEndpoints,
  ...commentEndpoints,
  ...lookupEndpoints,
  ...shelfEndpoints,
  ...visitEndpoints,
]
