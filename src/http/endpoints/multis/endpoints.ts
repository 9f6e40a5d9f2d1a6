import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { multiReadEndpoints } from './multis.ts'
import { multiPartEndpoints } from './parts.ts'
import { multiWriteEndpoints } from './writes.ts'

export const multiEndpoints: readonly AnyEndpoint[] = [...multiReadEndpoints, ...multiWriteEndpoints, ...multiPartEndpoints]
