import { StoreFault } from '../../ports/faults.ts'

/** The wire format of protobuf, as far as the messages on the hot paths need it: the client's library makes objects of every part. */

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** One field of a message: a number or bytes, as its wire type says. */
type Take = (field: number, number: bigint, bytes: Buffer) => void

export const NO_BYTES: Buffer = Buffer.alloc(0)

/** Up to here a sum of sevens of bits is exact without a bigint. */
const EXACT_SHIFT = 49

/** Calls `take` with each field of a message; one that ends too early is damage. */
export const fieldsOf = (bytes: Buffer, take: Take): void => {
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

/** The last value of a field of text. */
export const textField = (bytes: Buffer, wanted: number): string => {
  let text = ''
  fieldsOf(bytes, (field, _, value) => {
    if (field === wanted) text = value.toString('utf8')
  })
  return text
}

/** A field to be written: a whole number up to 2^53, a text, or a message of further fields. */
export type Field = readonly [field: number, value: number | string | readonly Field[]]

const sizeOfNumber = (value: number): number => {
  let size = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1
  return size
}

/** The bytes of a value without its key and length; those of parts are noted in the order in which they are written. */
const measure = (value: Field[1], sizes: number[]): number => {
  if (typeof value === 'number') return sizeOfNumber(value)
  const place = sizes.push(0) - 1
  let size = 0
  if (typeof value === 'string') size = Buffer.byteLength(value)
  else
    for (const [, part] of value) {
      const own = measure(part, sizes)
      size += 1 + own + (typeof part === 'number' ? 0 : sizeOfNumber(own))
    }
  sizes[place] = size
  return size
}

/** A message; its fields have numbers below 16. */
export const messageOf = (fields: readonly Field[]): Buffer => {
  const sizes: number[] = []
  const bytes = Buffer.allocUnsafe(measure(fields, sizes))
  let next = 1
  let at = 0
  const number = (value: number): void => {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) + 128
    bytes[at++] = rest
  }
  const write = (parts: readonly Field[]): void => {
    for (const [field, value] of parts) {
      bytes[at++] = (field << 3) | (typeof value === 'number' ? VARINT : BYTES)
      if (typeof value === 'number') number(value)
      else {
        const size = sizes[next++] ?? 0
        number(size)
        if (typeof value === 'string') at += bytes.write(value, at, size, 'utf8')
        else write(value)
      }
    }
  }
  write(fields)
  return bytes
}
