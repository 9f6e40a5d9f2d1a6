import * as t from 'io-ts'

/** Returns the codec of a closed set of texts. */
export const oneOf = <const V extends string>(values: readonly V[]): t.KeyofC<Record<V, null>> =>
  t.keyof(Object.fromEntries(values.map((value) => [value, null])) as Record<V, null>)
