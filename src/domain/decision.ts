// Decision 28.

import * as E from 'fp-ts/lib/Either.js'
import type { AnyEvent, StoredEnvelope } from './event.ts'
import type { Refusal, RefusalCode } from './refusal.ts'

/**
 * An aggregate: the category of its streams, and the state that its decisions fold from the events. The stream of `id` is
 * `<category>-<id>`; composite ids are joined by a dot.
 */
export type Aggregate<State, Event extends AnyEvent> = {
  readonly category: string
  /**
   * Returns the subsite of a stream, as its fullname or that of a thing in it; null if there is none. It limits the access of tokens that
   * are restricted to subsites.
   */
  readonly subsiteOf: ((id: string, state: State | undefined) => string | null) | null
  readonly on: {
    readonly [Type in Event['type']]: (
      state: State | undefined,
      data: Extract<Event, { readonly type: Type }>['data'],
      envelope: StoredEnvelope<Extract<Event, { readonly type: Type }>>,
    ) => State | undefined
  }
  /** True if the first event determines the state for good. */
  readonly decidedByFirst?: true
  /** True if the last event alone determines the state. */
  readonly decidedByLast?: true
  /**
   * The part of the state that each type of event belongs to, and whether the event makes that part anew. Earlier events of a part that is
   * made anew do not matter. Types that are not named always matter.
   */
  readonly parts?: Readonly<Partial<Record<Event['type'], StatePart>>>
  /** Present if the state contains user text. */
  readonly text?: StateText<State>
}

/** Returns the fold of an event that only sets values of an existing state. */
export const setState =
  <State>(change: NoInfer<Partial<State>>) =>
  (state: State | undefined): State | undefined =>
    state && { ...state, ...change }

export type StatePart = { readonly of: string; readonly anew: boolean }

/** Builds `on` and `parts` of an aggregate, from one line for each type of event. Each type belongs to one part of the state. */
export const foldInParts = <State, Event extends AnyEvent>(
  lines: {
    readonly [Type in Event['type']]: StatePart & { readonly fold: Aggregate<State, Event>['on'][Type] }
  },
): Required<Pick<Aggregate<State, Event>, 'on' | 'parts'>> => {
  const entries = Object.entries<StatePart & { readonly fold: unknown }>(lines)
  return {
    on: Object.fromEntries(entries.map(([type, { fold }]) => [type, fold])) as Aggregate<State, Event>['on'],
    parts: Object.fromEntries(entries.map(([type, { of, anew }]) => [type, { of, anew }])) as Record<Event['type'], StatePart>,
  }
}

/** Returns those of a stream's events that its state depends on, in their order. */
export const selectRelevant = <Stored extends { readonly type: string }>(
  parts: Readonly<Partial<Record<string, StatePart>>>,
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

/** Takes the text out of a state for its snapshot, and restores it from the log. */
export type StateText<State> = {
  without(state: State): State
  /** Events that replace the text. Before any of them, the text is that of the stream's first event. */
  readonly writtenBy: readonly string[]
  /** Returns the state with its text from the first event and the last of `writtenBy`. */
  restored(state: State, written: State): State
}

/** Applies events to a state. An unknown event type is a fault: the stream is corrupt. */
export const fold = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  state: State | undefined,
  events: readonly StoredEnvelope<Event>[],
): State | undefined =>
  events.reduce((folded: State | undefined, event) => {
    const evolve: ((state: State | undefined, data: never, envelope: never) => State | undefined) | undefined =
      aggregate.on[event.type as Event['type']]
    if (evolve === undefined) throw new Error(`${event.type} is in ${event.stream}, but ${aggregate.category} declares no such event`)
    return evolve(folded, event.data as never, event as never)
  }, state)

export type Decision<Event extends AnyEvent> = E.Either<Refusal, readonly Event[]>

/** A command. Facts from elsewhere and ids are its arguments; the aggregate's own state comes last. */
export type Decide<State, Event extends AnyEvent> = (state: State | undefined) => Decision<Event>

/** The decision that no change is needed: neither an error nor an event. */
export const noEvents: E.Either<never, readonly never[]> = E.right([])

export const decideEvents = <Event extends AnyEvent>(...events: readonly Event[]): E.Either<never, readonly Event[]> => E.right(events)

/** Returns two commands that switch something on and off. Each changes nothing if the state already is as wanted. */
export const switchOnAndOff = <State, Data, On extends AnyEvent, Off extends AnyEvent>(
  isSo: (state: State) => boolean,
  on: (data: Data) => On,
  off: (data: Data) => Off,
): { readonly on: (data: Data) => Decide<State, On>; readonly off: (data: Data) => Decide<State, Off> } => {
  const isOn = (state: State | undefined) => state !== undefined && isSo(state)
  return {
    on: (data) => (state) => (isOn(state) ? noEvents : decideEvents(on(data))),
    off: (data) => (state) => (isOn(state) ? decideEvents(off(data)) : noEvents),
  }
}

export const refuse = (code: RefusalCode, field: string | null = null): E.Either<Refusal, never> => E.left({ code, field })
