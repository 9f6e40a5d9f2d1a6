import { followUp } from '../commands/command.ts'
import type { Actor } from '../domain/event.ts'
import type { Logged } from '../domain/events.ts'
import { Link } from '../domain/link.ts'
import { freeSlot, Stickies } from '../domain/stickies.ts'
import { command, type Reactions } from './reaction.ts'

type Cause = Logged<'LinkRemoved' | 'LinkDeleted' | 'LinkStickied'>

const free = (cause: Cause, link: string, reason: 'removed' | 'deleted', by: Actor) =>
  command(Stickies, cause.data.subsite, freeSlot(cause.data.subsite, link, reason), followUp(cause, 'unsticky', by))

const system: Actor = { account: null, as: 'system' }

/** A link that is removed or deleted leaves its slot: as an act of the moderator who removed it, or as nobody's. */
export const stickies: Reactions = {
  LinkRemoved: (event) => [free(event, event.data.target.id, 'removed', event.by)],
  LinkDeleted: (event) => [free(event, event.data.link, 'deleted', system)],
  // its removal or deletion may have come between the decision to sticky it and this
  LinkStickied: (event) => [
    async (ports) => {
      const link = await ports.load(Link, event.data.target.id)
      if (link?.removed) await free(event, link.id, 'removed', event.by)(ports)
      else if (link?.deleted) await free(event, link.id, 'deleted', system)(ports)
    },
  ],
}
