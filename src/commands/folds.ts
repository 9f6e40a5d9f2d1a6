import { LRUCache } from 'lru-cache'
import type { Aggregate } from '../domain/decision.ts'
import type { AnyEvent, Envelope } from '../domain/event.ts'
import type { Codec } from '../log/codec.ts'
import { pagesOf } from '../log/pages.ts'
import type { EventStore, Expected, RecordedEvent } from '../ports/event-store.ts'
import type { LogWatch } from './log-watch.ts'

const MAX_REMEMBERED = 20_000
const absent = { state: undefined, revision: 'none' } as const

export type Folded<State> = { readonly state: State | undefined; readonly revision: Expected }

/** Apply events to a state. A type that the aggregate does not know is a fault: the stream is not what it should be. */
export const fold = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  state: State | undefined,
  events: readonly Envelope<Event>[],
): State | undefined =>
  events.reduce((folded: State | undefined, event) => {
    const evolve: ((state: State | undefined, data: never, envelope: never) => State | undefined) | undefined =
      aggregate.on[event.type as Event['type']]
    if (evolve === undefined) throw new Error(`${event.type} stands in ${event.stream}, but ${aggregate.category} knows no such event`)
    return evolve(folded, event.data as never, event as never)
  }, state)

export type Folds = {
  /** The state of a stream as the log has it now: the remembered fold and whatever came after it. */
  readonly tail: <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => Promise<Folded<State>>
  /** The state as the log had it at some moment of the last second, without asking the log where `watch` can tell. */
  readonly recent: Folds['tail']
  /** What is remembered of a stream, nothing being no stream: a guess, which an append behind its revision proves or refuses. */
  readonly remembered: <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => Folded<State>
  /** Remember what this process wrote itself onto a state, so that nobody need read it. `at`: `performance.now()` before it was sent. */
  readonly written: <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    before: Folded<State>,
    recorded: readonly RecordedEvent[],
    at: number,
  ) => Promise<void>
}

type Remembered = Folded<unknown> & { readonly revision: number; readAt: number }

export const folds = (events: Pick<EventStore, 'read'>, { open }: Pick<Codec, 'open'>, watch?: Pick<LogWatch, 'isCurrent'>): Folds => {
  const remembered = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED })

  /** What was read or written since is newer. */
  const remember = (stream: string, folded: Folded<unknown> & { readonly revision: number }, readAt: number): void => {
    const known = remembered.peek(stream)?.revision
    if (known === undefined || known < folded.revision) remembered.set(stream, { ...folded, readAt })
  }

  const tail: Folds['tail'] = async <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => {
    const known = remembered.get(stream)
    const readAt = performance.now()
    let folded = (known ?? absent) as Folded<State>
    for await (const page of pagesOf(events, stream, folded.revision === 'none' ? 0 : folded.revision + 1)) {
      const opened = (await open(page)) as readonly unknown[] as readonly Envelope<Event>[]
      folded = { state: fold(aggregate, folded.state, opened), revision: page.at(-1)?.revision ?? folded.revision }
    }
    const { state, revision } = folded
    if (revision === known?.revision) known.readAt = readAt
    else if (revision !== 'none') remember(stream, { state, revision }, readAt)
    return folded
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
