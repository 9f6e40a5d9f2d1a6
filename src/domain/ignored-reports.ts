import { type Decide, nothing, record, refuse } from './decision.ts'
import type { AnyEvent } from './event.ts'
import { SubsiteId } from './ids.ts'
import { Target } from './target.ts'

/** What an act of moderation on a link or a comment says. */
export const actOnThing = { subsite: SubsiteId, target: Target }

type Ignorable = { readonly subsite: SubsiteId; readonly deleted: boolean; readonly ignoresReports: boolean }
type Act<Event> = (data: { readonly subsite: SubsiteId; readonly target: Target }) => Event

/** For one kind of thing: whether reports on it put it into the queue of the moderators. */
export const ignoringReports = <State extends Ignorable, Event extends AnyEvent>(
  targetOf: (state: State) => Target,
  { ignored, heeded }: { readonly ignored: Act<Event>; readonly heeded: Act<Event> },
): { readonly ignore: Decide<State, Event>; readonly heed: Decide<State, Event> } => {
  const becoming =
    (ignores: boolean, act: Act<Event>): Decide<State, Event> =>
    (state) => {
      if (!state) return refuse('FORBIDDEN')
      if (state.deleted || state.ignoresReports === ignores) return nothing
      return record(act({ subsite: state.subsite, target: targetOf(state) }))
    }
  return { ignore: becoming(true, ignored), heed: becoming(false, heeded) }
}
