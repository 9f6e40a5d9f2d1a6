import type { Envelope } from '../../domain/event.ts'
import type { EventName, Logged } from '../../domain/events.ts'
import type { Entry, Row } from '../ledger.ts'

/** Reports a problem of the event that a rule is given. */
export type Note = (problem: string) => void

/** The effect of an event on the ledger, computed only from the event. */
export type Rules = { readonly [Name in EventName]?: (event: Logged<Name>, note: Note) => readonly Entry[] }

export const entry = <R extends object>(book: string, id: string, change: (row: R | undefined) => R | undefined): Entry => ({
  book,
  id,
  change: change as unknown as Entry['change'],
})

/**
 * Tells whether an event is a consequence of another. The service itself ends an effect in correlation with the event that set it. Earlier
 * versions recorded subscriptions of accounts to default subsites with the request as their cause; no event has the id of a request, so
 * these are acts.
 */
export const isConsequence = ({ meta: { causationId, commandId, correlationId }, by }: Envelope): boolean =>
  causationId !== commandId && (causationId !== correlationId || by.as === 'system')

/** Reads a row without changing it. */
export const look = <R extends object>(book: string, id: string, see: (row: R | undefined) => void): Entry =>
  entry<R>(book, id, (row) => {
    see(row)
    return row
  })

export const put = (book: string, row: Row & { readonly id: string }): Entry => entry(book, row.id, () => row)

export const drop = (book: string, id: string): Entry => entry(book, id, () => undefined)

/** Changes a row if it exists. */
export const amend = <R extends object>(book: string, id: string, change: (row: R) => R): Entry =>
  entry<R>(book, id, (row) => row && change(row))

/** Changes a row that an earlier event must have made. */
export const amendKnown = <R extends object>(book: string, id: string, note: Note, change: (row: R) => R): Entry =>
  entry<R>(book, id, (row) => {
    if (row === undefined) note(`it refers to ${id}, which no earlier event created`)
    return row && change(row)
  })

export const isLinkName = (name: string): boolean => name.startsWith('t5_')
