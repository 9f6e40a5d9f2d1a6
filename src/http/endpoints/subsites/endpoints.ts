import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { imageEndpoints } from './images.ts'
import { memberEndpoints } from './members.ts'
import { muteEndpoints } from './mutes.ts'
import { ruleEndpoints } from './rules.ts'
import { subsiteSearchEndpoints } from './search.ts'
import { sidebarEndpoints } from './sidebar.ts'
import { settingsEndpoints } from './site-admin.ts'
import { stylesheetEndpoints } from './stylesheet.ts'
import { subscribeTo } from './subscribe.ts'
import { directoryEndpoints } from './subsites.ts'

export const subsiteEndpoints: readonly AnyEndpoint[] = [
  ...directoryEndpoints,
  ...settingsEndpoints,
  subscribeTo,
  ...memberEndpoints,
  ...muteEndpoints,
  ...ruleEndpoints,
  ...imageEndpoints,
  ...subsiteSearchEndpoints,
  ...stylesheetEndpoints,
  ...sidebarEndpoints,
]
