// Decision 57.

import type { Aggregate } from '../../domain/decision.ts'
import type { AnyEvent } from '../../domain/event.ts'
import type { SubsiteId } from '../../domain/ids.ts'
import { SubsiteName } from '../../domain/subsite.ts'
import type { Load } from '../../runtime/load.ts'
import type { Run } from '../../runtime/run.ts'
import { refuseRule } from '../contract/refusals.ts'
import { type Site, subsitesIn } from '../contract/request.ts'
import { column } from '../things/kinds/all.ts'

/*
 * Restricts a token for some subsites. It can access everything of its account outside subsites. Otherwise it can access only the subsites
 * that the path of its request names or, if it names none, those of the things that the request acts on. Anything else does not exist for
 * it, whatever id, name or address is sent: `load` does not find it, `run` refuses it, and `viewer.within` hides it from every check
 * whether the viewer may view a subsite.
 */

export type ReachableSubsites = ReadonlySet<SubsiteId>

/** The most things that one request may name; no list that a parameter takes is longer. */
const MAX_THINGS = 100

const isText = (name: string): boolean => column(name, 'text') !== undefined

/** Returns the subsites of the things of these names; undefined if one is of no subsite or does not exist. */
const subsitesOf = async (load: Load, names: readonly string[]): Promise<ReachableSubsites | undefined> => {
  if (names.length > MAX_THINGS || !names.every(isText)) return undefined
  const subsites = await Promise.all(names.map((name) => column(name, 'subsite')?.({ load }, name)))
  const existing = subsites.filter((subsite) => subsite !== undefined)
  return existing.length < names.length ? undefined : new Set(existing)
}

/** Returns the subsites of a token, by their lower-case names. */
const subsitesOpened = async (load: Load, names: readonly string[]): Promise<ReachableSubsites> => {
  const claims = await Promise.all(names.map((name) => load(SubsiteName, name)))
  return new Set(claims.flatMap((claim) => claim?.subsite ?? []))
}

/**
 * Returns the subsites that a request with a token for these subsites may reach; undefined if it names another one, or none. `things` are
 * those that it acts on, if any.
 */
export const reachOf = async (
  load: Load,
  opened: readonly string[],
  site: Site,
  things: readonly string[],
): Promise<ReachableSubsites | undefined> => {
  const named = subsitesIn(site)
  if (named.length > 0) return named.every(({ lower }) => opened.includes(lower)) ? new Set(named.map(({ id }) => id)) : undefined
  if (site.kind !== 'home' || things.length === 0) return undefined
  const reach = await subsitesOf(load, things)
  return reach?.isSubsetOf(await subsitesOpened(load, opened)) ? reach : undefined
}

/** Tells whether a stream is of a subsite within reach, or of none. A missing thing has none; a new one is recorded from loaded states. */
const isWithin = async <State, Event extends AnyEvent>(
  reach: ReachableSubsites,
  aggregate: Aggregate<State, Event>,
  id: string,
  state: State | undefined,
  load: Load,
): Promise<boolean> => {
  const name = aggregate.subsiteOf?.(id, state) ?? null
  const place = name !== null && isText(name) ? await column(name, 'subsite')?.({ load }, name) : name
  return place === undefined || place === null || reach.has(place)
}

/** Returns a `load` in which streams out of reach do not exist. */
export const loadWithin =
  (reach: ReachableSubsites, load: Load): Load =>
  async (aggregate, id, command) => {
    const state = await load(aggregate, id, command)
    return (await isWithin(reach, aggregate, id, state, load)) ? state : undefined
  }

/** Returns a `run` that refuses streams out of reach (403). */
export const runWithin =
  (reach: ReachableSubsites, load: Load, run: Run): Run =>
  async (aggregate, id, decide, command) => {
    const state = await load(aggregate, id)
    return (await isWithin(reach, aggregate, id, state, load)) ? run(aggregate, id, decide, command) : refuseRule('FORBIDDEN')
  }
