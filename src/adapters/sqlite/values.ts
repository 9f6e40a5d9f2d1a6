import type { Value } from '../../ports/documents.ts'

/** How a value stands in a column. Booleans are blobs of one byte, so that they come back as booleans; they sort after texts. */
export type Stored = null | number | bigint | string | Uint8Array

const FALSE = Uint8Array.of(0)
const TRUE = Uint8Array.of(1)

export const toStored = (value: unknown): Stored => {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value // bound as an integer, which is shorter than a float
    case 'boolean':
      return value ? TRUE : FALSE
    case 'undefined':
      return null
    default:
      if (value === null) return null
      throw new Error(`an indexed field holds ${JSON.stringify(value)}; only texts, numbers, booleans and null can be indexed`)
  }
}

export const fromStored = (stored: unknown): Value => (stored instanceof Uint8Array ? stored[0] === 1 : (stored as Value))

const rank = (value: Value): number => (value === null ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3)

// JavaScript compares UTF-16 units; bytewise order of UTF-8 differs where surrogates meet the characters above them.
const inByteOrder = (unit: number): number => (unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x800 : unit + 0x2000)

const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return inByteOrder(x) - inByteOrder(y)
  }
  return a.length - b.length
}

/** The order of the columns: null, numbers, texts bytewise, booleans. */
export const compareValues = (a: Value, b: Value): number => {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  return Number(a) - Number(b)
}
