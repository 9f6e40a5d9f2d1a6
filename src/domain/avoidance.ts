import { type Aggregate, switched } from './decision.ts'
import { event, type OneOf } from './event.ts'
import { AccountId, SubsiteId, secondPart } from './ids.ts'

const between = { account: AccountId, subsite: SubsiteId }

/** Left out of the listings of all subsites together. */
export const SubsiteMuted = event('SubsiteMuted', between)
export const SubsiteUnmuted = event('SubsiteUnmuted', between)
/** Messages in the name of the subsite do not reach the account. */
export const SubsiteBlocked = event('SubsiteBlocked', between)
export const SubsiteUnblocked = event('SubsiteUnblocked', between)
export const avoidanceEvents = [SubsiteMuted, SubsiteUnmuted, SubsiteBlocked, SubsiteUnblocked] as const
export type AvoidanceEvent = OneOf<typeof avoidanceEvents>

/** An account's mute and block of a subsite, on `avoidance-<account>.<subsite>`. */
export type Avoidance = { readonly muted: boolean; readonly blocked: boolean }

const none: Avoidance = { muted: false, blocked: false }

export const Avoidance: Aggregate<Avoidance, AvoidanceEvent> = {
  category: 'avoidance',
  subsiteOf: secondPart,
  on: {
    SubsiteMuted: (state = none) => ({ ...state, muted: true }),
    SubsiteUnmuted: (state = none) => ({ ...state, muted: false }),
    SubsiteBlocked: (state = none) => ({ ...state, blocked: true }),
    SubsiteUnblocked: (state = none) => ({ ...state, blocked: false }),
  },
}

/** Subsites that one account may mute. */
export const MAX_MUTED_SUBSITES = 1_000

export const { on: muteSubsite, off: unmuteSubsite } = switched(({ muted }: Avoidance) => muted, SubsiteMuted, SubsiteUnmuted)

export const { on: blockSubsite, off: unblockSubsite } = switched(({ blocked }: Avoidance) => blocked, SubsiteBlocked, SubsiteUnblocked)
