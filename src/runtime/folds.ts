import { LRUCache } from 'lru-cache'
import { type Aggregate, fold } from '../domain/decision.ts'
import type { AnyEvent, Envelope } from '../domain/event.ts'
import type { Codec } from '../log/codec.ts'
import { pagesOf } from '../log/pages.ts'
import type { EventStore, Expected, RecordedEvent, StreamPage } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { bytesOf } from '../ports/size.ts'
import type { LogWatch } from './log-watch.ts'

const MAX_REMEMBERED = 20_000
const MAX_REMEMBERED_BYTES = 16 * 1024 * 1024
/** Events of a stream that is not remembered that are read before a snapshot is asked for: nearly all streams are shorter. */
const FIRST_PAGE = 16

const absent = { state: undefined, revision: 'none' } as const

export type Folded<State> = { readonly state: State | undefined; readonly revision: Expected }

/** What was made of a stream up to a revision, where the event of that id stood; `text` is the revision that wrote its text last. */
export type Snapshot = { readonly revision: number; readonly event: string; readonly text: number; readonly state: unknown }

/** The snapshot of a stream, if there is one. It saves reading; where it differs from the log, the log counts. */
export type Snapshots = (stream: string) => Promise<Snapshot | undefined>

export type FoldPorts = {
  readonly events: Pick<EventStore, 'read' | 'readBackwards'>
  readonly codec: Pick<Codec, 'open'>
  readonly watch?: Pick<LogWatch, 'isCurrent'>
  readonly snapshots?: Snapshots
}

export type Folds = {
  /** The state of a stream as the log has it now: the remembered fold and whatever came after it. */
  readonly tail: <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => Promise<Folded<State>>
  /** The state as the log had it at some moment of the last second, without asking the log where `watch` can tell. */
  readonly recent: Folds['tail']
  /** What is remembered of a stream, nothing being no stream: a guess, which an append behind its revision proves or refuses. */
  readonly remembered: <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => Folded<State>
  /** Cache what this process appended to a state, so that it need not be read. `at`: `performance.now()` before it was sent. */
  readonly written: <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    before: Folded<State>,
    recorded: readonly RecordedEvent[],
    at: number,
  ) => Promise<void>
}

type Remembered = Folded<unknown> & { readonly revision: number; readAt: number }

const next = (revision: Expected): number => (revision === 'none' ? 0 : revision + 1)

export const folds = ({ events, codec: { open }, watch, snapshots }: FoldPorts): Folds => {
  const remembered = new LRUCache<string, Remembered>({
    max: MAX_REMEMBERED,
    maxSize: MAX_REMEMBERED_BYTES,
    sizeCalculation: ({ state }, stream) => 100 + 2 * stream.length + bytesOf(state),
  })
  /** Long streams that are being read; who needs the same one waits, and then finds it remembered. */
  const longReads = new Map<string, Promise<unknown>>()

  /** What was read or written since is newer. */
  const remember = (stream: string, folded: Folded<unknown> & { readonly revision: number }, readAt: number): void => {
    const known = remembered.peek(stream)?.revision
    if (known === undefined || known < folded.revision) remembered.set(stream, { ...folded, readAt })
  }

  const applied = async <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    { state, revision }: Folded<State>,
    page: readonly RecordedEvent[],
  ): Promise<Folded<State>> => {
    if (page.length === 0) return { state, revision }
    const opened = (await open(page)) as readonly unknown[] as readonly Envelope<Event>[]
    return { state: fold(aggregate, state, opened), revision: page.at(-1)?.revision ?? revision }
  }

  const eventAt = async (stream: string, revision: number): Promise<RecordedEvent | undefined> => {
    const [event] = (await events.read(stream, revision, 1)).events
    return event?.revision === revision ? event : undefined
  }

  /** The state of a snapshot further on than a revision, if its event stands where it says; its text is read from the log. */
  const fromSnapshot = async <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    revision: number,
  ): Promise<Folded<State> | undefined> => {
    const snapshot = await snapshots?.(stream).catch((fault) => {
      if (fault instanceof StoreFault) return undefined // the log says it too, only slower
      throw fault
    })
    if (snapshot === undefined || snapshot.revision <= revision) return undefined
    if ((await eventAt(stream, snapshot.revision))?.id !== snapshot.event) return undefined
    const state = snapshot.state as State
    if (aggregate.text === undefined) return { state, revision: snapshot.revision }
    const written = await Promise.all([...new Set([0, snapshot.text])].map((at) => eventAt(stream, at)))
    const { state: told } = await applied(
      aggregate,
      absent,
      written.filter((event) => event !== undefined),
    )
    return told === undefined ? undefined : { state: aggregate.text.restored(state, told), revision: snapshot.revision }
  }

  const readOn = async <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    before: Folded<State>,
    first: readonly RecordedEvent[],
  ): Promise<Folded<State>> => {
    const reached = first.at(-1)?.revision ?? -1
    let folded = (await fromSnapshot(aggregate, stream, reached)) ?? (await applied(aggregate, before, first))
    for await (const page of pagesOf(events, stream, next(folded.revision))) folded = await applied(aggregate, folded, page)
    return folded
  }

  /** The only page there is beyond what is known, or the first of several. */
  const firstPage = async (stream: string, known: Remembered | undefined, decidedByLast = false): Promise<StreamPage> => {
    if (known) return events.read(stream, known.revision + 1)
    if (!decidedByLast) return events.read(stream, 0, FIRST_PAGE)
    return { events: (await events.readBackwards(stream, undefined, 1)).events, more: false }
  }

  const tail: Folds['tail'] = async <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => {
    for (;;) {
      await longReads.get(stream)?.catch(() => undefined)
      const known = remembered.get(stream)
      const before = (known ?? absent) as Folded<State>
      const readAt = performance.now()
      const { events: first, more } = await firstPage(stream, known, aggregate.decidedByLast)
      if (more && longReads.has(stream)) continue
      const finish = async (folding: Promise<Folded<State>>): Promise<Folded<State>> => {
        const { state, revision } = await folding
        if (revision === known?.revision) known.readAt = readAt
        else if (revision !== 'none') remember(stream, { state, revision }, readAt)
        return { state, revision }
      }
      if (!more) return finish(applied(aggregate, before, first))
      const reading = finish(readOn(aggregate, stream, before, first)).finally(() => longReads.delete(stream))
      longReads.set(stream, reading)
      return reading
    }
  }

  return {
    tail,
    recent: async (aggregate, stream) => {
      const known = remembered.get(stream)
      if (known && watch?.isCurrent(stream, known.revision, known.readAt)) return known as Folded<never>
      return tail(aggregate, stream)
    },
    remembered: (_, stream) => (remembered.get(stream) ?? absent) as Folded<never>,
    written: async (aggregate, { state }, recorded, at) => {
      const last = recorded.at(-1)
      if (last === undefined) return
      const opened = (await open(recorded)) as readonly unknown[] as Parameters<typeof fold<typeof state, never>>[2]
      remember(last.stream, { state: fold(aggregate, state, opened), revision: last.revision }, at)
    },
  }
}
