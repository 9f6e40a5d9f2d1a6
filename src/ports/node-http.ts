import type * as NodeHttp from 'node:http'
import { createRequire } from 'node:module'

// An `import` of `node:http` reads each of its exports, also those that load the engine's own fetch and WebSocket: 16 MiB of memory.
// `require` reads only those that are asked for.
export const { createServer, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof NodeHttp
