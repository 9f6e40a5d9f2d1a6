import type { AnyEndpoint } from '../endpoint.ts'
import { accountEndpoints } from './account.ts'
import { authEndpoints } from './auth.ts'
import { commentEndpoints } from './comments.ts'
import { linkEndpoints } from './links.ts'
import { listingEndpoints } from './listings.ts'
import { lookupEndpoints } from './lookups.ts'
import { messageEndpoints } from './messages.ts'
import { moderationEndpoints } from './moderation.ts'
import { serviceEndpoints } from './service.ts'
import { shelfEndpoints } from './shelves.ts'
import { subsiteEndpoints } from './subsites.ts'
import { threadEndpoints } from './threads.ts'
import { userPageEndpoints } from './user-pages.ts'
import { userEndpoints } from './users.ts'

/** Everything the service answers. */
export const endpoints: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...linkEndpoints,
  ...commentEndpoints,
  ...listingEndpoints,
  ...userPageEndpoints,
  ...lookupEndpoints,
  ...shelfEndpoints,
  ...threadEndpoints,
  ...messageEndpoints,
  ...moderationEndpoints,
  ...subsiteEndpoints,
  ...userEndpoints,
  ...accountEndpoints,
  ...serviceEndpoints(() => endpoints),
]
