import type { StoreFault } from '../../ports/faults.ts'
import { codeOf, firstLine, REFUSED } from './errors.ts'

/** Why the document store could not be used at start, in one line, and whether waiting may cure it. */
export type StartFailure = { readonly line: string; readonly waits: boolean }

const UNTRUSTED = /self[- ]signed|unable to (verify|get)|certificate has expired|altname|not valid yet|unknown ca/i
const NO_TLS = /wrong version number|packet length too long|SSL routines|EPROTO|before secure TLS connection/i

/** The hosts of an address, without its credentials. */
const hostsOf = (url: string): string =>
  url
    .replace(/^[^:]+:\/\//, '')
    .replace(/[/?].*$/, '')
    .replace(/^.*@/, '')

export const startFailure = (fault: StoreFault, url: string): StartFailure => {
  const at = (what: string): string => `DOCUMENT_STORE_URL: ${what} (${hostsOf(url)})`
  const message = firstLine(fault.cause instanceof Error ? fault.cause : fault)
  const code = codeOf(fault.cause)
  if (UNTRUSTED.test(message))
    return { line: at(`the server's certificate is not trusted: ${message}; name its authority's file with tlsCAFile`), waits: false }
  if (NO_TLS.test(message)) return { line: at('the server does not speak TLS; a plaintext connection needs tls=false'), waits: false }
  if (code !== undefined && REFUSED.has(code)) return { line: at(`the server refuses this user or password: ${message}`), waits: false }
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return { line: at('the host name is not known'), waits: true }
  if (message.includes('ECONNREFUSED')) return { line: at('nobody listens there'), waits: true }
  if (message.includes('ECONNRESET')) return { line: at('the server breaks the connection off; is TLS on at one end only?'), waits: true }
  if (/selection timed out/.test(message)) return { line: at('no server there is a primary'), waits: true }
  return { line: at(`the server is not ready: ${message}`), waits: true }
}
