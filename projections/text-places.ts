import type { TextPlace } from '../src/domain/account.ts'
import type { Logged } from '../src/domain/events.ts'
import { isAct } from '../src/domain/mod-log-acts.ts'
import { multiId } from '../src/domain/multi.ts'
import type { RelationType } from '../src/domain/relation-types.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, put, remove, type Touch } from './engine/projection.ts'
import { flairId } from './flairs.ts'
import { relationId } from './relations.ts'

/**
 * A document that has, or had, text of an account and that no index finds by the account: so that the account's erasure finds it. Links, comments,
 * messages, notes on friends, multis and categories are found by their own indexes.
 */
export type TextPlaceDocument = Document & { readonly account: string; readonly place: TextPlace }

export const textPlaces = collection<TextPlaceDocument>({ name: 'text_places', version: 2, indexes: [{ fields: ['account', 'id'] }] })

export const textPlaceId = (account: string, { kind, id }: TextPlace): string => `${account}.${kind}.${id}`

const at = (account: string | null, kind: TextPlace['kind'], id: string): readonly Touch<TextPlaceDocument>[] => {
  const place = { kind, id }
  return account === null ? [] : [put({ id: textPlaceId(account, place), account, place })]
}

type NoteEvent = {
  readonly id: string
  readonly by: { readonly account: string | null }
  readonly data: { readonly subsite: string; readonly account: string; readonly note?: string; readonly before?: FormerNote }
}
type FormerNote = { readonly noteBy?: string }

/** The note that was replaced, in the entry of the moderation log. */
const former = ({ id, data: { before } }: { readonly id: string; readonly data: { readonly before?: FormerNote } }) =>
  at(before?.noteBy ?? null, 'change', id)

/** A note of a moderator, in the relation and in the entry of the moderation log, beside the one that it replaced. */
const noted = (type: RelationType) => (event: NoteEvent) => {
  const { id, by, data } = event
  const written = (['entry', 'change'] as const).flatMap((kind) => at(by.account, kind, id))
  return [...(data.note === undefined ? [] : [...at(by.account, 'note', relationId(data, type)), ...written]), ...former(event)]
}

/** Texts of others in a copy of their multi. */
const quoted = ({ data }: Logged<'MultiCreated' | 'MultiEdited'>) => {
  const authors = new Set([data.quotedName, data.quotedDescription].flatMap((quote) => (quote ? [quote.author] : [])))
  return [...authors].flatMap((author) => at(author, 'multi', multiId(data)))
}

/** Why a page was changed, in the entry of the moderation log and in the revision. */
const reasoned = ({ id, by, data }: Logged<'SubsiteSettingChanged' | 'WikiPageRevised' | 'StylesheetSaved'>) =>
  data.reason === undefined ? [] : at(by.account, 'entry', id)

const worn = ({ data: { subsite, account } }: Logged<'UserFlairChanged' | 'UserFlairSwitched'>) =>
  at(account, 'flair', flairId(subsite, account))
/** In the entry of the moderation log, if it is one. */
const given = (event: Logged<'UserFlairChanged'>) => [...worn(event), ...(isAct(event) ? at(event.data.account, 'change', event.id) : [])]

export const textPlacesProjection: Projection<TextPlaceDocument> = {
  collection: textPlaces,
  on: {
    ThingReported: ({ data: { account, thing } }) => at(account, 'report', thing),
    MessageReported: ({ data: { account, message } }) => at(account, 'report', message),
    UserBanned: noted('banned'),
    BanChanged: noted('banned'),
    BanNoteChanged: noted('banned'),
    UserWikiBanned: noted('wikibanned'),
    WikiBanChanged: noted('wikibanned'),
    WikiBanNoteChanged: noted('wikibanned'),
    UserMuted: noted('muted'),
    MuteNoteChanged: noted('muted'),
    UserUnbanned: former,
    BanExpired: former,
    UserWikiUnbanned: former,
    WikiBanExpired: former,
    UserUnmuted: former,
    MuteExpired: former,
    SubsiteSettingChanged: reasoned,
    WikiPageRevised: reasoned,
    StylesheetSaved: reasoned,
    UserFlairChanged: given,
    UserFlairSwitched: worn,
    LinkFlairChanged: ({ data: { author, target } }) => at(author, 'link-flair', target.id),
    MessageSent: ({ data: { message, quotedSubject } }) => (quotedSubject ? at(quotedSubject.author, 'subject', message) : []),
    MultiCreated: quoted,
    MultiEdited: quoted,
    AccountTextsErased: ({ data: { account, places = [] } }) => places.map((place) => remove(textPlaceId(account, place))),
  },
}
