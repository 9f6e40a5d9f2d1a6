import type { EventName, Logged } from '../domain/events.ts'

/** An event as a fold is given it: as a line of an export has it, its data in today's schema. `n`: its number in the whole log. */
export type FoldedEvent<Name extends EventName = EventName> = {
  [N in Name]: Logged<N> & { readonly n: number; readonly schema: number; readonly hash: string }
}[Name]

/** In UTC; weeks begin on Mondays. */
export type Period = 'hour' | 'day' | 'week' | 'month' | 'year'

/**
 * A program over the history: what is known at the start, and what each event makes of it. It is the default export of a file that
 * `npm run replay -- --with FILE` runs: `export default { start, on, every } satisfies Fold<State>`.
 */
export type Fold<State> = {
  readonly start: State
  readonly on: { readonly [Name in EventName]?: (state: State, event: FoldedEvent<Name>) => State }
  /** A line for each period, with the state at its end; absent: one line at the end of all. */
  readonly every?: Period
  /** What of the state is written, as JSON; absent: all of it. */
  readonly show?: (state: State) => unknown
}
