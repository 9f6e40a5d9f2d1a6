import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { AnyEvent, Envelope } from './event.ts'
import type { Refusal, RefusalCode } from './refusal.ts'

/**
 * An aggregate: the category of its streams and what its decisions remember of each event. The stream of `id` is
 * `<category>-<id>`; composite ids are joined by a dot.
 */
export type Aggregate<State, Event extends AnyEvent> = {
  readonly category: string
  readonly on: {
    readonly [Type in Event['type']]: (
      state: State | undefined,
      data: Extract<Event, { readonly type: Type }>['data'],
      envelope: Envelope<Extract<Event, { readonly type: Type }>>,
    ) => State | undefined
  }
  /** The last event alone says what the state is, whatever came before it. */
  readonly decidedByLast?: true
  /** For a state that contains user text. */
  readonly text?: StateText<State>
}

/** How a snapshot does without the text in a state, and gets it back from the log. */
export type StateText<State> = {
  without(state: State): State
  /** Events that write the text anew; before any of them it is that of the stream's first event. */
  readonly writtenBy: readonly string[]
  /** The state with its text again, which is in what the first event and the last of `writtenBy` make by themselves. */
  restored(state: State, written: State): State
}

/** Apply events to a state. A type that the aggregate does not know is a fault: the stream is not what it should be. */
export const fold = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  state: State | undefined,
  events: readonly Envelope<Event>[],
): State | undefined =>
  events.reduce((folded: State | undefined, event) => {
    const evolve: ((state: State | undefined, data: never, envelope: never) => State | undefined) | undefined =
      aggregate.on[event.type as Event['type']]
    if (evolve === undefined) throw new Error(`${event.type} is in ${event.stream}, but ${aggregate.category} declares no such event`)
    return evolve(folded, event.data as never, event as never)
  }, state)

export type Decision<Event extends AnyEvent> = Either<Refusal, readonly Event[]>

/** A command: facts from elsewhere and ids are its arguments, the aggregate's own state comes last. */
export type Decide<State, Event extends AnyEvent> = (state: State | undefined) => Decision<Event>

/** Already so: not an error, and not news. */
export const nothing: Either<never, readonly never[]> = E.right([])

export const record = <Event extends AnyEvent>(...events: readonly Event[]): Either<never, readonly Event[]> => E.right(events)

export const refuse = (code: RefusalCode, field: string | null = null): Either<Refusal, never> => E.left({ code, field })
