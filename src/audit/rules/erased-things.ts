import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import type { Position } from '../../ports/event-store.ts'
import type { Entry } from '../ledger.ts'
import { look, type Note, put } from './rule.ts'

// A thing that was erased can no longer be read in the log: its rows, made from the log alone, were blank before the erasure blanked them.

const ERASED = '[erased]'

/** The fields with text of a thing, as its rows have them. */
const texts: Readonly<Record<string, readonly [book: string, fields: readonly string[]]>> = {
  t5: ['links', ['title', 'text', 'url']],
  t1: ['comments', ['body']],
  t6: ['messages', ['body']],
}

const isReadable = (row: Readonly<Record<string, unknown>> | undefined, fields: readonly string[]): boolean =>
  fields.some((field) => typeof row?.[field] === 'string' && row[field] !== '' && row[field] !== ERASED)

/** `begun`: where the log ended when the audit began. What was erased later may have been read before. */
export const erasedThingRules =
  (begun: Position) =>
  (event: Envelope & Logged, note: Note): readonly Entry[] => {
    if (event.type === 'WikiPageRevised')
      return event.data.content === ERASED ? [] : [put('audit_revisions', { id: event.id, content: 'readable' })]
    if (event.type !== 'AccountTextsErased' || event.data.thing === undefined || event.position > begun) return []
    const { thing } = event.data
    const [book, fields] = texts[thing.slice(0, 2)] ?? ['audit_revisions', ['content']]
    return [
      look<Readonly<Record<string, unknown>>>(book, thing, (row) => {
        if (isReadable(row, fields)) note(`${thing} is erased, but its text can still be read`)
      }),
    ]
  }
