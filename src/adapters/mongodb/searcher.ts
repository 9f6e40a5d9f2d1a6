import type { Collection as Stored } from 'mongodb'
import { type Anchor, allWords, type Collection, type Document, MAX_SEARCH_CANDIDATES, type SearchQuery } from '../../ports/documents.ts'
import { compareKeys } from '../../ports/orders.ts'
import { openSearchEnds } from '../../ports/search-ends.ts'
import { soughtWords } from '../../ports/search-words.ts'
import { candidates } from './candidates.ts'
import type { ChangeRow, UnopenedRow } from './changes.ts'
import { callStore } from './errors.ts'
import { matchOfFilter } from './query.ts'
import { foundOrder, isExact, matchesSearch, matchOf, orderFor, pauseBetween, toLeadingWords, toOrderKey } from './search-words.ts'

/** The most ids in one look-up. */
export const MAX_IDS = 1_000
/** The number of documents that a search reads at once if some do not match. */
const SEARCH_REFILL = 100
/** The newest rows among which a search looks for words beside each other. Only their documents can tell. */
const MAX_COMPARED = 2_000

/** Reads documents. */
type Reader = {
  readonly rowsOf: (collection: Collection<Document>) => Stored<ChangeRow>
  readonly byIds: (collection: Collection<Document>, ids: readonly string[]) => Promise<readonly UnopenedRow[]>
  readonly documentsOf: <D extends Document>(collection: Collection<D>, rows: readonly UnopenedRow[]) => readonly D[]
}

/** Searches documents by the words of their texts. */
export const openSearching = ({ rowsOf, byIds, documentsOf }: Reader) => {
  const searchEnds = openSearchEnds<Anchor>()

  return async <D extends Document>(collection: Collection<D>, query: SearchQuery, abandoned?: AbortSignal): Promise<readonly D[]> => {
    const declared = collection.search
    const other = declared === undefined ? undefined : Object.keys(query.where).find((field) => !declared.filters.includes(field))
    if (declared === undefined || other !== undefined) throw new Error(`${collection.name} is not searchable${other ? ` by ${other}` : ''}`)
    const order = orderFor(collection, query)
    const sought = soughtWords(typeof query.terms === 'string' ? allWords(query.terms) : query.terms)
    const { limit, after, before } = query.page
    if (sought === undefined || limit < 1) return []
    const possible = await callStore('read', () =>
      candidates(
        rowsOf(collection),
        {
          leading: toLeadingWords(declared, sought),
          match: { $and: [matchOf(declared, sought), matchOfFilter(query.where)] },
          order: foundOrder(declared),
          paths: order.map(({ path }) => path),
          most: isExact(declared, sought) ? MAX_SEARCH_CANDIDATES : MAX_COMPARED,
        },
        searchEnds,
        abandoned,
      ),
    )
    const compare = compareKeys(order.map(({ sign }) => sign))
    const anchor = before ?? after
    const keyed = possible.map((row) => [row._id, toOrderKey(order, row)] as const)
    const beyond = anchor === undefined ? keyed : keyed.filter(([, key]) => compare(key, anchor) > 0)
    const ids = beyond.sort(([, a], [, b]) => compare(a, b)).map(([id]) => id)
    // The server may find more than the matches. The others are left out here, and further ones are read.
    const fits = pauseBetween(matchesSearch(declared, sought))
    const found: D[] = []
    for (let at = 0; at < ids.length && found.length < limit; ) {
      abandoned?.throwIfAborted()
      const some = ids.slice(at, at + Math.min(MAX_IDS, at === 0 ? limit : Math.max(limit, SEARCH_REFILL)))
      at += some.length
      for (const document of documentsOf<D>(collection, await byIds(collection, some))) if (await fits(document)) found.push(document)
    }
    const page = found.slice(0, limit)
    return before ? page.reverse() : page
  }
}
