import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event } from './event.ts'
import { SubsiteId } from './ids.ts'
import { Target } from './target.ts'

export const LinkStickied = event('LinkStickied', { subsite: SubsiteId, target: Target, slot: t.number })
/**
 * `asked`: by a moderator; `replaced`: another link took the slot; `removed`: the link was removed. These are log entries.
 * `deleted`: its author deleted it, which is nobody's act of moderation. Lower slots move up, except after `replaced`.
 */
export const LinkUnstickied = event('LinkUnstickied', {
  subsite: SubsiteId,
  target: Target,
  slot: t.number,
  reason: t.keyof({ asked: null, replaced: null, removed: null, deleted: null }),
})
export type StickiesEvent = EventOf<typeof LinkStickied> | EventOf<typeof LinkUnstickied>

export const SLOTS = 2

/** The stickied links of a subsite, slot 1 first. */
export type Stickies = readonly Target[]

export const Stickies: Aggregate<Stickies, StickiesEvent> = {
  category: 'stickies',
  on: {
    LinkStickied: (state = [], { target, slot }) => [...state.slice(0, slot - 1), target, ...state.slice(slot - 1)],
    LinkUnstickied: (state = [], { target }) => state.filter((stickied) => stickied.id !== target.id),
  },
}
