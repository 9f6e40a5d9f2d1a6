// Decision 53.

const OBJECT_BYTES = 48
const STRING_BYTES = 24
const FIELD_BYTES = 16

/**
 * Estimates the bytes that a value of plain data takes in memory, for caches that are bounded by bytes. It counts two for each character,
 * so that texts beyond Latin are not underestimated.
 */
export const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return STRING_BYTES + 2 * value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = OBJECT_BYTES
  for (const part of Object.values(value)) bytes += FIELD_BYTES + bytesOf(part)
  return bytes
}

/** Returns the bound of a cache of so many entries, for `LRUCache`, whose `max` would take the memory for all of them at once. */
export const atMostEntries = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })

/** The sizes of documents, which do not change and are on many pages. */
const sizes = new WeakMap<object, number>()

/** Estimates the bytes of a value and remembers the result for objects. Only for frozen values, such as documents. */
export const estimateBytes = (item: unknown): number => {
  if (typeof item !== 'object' || item === null) return bytesOf(item)
  const known = sizes.get(item)
  if (known !== undefined) return known
  const size = bytesOf(item)
  sizes.set(item, size)
  return size
}
