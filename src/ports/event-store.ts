/** The position of an event in the whole log: a fixed-width digit string, compared bytewise, meaningless outside its log. */
export type Position = string

/** The position before the first event of any log. */
export const LOG_START: Position = '0'.repeat(20)

/** The revision of the last event the decision was made on, or `none` for a stream that must not exist. */
export type ExpectedRevision = number | 'none'

/** An event to be stored: its id is decided before the first try, its data and metadata are canonical JSON text. */
export type ProposedEvent = {
  readonly id: string
  readonly type: string
  readonly data: string
  readonly meta: string
}

/** A stored event. Revisions are dense from 0 within a stream; positions only ever grow. */
export type RecordedEvent = ProposedEvent & {
  readonly stream: string
  readonly revision: number
  readonly position: Position
}

/**
 * An event that was just appended. EventStoreDB gives the position of the last event of an append only. The others are before it, and no
 * event of another stream is between them.
 */
export type AppendedEvent = ProposedEvent & {
  readonly stream: string
  readonly revision: number
  readonly positionAtMost: Position
}

/** An event in the log, either read from it or just appended. */
export type StoredEvent = RecordedEvent | AppendedEvent

/** Events to append to a stream at a revision. */
export type Append = { readonly stream: string; readonly expected: ExpectedRevision; readonly events: readonly ProposedEvent[] }

/** `position` and `revision` are those of the last event of the append. */
export type AppendResult =
  | { readonly outcome: 'appended'; readonly position: Position; readonly revision: number }
  | { readonly outcome: 'conflict'; readonly actual: ExpectedRevision }

/** Part of one stream, in the order of reading. `more`: the stream had further events in that direction. */
export type StreamPage = { readonly events: readonly RecordedEvent[]; readonly more: boolean }

/** Events in log order, and how far the log has been read: `position` may lie beyond the last event. */
export type LogBatch = { readonly events: readonly RecordedEvent[]; readonly position: Position }

/**
 * The events that a reader leaves out: those of some types, or those of the streams of a category whose names have none of some endings of
 * two characters.
 */
export type LeftOut = { readonly types: readonly string[] } | { readonly category: string; readonly except: readonly string[] }

/** The last event of the rest of the log, undefined if it has none, and the position of its end. */
export type Glance = { readonly last: Position | undefined; readonly upTo: Position }

export const MAX_EVENT_BYTES = 512 * 1024
export const MAX_APPEND_BYTES = 1024 * 1024

/** The most events of a page of a stream, unless the reader asks for fewer. */
export const MAX_PAGE_EVENTS = 500
/**
 * The bytes at which a page or a batch ends: with the event that brings it there. Data and metadata count together, as UTF-8 or as UTF-16
 * units, as the adapter can tell without more work. So the content of events never decides how much memory reading it takes.
 */
export const MAX_PAGE_BYTES = 1024 * 1024

/**
 * The append-only log. The contract suite in test/contracts/event-store.ts is its definition; every adapter passes it.
 * Nothing is ever updated or deleted. Faults are thrown as `StoreFault`.
 */
export interface EventStore {
  /**
   * Appends all events or none, right after `expected`. Repeating the same ids at the same place succeeds with the first result, also after
   * a restart; the same ids with another payload are the fault `changed-retry`. An empty list, an event over `MAX_EVENT_BYTES` (data and
   * metadata together) or an append over `MAX_APPEND_BYTES` is refused before anything is sent.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<AppendResult>
  /** Returns a page of one stream from a revision on, including it; empty for a stream that does not exist. */
  read(stream: string, from: number, limit?: number): Promise<StreamPage>
  /** Returns a page of one stream, newest first, from a revision down, including it; without one, from the last event. */
  readBackwards(stream: string, from?: number, limit?: number): Promise<StreamPage>
  /** Returns a page of the whole log after a position, excluding it: at most `limit` events. Only an empty page is the end of the log. */
  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]>
  /**
   * Yields everything after a position in batches, then new events. It ends only when the signal aborts. Slow consumers miss nothing.
   * It does not receive the events that are left out.
   */
  subscribe(after: Position, signal: AbortSignal, leftOut?: LeftOut): AsyncIterable<LogBatch>
  /**
   * Looks past the events that are left out, from a position to the end of the log. Returns undefined if a page of other events follows.
   */
  glance(after: Position, leftOut: LeftOut): Promise<Glance | undefined>
  /** Returns the position of the last event, or `LOG_START`. */
  head(): Promise<Position>
  /** Returns the last event; undefined while there is none. */
  last(): Promise<RecordedEvent | undefined>
  close(): Promise<void>
}
