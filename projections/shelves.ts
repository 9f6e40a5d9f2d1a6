import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { isLinkId } from '../src/domain/ids.ts'
import { readCategory } from '../src/domain/shelf.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, type Touch } from './engine/projection.ts'

/** An account's saving and hiding of a thing. The document stays when both are undone. */
export type ShelfDocument = Document & {
  readonly account: string
  readonly thing: string
  readonly kind: 'link' | 'comment'
  readonly subsite: string
  readonly saved: boolean
  /** 0 if not saved. */
  readonly savedAt: number
  /** Empty if there is none. */
  readonly category: string
  readonly hidden: boolean
  /** 0 if not hidden. */
  readonly hiddenAt: number
}

export const shelves = collection<ShelfDocument>({
  name: 'shelves',
  version: 2,
  indexes: [
    { fields: ['account', 'saved', '-savedAt', '-id'] },
    { fields: ['account', 'saved', 'category', '-savedAt', '-id'] },
    { fields: ['account', 'hidden', '-hiddenAt', '-id'] },
  ],
})

export const shelfId = (account: string, thing: string): string => `${account}.${thing}`

type ShelfPlace = { readonly account: string; readonly thing: string; readonly subsite: string }

const shelve = ({ account, thing, subsite }: ShelfPlace, update: (shelf: ShelfDocument) => ShelfDocument): Touch<ShelfDocument> => {
  const id = shelfId(account, thing)
  const kind = isLinkId(thing) ? 'link' : 'comment'
  const empty = { id, account, thing, kind, subsite, saved: false, savedAt: 0, category: '', hidden: false, hiddenAt: 0 } as const
  return { id, change: (shelf) => update(shelf ?? empty) }
}

export const shelvesProjection: Projection<ShelfDocument> = {
  collection: shelves,
  on: {
    ThingSaved: ({ data, at }) => [
      shelve(data, (shelf) => ({ ...shelf, saved: true, savedAt: at, category: readCategory(data) ?? shelf.category })),
    ],
    ThingUnsaved: ({ data }) => [shelve(data, (shelf) => ({ ...shelf, saved: false, savedAt: 0, category: '' }))],
    AccountTextsErased: ({ data }) =>
      placesOf(data, 'category').map((id) => change(id, (shelf) => ({ ...shelf, category: ERASED_PLACEHOLDER }))),
    ThingHidden: ({ data, at }) => [shelve(data, (shelf) => ({ ...shelf, hidden: true, hiddenAt: at }))],
    ThingUnhidden: ({ data }) => [shelve(data, (shelf) => ({ ...shelf, hidden: false, hiddenAt: 0 }))],
  },
}
