import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { ProposedEvent } from '../ports/event-store.ts'

/** Integers only, well-formed text: what is not so in a decided event is a fault of ours. */
export const assertStorable = (value: unknown, path: string): void => {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error(`${path} is not an integer: ${value}`)
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error(`${path} holds a lone surrogate`)
  if (value === null || typeof value !== 'object') {
    if (!['string', 'number', 'boolean', 'undefined'].includes(typeof value) && value !== null) throw new Error(`${path} is not JSON`)
    return
  }
  for (const [key, member] of Object.entries(value)) assertStorable(member, `${path}.${key}`)
}

/** Canonical JSON (RFC 8785). */
export const canonicalJson = (value: object): string => {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('this is not JSON')
  return text
}

/** The hash of an event as it is stored: SHA-256 over the canonical JSON of id, type, sealed data and metadata without the hash. */
export const hashOf = (event: Omit<ProposedEvent, 'meta'> & { readonly metaWithoutHash: string }): string =>
  hash(
    'sha256',
    `{"data":${event.data},"id":${JSON.stringify(event.id)},"meta":${event.metaWithoutHash},"type":${JSON.stringify(event.type)}}`,
  )

/** Whether a stored event is what was hashed when it was written: neither sealed text nor metadata was touched. */
export const isIntact = ({ id, type, data, meta }: ProposedEvent): boolean => {
  const { hash: claimed, ...rest } = JSON.parse(meta) as { readonly hash?: unknown }
  const canonicalData = canonicalJson(JSON.parse(data) as object)
  return canonicalData === data && claimed === hashOf({ id, type, data, metaWithoutHash: canonicalJson(rest) })
}
