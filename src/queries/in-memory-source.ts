import { comparing, keyBy, type Source } from './walk.ts'

/** Items in memory as the source of a listing: for sets that belong to one account or to the configuration. */
export const inMemorySource = <Item>(items: readonly Item[], order: readonly string[]): Source<Item> => {
  const keyOf = keyBy<Item>(order)
  const compare = comparing(order)
  const sorted = [...items].sort((a, b) => compare(keyOf(a), keyOf(b)))
  return {
    keyOf,
    find: async ({ limit, after, before }) => {
      if (before) return sorted.filter((item) => compare(keyOf(item), before) < 0).slice(-limit)
      return (after ? sorted.filter((item) => compare(keyOf(item), after) > 0) : sorted).slice(0, limit)
    },
  }
}
