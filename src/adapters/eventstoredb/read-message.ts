import type { RecordedEvent } from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { recordedText, type StoredEvent } from './event-text.ts'

/**
 * A message of a subscription. The client makes objects of every part of it, parses the texts of the event, and this service would only write them
 * again: here the event is taken from the bytes.
 */
export type ReadMessage =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly commit: bigint }
  | { readonly kind: 'confirmation' | 'other' }

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** One field of a message of protobuf: a number or bytes, as its wire type says. */
type Take = (field: number, number: bigint, bytes: Buffer) => void

const NO_BYTES: Buffer = Buffer.alloc(0)

/** Up to here a sum of sevens of bits is exact without a bigint. */
const EXACT_SHIFT = 49

const fieldsOf = (bytes: Buffer, take: Take): void => {
  let at = 0
  const byte = (): number => {
    const value = bytes[at++]
    if (value === undefined) throw new StoreFault('damaged', 'a message of the event store ends within a field')
    return value
  }
  const small = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const one = byte()
      value += (one & 127) * factor
      if (one < 128) return value
    }
  }
  const varint = (): bigint => {
    let low = 0
    let high = 0n
    for (let shift = 0; ; shift += 7) {
      const one = byte()
      if (shift < EXACT_SHIFT) low += (one & 127) * 2 ** shift
      else high |= BigInt(one & 127) << BigInt(shift)
      if (one < 128) return BigInt(low) | high
    }
  }
  while (at < bytes.length) {
    const key = small()
    switch (key & 7) {
      case VARINT:
        take(key >>> 3, varint(), NO_BYTES)
        break
      case BYTES: {
        const size = small()
        if (at + size > bytes.length) throw new StoreFault('damaged', 'a message of the event store ends within a field')
        take(key >>> 3, 0n, bytes.subarray(at, at + size))
        at += size
        break
      }
      case FIXED_64:
        at += 8
        break
      case FIXED_32:
        at += 4
        break
      default:
        throw new StoreFault('damaged', `a field of a message of the event store has the wire type ${key & 7}`)
    }
  }
}

const textField = (bytes: Buffer, wanted: number): string => {
  let text = ''
  fieldsOf(bytes, (field, _, value) => {
    if (field === wanted) text = value.toString('utf8')
  })
  return text
}

const eventIn = (bytes: Buffer): StoredEvent => {
  const event = { id: '', stream: '', revision: 0n, position: undefined as bigint | undefined, data: NO_BYTES, meta: NO_BYTES }
  const about = new Map<string, string>()
  fieldsOf(bytes, (field, number, value) => {
    if (field === 1) event.id = textField(value, 2)
    else if (field === 2) event.stream = textField(value, 3)
    else if (field === 3) event.revision = number
    else if (field === 5) event.position = number
    else if (field === 6) about.set(textField(value, 1), textField(value, 2))
    else if (field === 7) event.meta = value
    else if (field === 8) event.data = value
  })
  return { ...event, type: about.get('type') ?? '', isJson: about.get('content-type') === 'application/json' }
}

export const readMessage = (bytes: Buffer): ReadMessage => {
  let message: ReadMessage = { kind: 'other' }
  fieldsOf(bytes, (field, _, value) => {
    if (field === 1)
      fieldsOf(value, (inner, __, recorded) => {
        if (inner === 1) message = { kind: 'event', event: recordedText(eventIn(recorded)) }
      })
    else if (field === 2) message = { kind: 'confirmation' }
    else if (field === 3) {
      let commit = 0n
      fieldsOf(value, (inner, number) => {
        if (inner === 1) commit = number
      })
      message = { kind: 'checkpoint', commit }
    }
  })
  return message
}
