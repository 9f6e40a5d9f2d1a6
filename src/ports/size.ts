const OBJECT = 48
const STRING = 24
const FIELD = 16

/**
 * About how many bytes a value of plain data takes in memory, for caches that are bounded by them. Two for each character, so that
 * texts beyond Latin are not underestimated.
 */
export const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return STRING + 2 * value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = OBJECT
  for (const part of Object.values(value)) bytes += FIELD + bytesOf(part)
  return bytes
}
