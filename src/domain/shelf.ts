// Decision 75.

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, foldInParts, noEvents, switchOnAndOff } from './decision.ts'
import { type EventOf, event, field, type OneOf, optional, sealedText } from './event.ts'
import { AccountId, SubsiteId, secondPart, ThingId } from './ids.ts'
import type { Refusal } from './refusal.ts'

const shelved = {
  account: field(AccountId, 'Who saved or hid it.', 'party', { party: true }),
  thing: field(ThingId, 'The link or comment.', 'party'),
  subsite: field(SubsiteId, 'The subsite that it is in.', 'party'),
}

export const ThingSaved = event(
  'ThingSaved',
  'An account saved a link or comment. Saving again moves it to the front, and to another category if one is named.',
  {
    ...shelved,
    category: field(optional(t.union([t.string, t.null])), 'The category in events of schema 1, where it is plain text.', 'party'),
    sealedCategory: field(optional(sealedText('account')), 'The category that it was put into; absent: none was named.', 'party'),
  },
  { by: 'party', upcasts: [(unsealed) => unsealed] },
)
export const ThingUnsaved = event('ThingUnsaved', 'An account no longer saves a link or comment.', shelved, { by: 'party' })
export const ThingHidden = event(
  'ThingHidden',
  'An account hid a link or comment from its own listings. Hiding it again moves it to the front.',
  shelved,
  { by: 'party' },
)
export const ThingUnhidden = event('ThingUnhidden', 'An account no longer hides a link or comment.', shelved, { by: 'party' })
export const shelfEvents = [ThingSaved, ThingUnsaved, ThingHidden, ThingUnhidden] as const
export type ShelfEvent = OneOf<typeof shelfEvents>

/** An account's saving and hiding of a thing, on `shelf-<account>.<thing>`. */
export type Shelf = { readonly saved: boolean; readonly hidden: boolean }

const empty: Shelf = { saved: false, hidden: false }

export const Shelf: Aggregate<Shelf, ShelfEvent> = {
  category: 'shelf',
  subsiteOf: secondPart,
  ...foldInParts<Shelf, ShelfEvent>({
    ThingSaved: { of: 'saved', anew: true, fold: (state = empty) => ({ ...state, saved: true }) },
    ThingUnsaved: { of: 'saved', anew: true, fold: (state = empty) => ({ ...state, saved: false }) },
    ThingHidden: { of: 'hidden', anew: true, fold: (state = empty) => ({ ...state, hidden: true }) },
    ThingUnhidden: { of: 'hidden', anew: true, fold: (state = empty) => ({ ...state, hidden: false }) },
  }),
}

/** Returns the category that a thing was saved under, from events of both schemas; undefined if it names none. */
export const readCategory = ({ category, sealedCategory }: EventOf<typeof ThingSaved>['data']): string | undefined =>
  sealedCategory ?? category ?? undefined

type ShelfPlace = { readonly account: AccountId; readonly thing: ThingId; readonly subsite: SubsiteId }

/** Parses a save category: lower case, 1 to 20 letters, digits, spaces and underscores. */
export const parseCategory = (text: string): E.Either<Refusal, string> => {
  const category = text.toLowerCase()
  return /^[a-z0-9_ ]{1,20}$/.test(category) ? E.right(category) : E.left({ code: 'BAD_SAVE_CATEGORY', field: 'category' })
}

/** Saves a thing. Saving again is an event, too: the thing moves to the front, and to the category if one is named. */
export const saveThing =
  (place: ShelfPlace, category: string | null): Decide<Shelf, ShelfEvent> =>
  () =>
    decideEvents(ThingSaved({ ...place, ...(category !== null && { sealedCategory: category }) }))

export const unsaveThing =
  (place: ShelfPlace): Decide<Shelf, ShelfEvent> =>
  (shelf) =>
    shelf?.saved ? decideEvents(ThingUnsaved(place)) : noEvents

/** Hides a link. Each time is an event: the link moves to the front of the hidden links. */
export const hideThing =
  (place: ShelfPlace): Decide<Shelf, ShelfEvent> =>
  () =>
    decideEvents(ThingHidden(place))

/** `putAway` hides a thing unless it is already hidden. Hiding again does not move it to the front. */
export const { on: putAway, off: unhideThing } = switchOnAndOff(({ hidden }: Shelf) => hidden, ThingHidden, ThingUnhidden)
