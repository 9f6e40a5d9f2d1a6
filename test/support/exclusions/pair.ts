import type { Cast } from '../cast.ts'
import type { Answer } from '../site.ts'

/** Ann has founded `arena` and moderates it, bob has written a link there, root is an admin. */
export type Stage = Cast<'ann' | 'bob' | 'root'> & { readonly subsite: string; readonly link: string }

/** `on`: the category of the stream on which it is recorded. */
type Act = { readonly ask: () => Promise<Answer>; readonly on: string }

/** Two acts that nobody has done yet, and what holds after both. */
export type Scene = { readonly one: Act; readonly other: Act; readonly state: () => Promise<string> }

/** Two acts on two streams, one of which forbids the other. */
export type Pair = {
  readonly acts: readonly [one: string, other: string]
  readonly rule: string
  /** The consequences if the decision of the first overlooked the second, and the other way round; or the reason why none are needed. */
  readonly repair: readonly [oneOverlooked: string, otherOverlooked: string]
  /** The states that may hold in the end. */
  readonly ends: readonly string[]
  readonly open: (stage: Stage) => Promise<Scene>
}
