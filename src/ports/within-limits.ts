import {
  type Condition,
  type DocumentStore,
  type Filter,
  isMembership,
  MAX_MEMBERSHIP_VALUES,
  pairsBy,
  type Query,
  type Value,
} from './documents.ts'
import { comparisonBy, type FieldValues, fieldOf } from './orders.ts'

/** The number of ids in one `getMany` that every store takes. */
const MAX_IDS = 1000

/** Splits items into parts of a size, in order. The last part may be smaller. */
export const chunksOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

const membership = (members: readonly Value[]): Condition => {
  const [only, ...others] = members
  return only !== undefined && others.length === 0 ? only : { in: members }
}

/** Splits a condition into parts that a store takes: none for a membership of nothing, one if it is small enough. */
const splitFilter = (where: Filter): readonly Filter[] => {
  const [field, condition] = Object.entries(where).find(([, one]) => isMembership(one)) ?? []
  if (field === undefined || condition === undefined || !isMembership(condition)) return [where]
  const members = [...new Set(condition.in)]
  return chunksOf(members, MAX_MEMBERSHIP_VALUES).map((chunk) => ({ ...where, [field]: membership(chunk) }))
}

/** Merges one page from several parts of a listing. Each part gives at most a whole page. */
const mergePages = <T>(pages: readonly (readonly T[])[], { order, page }: Query): readonly T[] => {
  const compare = comparisonBy(order)
  const all = pages.flat().sort((a, b) => compare(a as FieldValues, b as FieldValues))
  return page.before ? all.slice(-page.limit) : all.slice(0, page.limit)
}

/**
 * Returns a store without limits on how much one call asks for: any number of ids and of values in a membership condition, including none.
 * It makes larger requests in parts and merges their results.
 */
export const withinLimits = (documents: DocumentStore): DocumentStore => {
  const inParts = async <T>(query: Query, ask: (part: Query) => Promise<readonly T[]>): Promise<readonly T[]> => {
    const [part, ...others] = splitFilter(query.where).map((where) => ({ ...query, where }))
    if (part === undefined) return []
    return others.length === 0 ? ask(part) : mergePages(await Promise.all([part, ...others].map(ask)), query)
  }
  const needsParts = ({ where }: Query) => splitFilter(where).length > 1

  const getMany: DocumentStore['getMany'] = async (collection, ids) => {
    if (ids.length === 0) return new Map()
    if (ids.length <= MAX_IDS) return documents.getMany(collection, ids)
    const found = await Promise.all(chunksOf(ids, MAX_IDS).map((slice) => documents.getMany(collection, slice)))
    return new Map(found.flatMap((documentsById) => [...documentsById]))
  }

  return {
    ...documents,
    getMany,
    getPairs: pairsBy(getMany),
    find: async (collection, query) => {
      if (needsParts(query) && query.order.some((field) => fieldOf(field) === '$position'))
        throw new Error('documents do not carry their position: select it to order more than 200 values by it')
      return inParts(query, (part) => documents.find(collection, part))
    },
    select: <T>(...[collection, query, fields]: Parameters<DocumentStore['select']>) => {
      if (!needsParts(query)) return inParts(query, (part) => documents.select<T>(collection, part, fields))
      const needed = [...new Set([...fields, ...query.order.map(fieldOf)])]
      return inParts(query, (part) => documents.select<T>(collection, part, needed))
    },
  }
}
