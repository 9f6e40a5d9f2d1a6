import { type Actor, SERVICE } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import { Link, toLinkTarget } from '../domain/link.ts'
import { madeBy, type OriginTest } from '../domain/origin.ts'
import { freeSlot, Stickies } from '../domain/stickies.ts'
import type { Target } from '../domain/target.ts'
import { followUp } from '../runtime/command.ts'
import { ifThereBefore, type Ports, type Reactions, unseenBy } from './reaction.ts'

type SlotEnd = { readonly subsite: string; readonly target: Target; readonly reason: 'removed' | 'deleted' }
type Verdict = Stored<'LinkRemoved' | 'LinkDeleted'>

/**
 * Takes a link out of its slot. If a moderator removed the link, this is an act of the same moderator; if its author deleted it, one of the
 * service. `which` tells which stickying it undoes.
 */
const leaveSlot = ({ run }: Ports, cause: Verdict, { subsite, target, reason }: SlotEnd, which: OriginTest, key: string) => {
  const by: Actor = reason === 'removed' ? cause.by : SERVICE
  return run(Stickies, subsite, freeSlot(subsite, target, reason, which), followUp(cause, key, by))
}

const leaveSlotOf = async (ports: Ports, cause: Verdict, leaving: SlotEnd) => {
  const { subsite, target } = leaving
  const slot = (await ports.loadSince(cause)(Stickies, subsite))?.find((one) => one.target.id === target.id)
  if (slot === undefined) return undefined
  const which = await ifThereBefore(ports, cause, `${Stickies.category}-${subsite}`, slot.origin)
  return leaveSlot(ports, cause, leaving, which, 'unsticky')
}

const isVerdict = (event: Stored): event is Verdict | Stored<'LinkApproved'> =>
  event.type === 'LinkRemoved' || event.type === 'LinkDeleted' || event.type === 'LinkApproved'

/** A link that is removed or deleted loses the slot that it had at that moment. */
export const stickies: Reactions = {
  LinkRemoved: (event) => [(ports) => leaveSlotOf(ports, event, { ...event.data, reason: 'removed' })],
  LinkDeleted: (event) => [
    async (ports) => {
      const { link: id, subsite } = event.data
      const link = await ports.load(Link, id)
      return link && leaveSlotOf(ports, event, { subsite, target: toLinkTarget(link), reason: 'deleted' })
    },
  ],
  // The link may have been removed between the decision to sticky it and this event: then it loses the slot because of that removal.
  LinkStickied: (event) => [
    async (ports) => {
      const { subsite, target } = event.data
      const last = (await unseenBy(ports, event, `${Link.category}-${target.id}`)).findLast(isVerdict)
      if (last === undefined || last.type === 'LinkApproved') return undefined
      const leaving: SlotEnd =
        last.type === 'LinkRemoved' ? { subsite, target: last.data.target, reason: 'removed' } : { subsite, target, reason: 'deleted' }
      return leaveSlot(ports, last, leaving, madeBy(event), `unsticky ${event.id}`)
    },
  ],
}
