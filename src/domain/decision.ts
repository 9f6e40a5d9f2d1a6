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
}

export type Decision<Event extends AnyEvent> = Either<Refusal, readonly Event[]>

/** A command: facts from elsewhere and ids are its arguments, the aggregate's own state comes last. */
export type Decide<State, Event extends AnyEvent> = (state: State | undefined) => Decision<Event>

/** Already so: not an error, and not news. */
export const nothing: Either<never, readonly never[]> = E.right([])

export const record = <Event extends AnyEvent>(...events: readonly Event[]): Either<never, readonly Event[]> => E.right(events)

export const refuse = (code: RefusalCode, field: string | null = null): Either<Refusal, never> => E.left({ code, field })
