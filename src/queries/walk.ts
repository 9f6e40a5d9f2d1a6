import type { Anchor, Collection, Document, DocumentStore, Filter, Page, Value } from '../ports/documents.ts'
import { fitting } from './page-size.ts'

/** One ordered stretch of items, read in pages. `keyOf` gives an item's values of the order fields. */
export type Source<Item> = {
  readonly find: (page: Page) => Promise<readonly Item[]>
  readonly keyOf: (item: Item) => Anchor
}

/** The documents of a collection that match, in an order that a declared index has. */
export const found = <D extends Document>(
  documents: DocumentStore,
  collection: Collection<D>,
  where: Filter,
  order: readonly string[],
): Source<D> => ({
  find: (page) => documents.find(collection, { where, order, page }),
  keyOf: keyBy<D>(order),
})

/** The values an item has of the order fields, `-hot` and `hot` alike. */
export const keyBy = <D>(order: readonly string[]): ((item: D) => Anchor) => {
  const fields = order.map((field) => field.replace(/^-/, ''))
  return (item) => fields.map((field) => (item as Readonly<Record<string, Value>>)[field] ?? null)
}

/** Compares keys of an order as the document store does for numbers and for strings. */
export const comparing = (order: readonly string[]) => {
  const signs = order.map((field) => (field.startsWith('-') ? -1 : 1))
  return (a: Anchor, b: Anchor): number => {
    for (const [index, sign] of signs.entries()) {
      const x = a[index] ?? 0
      const y = b[index] ?? 0
      if (x !== y) return x < y ? -sign : sign
    }
    return 0
  }
}

/** Several stretches of one order as one; what stands in several of them is there once. */
export const merged = <Item>(sources: readonly Source<Item>[], order: readonly string[]): Source<Item> => {
  const [only, ...others] = sources
  if (only && others.length === 0) return only
  const compare = comparing(order)
  const keyOf = only?.keyOf ?? keyBy<Item>(order)
  return {
    keyOf,
    find: async (page) => {
      const pages = await Promise.all(sources.map((source) => source.find(page)))
      const sorted = pages.flat().sort((a, b) => compare(keyOf(a), keyOf(b)))
      const all = sorted.filter((item, index) => {
        const before = sorted[index - 1]
        return before === undefined || compare(keyOf(before), keyOf(item)) !== 0
      })
      return page.before ? all.slice(-page.limit) : all.slice(0, page.limit)
    },
  }
}

/** Where a page begins or ends. */
export type From = { readonly after: Anchor } | { readonly before: Anchor } | undefined

/** Items of a page; `after` is the last of them exactly when items follow it, `before` the first exactly when items precede it. */
export type Walked<Item> = { readonly items: readonly Item[]; readonly after: Item | undefined; readonly before: Item | undefined }

const ROUNDS = 20
const REFILL = 100

type Stretch<Item> = {
  readonly kept: readonly Item[]
  /** The last item looked at, when the rounds were over before the page was full. */
  readonly examined: Item | undefined
}

/** Up to `wanted` items that pass, in one direction from an anchor, nearest first. */
const gather = async <Item>(
  source: Source<Item>,
  from: From,
  backwards: boolean,
  wanted: number,
  keep: Keep<Item>,
): Promise<Stretch<Item>> => {
  const kept: Item[] = []
  let next = from
  let limit = wanted
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await source.find({ limit, ...next })
    const nearest = backwards ? page.toReversed() : page
    kept.push(...(await keep(nearest)))
    if (kept.length >= wanted || page.length < limit) return { kept: kept.slice(0, wanted), examined: undefined }
    const last = nearest.at(-1)
    if (last === undefined) break
    if (round === ROUNDS - 1) return { kept, examined: last }
    next = backwards ? { before: source.keyOf(last) } : { after: source.keyOf(last) }
    limit = Math.max(wanted, REFILL)
  }
  return { kept, examined: undefined }
}

/** The items that the viewer may see, in the order given. */
export type Keep<Item> = (items: readonly Item[]) => readonly Item[] | Promise<readonly Item[]>

const everything = <Item>(items: readonly Item[]): readonly Item[] => items

/**
 * A page of what passes `keep`: fetched, filtered and refilled, at most twenty times; then it is short, and goes on after (or
 * before) the last item that was looked at. It is short, too, where so many items would make too large a page; `sizeOf` says how many
 * bytes of documents one of them shows.
 */
export const walk = async <Item>(
  source: Source<Item>,
  limit: number,
  from: From,
  keep: Keep<Item> = everything,
  sizeOf?: (item: Item) => number,
): Promise<Walked<Item>> => {
  const backwards = from !== undefined && 'before' in from
  const { kept, examined } = await gather(source, from, backwards, limit + 1, keep)
  const nearest = fitting(kept.slice(0, limit), sizeOf)
  const items = backwards ? nearest.toReversed() : nearest
  const onwards = kept.length > nearest.length ? nearest.at(-1) : examined
  const first = nearest[0]
  const behind = from && first ? await anyBehind(source, first, !backwards, keep) : false
  const back = behind ? first : undefined
  return backwards ? { items, after: back, before: onwards } : { items, after: onwards, before: back }
}

/** Whether anything that passes lies on the other side of the first item of a page. */
const anyBehind = async <Item>(source: Source<Item>, item: Item, backwards: boolean, keep: Keep<Item>): Promise<boolean> => {
  const key = source.keyOf(item)
  const { kept, examined } = await gather(source, backwards ? { before: key } : { after: key }, backwards, 1, keep)
  return kept.length > 0 || examined !== undefined
}
