import type { Load, Run } from '../app.ts'
import { refuse } from '../domain/decision.ts'
import { kindOf, type SubsiteId } from '../domain/ids.ts'
import type { Site } from './endpoint.ts'
import type { Identity } from './identity.ts'
import { aggregates, type Kind } from './kinds.ts'

/*
 * What a token that is restricted to subsites reaches: of its account everything that is in no subsite, and else only what is in the
 * subsites that the path of its request names. Whatever an id, a name or an address in a parameter leads to elsewhere is not there:
 * `load` does not find it, `run` refuses it, and `viewer.within` hides it wherever it is asked whether the viewer may view a subsite.
 */

type Reach = ReadonlySet<SubsiteId>

/** The subsites that a request may reach; undefined: all. The gate has refused a path that names others than the token's. */
export const reachOf = ({ subsites }: Identity, site: Site): Reach | undefined => {
  if (subsites === undefined) return undefined
  const named = site.kind === 'subsite' ? [site.subsite] : site.kind === 'several' ? site.subsites : []
  return new Set(named.map(({ id }) => id))
}

/** The subsite that a stream belongs to; null: none. */
type PlaceOf = (id: string, state: unknown, load: Load) => SubsiteId | null | Promise<SubsiteId | null>

const nowhere: PlaceOf = () => null
const isItself: PlaceOf = (id) => id
const firstPart: PlaceOf = (id) => id.slice(0, id.indexOf('.'))
const secondPart = (id: string) => id.slice(id.indexOf('.') + 1)

/** What does not exist is in no subsite; whatever comes into being is recorded from states that were loaded. */
const asStated: PlaceOf = (_, state) => {
  const subsite: unknown = state !== null && typeof state === 'object' && 'subsite' in state ? state.subsite : null
  return typeof subsite === 'string' ? subsite : null
}

/** `vote-<account>.<thing>` is where the thing is. */
const ofThing: PlaceOf = async (id, _, load) => {
  const thing = secondPart(id)
  const kind = kindOf(thing)
  const isKnown = kind !== undefined && kind in aggregates
  return isKnown ? asStated(thing, await load<unknown, never>(aggregates[kind as Kind], thing), load) : null
}

/** By the category of the stream. A category that is missing here is out of reach. */
export const places: Readonly<Record<string, PlaceOf>> = {
  account: nowhere,
  username: nowhere,
  contact: nowhere,
  mailbox: nowhere,
  subsite: isItself,
  moderators: isItself,
  stickies: isItself,
  relation: firstPart,
  subscription: secondPart,
  subsitename: asStated,
  link: asStated,
  comment: asStated,
  message: asStated,
  vote: ofThing,
  shelf: ofThing,
  inbox: ofThing,
  report: ofThing,
}

const isWithin = async (reach: Reach, category: string, id: string, state: unknown, load: Load): Promise<boolean> => {
  const placeOf = places[category]
  if (!placeOf) return false
  const place = await placeOf(id, state, load)
  return place === null || reach.has(place)
}

/** The same `load`, to which nothing exists out of reach. */
export const loadWithin =
  (reach: Reach, load: Load): Load =>
  async (aggregate, id, command) => {
    const state = await load(aggregate, id, command)
    return (await isWithin(reach, aggregate.category, id, state, load)) ? state : undefined
  }

/** The same `run`, which refuses what is out of reach (403). */
export const runWithin =
  (reach: Reach, load: Load, run: Run): Run =>
  async (aggregate, id, decide, command) => {
    const state = await load(aggregate, id)
    return (await isWithin(reach, aggregate.category, id, state, load)) ? run(aggregate, id, decide, command) : refuse('FORBIDDEN')
  }
