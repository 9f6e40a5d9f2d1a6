import { setImmediate } from 'node:timers/promises'
import type { Document, Value } from '../../ports/documents.ts'
import { frozen } from './cache.ts'
import { fromPosition } from './log.ts'
import { precedes, type Row } from './plan.ts'
import type { Direction } from './tables.ts'

/** A document that is newer than its row: a text until somebody reads it, without one if it was deleted. */
export type HeldDocument = { readonly position: number; readonly text: string | undefined; parsed: Document | undefined }

export const documentOf = (held: HeldDocument): Document | undefined => {
  if (held.text === undefined) return undefined
  held.parsed ??= frozen<Document>(JSON.parse(held.text))
  return held.parsed
}

/** A field of a document as its row would have it, but for the number of the row. */
export const valueIn = (held: HeldDocument, field: string): Value => {
  if (field === '$position') return held.position
  return (documentOf(held) as unknown as Readonly<Record<string, Value | undefined>>)[field] ?? null
}

/** A value as a row has it: positions are numbers there. */
export const inRow = (field: string, value: Value): Value => (field === '$position' && value !== null ? fromPosition(String(value)) : value)

/** A held document in a listing: the values of the listing's order. */
export type Place = { readonly row: Row; readonly held: HeldDocument }

/** Held documents of one table by their ids, and in the orders in which they are listed. */
export type HeldTable<Held extends HeldDocument = HeldDocument> = Pick<
  ReadonlyMap<string, Held>,
  'get' | 'has' | 'keys' | 'values' | 'size'
> & {
  /** Those that are not deleted and have these values in these fields, in an order whose last field is unique. */
  readonly listed: (fields: readonly string[], values: readonly Value[], order: readonly Direction[]) => readonly Place[]
  /** To be awaited before that, where there is something: takes many changes into this order in several turns of the event loop. */
  readonly gather: (fields: readonly string[], order: readonly Direction[]) => Promise<void> | undefined
}
export type ChangingTable<Held extends HeldDocument> = HeldTable<Held> & {
  readonly set: (id: string, held: Held) => void
  readonly delete: (id: string) => void
}

type ListedPlace = Place & { readonly group: string }
type Listing = {
  readonly groups: Map<string, ListedPlace[]>
  readonly places: Map<string, ListedPlace>
  /** The ids of those whose places may be others now. */
  readonly changed: Set<string>
  /** How many readers are taking its changes in. */
  gathering: number
}

const MIN_CHANGES_KEPT = 64 // changes with which a listing is brought up to date and not made anew, however few it has
const MAX_INSERTED_PLACES = 8 // places that come into a group one by one; with more the group is sorted
const MAX_GATHERED_CHANGES = 500 // changes of a listing that are taken in in one turn of the event loop

const groupOf = (values: readonly Value[]): string => values.map((value) => `${typeof value} ${value}`).join('\n')

export const heldTable = <Held extends HeldDocument>(): ChangingTable<Held> => {
  const byId = new Map<string, Held>()
  /** Made when first asked for, and brought up to date when asked for again, unless so much has changed that it is made anew. */
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

  /** Take so many changes into a listing. */
  const update = (listing: Listing, fields: readonly string[], order: readonly Direction[], most = Number.POSITIVE_INFINITY): void => {
    const { groups, places, changed } = listing
    const isBefore = precedes(order)
    const added = new Map<string, ListedPlace[]>()
    let taken = 0
    for (const id of changed) {
      if (taken === most) break
      taken += 1
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
    listed: (fields, values, order) => {
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

/** The number of the first place for which something holds that then holds for all after it. */
export const firstFrom = (places: readonly Place[], holds: (row: Row) => boolean): number => {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(places[middle]?.row ?? [])) high = middle
    else low = middle + 1
  }
  return low
}

/** Documents that are in memory and not yet in the file, or not known to be there. */
export type HeldDocuments = {
  /** Those of a table by their ids, undefined if there are none; they hide the rows of the same ids. */
  readonly of: (table: string) => HeldTable | undefined
  /** Called before a snapshot is taken: lets go of what every later snapshot has. */
  readonly settle: () => void
  /** Called in a snapshot, after it was taken: takes in every change that the snapshot may have. */
  readonly catchUp: () => void
  /** Ends when all of them are in the file. */
  readonly flush: () => Promise<void>
}

/** For a connection all of whose changes are in the file. */
export const nothingHeld: HeldDocuments = { of: () => undefined, settle: () => {}, catchUp: () => {}, flush: async () => {} }

/** Changed documents of one table, as they travel between threads: parallel lists, since there are many. */
export type TableChanges = {
  readonly table: string
  /** The name of its collection. */
  readonly collection: string
  readonly ids: readonly string[]
  readonly positions: readonly number[]
  /** Undefined: deleted. */
  readonly texts: readonly (string | undefined)[]
  /** Whether a search can find other documents of the table than before. */
  readonly isSearchAffected: boolean
}
