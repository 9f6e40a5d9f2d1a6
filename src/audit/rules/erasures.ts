import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import { LOG_START, type Position } from '../../ports/event-store.ts'
import type { LedgerEntry } from '../ledger.ts'
import { type Note, putRow, readRow } from './rule.ts'

// Erased things can no longer be read in the log: their documents, made from the log alone, were blank before the erasure blanked them.

const ERASED = '[erased]'

/** The fields with text of a thing, as its documents have them. */
const texts: Readonly<Record<string, readonly [book: string, fields: readonly string[]]>> = {
  t5: ['links', ['title', 'text', 'url']],
  t1: ['comments', ['body']],
  t6: ['messages', ['body']],
}

const isReadable = (row: Readonly<Record<string, unknown>> | undefined, fields: readonly string[]): boolean =>
  fields.some((field) => typeof row?.[field] === 'string' && row[field] !== '' && row[field] !== ERASED)

/** Returns the thing or the account whose texts an event asks to erase. */
const toErased = (event: Logged): string | undefined => {
  if (event.type === 'AccountErased') return event.data.account
  if (event.type === 'LinkErased' || event.type === 'CommentErased') return event.data.target.id
  if (event.type === 'MessageErased') return event.data.message
  return event.type === 'WikiRevisionErased' ? event.data.revision : undefined
}

export type ErasureRules = {
  readonly of: (event: Envelope & Logged, note: Note) => readonly LedgerEntry[]
  /** Tells whether texts were erased after a position, or are being erased. */
  readonly isErasing: (since: Position) => boolean
}

/** `begun` is the end of the log when the audit began. Texts that were erased later may have been read before. */
export const erasureRules = (begun: Position): ErasureRules => {
  const begunErasures = new Set<string>()
  let last = LOG_START

  const checkTexts = ({ data: { account, thing, next }, position }: Logged<'AccountTextsErased'>, note: Note): readonly LedgerEntry[] => {
    last = position
    if (next === null) begunErasures.delete(thing ?? account)
    if (thing === undefined || position > begun) return []
    const [book, fields] = texts[thing.slice(0, 2)] ?? ['audit_revisions', ['content']]
    return [
      readRow<Readonly<Record<string, unknown>>>(book, thing, (row) => {
        if (isReadable(row, fields)) note(`${thing} is erased, but its text can still be read`)
      }),
    ]
  }

  return {
    isErasing: (since) => last > since || begunErasures.size > 0,
    of: (event, note) => {
      const erased = toErased(event)
      if (erased !== undefined) {
        begunErasures.add(erased)
        last = event.position
      }
      if (event.type === 'AccountTextsErased') return checkTexts(event, note)
      return event.type !== 'WikiPageRevised' || event.data.content === ERASED
        ? []
        : [putRow('audit_revisions', { id: event.id, content: 'readable' })]
    },
  }
}
