import type { AnyEndpoint } from '../../contract/endpoint.ts'
import { multiWriteEndpoints } from './create-copy-rename.ts'
import { multiPartEndpoints } from './description-and-subsites.ts'
import { multiReadEndpoints } from './multis.ts'

export const multiEndpoints: readonly AnyEndpoint[] = [...multiReadEndpoints, ...multiWriteEndpoints, ...multiPartEndpoints]
