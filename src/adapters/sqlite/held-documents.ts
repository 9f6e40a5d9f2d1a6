import { setImmediate } from 'node:timers/promises'
import type { Document, Value } from '../../ports/documents.ts'
import { firstIndex } from '../../ports/first-index.ts'
import { freezeDeep } from './cache.ts'
import { fromPosition } from './log.ts'
import { type PageRow, precedes } from './query-plan.ts'
import type { Direction } from './tables.ts'

/** A document that is newer than its row. It is a text until somebody reads it, and has none if it was deleted. */
export type HeldDocument = { readonly position: number; readonly text: string | undefined; parsed: Document | undefined }

export const documentOf = (held: HeldDocument): Document | undefined => {
  if (held.text === undefined) return undefined
  held.parsed ??= freezeDeep<Document>(JSON.parse(held.text))
  return held.parsed
}

/** Returns a field of a document as its row would have it, except the number of the row. */
export const valueIn = (held: HeldDocument, field: string): Value => {
  if (field === '$position') return held.position
  return (documentOf(held) as unknown as Readonly<Record<string, Value | undefined>>)[field] ?? null
}

/** Returns a value as a row has it. Positions are numbers there. */
export const inRow = (field: string, value: Value): Value => (field === '$position' && value !== null ? fromPosition(String(value)) : value)

/** A held document in a listing, with the values of the listing's order. */
export type HeldPlace = { readonly row: PageRow; readonly held: HeldDocument }

/** The held documents of one table by their ids, and in the orders in which they are listed. */
export type HeldTable<Held extends HeldDocument = HeldDocument> = Pick<
  ReadonlyMap<string, Held>,
  'get' | 'has' | 'keys' | 'values' | 'size'
> & {
  /** Returns the documents that are not deleted and have these values in these fields, in an order whose last field is unique. */
  readonly listDocuments: (fields: readonly string[], values: readonly Value[], order: readonly Direction[]) => readonly HeldPlace[]
  /**
   * Takes many changes into this order in several turns of the event loop. If it returns a promise, the caller must await it before
   * `listDocuments`.
   */
  readonly gather: (fields: readonly string[], order: readonly Direction[]) => Promise<void> | undefined
}
export type ChangingTable<Held extends HeldDocument> = HeldTable<Held> & {
  readonly set: (id: string, held: Held) => void
  readonly delete: (id: string) => void
}

type ListedPlace = HeldPlace & { readonly group: string }
type Listing = {
  readonly groups: Map<string, ListedPlace[]>
  readonly places: Map<string, ListedPlace>
  /** The ids of documents whose places may have changed. */
  readonly changed: Set<string>
  /** The number of readers that are taking its changes in. */
  gathering: number
}

const MIN_CHANGES_KEPT = 64 // the fewest changes with which a listing is made anew and not updated
const MAX_INSERTED_PLACES = 8 // places that are inserted into a group one by one; with more the group is sorted
const MAX_GATHERED_CHANGES = 500 // changes of a listing that are taken in in one turn of the event loop

const groupOf = (values: readonly Value[]): string => values.map((value) => `${typeof value} ${value}`).join('\n')

export const heldTable = <Held extends HeldDocument>(): ChangingTable<Held> => {
  const byId = new Map<string, Held>()
  /**
   * Each listing is made when it is first asked for, and updated when it is asked for again, unless so much has changed that it is made
   * anew.
   */
  const listings = new Map<string, Listing>()

  const noteChange = (id: string): void => {
    for (const [key, { changed, places, gathering }] of listings) {
      changed.add(id)
      if (gathering === 0 && changed.size > Math.max(MIN_CHANGES_KEPT, places.size / 4)) listings.delete(key)
    }
  }

  const listingOf = (fields: readonly string[], order: readonly Direction[]): Listing => {
    const key = `${fields.join(' ')},${order.map(({ field, descending }) => `${descending ? '-' : ''}${field}`).join(' ')}`
    const listing = listings.get(key) ?? { groups: new Map(), places: new Map(), changed: new Set(byId.keys()), gathering: 0 }
    listings.set(key, listing)
    return listing
  }

  /** Takes so many changes into a listing. */
  const update = (listing: Listing, fields: readonly string[], order: readonly Direction[], most = Number.POSITIVE_INFINITY): void => {
    const { groups, places, changed } = listing
    const isBefore = precedes(order)
    const added = new Map<string, ListedPlace[]>()
    let count = 0
    for (const id of changed) {
      if (count === most) break
      count += 1
      changed.delete(id)
      const before = places.get(id)
      if (before) {
        const group = groups.get(before.group) ?? []
        group.splice(
          firstFrom(group, (row) => !isBefore(row, before.row)),
          1,
        )
        if (group.length === 0) groups.delete(before.group)
        places.delete(id)
      }
      const held = byId.get(id)
      if (held?.text === undefined) continue
      const group = groupOf(fields.map((field) => valueIn(held, field)))
      const place = { group, row: order.map(({ field }) => valueIn(held, field)), held }
      places.set(id, place)
      const news = added.get(group) ?? []
      news.push(place)
      added.set(group, news)
    }
    for (const [name, news] of added) {
      const group = groups.get(name) ?? []
      groups.set(name, group)
      if (news.length > MAX_INSERTED_PLACES) {
        for (const place of news) group.push(place)
        group.sort((a, b) => (isBefore(a.row, b.row) ? -1 : 1))
        continue
      }
      for (const place of news)
        group.splice(
          firstFrom(group, (row) => isBefore(place.row, row)),
          0,
          place,
        )
    }
  }

  const gather = async (listing: Listing, fields: readonly string[], order: readonly Direction[]): Promise<void> => {
    listing.gathering += 1
    try {
      while (listing.changed.size > MAX_GATHERED_CHANGES) {
        update(listing, fields, order, MAX_GATHERED_CHANGES)
        await setImmediate()
      }
    } finally {
      listing.gathering -= 1
    }
  }

  return {
    get: (id) => byId.get(id),
    has: (id) => byId.has(id),
    keys: () => byId.keys(),
    values: () => byId.values(),
    get size() {
      return byId.size
    },
    set: (id, held) => {
      byId.set(id, held)
      noteChange(id)
    },
    delete: (id) => {
      byId.delete(id)
      noteChange(id)
    },
    listDocuments: (fields, values, order) => {
      const listing = listingOf(fields, order)
      update(listing, fields, order)
      return listing.groups.get(groupOf(values)) ?? []
    },
    gather: (fields, order) => {
      const listing = listingOf(fields, order)
      return listing.changed.size > MAX_GATHERED_CHANGES ? gather(listing, fields, order) : undefined
    },
  }
}

/** Returns the index of the first place from which on a condition holds for all. */
export const firstFrom = (places: readonly HeldPlace[], holds: (row: PageRow) => boolean): number =>
  firstIndex(places.length, (n) => holds(places[n]?.row ?? []))

/** Documents that are in memory and not yet in the file, or not known to be there. */
export type HeldDocuments = {
  /** Returns the held documents of a table by their ids, undefined if there are none. They hide the rows of the same ids. */
  readonly heldIn: (table: string) => HeldTable | undefined
  /** Drops the documents that every later snapshot has. Called before a snapshot is taken. */
  readonly dropFlushed: () => void
  /** Takes in every change that the snapshot may have. Called in a snapshot, after it was taken. */
  readonly receiveChanges: () => void
  /** Resolves when all of them are in the file. */
  readonly flush: () => Promise<void>
}

/** Nothing is held, for a connection all of whose changes are in the file. */
export const noHeldDocuments: HeldDocuments = {
  heldIn: () => undefined,
  dropFlushed: () => {},
  receiveChanges: () => {},
  flush: async () => {},
}

/** Changed documents of one table, as they travel between threads: parallel lists, since there are many. */
export type TableChanges = {
  readonly table: string
  /** The name of its collection. */
  readonly collection: string
  readonly ids: readonly string[]
  readonly positions: readonly number[]
  /** Undefined for a deleted document. */
  readonly texts: readonly (string | undefined)[]
  /** True if a search can find other documents of the table than before. */
  readonly isSearchAffected: boolean
}
