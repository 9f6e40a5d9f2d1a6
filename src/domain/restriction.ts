import * as t from 'io-ts'
import { field, optional, record, sealed } from './event.ts'
import { AccountId } from './ids.ts'

/** Milliseconds since 1970; null: permanent. */
export const Until = t.union([t.number, t.null])

/**
 * A ban, a wiki ban, a mute or a suspension. Not in force after `until`, however late its expiry is recorded. `by`: who imposed it or changed its end last;
 * `noteBy`: who wrote the note.
 */
export type Restriction = {
  readonly until: number | null
  readonly by: AccountId | null
  readonly note: string
  readonly noteBy: AccountId | null
}

/** A restriction as it was right before an event; its note is sealed under the key of who wrote it, who may be another moderator. */
export const FormerRestriction = record('FormerRestriction', {
  until: field(Until, 'When it was to end; null: never.', 'subsite', { unit: 'milliseconds since 1970' }),
  by: field(t.union([AccountId, t.null]), 'Who imposed it or changed its end last; null: the service.', 'subsite'),
  note: field(optional(sealed('noteBy')), 'Its note; absent: none.', 'subsite'),
  noteBy: field(optional(AccountId), 'Who wrote the note.', 'subsite'),
})
type FormerRestriction = t.TypeOf<typeof FormerRestriction>

export const asItWas = ({ until, by, note, noteBy }: Restriction): FormerRestriction => ({
  until,
  by,
  ...(note !== '' && { note, ...(noteBy !== null && { noteBy }) }),
})
