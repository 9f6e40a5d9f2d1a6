import * as t from 'io-ts'
import { field, optional, recordCodec, sealedText } from './event.ts'
import { AccountId } from './ids.ts'

/** Milliseconds since 1970; null: permanent. */
export const Until = t.union([t.number, t.null])

/**
 * A ban, a wiki ban, a mute or a suspension. It is not in force after `until`, however late its expiry is recorded. `by` imposed it or
 * changed its end last; `noteBy` wrote the note.
 */
export type Restriction = {
  readonly until: number | null
  readonly by: AccountId | null
  readonly note: string
  readonly noteBy: AccountId | null
}

/** A restriction as it was right before an event. Its note is sealed under the key of its writer, who may be another moderator. */
export const FormerRestriction = recordCodec('FormerRestriction', {
  until: field(Until, 'When it was to end; null: never.', 'subsite', { unit: 'milliseconds since 1970' }),
  by: field(t.union([AccountId, t.null]), 'Who imposed it or changed its end last; null: the service.', 'subsite'),
  note: field(optional(sealedText('noteBy')), 'Its note; absent: none.', 'subsite'),
  noteBy: field(optional(AccountId), 'Who wrote the note.', 'subsite'),
})
type FormerRestriction = t.TypeOf<typeof FormerRestriction>

export const asItWas = ({ until, by, note, noteBy }: Restriction): FormerRestriction => ({
  until,
  by,
  ...(note !== '' && { note, ...(noteBy !== null && { noteBy }) }),
})
