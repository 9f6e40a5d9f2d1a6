import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { exportEndpoints } from './export.ts'
import { ownEndpoints } from './me.ts'
import { accountLifeEndpoints } from './password-deletion-suspension.ts'
import { preferenceEndpoints } from './preferences.ts'
import { feedEndpoints } from './private-feeds.ts'
import { accessEndpoints } from './sessions-and-grants.ts'
import { trophyEndpoints } from './trophies.ts'

export const accountEndpoints: readonly AnyEndpoint[] = [
  ...ownEndpoints,
  ...preferenceEndpoints,
  ...trophyEndpoints,
  ...accountLifeEndpoints,
  ...accessEndpoints,
  ...feedEndpoints,
  ...exportEndpoints,
]
