import { StoreFault } from '../../ports/faults.ts'

/** The wire format of protobuf, as far as the messages on the hot paths need it: the client's library makes objects of every part. */

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** The lowest sums of sevens of bits that are no exact numbers any more. */
const EXACT = 2 ** 49
/** A number of 64 bits has three bytes more: one without an end would be read in the square of its length. */
const LAST_SHIFT = 14n

const cut = (): StoreFault => new StoreFault('damaged', 'a message of the event store ends within a field')

/**
 * Reads a message in place, field by field: `while (reader.next())`, then what the field has. Nothing is made of fields that are not taken. A message
 * that ends too early is damage.
 */
export class Reader {
  /** The field read last, its number if it is one, and where its bytes are otherwise. */
  field = 0
  low = 0
  high = 0n
  from = 0
  to = 0

  private readonly bytes: Buffer
  private at: number
  private readonly end: number

  constructor(bytes: Buffer, from = 0, to = bytes.length) {
    this.bytes = bytes
    this.at = from
    this.end = to
  }

  /** Goes to the next field; false at the end. */
  next(): boolean {
    if (this.at >= this.end) return false
    this.varint()
    const key = this.low
    this.field = Math.floor(key / 8)
    this.from = this.at
    this.to = this.at
    switch (key % 8) {
      case VARINT:
        this.varint()
        break
      case BYTES:
        this.varint()
        this.from = this.at
        this.skip(this.low)
        break
      case FIXED_64:
        this.skip(8)
        break
      case FIXED_32:
        this.skip(4)
        break
      default:
        throw new StoreFault('damaged', `a field of a message of the event store has the wire type ${key % 8}`)
    }
    return true
  }

  /** The bytes of the field as a message. */
  inner(): Reader {
    return new Reader(this.bytes, this.from, this.to)
  }

  text(): string {
    return this.bytes.toString('utf8', this.from, this.to)
  }

  /** The whole number of the field, up to 2^64. */
  number(): bigint {
    return this.high === 0n ? BigInt(this.low) : BigInt(this.low) | this.high
  }

  private skip(size: number): void {
    this.at += size
    this.to = this.at
    if (this.at > this.end) throw cut()
  }

  private varint(): void {
    this.low = 0
    this.high = 0n
    for (let factor = 1, shift = 0n; ; factor *= 128) {
      if (this.at >= this.end) throw cut()
      const one = this.bytes[this.at++] ?? 0
      if (factor < EXACT) this.low += (one & 127) * factor
      else if (shift > LAST_SHIFT) throw new StoreFault('damaged', 'a number in a message of the event store has more than ten bytes')
      else {
        this.high |= BigInt(one & 127) << (49n + shift)
        shift += 7n
      }
      if (one < 128) return
    }
  }
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
