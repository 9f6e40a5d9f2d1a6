// Decision 94.

import type { Collection, Condition, Document, DocumentStore, FieldOf, Filter, OrderField, PageBounds } from './documents.ts'
import type { Position } from './event-store.ts'
import type { Freshness } from './freshness.ts'
import { carries, fieldOf, serves } from './orders.ts'

type RangeCondition = Exclude<Condition, string | number | boolean | null | { readonly in: unknown }>

/**
 * A way to find documents of a collection: equal in the fields `within`, in an order, by one declared index. Every query of the source is
 * made from one, so that a query without an index fails at start, and not at the first request.
 */
export type ListingIndex<D extends Document, Within extends FieldOf<D>> = {
  readonly collection: Collection<D>
  readonly within: readonly Within[]
  readonly order: readonly string[]
  /** Returns a further condition, anew for each read. */
  readonly upTo?: () => Filter
}

/** The values of a document that an index can hold: its fields, and the position of its last change. */
type Selectable<D extends Document> = FieldOf<D> | '$position'

/** A way to find documents, with the fields that are read from the index alone. */
type CoveringIndex<D extends Document, Within extends FieldOf<D>, Selected extends Selectable<D>> = ListingIndex<D, Within> & {
  readonly selected: readonly Selected[]
}

/** Conditions on exactly the fields of `within`, and a range on the first field of the order. */
export type Where<D extends Document, Within extends FieldOf<D>> = { readonly [Field in Within]: Condition } & {
  readonly [Field in Exclude<FieldOf<D>, Within>]?: RangeCondition
}

/** Declares a way to find documents. Throws if the collection declares no such index. */
export const listingIndex = <D extends Document, const Within extends FieldOf<D> = never, const Selected extends Selectable<D> = never>(
  collection: Collection<D>,
  within: readonly Within[],
  order: readonly (OrderField<FieldOf<D>> | '$position')[],
  selected: readonly Selected[] = [],
): CoveringIndex<D, Within, Selected> => {
  if (!collection.indexes.some((index) => serves(index, within, order) && carries(index, selected)))
    throw new Error(
      `${collection.name} declares no index of ${[...within, ...order].join(' ')} that has ${selected.join(' ') || 'nothing else'}`,
    )
  if (isInLogOrder(collection, order))
    throw new Error(`${collection.name} is read in the order of the log: declare this with \`inLogOrder\``)
  return { collection, within, order, selected }
}

const isInLogOrder = ({ positions = [] }: Collection<Document>, order: readonly string[]): boolean =>
  order.slice(0, 1).some((field) => positions.includes(fieldOf(field)))

/**
 * Declares a listing in the order of the log, by a field that holds positions. It leaves out entries that are not settled: a client that
 * follows the log by the newest entry it knows would never see one that is shown later but stands before it. Without `settled`, all are
 * read.
 */
export const inLogOrder = <D extends Document, const Within extends FieldOf<D> = never, const Selected extends Selectable<D> = never>(
  collection: Collection<D>,
  within: readonly Within[],
  order: readonly OrderField<FieldOf<D>>[],
  selected: readonly Selected[] = [],
): ((freshness: Pick<Freshness, 'settled'>) => CoveringIndex<D, Within, Selected>) => {
  const [first = ''] = order.map(fieldOf)
  const listing = listingIndex({ ...collection, positions: [] }, within, order, selected)
  return ({ settled }) => ({ ...listing, collection, ...(settled && { upTo: () => ({ [first]: { lte: settled() } }) }) })
}

/** Returns the name of an order of the collection's search. Throws if it declares none of this name. */
export const searchOrder = (collection: Collection<Document>, name: string): string => {
  if (collection.search?.orders[name] === undefined) throw new Error(`${collection.name} declares no order ${name} of its search`)
  return name
}

export const findBy = <D extends Document, Within extends FieldOf<D>>(
  documents: Pick<DocumentStore, 'find'>,
  { collection, order, upTo }: ListingIndex<D, Within>,
  where: Where<D, Within>,
  page: PageBounds,
): Promise<readonly D[]> => documents.find(collection, { where: { ...(where as Filter), ...upTo?.() }, order, page })

export const selectBy = <D extends Document, Within extends FieldOf<D>, Selected extends Selectable<D>>(
  documents: Pick<DocumentStore, 'select'>,
  { collection, order, upTo, selected }: CoveringIndex<D, Within, Selected>,
  where: Where<D, Within>,
  page: PageBounds,
): Promise<readonly Pick<D & { readonly $position: Position }, Selected>[]> =>
  documents.select(collection, { where: { ...(where as Filter), ...upTo?.() }, order, page }, selected)

/** Counts the documents that match, no further than `most`. */
export const countBy = <D extends Document, Within extends FieldOf<D>>(
  documents: Pick<DocumentStore, 'count'>,
  { collection }: ListingIndex<D, Within>,
  where: { readonly [Field in Within]: string | number | boolean | null },
  most: number,
): Promise<number> => documents.count(collection, where, most)
