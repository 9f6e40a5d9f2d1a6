// Decision 69.

import { type Aggregate, switchOnAndOff } from './decision.ts'
import { event, field, type OneOf } from './event.ts'
import { AccountId, SubsiteId, secondPart } from './ids.ts'

const between = {
  account: field(AccountId, 'Who avoids the subsite.', 'party', { party: true }),
  subsite: field(SubsiteId, 'The subsite.', 'party'),
}

export const SubsiteMuted = event('SubsiteMuted', 'An account left a subsite out of its listings of all subsites together.', between, {
  by: 'party',
})
export const SubsiteUnmuted = event('SubsiteUnmuted', 'An account has a subsite in its listings of all subsites again.', between, {
  by: 'party',
})
export const SubsiteBlocked = event('SubsiteBlocked', 'An account blocked the messages that are sent in the name of a subsite.', between, {
  by: 'party',
})
export const SubsiteUnblocked = event('SubsiteUnblocked', 'Messages in the name of a subsite reach an account again.', between, {
  by: 'party',
})
export const muteAndBlockEvents = [SubsiteMuted, SubsiteUnmuted, SubsiteBlocked, SubsiteUnblocked] as const
export type MuteAndBlockEvent = OneOf<typeof muteAndBlockEvents>

/** An account's mute and block of a subsite, on `avoidance-<account>.<subsite>`. */
export type MuteAndBlock = { readonly muted: boolean; readonly blocked: boolean }

const none: MuteAndBlock = { muted: false, blocked: false }

export const MuteAndBlock: Aggregate<MuteAndBlock, MuteAndBlockEvent> = {
  category: 'avoidance',
  subsiteOf: secondPart,
  on: {
    SubsiteMuted: (state = none) => ({ ...state, muted: true }),
    SubsiteUnmuted: (state = none) => ({ ...state, muted: false }),
    SubsiteBlocked: (state = none) => ({ ...state, blocked: true }),
    SubsiteUnblocked: (state = none) => ({ ...state, blocked: false }),
  },
}

/** The most subsites that one account may mute. */
export const MAX_MUTED_SUBSITES = 1_000

export const { on: muteSubsite, off: unmuteSubsite } = switchOnAndOff(({ muted }: MuteAndBlock) => muted, SubsiteMuted, SubsiteUnmuted)

export const { on: blockSubsite, off: unblockSubsite } = switchOnAndOff(
  ({ blocked }: MuteAndBlock) => blocked,
  SubsiteBlocked,
  SubsiteUnblocked,
)
