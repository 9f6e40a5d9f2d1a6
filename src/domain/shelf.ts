import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { AccountId, SubsiteId, ThingId } from './ids.ts'

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
