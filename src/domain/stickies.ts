// Decision 29.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import type { LinkId, SubsiteId } from './ids.ts'
import { type Link, toLinkTarget } from './link.ts'
import { actOnThing, unstickyReason } from './moderated-thing.ts'
import { type Origin, type OriginTest, originOf } from './origin.ts'
import type { Target } from './target.ts'

const place = { ...actOnThing, slot: field(t.number, 'Its place at the top of the subsite, from 1.', 'public') }

export const LinkStickied = event('LinkStickied', 'A moderator put a link at the top of its subsite.', place, { by: 'public' })
export const LinkUnstickied = event(
  'LinkUnstickied',
  'A link is no longer at the top of its subsite; the one below moves up, unless another link takes its place.',
  { ...place, reason: unstickyReason },
  { by: 'public' },
)
export const stickiesEvents = [LinkStickied, LinkUnstickied] as const
export type StickiesEvent = OneOf<typeof stickiesEvents>

export const STICKY_SLOTS = 2

/** The stickied links of a subsite, slot 1 first, and the events that put them there. */
export type Stickies = readonly { readonly target: Target; readonly origin: Origin }[]

export const Stickies: Aggregate<Stickies, StickiesEvent> = {
  category: 'stickies',
  subsiteOf: (id) => id,
  on: {
    LinkStickied: (state = [], { target, slot }, envelope) => [
      ...state.slice(0, slot - 1),
      { target, origin: originOf(envelope) },
      ...state.slice(slot - 1),
    ],
    LinkUnstickied: (state = [], { target }) => state.filter((stickied) => stickied.target.id !== target.id),
  },
  // Titles are read from the links themselves, which may have been edited since.
  text: {
    without: (stickied) => stickied.map(({ target: { id, author }, origin }) => ({ target: { id, author }, origin })),
    writtenBy: [],
    restored: (stickied) => stickied,
  },
}

/** The stickied links as targets, as they are now. They may have been edited since they were stickied. */
export type LinkTargets = ReadonlyMap<LinkId, Target>

/**
 * Stickies a link in the requested slot if that is taken or the next free one. Otherwise it takes the first free slot, or the last slot,
 * whose link goes. The displaced link is unstickied in the same append.
 */
export const stickyLink =
  (link: Link, slotAskedFor?: number, now: LinkTargets = new Map()): Decide<Stickies, StickiesEvent> =>
  (stickied = []) => {
    if (link.removed || link.deleted) return refuse('BAD_REQUEST', 'id')
    if (stickied.some(({ target }) => target.id === link.id)) return refuse('ALREADY_STICKIED', 'id')
    const { subsite } = link
    const slot = slotAskedFor !== undefined && slotAskedFor <= stickied.length ? slotAskedFor : Math.min(stickied.length + 1, STICKY_SLOTS)
    const displaced = stickied[slot - 1]?.target
    const sticky = LinkStickied({ subsite, target: toLinkTarget(link), slot })
    if (!displaced) return decideEvents(sticky)
    const target = now.get(displaced.id) ?? displaced
    return decideEvents<StickiesEvent>(LinkUnstickied({ subsite, target, slot, reason: 'replaced' }), sticky)
  }

/** Takes the link out of its slot, by a moderator; the lower one moves up. */
export const unstickyLink =
  (link: Link): Decide<Stickies, StickiesEvent> =>
  (stickied) => {
    if (link.removed || link.deleted) return refuse('BAD_REQUEST', 'id')
    return freeSlot(link.subsite, toLinkTarget(link), 'asked')(stickied)
  }

/** Takes a link out of its slot, if it is in one. `target` describes it as it is then; `which` limits it to stickies of certain events. */
export const freeSlot =
  (
    subsite: SubsiteId,
    target: Target,
    reason: 'asked' | 'removed' | 'deleted',
    which: OriginTest = () => true,
  ): Decide<Stickies, StickiesEvent> =>
  (stickied = []) => {
    const slot = stickied.findIndex((one) => one.target.id === target.id && which(one.origin)) + 1
    return slot === 0 ? noEvents : decideEvents(LinkUnstickied({ subsite, target, slot, reason }))
  }
