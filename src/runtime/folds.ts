// Decision 51.

import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Aggregate, fold, selectRelevant } from '../domain/decision.ts'
import type { AnyEvent, Envelope } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import type { Codec } from '../log/codec.ts'
import { pagesOf } from '../log/pages.ts'
import { boundedBy } from '../ports/cache-bounds.ts'
import type { AppendedEvent, EventStore, ExpectedRevision, Position, RecordedEvent, StreamPage } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { bytesOf } from '../ports/size.ts'
import type { LogWatch } from './log-watch.ts'

/** The number of events read from an uncached stream before its snapshot is tried. Nearly all streams are shorter. */
const FIRST_PAGE = 16

/** The number of events decrypted without a pause for other requests. Each takes some tenth of a millisecond. */
const OPENED_AT_ONCE = 50

/** The state of a stream without events. */
export const absent = { state: undefined, revision: 'none' } as const

export type StreamState<State> = { readonly state: State | undefined; readonly revision: ExpectedRevision }

/** The fold of a stream up to a revision, whose event has that id. `text` is the revision that last wrote its text. */
export type Snapshot = { readonly revision: number; readonly event: string; readonly text: number; readonly state: unknown }

/** Returns the snapshot of a stream, if there is one. It saves reading. If it contradicts the log, the log decides. */
export type Snapshots = (stream: string) => Promise<Snapshot | undefined>

export type FoldPorts = {
  readonly events: Pick<EventStore, 'read' | 'readBackwards'>
  readonly codec: Pick<Codec, 'open'>
  readonly watch?: Pick<LogWatch, 'isCurrent' | 'isCurrentAt'>
  readonly snapshots?: Snapshots
}

export type Folds = {
  /** Returns the state of a stream in the log now: the cached fold and the events after it. */
  readonly readState: <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => Promise<StreamState<State>>
  /**
   * Returns the state at some moment of the last second. It does not read the log if `watch` says that the cached state is still current.
   */
  readonly readRecentState: Folds['readState']
  /** Returns the state of `readRecentState` if it needs no read. */
  readonly recallCurrentState: (stream: string) => StreamState<never> | undefined
  /** Returns the state at or after a position of the log. It does not read the log if `watch` has received it up to there. */
  readonly readStateAt: (position: Position) => Folds['readState']
  /** Returns the state of a stream when this process last read or wrote it, undefined if it remembers none. */
  readonly recallState: (stream: string) => StreamState<never> | undefined
  /** Drops every state from memory, since some contain text that was erased. */
  readonly forgetStates: () => void
  /**
   * Adds the events that this process appended to a cached state, so that they need not be read, and returns them as a reader has them.
   * `at` is `performance.now()` before sending.
   */
  readonly addWritten: <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    before: StreamState<State>,
    appended: readonly AppendedEvent[],
    at: number,
  ) => Promise<readonly Stored[]>
}

type CachedFold = StreamState<unknown> & { readonly revision: number; readAt: number }

const next = (revision: ExpectedRevision): number => (revision === 'none' ? 0 : revision + 1)

export const folds = ({ events, codec: { open }, watch, snapshots }: FoldPorts): Folds => {
  const remembered = new LRUCache<string, CachedFold>(boundedBy('folds', ({ state }) => bytesOf(state)))
  /**
   * The times (`performance.now()`) at which streams were read and had no event: most accounts are neither banned nor approved in most
   * subsites.
   */
  const absences = new LRUCache<string, number>(boundedBy('absentStreams', () => 0))
  /** The long streams that are being read. Concurrent readers of one wait for the same read. */
  const longReads = new Map<string, Promise<unknown>>()

  /** Keeps the newer of the two states. */
  const remember = (stream: string, folded: StreamState<unknown> & { readonly revision: number }, readAt: number): void => {
    const known = remembered.peek(stream)?.revision
    if (known === undefined || known < folded.revision) remembered.set(stream, { ...folded, readAt })
  }

  const applyPage = async <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    { state, revision }: StreamState<State>,
    page: readonly RecordedEvent[],
  ): Promise<StreamState<State>> => {
    if (page.length === 0) return { state, revision }
    // decrypting one account's events must not delay other requests: as few as possible, some at a time
    const matter = aggregate.parts ? selectRelevant(aggregate.parts, page) : page
    let folded = state
    for (let at = 0; at < matter.length; at += OPENED_AT_ONCE) {
      if (at > 0) await setImmediate()
      const opened = (await open(matter.slice(at, at + OPENED_AT_ONCE))) as readonly unknown[] as readonly Envelope<Event>[]
      folded = fold(aggregate, folded, opened)
    }
    return { state: folded, revision: page.at(-1)?.revision ?? revision }
  }

  const eventAt = async (stream: string, revision: number): Promise<RecordedEvent | undefined> => {
    const [event] = (await events.read(stream, revision, 1)).events
    return event?.revision === revision ? event : undefined
  }

  /** Returns the state of a snapshot later than a revision, if the log has its event at that place. Its text is read from the log. */
  const fromSnapshot = async <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    revision: number,
  ): Promise<StreamState<State> | undefined> => {
    const snapshot = await snapshots?.(stream).catch((fault) => {
      if (fault instanceof StoreFault) return undefined // the state can be read from the log, only slower
      throw fault
    })
    if (snapshot === undefined || snapshot.revision <= revision) return undefined
    if ((await eventAt(stream, snapshot.revision))?.id !== snapshot.event) return undefined
    const state = snapshot.state as State
    if (aggregate.text === undefined) return { state, revision: snapshot.revision }
    const written = await Promise.all([...new Set([0, snapshot.text])].map((at) => eventAt(stream, at)))
    const { state: texts } = await applyPage(
      aggregate,
      absent,
      written.filter((event) => event !== undefined),
    )
    return texts === undefined ? undefined : { state: aggregate.text.restored(state, texts), revision: snapshot.revision }
  }

  const readOn = async <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    before: StreamState<State>,
    first: readonly RecordedEvent[],
  ): Promise<StreamState<State>> => {
    const reached = first.at(-1)?.revision ?? -1
    let folded = (await fromSnapshot(aggregate, stream, reached)) ?? (await applyPage(aggregate, before, first))
    for await (const page of pagesOf(events, stream, next(folded.revision))) folded = await applyPage(aggregate, folded, page)
    return folded
  }

  /** Returns the first page after the cached revision, often the only one. */
  const firstPage = async (stream: string, known: CachedFold | undefined, decidedByLast = false): Promise<StreamPage> => {
    if (known) return events.read(stream, known.revision + 1)
    if (!decidedByLast) return events.read(stream, 0, FIRST_PAGE)
    return { events: (await events.readBackwards(stream, undefined, 1)).events, more: false }
  }

  const readState: Folds['readState'] = async <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => {
    for (;;) {
      await longReads.get(stream)?.catch(() => undefined)
      const known = remembered.get(stream)
      const before = (known ?? absent) as StreamState<State>
      if (known && aggregate.decidedByFirst) return before
      const readAt = performance.now()
      const { events: first, more } = await firstPage(stream, known, aggregate.decidedByLast)
      if (more && longReads.has(stream)) continue
      const finish = async (folding: Promise<StreamState<State>>): Promise<StreamState<State>> => {
        const { state, revision } = await folding
        if (revision === known?.revision) known.readAt = readAt
        else if (revision === 'none') absences.set(stream, readAt)
        else remember(stream, { state, revision }, readAt)
        return { state, revision }
      }
      if (!more) return finish(applyPage(aggregate, before, first))
      const reading = finish(readOn(aggregate, stream, before, first)).finally(() => longReads.delete(stream))
      longReads.set(stream, reading)
      return reading
    }
  }

  /** Returns the state of a stream as it was read last, and when (`performance.now()`). */
  const lastRead = (stream: string): (StreamState<unknown> & { readonly readAt: number }) | undefined => {
    const folded = remembered.get(stream)
    const missedAt = folded ? undefined : absences.get(stream)
    return missedAt === undefined ? folded : { ...absent, readAt: missedAt }
  }

  const recallCurrentState: Folds['recallCurrentState'] = (stream) => {
    const last = lastRead(stream)
    return last && watch?.isCurrent(stream, last.revision, last.readAt) ? (last as StreamState<never>) : undefined
  }

  return {
    readState,
    readRecentState: async (aggregate, stream) => recallCurrentState(stream) ?? readState(aggregate, stream),
    recallCurrentState,
    readStateAt: (position) => async (aggregate, stream) => {
      const before = lastRead(stream)
      const isCurrent = before !== undefined && (await watch?.isCurrentAt(stream, before.revision, before.readAt, position))
      return isCurrent ? (before as StreamState<never>) : readState(aggregate, stream)
    },
    recallState: (stream) => lastRead(stream) as StreamState<never> | undefined,
    forgetStates: () => {
      remembered.clear()
      absences.clear()
    },
    addWritten: async (aggregate, { state }, appended, at) => {
      const last = appended.at(-1)
      if (last === undefined) return []
      const opened = await open(appended)
      const folded = fold(aggregate, state, opened as readonly unknown[] as Parameters<typeof fold<typeof state, never>>[2])
      remember(last.stream, { state: folded, revision: last.revision }, at)
      return opened
    },
  }
}
