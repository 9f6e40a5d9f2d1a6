import * as t from 'io-ts'
import { field, type Readers } from './event.ts'

/** The capacity in which an author marks a link or a comment. */
export const Distinction = t.keyof({ moderator: null, admin: null, special: null })
export type Distinction = t.TypeOf<typeof Distinction>

const OrNone = t.union([Distinction, t.null])
/** Returns the fields of an event that record a change of the distinction. */
export const distinctionChange = (readers: Readers) => ({
  before: field(OrNone, 'The capacity in which it was marked before; null: none.', readers),
  after: field(OrNone, 'The capacity in which it is marked now; null: none.', readers),
})

/** Maps the values that an author may send to the resulting distinction. */
export const distinctions = { yes: 'moderator', no: null, admin: 'admin', special: 'special' } as const satisfies Readonly<
  Record<string, Distinction | null>
>
export type DistinctionName = keyof typeof distinctions
