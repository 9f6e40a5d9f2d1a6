import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { thingListingEndpoints } from './comments-and-gilded.ts'
import { domainEndpoints } from './domains.ts'
import { duplicateEndpoints } from './duplicates.ts'
import { linkListingEndpoints } from './links.ts'
import { randomEndpoints } from './random.ts'
import { searchEndpoints } from './search.ts'
import { threadEndpoints } from './threads.ts'

export const listingEndpoints: readonly AnyEndpoint[] = [
  ...linkListingEndpoints,
  ...domainEndpoints,
  ...duplicateEndpoints,
  ...randomEndpoints,
  ...searchEndpoints,
  ...threadEndpoints,
  ...thingListingEndpoints,
]
