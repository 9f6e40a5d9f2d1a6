import type { Collection as Stored } from 'mongodb'
import { type Anchor, allWords, type Collection, type Document, MAX_SEARCH_CANDIDATES, type SearchQuery } from '../../ports/documents.ts'
import { compareKeys } from '../../ports/orders.ts'
import { openSearchEnds } from '../../ports/search-ends.ts'
import { soughtWords } from '../../ports/search-words.ts'
import { readCandidates } from './candidates.ts'
import type { ChangeRow, UnopenedRow } from './changes.ts'
import { callStore } from './errors.ts'
import { matchOfFilter } from './query.ts'
import { isExact, matchesSearch, matchOf, newestFirst, pauseBetween, requestedOrder, toLeadingWords, toOrderKey } from './search-words.ts'

/** The most ids in one look-up. */
export const MAX_IDS = 1_000
/** The number of documents that a search reads at once if some do not match. */
const SEARCH_REFILL = 100
/** The newest rows among which a search looks for words beside each other. Only their documents can tell. */
const MAX_COMPARED = 2_000

/** The reads of a search: rows that may match, then the documents of some of them. */
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
    const unknown = declared && Object.keys(query.where).find((field) => !declared.filters.includes(field))
    if (declared === undefined || unknown !== undefined)
      throw new Error(`${collection.name} is not searchable${unknown ? ` by ${unknown}` : ''}`)
    const order = requestedOrder(collection, query)
    const sought = soughtWords(typeof query.terms === 'string' ? allWords(query.terms) : query.terms)
    const { limit, after, before } = query.page
    if (sought === undefined || limit < 1) return []
    const rows = await callStore('read', () =>
      readCandidates(
        rowsOf(collection),
        {
          leading: toLeadingWords(declared, sought),
          match: { $and: [matchOf(declared, sought), matchOfFilter(query.where)] },
          order: newestFirst(declared),
          paths: order.map(({ path }) => path),
          most: isExact(declared, sought) ? MAX_SEARCH_CANDIDATES : MAX_COMPARED,
        },
        searchEnds,
        abandoned,
      ),
    )
    const compare = compareKeys(order.map(({ sign }) => sign))
    const anchor = before ?? after
    const keyed = rows.map((row) => [row._id, toOrderKey(order, row)] as const)
    const afterAnchor = anchor === undefined ? keyed : keyed.filter(([, key]) => compare(key, anchor) > 0)
    const ids = afterAnchor.sort(([, a], [, b]) => compare(a, b)).map(([id]) => id)
    // the server may find more than the matches: documents that do not match are left out here, and further ones are read
    const isMatch = pauseBetween(matchesSearch(declared, sought))
    const matches: D[] = []
    for (let at = 0; at < ids.length && matches.length < limit; ) {
      abandoned?.throwIfAborted()
      const slice = ids.slice(at, at + Math.min(MAX_IDS, at === 0 ? limit : Math.max(limit, SEARCH_REFILL)))
      at += slice.length
      for (const document of documentsOf<D>(collection, await byIds(collection, slice))) if (await isMatch(document)) matches.push(document)
    }
    const page = matches.slice(0, limit)
    return before ? page.reverse() : page
  }
}
