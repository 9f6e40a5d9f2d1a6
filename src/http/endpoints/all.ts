import type { AnyEndpoint } from '../endpoint.ts'
import { accountEndpoints } from './account.ts'
import { accountLifeEndpoints } from './account-life.ts'
import { authEndpoints } from './auth.ts'
import { blockEndpoints } from './block.ts'
import { captchaEndpoints } from './captcha.ts'
import { commentEndpoints } from './comments.ts'
import { duplicateEndpoints } from './duplicates.ts'
import { feedEndpoints } from './feeds.ts'
import { flairEndpoints } from './flair/endpoints.ts'
import { goldEndpoints } from './gold.ts'
import { imageEndpoints } from './images.ts'
import { linkOptionEndpoints } from './link-options.ts'
import { linkEndpoints } from './links.ts'
import { listingEndpoints } from './listings.ts'
import { lookupEndpoints } from './lookups.ts'
import { messageEndpoints } from './messages.ts'
import { moderationEndpoints } from './moderation.ts'
import { multiEndpoints } from './multis.ts'
import { muteEndpoints } from './mute.ts'
import { preferenceEndpoints } from './preferences.ts'
import { randomEndpoints } from './random.ts'
import { ruleEndpoints } from './rules.ts'
import { searchEndpoints } from './search.ts'
import { serviceEndpoints } from './service.ts'
import { shelfEndpoints } from './shelves.ts'
import { sidebarEndpoints } from './sidebar.ts'
import { stylesheetEndpoints } from './stylesheet.ts'
import { subsiteSearchEndpoints } from './subsite-search.ts'
import { subsiteEndpoints } from './subsites.ts'
import { threadEndpoints } from './threads.ts'
import { trophyEndpoints } from './trophies.ts'
import { userPageEndpoints } from './user-pages.ts'
import { userEndpoints } from './users.ts'
import { visitEndpoints } from './visits.ts'
import { wikiEndpoints } from './wiki/endpoints.ts'

/** Everything the service answers. */
export const endpoints: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...linkEndpoints,
  ...linkOptionEndpoints,
  ...flairEndpoints,
  ...commentEndpoints,
  ...duplicateEndpoints,
  ...randomEndpoints,
  ...searchEndpoints,
  ...listingEndpoints,
  ...userPageEndpoints,
  ...lookupEndpoints,
  ...shelfEndpoints,
  ...visitEndpoints,
  ...threadEndpoints,
  ...messageEndpoints,
  ...moderationEndpoints,
  ...subsiteEndpoints,
  ...ruleEndpoints,
  ...imageEndpoints,
  ...subsiteSearchEndpoints,
  ...stylesheetEndpoints,
  ...sidebarEndpoints,
  ...multiEndpoints,
  ...userEndpoints,
  ...wikiEndpoints,
  ...accountEndpoints,
  ...captchaEndpoints,
  ...goldEndpoints,
  ...preferenceEndpoints,
  ...accountLifeEndpoints,
  ...blockEndpoints,
  ...muteEndpoints,
  ...trophyEndpoints,
  ...feedEndpoints,
  ...serviceEndpoints(() => endpoints),
]
