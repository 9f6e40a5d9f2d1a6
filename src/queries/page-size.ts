import { bytesOf } from '../ports/size.ts'

/**
 * Bytes of documents (as `bytesOf` counts them) on one page: room for 25 of the longest self-posts. As HTML within JSON a text can be ten
 * times as long, and a page is put together in memory, so that a page of any number of texts would let one request take all of it.
 */
export const MOST_PAGE_BYTES = 2_500_000

/** The first of some items that fit on one page, one of them in any case. */
export const fitting = <Item>(items: readonly Item[], sizeOf: (item: Item) => number = bytesOf): readonly Item[] => {
  let bytes = 0
  const end = items.findIndex((item, index) => {
    bytes += sizeOf(item)
    return bytes > MOST_PAGE_BYTES && index > 0
  })
  return end < 0 ? items : items.slice(0, end)
}
