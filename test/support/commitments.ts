import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { ProposedEvent } from '../../src/ports/event-store.ts'

/** The place of the commitment in a sealed text: after its form, the ids of key and thing, and the nonce. */
const [FROM, TO] = [25, 57]

const bytesOf = (sealed: string): Buffer => Buffer.from(sealed, 'base64url')

/** Returns the commitment in a sealed text, in hexadecimal. */
export const commitmentIn = (sealed: string): string => bytesOf(sealed).subarray(FROM, TO).toString('hex')

/** Makes a sealed text in place of another one, under the commitment of that. */
export const forgedText = (sealed: string, other: string): string => {
  const bytes = bytesOf(other)
  bytesOf(sealed).copy(bytes, FROM, FROM, TO)
  return bytes.toString('base64url')
}

/** An event with other data, and the hash that it would have been written with. */
export const rehash = ({ id, type, meta }: ProposedEvent, data: object): ProposedEvent => {
  const { hash: _, ...rest } = JSON.parse(meta) as { readonly hash: string }
  const commitment = hash('sha256', canonicalize({ id, type, data, meta: rest }) ?? '')
  return { id, type, data: canonicalize(data) ?? '', meta: canonicalize({ ...rest, hash: commitment }) ?? '' }
}
