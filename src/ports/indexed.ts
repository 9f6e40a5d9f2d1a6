import type { Collection, Condition, Document, DocumentStore, FieldOf, Filter, OrderField, Page } from './documents.ts'
import type { Position } from './event-store.ts'
import { carries, serves } from './orders.ts'

type Range = Exclude<Condition, string | number | boolean | null | { readonly in: unknown }>

/**
 * One way in which documents of a collection are found: equal in the fields `within`, in an order, by one declared index. Every query of
 * the source is made from one, so that a query without an index fails at start, and not at the first request.
 */
export type Indexed<D extends Document, Within extends FieldOf<D>> = {
  readonly collection: Collection<D>
  readonly within: readonly Within[]
  readonly order: readonly string[]
}

/** What an index can hold of a document: its fields, and the position of its last change. */
type Selectable<D extends Document> = FieldOf<D> | '$position'

/** The same, with the fields that are read from the index alone. */
type Covered<D extends Document, Within extends FieldOf<D>, Selected extends Selectable<D>> = Indexed<D, Within> & {
  readonly selected: readonly Selected[]
}

/** Conditions on exactly the fields of `within`, and a range on the first field of the order. */
export type Where<D extends Document, Within extends FieldOf<D>> = { readonly [Field in Within]: Condition } & {
  readonly [Field in Exclude<FieldOf<D>, Within>]?: Range
}

/** Throws if the collection declares no such index. */
export const indexed = <D extends Document, const Within extends FieldOf<D> = never, const Selected extends Selectable<D> = never>(
  collection: Collection<D>,
  within: readonly Within[],
  order: readonly (OrderField<FieldOf<D>> | '$position')[],
  selected: readonly Selected[] = [],
): Covered<D, Within, Selected> => {
  if (!collection.indexes.some((index) => serves(index, within, order) && carries(index, selected)))
    throw new Error(
      `${collection.name} declares no index of ${[...within, ...order].join(' ')} that has ${selected.join(' ') || 'nothing else'}`,
    )
  return { collection, within, order, selected }
}

/** The name of an order of the collection's search. Throws if it declares none of this name. */
export const searchOrder = (collection: Collection<Document>, name: string): string => {
  if (collection.search?.orders[name] === undefined) throw new Error(`${collection.name} declares no order ${name} of its search`)
  return name
}

export const findBy = <D extends Document, Within extends FieldOf<D>>(
  documents: Pick<DocumentStore, 'find'>,
  { collection, order }: Indexed<D, Within>,
  where: Where<D, Within>,
  page: Page,
): Promise<readonly D[]> => documents.find(collection, { where: where as Filter, order, page })

export const selectBy = <D extends Document, Within extends FieldOf<D>, Selected extends Selectable<D>>(
  documents: Pick<DocumentStore, 'select'>,
  { collection, order, selected }: Covered<D, Within, Selected>,
  where: Where<D, Within>,
  page: Page,
): Promise<readonly Pick<D & { readonly $position: Position }, Selected>[]> =>
  documents.select(collection, { where: where as Filter, order, page }, selected)

/** How many documents match, counting no further than `most`. */
export const countBy = <D extends Document, Within extends FieldOf<D>>(
  documents: Pick<DocumentStore, 'count'>,
  { collection }: Indexed<D, Within>,
  where: { readonly [Field in Within]: string | number | boolean | null },
  most: number,
): Promise<number> => documents.count(collection, where, most)
