import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { blockEndpoints } from './blocks.ts'
import { inboxEndpoints } from './inbox.ts'
import { keepingEndpoints } from './keeping.ts'
import { ownMessageEndpoints } from './messages.ts'

export const messageEndpoints: readonly AnyEndpoint[] = [...ownMessageEndpoints, ...keepingEndpoints, ...inboxEndpoints, ...blockEndpoints]
