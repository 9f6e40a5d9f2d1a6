import { NO_TLS, type StartFailure, type StoreFault, UNTRUSTED } from '../../ports/faults.ts'
import { codeOf, firstLine, NOT_INITIATED, NOT_PRIMARY, REFUSED_CODES, WRONG_PASSWORD } from './errors.ts'

const TOO_OLD = /wire version/i

/** Returns the hosts of an address, without its credentials. */
const hostsOf = (url: string): string =>
  url
    .replace(/^[^:]+:\/\//, '')
    .replace(/[/?].*$/, '')
    .replace(/^.*@/, '')

const PRIVATE = "name its authority's file with tlsCAFile"

export const startFailure = (fault: StoreFault, url: string): StartFailure => {
  const explainAddress = (problem: string): string => `DOCUMENT_STORE_URL: ${problem} (${hostsOf(url)})`
  const message = firstLine(fault.cause instanceof Error ? fault.cause : fault)
  const code = codeOf(fault.cause)
  const stops = (problem: string): StartFailure => ({ line: explainAddress(problem), waits: false })
  const waits = (problem: string): StartFailure => ({ line: explainAddress(problem), waits: true })
  if (UNTRUSTED.test(message)) return stops(`the server's certificate is not trusted: ${message}; ${PRIVATE}`)
  if (NO_TLS.test(message)) return stops('the server does not speak TLS; a plaintext connection needs tls=false')
  if (TOO_OLD.test(message)) return stops(`the server version is not supported: ${message}`)
  if (code === WRONG_PASSWORD)
    return stops(`the server rejects this user or password: ${message}; a user defined in another database needs authSource=…`)
  if (code !== undefined && REFUSED_CODES.has(code)) return stops(`this user lacks the role readWrite: ${message}`)
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return waits('the host name cannot be resolved')
  if (message.includes('ECONNREFUSED')) return waits('the connection was refused: no server listens at this address')
  if (message.includes('ECONNRESET')) return waits('the server closes the connection; is TLS enabled at one end only?')
  if (code === NOT_INITIATED) return waits('the replica set was never initiated (rs.initiate)')
  if (code !== undefined && NOT_PRIMARY.has(code))
    return waits('the server is not the primary; to find it, name the replica set in the address: replicaSet=…, without directConnection')
  if (/selection timed out/.test(message)) return waits('no server of the replica set is the primary')
  return fault.kind === 'unavailable' || fault.kind === 'unknown-outcome'
    ? waits(`the server is not ready: ${message}`)
    : stops(`the server cannot be used: ${message}`)
}

export const standaloneWarning = (url: string): string =>
  `DOCUMENT_STORE_URL: the server is not a member of a replica set, so an interrupted write is not retried; make it a replica set of one (${hostsOf(url)})`
