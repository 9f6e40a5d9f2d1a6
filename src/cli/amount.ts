/** Returns a number with the noun for it: `1 entry`, `2 entries`. */
export const amount = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`
