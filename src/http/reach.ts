import type { Aggregate } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { Load, Run } from '../runtime/run.ts'
import { isWritten, subsiteOf } from './kinds.ts'
import { refuse } from './refusals.ts'
import { type Site, subsitesIn } from './request.ts'

/*
 * The data that a token restricted to subsites can access: everything of its account outside subsites, and otherwise only the
 * subsites that the path of its request names. Anything else does not exist for it, whatever id, name or address is sent:
 * `load` does not find it, `run` refuses it, and `viewer.within` hides it wherever it is asked whether the viewer may view a subsite.
 */

type Reach = ReadonlySet<SubsiteId>

/** The subsites that a request with a token for some subsites may reach; the gate has refused a path that names others than the token's. */
export const reachOf = (site: Site): Reach => new Set(subsitesIn(site).map(({ id }) => id))

/** Whether a stream is of a subsite within reach, or of none. A missing thing has none; a new one is recorded from loaded states. */
const isWithin = async <State, Event extends AnyEvent>(
  reach: Reach,
  aggregate: Aggregate<State, Event>,
  id: string,
  state: State | undefined,
  load: Load,
): Promise<boolean> => {
  const name = aggregate.subsiteOf?.(id, state) ?? null
  const place = name !== null && isWritten(name) ? await subsiteOf({ load }, name) : name
  return place === undefined || place === null || reach.has(place)
}

/** The same `load`, in which streams out of reach do not exist. */
export const loadWithin =
  (reach: Reach, load: Load): Load =>
  async (aggregate, id, command) => {
    const state = await load(aggregate, id, command)
    return (await isWithin(reach, aggregate, id, state, load)) ? state : undefined
  }

/** The same `run`, which refuses streams out of reach (403). */
export const runWithin =
  (reach: Reach, load: Load, run: Run): Run =>
  async (aggregate, id, decide, command) => {
    const state = await load(aggregate, id)
    return (await isWithin(reach, aggregate, id, state, load)) ? run(aggregate, id, decide, command) : refuse('FORBIDDEN')
  }
