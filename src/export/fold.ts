import type { EventName, Logged } from '../domain/events.ts'

/** An event as a fold gets it: as a line of an export, with its data in today's schema. `n` is its number in the whole log. */
export type FoldedEvent<Name extends EventName = EventName> = {
  [N in Name]: Logged<N> & { readonly n: number; readonly schema: number; readonly hash: string }
}[Name]

/** In UTC; weeks begin on Mondays. */
export type Period = 'hour' | 'day' | 'week' | 'month' | 'year'

/**
 * A program over the history: a state at the start, and the change that each event makes to it. It is the default export of a file that
 * `npx rostra replay --with FILE` runs: `export default { start, on, every } satisfies Fold<State>`.
 */
export type Fold<State> = {
  readonly start: State
  readonly on: { readonly [Name in EventName]?: (state: State, event: FoldedEvent<Name>) => State }
  /** The period at whose end a line with the state is written. If absent, there is one line at the end. */
  readonly every?: Period
  /** Returns the part of the state that is written, as JSON. If absent, the whole state is written. */
  readonly show?: (state: State) => unknown
}
