import { fullname, type ThingKind } from '../src/domain/ids.ts'

/** Things by number, in parallel arrays, so that millions of them fit. */
export const thingTable = (kind: ThingKind, size: number) => {
  const ids = new Float64Array(size)
  const authors = new Int32Array(size)
  const subsites = new Int32Array(size)
  const links = new Int32Array(size)
  const voters = new Int32Array(size)
  let count = 0
  return {
    count: () => count,
    add: (id: number, author: number, subsite: number, link: number): number => {
      ids[count] = id
      authors[count] = author
      subsites[count] = subsite
      links[count] = link
      return count++
    },
    id: (n: number) => fullname(kind, ids[n] ?? 0),
    author: (n: number) => authors[n] ?? 0,
    subsite: (n: number) => subsites[n] ?? 0,
    link: (n: number) => links[n] ?? 0,
    /** Counts one more account that votes on a thing, and returns how many did before. */
    nextVoter: (n: number): number => {
      const next = voters[n] ?? 0
      voters[n] = next + 1
      return next
    },
  }
}
