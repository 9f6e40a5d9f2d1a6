import anyAscii from 'any-ascii'
import * as E from 'fp-ts/lib/Either.js'
import { MAX_MULTI_NAME_CHARACTERS, problemOfMultiName, refuseMultiName, reservedMultiNames } from './multi-path.ts'
import type { Refusal } from './refusal.ts'

/* Names that a display name suggests. Read models need none of them, nor the large tables of the library, which take 1 MiB in each thread. */

/** Cuts a text to at most so many characters, between words if that leaves any. */
const cutBetweenWords = (words: string, longest: number): string => {
  if (words.length <= longest) return words
  const end = words.slice(0, longest + 1).lastIndexOf('_')
  return words.slice(0, end > 1 ? end : longest)
}

/** A display name suggests one name more than an account can have multis. */
const MAX_SUGGESTED_NAMES = 101

/** Returns the names that a display name suggests: its words in ASCII, joined by `_`, and then the same with 1, 2, 3 … at the end. */
export const namesFrom = (displayName: string, field: string): E.Either<Refusal, readonly string[]> => {
  const words = anyAscii(displayName).replace(/\s+/g, '_').replace(/\W/g, '').replace(/_+/g, '_').replace(/^_|_$/g, '').toLowerCase()
  const ends = Array.from({ length: MAX_SUGGESTED_NAMES }, (_, n) => (n === 0 ? '' : String(n)))
  const names = new Set(ends.map((end) => `${cutBetweenWords(words, MAX_MULTI_NAME_CHARACTERS - end.length) || '_'}${end}`))
  for (const name of reservedMultiNames) names.delete(name)
  const problem = problemOfMultiName([...names][0] ?? '')
  return problem === undefined ? E.right([...names]) : refuseMultiName('BAD_MULTI_NAME', field, problem)
}
