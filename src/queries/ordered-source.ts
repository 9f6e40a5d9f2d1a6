// Decision 63.

import { LRUCache } from 'lru-cache'
import { boundedBy } from '../ports/cache-bounds.ts'
import type { Anchor, Collection, Document, DocumentStore, FieldOf, PageBounds, SearchQuery, Value } from '../ports/documents.ts'
import { findBy, type ListingIndex, type Where } from '../ports/indexed.ts'
import { compareKeysBy, fieldOf } from '../ports/orders.ts'
import { bytesOf, estimateBytes } from '../ports/size.ts'

/** Items in an order, read in pages. `keyOf` returns an item's values of the order fields. */
export type OrderedSource<Item> = {
  readonly find: (page: PageBounds) => Promise<readonly Item[]>
  readonly keyOf: (item: Item) => Anchor
}

/** Lists the documents that an index finds. */
export const listBy = <D extends Document, Within extends FieldOf<D>>(
  documents: DocumentStore,
  listing: ListingIndex<D, Within>,
  where: Where<D, Within>,
): OrderedSource<D> => ({
  find: (page) => findBy(documents, listing, where, page),
  keyOf: keyBy<D>(listing.order),
})

/**
 * The numbers of items fetched to refill a page: small at first. The source leaves out items that the viewer may not see, so few pages need
 * more.
 */
const REFILLS: readonly number[] = [100, 100, 100, ...Array.from({ length: 16 }, () => 500)]
const READ_ROUNDS = REFILLS.length + 1
const REFILL = REFILLS[0] ?? 0
/** The number of items that a search fetches at once to refill a page, since each fetch costs as much as the first. */
const SEARCHED_AT_ONCE = 300

/** Returns a source that fetches larger pages and serves consecutive refills from them. */
export const inLargePages = <Item>(source: OrderedSource<Item>): OrderedSource<Item> => {
  let ahead:
    | { readonly side: 'after' | 'before'; readonly key: string; readonly items: readonly Item[]; readonly isLast: boolean }
    | undefined
  return {
    keyOf: source.keyOf,
    find: async (page) => {
      const { limit, after, before } = page
      if (limit < REFILL || limit > SEARCHED_AT_ONCE) return source.find(page)
      const [side, anchor] = before ? (['before', before] as const) : (['after', after] as const)
      const known = ahead?.side === side && ahead.key === JSON.stringify(anchor) ? ahead : undefined
      const isEnough = known && (known.isLast || known.items.length >= limit)
      const items = isEnough ? known.items : await source.find({ ...page, limit: SEARCHED_AT_ONCE })
      const isLast = isEnough ? known.isLast : items.length < SEARCHED_AT_ONCE
      const found = before ? items.slice(-limit) : items.slice(0, limit)
      const end = before ? found[0] : found.at(-1)
      const rest = before ? items.slice(0, -limit) : items.slice(limit)
      ahead = end && { side, key: JSON.stringify(source.keyOf(end)), items: rest, isLast }
      return found
    },
  }
}

/** Lists the documents of a collection that a search finds, in one of the orders that the collection declares for searches. */
export const listSearched = <D extends Document>(
  documents: DocumentStore,
  collection: Collection<D>,
  query: Omit<SearchQuery, 'page'>,
): OrderedSource<D> =>
  inLargePages({
    find: (page) => documents.search(collection, { ...query, page }),
    keyOf: keyBy<D>(collection.search?.orders[query.order] ?? []),
  })

/** Returns a function that reads an item's values of the order fields, the same for `-hot` and `hot`. */
export const keyBy = <D>(order: readonly string[]): ((item: D) => Anchor) => {
  const fields = order.map(fieldOf)
  return (item) => fields.map((field) => (item as Readonly<Record<string, Value>>)[field] ?? null)
}

/** Makes a source of items in memory: for sets that belong to one account or to the configuration. */
export const inMemorySource = <Item>(items: readonly Item[], order: readonly string[]): OrderedSource<Item> => {
  const keyOf = keyBy<Item>(order)
  const compare = compareKeysBy(order)
  const sorted = [...items].sort((a, b) => compare(keyOf(a), keyOf(b)))
  return {
    keyOf,
    find: async ({ limit, after, before }) => {
      if (before) return sorted.filter((item) => compare(keyOf(item), before) < 0).slice(-limit)
      return (after ? sorted.filter((item) => compare(keyOf(item), after) > 0) : sorted).slice(0, limit)
    },
  }
}

/** Merges several stretches of one order. An item that is in several of them appears once. */
export const mergeSources = <Item extends { readonly id: string }>(
  sources: readonly OrderedSource<Item>[],
  order: readonly string[],
): OrderedSource<Item> => {
  const [only, ...others] = sources
  if (only && others.length === 0) return only
  const compare = compareKeysBy(order)
  const keyOf = only?.keyOf ?? keyBy<Item>(order)
  return {
    keyOf,
    find: async (page) => {
      const pages = await Promise.all(sources.map((source) => source.find(page)))
      const items = new Map(pages.flat().map((item) => [item.id, item]))
      const all = [...items.values()].sort((a, b) => compare(keyOf(a), keyOf(b)))
      return page.before ? all.slice(-page.limit) : all.slice(0, page.limit)
    },
  }
}

/** The place where a page begins or ends. */
export type From = { readonly after: Anchor } | { readonly before: Anchor } | undefined

/**
 * The items of a page. `after` is the last of them exactly if items follow it, `before` the first exactly if items precede it. `hidden`
 * means that this end is no item of the page, but the last one examined.
 */
export type WalkedPage<Item> = {
  readonly items: readonly Item[]
  readonly after: Item | undefined
  readonly before: Item | undefined
  readonly hidden?: 'after' | 'before'
}

type Stretch<Item> = {
  readonly kept: readonly Item[]
  /** The last item examined, if the page was not full after the last round. */
  readonly examined: Item | undefined
}

/** Collects up to `wanted` items that pass, in one direction from an anchor, nearest first. */
const gather = async <Item>(
  source: OrderedSource<Item>,
  from: From,
  backwards: boolean,
  wanted: number,
  keep: SelectVisible<Item>,
): Promise<Stretch<Item>> => {
  const passing: Item[] = []
  let next = from
  let limit = wanted
  for (let round = 0; round < READ_ROUNDS; round += 1) {
    const page = await source.find({ limit, ...next })
    const nearest = backwards ? page.toReversed() : page
    passing.push(...(await keep(nearest)))
    if (passing.length >= wanted || page.length < limit) return { kept: passing.slice(0, wanted), examined: undefined }
    const last = nearest.at(-1)
    if (last === undefined) break
    if (round === READ_ROUNDS - 1) return { kept: passing, examined: last }
    next = backwards ? { before: source.keyOf(last) } : { after: source.keyOf(last) }
    limit = Math.max(wanted, REFILLS[round] ?? REFILL)
  }
  return { kept: passing, examined: undefined }
}

/** Returns the items that the viewer may view, in the order given. */
export type SelectVisible<Item> = (items: readonly Item[]) => readonly Item[] | Promise<readonly Item[]>

const keepAll = <Item>(items: readonly Item[]): readonly Item[] => items

/**
 * Reads a page of the items that pass `keep`: fetches, filters and refills a number of times. A page that is still short then continues
 * after (or before) the last item examined. It is short, too, if the items would make too large a page. `sizeOf` returns the bytes of
 * documents that an item shows.
 */
export const walk = async <Item>(
  source: OrderedSource<Item>,
  limit: number,
  from: From,
  keep: SelectVisible<Item> = keepAll,
  sizeOf?: (item: Item) => number,
): Promise<WalkedPage<Item>> => {
  const backwards = from !== undefined && 'before' in from
  const { kept, examined } = await gather(source, from, backwards, limit + 1, keep)
  const nearest = selectFitting(kept.slice(0, limit), sizeOf)
  const items = backwards ? nearest.toReversed() : nearest
  const isCut = kept.length > nearest.length
  const onwards = isCut ? nearest.at(-1) : examined
  const hidden = !isCut && examined !== undefined && { hidden: backwards ? ('before' as const) : ('after' as const) }
  const first = nearest[0]
  const behind = from && first ? await anyBehind(source, first, !backwards, keep) : false
  const back = behind ? first : undefined
  return backwards ? { items, after: back, before: onwards, ...hidden } : { items, after: onwards, before: back, ...hidden }
}

/** Tells whether an item that passes is on the other side of a page's first item. */
const anyBehind = async <Item>(
  source: OrderedSource<Item>,
  item: Item,
  backwards: boolean,
  keep: SelectVisible<Item>,
): Promise<boolean> => {
  const key = source.keyOf(item)
  const { kept, examined } = await gather(source, backwards ? { before: key } : { after: key }, backwards, 1, keep)
  return kept.length > 0 || examined !== undefined
}

/**
 * The most bytes of documents (as `bytesOf` counts them) on one page: room for 25 of the longest self-posts. As HTML within JSON a text can
 * be ten times as long, and a page is put together in memory. Without a bound, one request could take all of it.
 */
export const MAX_DOCUMENT_PAGE_BYTES = 2_500_000

/** Returns the first of some items that fit on one page, one of them in any case. */
export const selectFitting = <Item>(items: readonly Item[], sizeOf: (item: Item) => number = estimateBytes): readonly Item[] => {
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += sizeOf(item)
    return bytes > MAX_DOCUMENT_PAGE_BYTES && index > 0
  })
  return end < 0 ? items : items.slice(0, end)
}

/**
 * The key under which an item was last served to a viewer in an order. An item that has moved or left since is still an anchor at its
 * former place. The number of keys is bounded; if an item's key was dropped, its current key counts.
 */
export type Anchors = {
  readonly remember: (viewer: string, order: readonly string[], name: string, key: Anchor) => void
  readonly recall: (viewer: string, order: readonly string[], name: string) => Anchor | undefined
}

export const anchors = (): Anchors => {
  const keys = new LRUCache<string, Anchor>(boundedBy('anchors', bytesOf))
  const idOf = (viewer: string, order: readonly string[], name: string) => `${viewer} ${order.join()} ${name}`
  return {
    remember: (viewer, order, name, key) => {
      keys.set(idOf(viewer, order, name), key)
    },
    recall: (viewer, order, name) => keys.get(idOf(viewer, order, name)),
  }
}
