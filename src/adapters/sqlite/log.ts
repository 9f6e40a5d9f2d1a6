import {
  type Append,
  type AppendResult,
  type ExpectedRevision,
  type Glance,
  type LeftOut,
  type LogBatch,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
  MAX_PAGE_BYTES,
  MAX_PAGE_EVENTS,
  type Position,
  type RecordedEvent,
  type StreamPage,
} from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import type { DataFile } from './connection.ts'

/** The log over one connection. `append` must run inside a write transaction. */
export type Log = {
  readonly append: (append: Append) => AppendResult
  readonly read: (stream: string, from: number, limit?: number) => StreamPage
  readonly readBackwards: (stream: string, from?: number, limit?: number) => StreamPage
  readonly readAll: (after: Position, limit: number) => readonly RecordedEvent[]
  readonly head: () => Position
  readonly last: () => RecordedEvent | undefined
}

/** Checks an append for refusals before anything is sent. */
export const checkAppend = ({ stream, expected, events }: Append): void => {
  if (events.length === 0) throw new Error(`an append to ${stream} without events`)
  if (expected !== 'none' && !(Number.isSafeInteger(expected) && expected >= 0))
    throw new Error(`${expected} is not a revision of ${stream}`)
  let total = 0
  for (const { type, data, meta } of events) {
    const size = Buffer.byteLength(data) + Buffer.byteLength(meta)
    if (size > MAX_EVENT_BYTES) throw new StoreFault('too-large', `${type} for ${stream} has ${size} bytes; ${MAX_EVENT_BYTES} are allowed`)
    total += size
  }
  if (total > MAX_APPEND_BYTES)
    throw new StoreFault('too-large', `an append to ${stream} has ${total} bytes; ${MAX_APPEND_BYTES} are allowed`)
}

const COLUMNS = 'pos, stream, rev, id, type, data, meta'

const toRecordedEvent = (row: unknown): RecordedEvent => {
  const [pos, stream, revision, id, type, data, meta] = row as [number, string, number, string, string, string, string]
  return { id, type, data, meta, stream, revision, position: toPosition(pos) }
}

/** Reads the rows of one page; the rest is never read from the file. `more` means that there was a row beyond the page. */
const readRows = (rows: Iterable<unknown>, limit: number): StreamPage => {
  const events: RecordedEvent[] = []
  let bytes = 0
  for (const row of rows) {
    if (events.length === limit || bytes >= MAX_PAGE_BYTES) return { events, more: true }
    const event = toRecordedEvent(row)
    events.push(event)
    bytes += event.data.length + event.meta.length
  }
  return { events, more: false }
}

export const openLog = (connection: DataFile): Log => {
  const { rows } = connection
  const last = rows('SELECT rev FROM event WHERE stream = ? ORDER BY rev DESC LIMIT 1')
  const range = rows(`SELECT ${COLUMNS} FROM event WHERE stream = ? AND rev >= ? AND rev < ? ORDER BY rev`)
  const forwards = rows(`SELECT ${COLUMNS} FROM event WHERE stream = ? AND rev >= ? ORDER BY rev LIMIT ? + 0`)
  const backwards = rows(`SELECT ${COLUMNS} FROM event WHERE stream = ? AND rev <= ? ORDER BY rev DESC LIMIT ? + 0`)
  const page = rows(`SELECT ${COLUMNS} FROM event WHERE pos > ? ORDER BY pos LIMIT ? + 0`)
  const newest = rows('SELECT max(pos) FROM event')
  const final = rows(`SELECT ${COLUMNS} FROM event ORDER BY pos DESC LIMIT 1`)

  const toNumber = (row: unknown): number | undefined => {
    const [value] = (row ?? []) as (number | null)[]
    return value ?? undefined
  }

  const insert = ({ stream, events }: Append, first: number): AppendResult => {
    const statement = rows('INSERT INTO event(stream, rev, id, type, data, meta) VALUES(?, ?, ?, ?, ?, ?)')
    let position = 0
    events.forEach(({ id, type, data, meta }, i) => {
      position = Number(statement.run(stream, first + i, id, type, data, meta).lastInsertRowid)
    })
    return { outcome: 'appended', position: toPosition(position), revision: first + events.length - 1 }
  }

  /** Returns the result of the first try, if the stream already has exactly these events at that place. */
  const findRepeated = ({ stream, events }: Append, first: number): AppendResult | undefined => {
    const stored = range.all(stream, first, first + events.length).map(toRecordedEvent)
    const final = stored.at(-1)
    if (!final || stored.length < events.length || stored.some(({ id }, i) => id !== events[i]?.id)) return undefined
    const isSamePayload = stored.every(
      ({ type, data, meta }, i) => type === events[i]?.type && data === events[i]?.data && meta === events[i]?.meta,
    )
    if (!isSamePayload) throw new StoreFault('changed-retry', `event ${final.id} already exists in ${stream} with another payload`)
    return { outcome: 'appended', position: final.position, revision: final.revision }
  }

  return {
    append: (append) => {
      const actual: ExpectedRevision = toNumber(last.get(append.stream)) ?? 'none'
      const first = append.expected === 'none' ? 0 : append.expected + 1
      if (actual === append.expected) return insert(append, first)
      return findRepeated(append, first) ?? { outcome: 'conflict', actual }
    },
    read: (stream, from, limit = MAX_PAGE_EVENTS) => connection.once(() => readRows(forwards.iterate(stream, from, limit + 1), limit)),
    readBackwards: (stream, from = Number.MAX_SAFE_INTEGER, limit = MAX_PAGE_EVENTS) =>
      connection.once(() => readRows(backwards.iterate(stream, from, limit + 1), limit)),
    readAll: (after, limit) => connection.once(() => readRows(page.iterate(fromPosition(after), limit), limit).events),
    head: () => connection.once(() => toPosition(toNumber(newest.get()) ?? 0)),
    last: () => connection.once(() => final.all().map(toRecordedEvent)[0]),
  }
}

export const toPosition = (row: number): Position => String(row).padStart(20, '0')

export const fromPosition = (position: Position): number => {
  const row = Number(position)
  if (position.length !== 20 || !Number.isSafeInteger(row) || row < 0) throw new Error(`not a position of this log: ${position}`)
  return row
}

/** Wakes readers that wait for more of the log. */
export type Bell = {
  readonly ring: () => void
  /** Resolves at the next ring, or when the signal aborts. */
  readonly wait: (signal: AbortSignal) => Promise<void>
}

export const bell = (): Bell => {
  const waiting = new Set<() => void>()
  return {
    ring: () => {
      for (const wake of waiting) wake()
    },
    wait: (signal) =>
      new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      }),
  }
}

const PAGE_EVENTS = 500

/** Remembers the last page, since those who follow the log read the same ones, and stored events never change. */
export const sharePages = (readAll: Log['readAll']): Log['readAll'] => {
  let last: { readonly after: Position; readonly limit: number; readonly events: readonly RecordedEvent[] } | undefined
  return (after, limit) => {
    if (last?.after === after && last.limit === limit) return last.events
    const events = readAll(after, limit)
    if (events.length > 0) last = { after, limit, events }
    return events
  }
}

/** Returns a function that tells whether an event is not left out. */
export const toEventTest = (leftOut: LeftOut): ((event: RecordedEvent) => boolean) => {
  if ('types' in leftOut) return ({ type }) => !leftOut.types.includes(type)
  const prefix = `${leftOut.category}-`
  const endings = new Set(leftOut.except)
  return ({ stream }) => !stream.startsWith(prefix) || endings.has(stream.slice(-2))
}

/** Reads on from a position in pages, then waits for the bell. Nothing is buffered for a slow consumer, which reads when it is ready. */
export async function* subscription(
  readAll: (after: Position, limit: number) => readonly RecordedEvent[],
  { wait }: Bell,
  after: Position,
  signal: AbortSignal,
  leftOut?: LeftOut,
): AsyncGenerator<LogBatch, void> {
  let position = after
  while (!signal.aborted) {
    const events = readAll(position, PAGE_EVENTS)
    const last = events.at(-1)
    if (last) {
      position = last.position
      yield { events: leftOut ? events.filter(toEventTest(leftOut)) : events, position }
    } else {
      await wait(signal) // nothing rings between the read and this, since both happen in one turn
    }
  }
}

/** Looks past the events that are left out, from a position to the end of the log. Returns undefined if a page of others follows. */
export const glanceIn = (readAll: Log['readAll'], after: Position, leftOut: LeftOut): Glance | undefined => {
  let [last, upTo, others]: [Position | undefined, Position, number] = [undefined, after, 0]
  for (let events = readAll(upTo, PAGE_EVENTS); events.length > 0; events = readAll(upTo, PAGE_EVENTS)) {
    const met = events.filter(toEventTest(leftOut))
    others += met.length
    if (others >= PAGE_EVENTS) return undefined
    last = met.at(-1)?.position ?? last
    upTo = events.at(-1)?.position ?? upTo
  }
  return { last, upTo }
}
