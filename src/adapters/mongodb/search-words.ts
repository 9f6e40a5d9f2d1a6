import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Anchor, Collection, Document, SearchIndex, SearchQuery, Value } from '../../ports/documents.ts'
import { indexedWords, type SoughtWords } from '../../ports/search-words.ts'
import { type Match, pathOf, valueAt } from './query.ts'

const textIn = (document: Document, field: string): string => {
  const value = valueAt(document, field)
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
}

/** Returns a word of a field as it is in the list of a row's words. */
const wordIn = (field: number, word: string): string => `${field} ${word}`

/**
 * The most characters of remembered texts, and of the words in them. A link is written again with each vote on it, while its texts stay the
 * same.
 */
const MAX_KNOWN_CHARACTERS = 4 * 1024 * 1024
const known = new LRUCache<string, readonly string[]>({
  maxSize: MAX_KNOWN_CHARACTERS,
  sizeCalculation: (words, texts) => words.reduce((sum, word) => sum + word.length + 20, 100 + texts.length),
})

/** Returns the words of a document as the index holds them, each with the number of its field; undefined if it is not searched. */
export const searchWordsOf = ({ search }: Collection<Document>, document: Document): readonly string[] | undefined => {
  if (!search || (search.only !== undefined && valueAt(document, search.only) !== true)) return undefined
  const texts = search.text.map((field) => textIn(document, field))
  const key = JSON.stringify(texts)
  const before = known.get(key)
  if (before !== undefined) return before
  const words = texts.flatMap((text, n) => indexedWords(text).flatMap((word) => (word === '' ? [] : [wordIn(n, word)])))
  const sorted = [...new Set(words)].sort()
  known.set(key, sorted)
  return sorted
}

type Words = Extract<SoughtWords, { readonly words: readonly string[] }>

/** Returns the numbers of the fields that are searched for some words. */
const searchedFields = ({ text }: SearchIndex, { fields }: Words): readonly number[] =>
  text.flatMap((field, n) => (fields === undefined || fields.includes(field) ? [n] : []))

/** Estimates the rarity of a word. Long words are likely to be rare, except in fields that are the same in very many documents. */
const rarity = ({ common }: SearchIndex, { fields }: Words, word: string): number =>
  fields?.every((field) => common?.includes(field)) === true ? 0 : word.length

type Lead = { readonly words: readonly string[]; readonly rarity: number }

const leadOf = (search: SearchIndex, sought: SoughtWords): Lead => {
  if ('words' in sought) {
    const word = sought.words.reduce((rarest, one) => (one.length > rarest.length ? one : rarest))
    return { words: searchedFields(search, sought).map((field) => wordIn(field, word)), rarity: rarity(search, sought, word) }
  }
  const leads = ('any' in sought ? sought.any : sought.all).map((part) => leadOf(search, part))
  if ('any' in sought)
    return { words: [...new Set(leads.flatMap(({ words }) => words))], rarity: Math.min(...leads.map((lead) => lead.rarity)) }
  return leads.reduce((best, lead) => (lead.rarity > best.rarity ? lead : best))
}

/** Returns words of which every match has one. The index is read for these. */
export const toLeadingWords = (search: SearchIndex, sought: SoughtWords): readonly string[] => leadOf(search, sought).words

/** Tells whether the server decides a search exactly. It does not know which words are beside each other, except in an id. */
export const isExact = (search: SearchIndex, sought: SoughtWords): boolean => {
  if ('words' in sought) {
    const areIds = sought.fields?.every((field) => search.ids?.includes(field)) === true
    return sought.words.length === 1 || (areIds && new Set(sought.words).size === sought.words.length)
  }
  return ('any' in sought ? sought.any : [...sought.all, ...sought.except]).every((part) => isExact(search, part))
}

/** Returns the part of a search that the server can check. It holds for every match, and perhaps for others. */
export const matchOf = (search: SearchIndex, sought: SoughtWords): Match => {
  if ('words' in sought)
    return { $or: searchedFields(search, sought).map((field) => ({ words: { $all: sought.words.map((word) => wordIn(field, word)) } })) }
  if ('any' in sought) return { $or: sought.any.map((part) => matchOf(search, part)) }
  const excluded = sought.except.filter((part) => isExact(search, part)).map((part) => matchOf(search, part))
  return { $and: [...sought.all.map((part) => matchOf(search, part)), ...(excluded.length > 0 ? [{ $nor: excluded }] : [])] }
}

const line = (words: readonly string[]): string => ` ${words.join(' ')} `

/** Returns the test that the port promises: whole adjacent words, in the named fields. */
export const matchesSearch =
  (search: SearchIndex, sought: SoughtWords) =>
  (document: Document): boolean => {
    const lines = search.text.map((field) => line(indexedWords(textIn(document, field))))
    const fits = (part: SoughtWords): boolean => {
      if ('any' in part) return part.any.some(fits)
      if ('all' in part) return part.all.every(fits) && !part.except.some(fits)
      const phrase = line(part.words)
      return searchedFields(search, part).some((field) => lines[field]?.includes(phrase))
    }
    return fits(sought)
  }

/** The time for which texts are compared without a pause. */
const STRETCH_MS = 10

/** Returns a comparison that pauses for other requests between long texts. */
export const pauseBetween = (fits: (document: Document) => boolean) => {
  let started = performance.now()
  return async (document: Document): Promise<boolean> => {
    if (performance.now() - started > STRETCH_MS) {
      await setImmediate()
      started = performance.now()
    }
    return fits(document)
  }
}

type SortStep = { readonly path: string; readonly sign: 1 | -1 }
export type Order = readonly SortStep[]

const stepOf = (name: string): SortStep =>
  name.startsWith('-') ? { path: pathOf(name.slice(1)), sign: -1 } : { path: pathOf(name), sign: 1 }

/** Returns the requested order, backwards for a page that ends before an anchor. */
export const requestedOrder = ({ name, search }: Collection<Document>, { order, page }: SearchQuery): Order => {
  const fields = search?.orders[order]
  if (fields === undefined) throw new Error(`${name} has no search order ${order}`)
  return fields.map(stepOf).map(({ path, sign }) => ({ path, sign: (page.before === undefined) === sign > 0 ? 1 : -1 }))
}

/** Returns the order in which matches are found: the newest first, if the collection tells which those are. */
export const newestFirst = ({ orders }: SearchIndex): Order => (orders.new ?? Object.values(orders)[0] ?? ['id']).map(stepOf)

/** Returns the condition for items after an anchor in an order. The first condition has tight index bounds. */
export const matchAfter = (order: Order, anchor: Anchor): Match => ({
  $and: [
    ...order.slice(0, 1).map(({ path, sign }) => ({ [path]: { [sign < 0 ? '$lte' : '$gte']: anchor[0] } })),
    {
      $or: order.map(({ path, sign }, index) => ({
        ...Object.fromEntries(order.slice(0, index).map((earlier, at) => [earlier.path, { $eq: anchor[at] }])),
        [path]: { [sign < 0 ? '$lt' : '$gt']: anchor[index] },
      })),
    },
  ],
})

/** Returns the condition for items up to an anchor in an order, including it. */
export const matchUpTo = (order: Order, anchor: Anchor): Match => ({
  $and: [
    ...order.slice(0, 1).map(({ path, sign }) => ({ [path]: { [sign < 0 ? '$gte' : '$lte']: anchor[0] } })),
    { $nor: [matchAfter(order, anchor)] },
  ],
})

export const toOrderKey = (order: Order, row: unknown): Anchor => order.map(({ path }) => valueAt(row, path) as Value)
