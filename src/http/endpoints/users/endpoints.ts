import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { friendEndpoints } from './friends.ts'
import { userPageEndpoints } from './pages.ts'
import { relationEndpoints } from './relations.ts'
import { profileEndpoints } from './users.ts'

export const userEndpoints: readonly AnyEndpoint[] = [...profileEndpoints, ...userPageEndpoints, ...relationEndpoints, ...friendEndpoints]
