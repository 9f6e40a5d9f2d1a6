// Decision 79.

import type { TextPlace } from '../src/domain/account.ts'
import type { Logged } from '../src/domain/events.ts'
import { isModLogEntry } from '../src/domain/is-mod-log-entry.ts'
import { multiId } from '../src/domain/multi.ts'
import type { RelationType } from '../src/domain/relation-types.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, putDocument, remove, type Touch } from './engine/projection.ts'
import { flairId } from './flairs.ts'
import { relationId } from './relations.ts'

/**
 * A document that has, or had, text of an account that no index finds by the account. The account's erasure finds it here. Links, comments,
 * messages, notes on friends, multis and categories are found by their own indexes.
 */
export type TextPlaceDocument = Document & { readonly account: string; readonly place: TextPlace }

export const textPlaces = collection<TextPlaceDocument>({ name: 'text_places', version: 2, indexes: [{ fields: ['account', 'id'] }] })

export const textPlaceId = (account: string, { kind, id }: TextPlace): string => `${account}.${kind}.${id}`

const placeAt = (account: string | null, kind: TextPlace['kind'], id: string): readonly Touch<TextPlaceDocument>[] => {
  const place = { kind, id }
  return account === null ? [] : [putDocument({ id: textPlaceId(account, place), account, place })]
}

type NoteEvent = {
  readonly id: string
  readonly by: { readonly account: string | null }
  readonly data: { readonly subsite: string; readonly account: string; readonly note?: string; readonly before?: FormerNote }
}
type FormerNote = { readonly noteBy?: string }

/** Returns the place of the replaced note, in the entry of the moderation log. */
const formerNotePlace = ({ id, data: { before } }: { readonly id: string; readonly data: { readonly before?: FormerNote } }) =>
  placeAt(before?.noteBy ?? null, 'change', id)

/** Returns the places of a moderator's note: in the relation, in the entry of the moderation log, and that of the note it replaced. */
const notePlaces = (type: RelationType) => (event: NoteEvent) => {
  const { id, by, data } = event
  const written = (['entry', 'change'] as const).flatMap((kind) => placeAt(by.account, kind, id))
  return [
    ...(data.note === undefined ? [] : [...placeAt(by.account, 'note', relationId(data, type)), ...written]),
    ...formerNotePlace(event),
  ]
}

/** Returns the places of texts of others in an account's copy of their multi. */
const quotePlaces = ({ data }: Logged<'MultiCreated' | 'MultiEdited'>) => {
  const authors = new Set([data.quotedName, data.quotedDescription].flatMap((quote) => (quote ? [quote.author] : [])))
  return [...authors].flatMap((author) => placeAt(author, 'multi', multiId(data)))
}

/** Returns the places of the reason of a change to a page: in the entry of the moderation log, and in the revision. */
const reasonPlaces = ({ id, by, data }: Logged<'SubsiteSettingChanged' | 'WikiPageRevised' | 'StylesheetSaved'>) =>
  data.reason === undefined ? [] : placeAt(by.account, 'entry', id)

const wornFlairPlace = ({ data: { subsite, account } }: Logged<'UserFlairChanged' | 'UserFlairSwitched'>) =>
  placeAt(account, 'flair', flairId(subsite, account))
/** Returns the places of a flair's text: the flair itself and, if the event is an act of a moderator, the entry of the moderation log. */
const givenFlairPlaces = (event: Logged<'UserFlairChanged'>) => [
  ...wornFlairPlace(event),
  ...(isModLogEntry(event) ? placeAt(event.data.account, 'change', event.id) : []),
]

export const textPlacesProjection: Projection<TextPlaceDocument> = {
  collection: textPlaces,
  on: {
    ThingReported: ({ data: { account, thing } }) => placeAt(account, 'report', thing),
    MessageReported: ({ data: { account, message } }) => placeAt(account, 'report', message),
    UserBanned: notePlaces('banned'),
    BanChanged: notePlaces('banned'),
    BanNoteChanged: notePlaces('banned'),
    UserWikiBanned: notePlaces('wikibanned'),
    WikiBanChanged: notePlaces('wikibanned'),
    WikiBanNoteChanged: notePlaces('wikibanned'),
    UserMuted: notePlaces('muted'),
    MuteNoteChanged: notePlaces('muted'),
    UserUnbanned: formerNotePlace,
    BanExpired: formerNotePlace,
    UserWikiUnbanned: formerNotePlace,
    WikiBanExpired: formerNotePlace,
    UserUnmuted: formerNotePlace,
    MuteExpired: formerNotePlace,
    SubsiteSettingChanged: reasonPlaces,
    WikiPageRevised: reasonPlaces,
    StylesheetSaved: reasonPlaces,
    UserFlairChanged: givenFlairPlaces,
    UserFlairSwitched: wornFlairPlace,
    LinkFlairChanged: ({ data: { author, target } }) => placeAt(author, 'link-flair', target.id),
    MessageSent: ({ data: { message, quotedSubject } }) => (quotedSubject ? placeAt(quotedSubject.author, 'subject', message) : []),
    MultiCreated: quotePlaces,
    MultiEdited: quotePlaces,
    AccountTextsErased: ({ data: { account, places = [] } }) => places.map((place) => remove(textPlaceId(account, place))),
  },
}
