import type { AnyEndpoint } from '../contract/endpoint.ts'
import { accountEndpoints } from './account/endpoints.ts'
import { authEndpoints } from './auth/endpoints.ts'
import { captchaEndpoints } from './captcha/captcha.ts'
import { flairEndpoints } from './flair/endpoints.ts'
import { goldEndpoints } from './gold.ts'
import { linkAndCommentEndpoints } from './links-and-comments/endpoints.ts'
import { listingEndpoints } from './listings/endpoints.ts'
import { messageEndpoints } from './messages/endpoints.ts'
import { moderationEndpoints } from './moderation/endpoints.ts'
import { multiEndpoints } from './multis/endpoints.ts'
import { serviceEndpoints } from './service.ts'
import { subsiteEndpoints } from './subsites/endpoints.ts'
import { userEndpoints } from './users/endpoints.ts'
import { wikiEndpoints } from './wiki/endpoints.ts'

/** Everything the service answers. */
export const endpoints: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...linkAndCommentEndpoints,
  ...flairEndpoints,
  ...listingEndpoints,
  ...messageEndpoints,
  ...moderationEndpoints,
  ...subsiteEndpoints,
  ...multiEndpoints,
  ...userEndpoints,
  ...wikiEndpoints,
  ...accountEndpoints,
  ...captchaEndpoints,
  ...goldEndpoints,
  ...serviceEndpoints(() => endpoints),
]
