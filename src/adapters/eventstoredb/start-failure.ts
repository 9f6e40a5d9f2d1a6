import { NO_TLS, type StartFailure, UNTRUSTED } from '../../ports/faults.ts'
import type { ConnectionSettings } from './connection-string.ts'

type ServerError = Error & {
  readonly type?: string
  readonly code?: number | string
  readonly leader?: { readonly address: string; readonly port: number }
}

const PERMISSION_DENIED = 7
const UNIMPLEMENTED = 12
const UNAUTHENTICATED = 16

const rootOf = (error: Error): ServerError => (error.cause instanceof Error ? rootOf(error.cause) : error)

export const describeStartFailure = (thrown: unknown, { hosts, credentials, tls }: ConnectionSettings): StartFailure => {
  const error = rootOf(thrown instanceof Error ? thrown : new Error(String(thrown)))
  const where = hosts.map(({ address, port }) => `${address}:${port}`).join(', ')
  const describe = (problem: string): string => `EVENT_STORE_URL: ${problem} (${where})`
  const { message } = error
  if (UNTRUSTED.test(message)) {
    const reason = message.replace(/^.*Last error: (Error: )?/s, '').split('\n')[0]
    return { line: describe(`the server's certificate is not trusted: ${reason}; name its authority's file with tlsCAFile`), waits: false }
  }
  if (tls && NO_TLS.test(message))
    return { line: describe('the server does not speak TLS; a plaintext connection needs tls=false'), waits: false }
  if (error.type === 'access-denied' || error.code === UNAUTHENTICATED || error.code === PERMISSION_DENIED) {
    const who = credentials ? `the user ${credentials.username}` : 'a connection without user'
    return { line: describe(`the server refuses ${who}: wrong name or password, or no permission to read $all`), waits: false }
  }
  if (error.code === UNIMPLEMENTED) return { line: describe('the server is not an EventStoreDB'), waits: false }
  if (error.type === 'not-leader') {
    const leader = error.leader ? `${error.leader.address}:${error.leader.port}` : 'another node'
    return { line: describe(`the server is a follower, and its leader ${leader} cannot be used from here`), waits: true }
  }
  if (/ENOTFOUND|EAI_AGAIN|Name resolution failed/.test(message)) return { line: describe('the host name cannot be resolved'), waits: true }
  if (message.includes('ECONNREFUSED'))
    return { line: describe('the connection was refused: no server listens at this address'), waits: true }
  if (message.startsWith('Failed to discover')) return { line: describe('no node of the cluster names a leader'), waits: true }
  if (/no answer from the server|deadline/i.test(message)) return { line: describe('the server does not answer'), waits: true }
  const hint = tls ? '' : '; does it require TLS?'
  return { line: describe(`the server is not ready: ${message.split('\n')[0] || error.name}${hint}`), waits: true }
}
