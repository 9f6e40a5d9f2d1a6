import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type { AnyEvent, Envelope } from './event.ts'
import type { Refusal, RefusalCode } from './refusal.ts'

/**
 * An aggregate: the category of its streams and what its decisions remember of each event. The stream of `id` is
 * `<category>-<id>`; composite ids are joined by a dot.
 */
export type Aggregate<State, Event extends AnyEvent> = {
  readonly category: string
  /** The subsite of a stream, by its fullname or that of a thing in it; null: none. It limits what tokens restricted to subsites can access. */
  readonly subsiteOf: ((id: string, state: State | undefined) => string | null) | null
  readonly on: {
    readonly [Type in Event['type']]: (
      state: State | undefined,
      data: Extract<Event, { readonly type: Type }>['data'],
      envelope: Envelope<Extract<Event, { readonly type: Type }>>,
    ) => State | undefined
  }
  /** The last event alone determines the state. */
  readonly decidedByLast?: true
  /**
   * Of which part of the state an event is, and whether it makes that part anew: then earlier events of that part do not matter. Types
   * that are not named always do.
   */
  readonly parts?: Readonly<Partial<Record<Event['type'], Part>>>
  /** For a state that contains user text. */
  readonly text?: StateText<State>
}

/** What an event does that only sets something: an existing state has these values from then on. */
export const becomes =
  <State>(change: NoInfer<Partial<State>>) =>
  (state: State | undefined): State | undefined =>
    state && { ...state, ...change }

export type Part = { readonly of: string; readonly anew: boolean }

/** An aggregate each of whose events is of one part of its state: what `on` and `parts` say of each, from one line. */
export const inParts = <State, Event extends AnyEvent>(
  lines: {
    readonly [Type in Event['type']]: Part & { readonly fold: Aggregate<State, Event>['on'][Type] }
  },
): Required<Pick<Aggregate<State, Event>, 'on' | 'parts'>> => {
  const entries = Object.entries<Part & { readonly fold: unknown }>(lines)
  return {
    on: Object.fromEntries(entries.map(([type, { fold }]) => [type, fold])) as Aggregate<State, Event>['on'],
    parts: Object.fromEntries(entries.map(([type, { of, anew }]) => [type, { of, anew }])) as Record<Event['type'], Part>,
  }
}

/** Of some events of a stream in their order, those that their state depends on. */
export const thoseThatMatter = <Stored extends { readonly type: string }>(
  parts: Readonly<Partial<Record<string, Part>>>,
  events: readonly Stored[],
): readonly Stored[] => {
  const anew = new Set<string>()
  const matter = events.toReversed().filter(({ type }) => {
    const part = parts[type]
    if (part === undefined) return true
    if (anew.has(part.of)) return false
    if (part.anew) anew.add(part.of)
    return true
  })
  return matter.toReversed()
}

/** How a snapshot does without the text in a state, and gets it back from the log. */
export type StateText<State> = {
  without(state: State): State
  /** Events that replace the text; before any of them the stream's first event has it. */
  readonly writtenBy: readonly string[]
  /** The state with its text restored from the first event and the last of `writtenBy`. */
  restored(state: State, written: State): State
}

/** Apply events to a state. An unknown event type is a fault: the stream is corrupt. */
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

/** No change is needed: neither an error nor an event. */
export const nothing: Either<never, readonly never[]> = E.right([])

export const record = <Event extends AnyEvent>(...events: readonly Event[]): Either<never, readonly Event[]> => E.right(events)

/** Two commands that make something so and not so; each changes nothing if it is already as wanted. */
export const switched = <State, Data, On extends AnyEvent, Off extends AnyEvent>(
  isSo: (state: State) => boolean,
  on: (data: Data) => On,
  off: (data: Data) => Off,
): { readonly on: (data: Data) => Decide<State, On>; readonly off: (data: Data) => Decide<State, Off> } => {
  const is = (state: State | undefined) => state !== undefined && isSo(state)
  return {
    on: (data) => (state) => (is(state) ? nothing : record(on(data))),
    off: (data) => (state) => (is(state) ? record(off(data)) : nothing),
  }
}

export const refuse = (code: RefusalCode, field: string | null = null): Either<Refusal, never> => E.left({ code, field })
