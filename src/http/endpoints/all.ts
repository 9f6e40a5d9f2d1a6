import type { AnyEndpoint } from '../endpoint.ts'
import { authEndpoints } from './auth.ts'
import { commentEndpoints } from './comments.ts'
import { linkEndpoints } from './links.ts'
import { listingEndpoints } from './listings.ts'
import { moderationEndpoints } from './moderation.ts'
import { serviceEndpoints } from './service.ts'
import { subsiteEndpoints } from './subsites.ts'

/** Everything the service answers. */
export const endpoints: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...linkEndpoints,
  ...commentEndpoints,
  ...listingEndpoints,
  ...moderationEndpoints,
  ...subsiteEndpoints,
  ...serviceEndpoints(() => endpoints),
]
