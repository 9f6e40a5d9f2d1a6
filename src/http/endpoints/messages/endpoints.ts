import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { blockEndpoints } from './blocks.ts'
import { keepingEndpoints } from './collapse-and-delete.ts'
import { inboxEndpoints } from './inbox.ts'
import { ownMessageEndpoints } from './messages.ts'

export const messageEndpoints: readonly AnyEndpoint[] = [...ownMessageEndpoints, ...keepingEndpoints, ...inboxEndpoints, ...blockEndpoints]
