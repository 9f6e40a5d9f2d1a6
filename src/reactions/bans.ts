// Decision 103.

import { SERVICE } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import { endInvitation } from '../domain/moderator-invitations.ts'
import { endSeat, invitationOf, Moderators } from '../domain/moderators.ts'
import { madeBy } from '../domain/origin.ts'
import { Relation } from '../domain/relation.ts'
import { followUp } from '../runtime/command.ts'
import { type Consequence, ifThereBefore, type Ports, type Reactions, unseenBy } from './reaction.ts'

type Ban = Stored<'UserBanned' | 'BanChanged'>
type Seat = Stored<'ModeratorInvitationAccepted' | 'ModeratorAdded'>
type SeatOrInvitation = Seat | Stored<'ModeratorInvited'>

const isOfBan = (event: Stored): event is Ban | Stored<'UserUnbanned' | 'BanExpired'> =>
  event.type === 'UserBanned' || event.type === 'BanChanged' || event.type === 'UserUnbanned' || event.type === 'BanExpired'

const isOfSeat = (event: Stored): event is Seat | Stored<'ModeratorRemoved'> =>
  event.type === 'ModeratorInvitationAccepted' || event.type === 'ModeratorAdded' || event.type === 'ModeratorRemoved'

/** Returns the ban that was in force when a right was given, and that the decision had not seen. */
const findOverlookedBan = async (ports: Ports, right: SeatOrInvitation): Promise<Ban | undefined> => {
  const { subsite, account } = right.data
  const stream = `${Relation.category}-${subsite}.${account}`
  // the founder's seat follows from the claim of the name, whoever was banned since
  const isFounder = right.type === 'ModeratorAdded' && right.data.founder
  const last = (await (isFounder ? ports.historyBefore(right, stream) : unseenBy(ports, right, stream))).findLast(isOfBan)
  return last?.type === 'UserBanned' || last?.type === 'BanChanged' ? last : undefined
}

const membershipOf = ({ data: { subsite, account } }: SeatOrInvitation | Ban) => ({ subsite, account })

/** Ends the seat because of the ban, by the service, whichever of the two came first; no account requested it. */
const unseat = ({ run }: Ports, seat: Seat, ban: Ban) => {
  const by = followUp(ban, `unseat ${seat.id}`, SERVICE)
  return run(Moderators, seat.data.subsite, endSeat(membershipOf(seat), madeBy(seat)), by)
}

const takeBack =
  (seat: Seat): Consequence =>
  async (ports) => {
    const ban = await findOverlookedBan(ports, seat)
    return ban && unseat(ports, seat, ban)
  }

/** Returns the seat that was given while the ban was decided. Had the decision seen it, there would be no ban. */
const findOverlookedSeat = async (ports: Ports, ban: Ban): Promise<Seat | undefined> => {
  const { subsite, account } = ban.data
  const last = (await unseenBy(ports, ban, `${Moderators.category}-${subsite}`)).findLast(
    (event) => isOfSeat(event) && event.data.account === account,
  )
  return last?.type === 'ModeratorInvitationAccepted' || last?.type === 'ModeratorAdded' ? last : undefined
}

const endOverlooked =
  (ban: Ban): Consequence =>
  async (ports) => {
    const seat = await findOverlookedSeat(ports, ban)
    return seat && unseat(ports, seat, ban)
  }

/**
 * A ban withdraws the invitation to moderate that was pending then. A right given during a race with the ban ends, whichever decision
 * overlooked the other.
 */
export const bans: Reactions = {
  UserBanned: (event) => [
    async (ports) => {
      const { subsite, account } = event.data
      const invitation = invitationOf(await ports.load(Moderators, subsite), account)
      const which = await ifThereBefore(ports, event, `${Moderators.category}-${subsite}`, invitation?.origin)
      const by = followUp(event, 'withdraw invitation', event.by)
      return ports.run(Moderators, subsite, endInvitation(membershipOf(event), which), by)
    },
    endOverlooked(event),
  ],
  BanChanged: (event) => [endOverlooked(event)],
  ModeratorInvited: (event) => [
    async (ports) => {
      const ban = await findOverlookedBan(ports, event)
      if (ban === undefined) return undefined
      const by = followUp(ban, `withdraw invitation ${event.id}`, ban.by)
      return ports.run(Moderators, event.data.subsite, endInvitation(membershipOf(event), madeBy(event)), by)
    },
  ],
  ModeratorInvitationAccepted: (event) => [takeBack(event)],
  ModeratorAdded: (event) => [takeBack(event)],
}
