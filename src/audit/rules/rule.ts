import type { Envelope } from '../../domain/event.ts'
import type { EventName, Logged } from '../../domain/events.ts'
import type { BookRow, LedgerEntry } from '../ledger.ts'

/** Reports a problem of the event that a rule is given. */
export type Note = (problem: string) => void

/** The effect of an event on the ledger, computed only from the event. */
export type LedgerRules = { readonly [Name in EventName]?: (event: Logged<Name>, note: Note) => readonly LedgerEntry[] }

export const entry = <R extends object>(book: string, id: string, change: (row: R | undefined) => R | undefined): LedgerEntry => ({
  book,
  id,
  change: change as unknown as LedgerEntry['change'],
})

/**
 * Tells whether an event is a consequence of another. The service itself ends an effect in correlation with the event that set it. Earlier
 * versions recorded subscriptions of accounts to default subsites with the request as their cause; no event has the id of a request, so
 * these are acts.
 */
export const isConsequence = ({ meta: { causationId, commandId, correlationId }, by }: Envelope): boolean =>
  causationId !== commandId && (causationId !== correlationId || by.as === 'system')

/** Reads a row without changing it. */
export const readRow = <R extends object>(book: string, id: string, see: (row: R | undefined) => void): LedgerEntry =>
  entry<R>(book, id, (row) => {
    see(row)
    return row
  })

export const putRow = (book: string, row: BookRow & { readonly id: string }): LedgerEntry => entry(book, row.id, () => row)

export const drop = (book: string, id: string): LedgerEntry => entry(book, id, () => undefined)

/** Changes a row if it exists. */
export const amend = <R extends object>(book: string, id: string, change: (row: R) => R): LedgerEntry =>
  entry<R>(book, id, (row) => row && change(row))

/** Changes a row that an earlier event must have made. */
export const amendKnown = <R extends object>(book: string, id: string, note: Note, change: (row: R) => R): LedgerEntry =>
  entry<R>(book, id, (row) => {
    if (row === undefined) note(`it refers to ${id}, which no earlier event created`)
    return row && change(row)
  })

export const isLinkName = (name: string): boolean => name.startsWith('t5_')
