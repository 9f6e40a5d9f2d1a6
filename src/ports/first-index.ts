/**
 * Binary search: returns the first number from 0 to `length` - 1 for which a condition holds, or `length` if there is none. Where the
 * condition holds for a number it must hold for every later one.
 */
export const firstIndex = (length: number, holds: (n: number) => boolean): number => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns what `firstIndex` returns, for a condition that is looked up. */
export const firstIndexAsync = async (length: number, holds: (n: number) => Promise<boolean>): Promise<number> => {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (await holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
