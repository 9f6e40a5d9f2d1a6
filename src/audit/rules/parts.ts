// Decision 132.

/** Returns the number of the part of a sum that counts a thing, from the last two digits of its id. */
export const partNumber = (thing: string): number => {
  const [, id = ''] = thing.split('_')
  return Math.floor(Number.parseInt(id.slice(-2), 36) / 16) % 16
}
