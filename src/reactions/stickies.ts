import { type Cause, followUp } from '../commands/command.ts'
import type { Actor } from '../domain/event.ts'
import { Link, targetOf } from '../domain/link.ts'
import { freeSlot, Stickies } from '../domain/stickies.ts'
import type { Target } from '../domain/target.ts'
import { command, type Reactions } from './reaction.ts'

type Leaving = { readonly subsite: string; readonly target: Target; readonly reason: 'removed' | 'deleted' }

/** As an act of the moderator who removed the link; where its author deleted it, as nobody's. */
const leaveSlot = (cause: Cause & { readonly by: Actor }, { subsite, target, reason }: Leaving) => {
  const by: Actor = reason === 'removed' ? cause.by : { account: null, as: 'system' }
  return command(Stickies, subsite, freeSlot(subsite, target, reason), followUp(cause, 'unsticky', by))
}

/** A link that is removed or deleted leaves its slot. */
export const stickies: Reactions = {
  LinkRemoved: (event) => [leaveSlot(event, { ...event.data, reason: 'removed' })],
  LinkDeleted: (event) => [
    async (ports) => {
      const { link: id, subsite } = event.data
      const link = await ports.load(Link, id)
      return link && leaveSlot(event, { subsite, target: targetOf(link), reason: 'deleted' })(ports)
    },
  ],
  // A removal may have come between the decision to sticky the link and this: then it is the removal that this follows from.
  LinkStickied: ({ data: { subsite, target } }) => [
    async (ports) => {
      const gone = (await ports.load(Link, target.id))?.gone
      if (!gone) return undefined
      const cause = { ...gone, meta: { correlationId: gone.correlationId } }
      return leaveSlot(cause, { subsite, target, reason: gone.reason })(ports)
    },
  ],
}
