import type { SubsiteId } from '../domain/ids.ts'
import type { Load, Run } from '../runtime/run.ts'
import { stateNamed } from './kinds.ts'
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

/** The subsite that a stream belongs to; null: none. */
type PlaceOf = (id: string, state: unknown, load: Load) => SubsiteId | null | Promise<SubsiteId | null>

const nowhere: PlaceOf = () => null
const isItself: PlaceOf = (id) => id
const firstPart: PlaceOf = (id) => id.slice(0, id.indexOf('.'))
const secondPart = (id: string) => id.slice(id.indexOf('.') + 1)

/** A missing thing has no subsite; a new one is recorded from loaded states. */
const asStated: PlaceOf = (_, state) => {
  const subsite: unknown = state !== null && typeof state === 'object' && 'subsite' in state ? state.subsite : null
  return typeof subsite === 'string' ? subsite : null
}

/** `linkflair-<link>` and `stickycomment-<link>` belong to the subsite of the link. */
const thingItself: PlaceOf = async (id, _, load) => asStated(id, await stateNamed({ load }, id), load)

/** `vote-<account>.<thing>` belongs to the subsite of the thing. */
const ofThing: PlaceOf = (id, state, load) => thingItself(secondPart(id), state, load)

/** By the category of the stream. A category without an entry here cannot be accessed. */
export const places: Readonly<Record<string, PlaceOf>> = {
  account: nowhere,
  username: nowhere,
  preferences: nowhere,
  avoidance: secondPart,
  contact: nowhere,
  mailbox: nowhere,
  multi: nowhere,
  credits: nowhere,
  gold: nowhere,
  subsite: isItself,
  moderators: isItself,
  stickies: isItself,
  rules: isItself,
  images: isItself,
  stylesheet: isItself,
  flairtemplates: isItself,
  flair: firstPart,
  relation: firstPart,
  wikipage: firstPart,
  wikirevision: firstPart,
  subscription: secondPart,
  subsitename: asStated,
  link: asStated,
  linkflair: thingItself,
  stickycomment: thingItself,
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

/** The same `load`, in which streams out of reach do not exist. */
export const loadWithin =
  (reach: Reach, load: Load): Load =>
  async (aggregate, id, command) => {
    const state = await load(aggregate, id, command)
    return (await isWithin(reach, aggregate.category, id, state, load)) ? state : undefined
  }

/** The same `run`, which refuses streams out of reach (403). */
export const runWithin =
  (reach: Reach, load: Load, run: Run): Run =>
  async (aggregate, id, decide, command) => {
    const state = await load(aggregate, id)
    return (await isWithin(reach, aggregate.category, id, state, load)) ? run(aggregate, id, decide, command) : refuse('FORBIDDEN')
  }
