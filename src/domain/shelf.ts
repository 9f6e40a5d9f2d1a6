import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { AccountId, SubsiteId, ThingId } from './ids.ts'
import type { Refusal } from './refusal.ts'

const shelved = { account: AccountId, thing: ThingId, subsite: SubsiteId }

/** Saving again moves the thing to the front, and to another category if one is named. */
export const ThingSaved = event('ThingSaved', { ...shelved, category: t.union([t.string, t.null]) })
export const ThingUnsaved = event('ThingUnsaved', shelved)
export const ThingHidden = event('ThingHidden', shelved)
export const ThingUnhidden = event('ThingUnhidden', shelved)
export type ShelfEvent =
  | EventOf<typeof ThingSaved>
  | EventOf<typeof ThingUnsaved>
  | EventOf<typeof ThingHidden>
  | EventOf<typeof ThingUnhidden>

/** What an account did with a thing for itself, on `shelf-<account>.<thing>`. */
export type Shelf = { readonly saved: boolean; readonly hidden: boolean }

const empty: Shelf = { saved: false, hidden: false }

export const Shelf: Aggregate<Shelf, ShelfEvent> = {
  category: 'shelf',
  on: {
    ThingSaved: (state = empty) => ({ ...state, saved: true }),
    ThingUnsaved: (state = empty) => ({ ...state, saved: false }),
    ThingHidden: (state = empty) => ({ ...state, hidden: true }),
    ThingUnhidden: (state = empty) => ({ ...state, hidden: false }),
  },
}

type Place = { readonly account: AccountId; readonly thing: ThingId; readonly subsite: SubsiteId }

/** The stored form of a save category: lower case, 1 to 20 letters, digits, spaces and underscores. */
export const parseCategory = (text: string): Either<Refusal, string> => {
  const category = text.toLowerCase()
  return /^[a-z0-9_ ]{1,20}$/.test(category) ? E.right(category) : E.left({ code: 'BAD_SAVE_CATEGORY', field: null })
}

/** Each time is news: the thing moves to the front, and to the category if one is named. */
export const saveThing =
  (place: Place, category: string | null): Decide<Shelf, ShelfEvent> =>
  () =>
    record(ThingSaved({ ...place, category }))

export const unsaveThing =
  (place: Place): Decide<Shelf, ShelfEvent> =>
  (shelf) =>
    shelf?.saved ? record(ThingUnsaved(place)) : nothing

/** Each time is news: the link moves to the front of what is hidden. */
export const hideThing =
  (place: Place): Decide<Shelf, ShelfEvent> =>
  () =>
    record(ThingHidden(place))

/** Unless it is already hidden: hiding again does not move it to the front. */
export const putAway =
  (place: Place): Decide<Shelf, ShelfEvent> =>
  (shelf) =>
    shelf?.hidden ? nothing : record(ThingHidden(place))

export const unhideThing =
  (place: Place): Decide<Shelf, ShelfEvent> =>
  (shelf) =>
    shelf?.hidden ? record(ThingUnhidden(place)) : nothing
