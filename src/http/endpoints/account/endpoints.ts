import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { accessEndpoints } from './access.ts'
import { exportEndpoints } from './export.ts'
import { feedEndpoints } from './feeds.ts'
import { accountLifeEndpoints } from './life.ts'
import { ownEndpoints } from './me.ts'
import { preferenceEndpoints } from './preferences.ts'
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
