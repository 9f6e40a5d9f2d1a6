import type { RecordedEvent } from '../ports/event-store.ts'
import type { HistoryRow } from '../ports/history.ts'

/** The value of a row that finds an event: the number of the event, and its place in its stream. */
type EntryValue = { readonly n: number; readonly stream: string; readonly revision: number }

export const entryIn = ({ value }: HistoryRow): EntryValue => JSON.parse(Buffer.from(value).toString())

export const entryRow = (tree: string, number: number, { id, stream, revision }: RecordedEvent, n: number): HistoryRow => {
  const value: EntryValue = { n, stream, revision }
  return { tree, kind: 'entry', number, name: id, value: Buffer.from(JSON.stringify(value)) }
}
