import { LRUCache } from 'lru-cache'
import type { Aggregate } from '../domain/decision.ts'
import type { AnyEvent, Envelope } from '../domain/event.ts'
import type { Codec } from '../log/codec.ts'
import type { EventStore, Expected } from '../ports/event-store.ts'

const MAX_REMEMBERED = 20_000

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
}

export const folds = (events: Pick<EventStore, 'read'>, { open }: Pick<Codec, 'open'>): Folds => {
  const remembered = new LRUCache<string, Folded<unknown>>({ max: MAX_REMEMBERED })

  return {
    tail: async <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => {
      const { state, revision } = (remembered.get(stream) ?? { state: undefined, revision: 'none' }) as Folded<State>
      const recorded = await events.read(stream, revision === 'none' ? 0 : revision + 1)
      const last = recorded.at(-1)
      if (last === undefined) return { state, revision }
      const opened = (await open(recorded)) as readonly unknown[] as readonly Envelope<Event>[]
      const folded = { state: fold(aggregate, state, opened), revision: last.revision }
      const meanwhile = remembered.peek(stream)?.revision
      if (typeof meanwhile !== 'number' || meanwhile < folded.revision) remembered.set(stream, folded)
      return folded
    },
  }
}
