import type { Logged } from '../domain/events.ts'
import { endInvitation, endSeat, invitationOf, Moderators } from '../domain/moderators.ts'
import { madeBy } from '../domain/origin.ts'
import { Relation } from '../domain/relation.ts'
import { followUp } from '../runtime/command.ts'
import { type Consequence, ifThereBefore, type Ports, type Reactions, unseenBy } from './reaction.ts'

type Ban = Logged<'UserBanned' | 'BanChanged'>
type Given = Logged<'ModeratorInvited' | 'ModeratorInvitationAccepted' | 'ModeratorAdded'>

const isOfBan = (event: Logged): event is Ban | Logged<'UserUnbanned' | 'BanExpired'> =>
  event.type === 'UserBanned' || event.type === 'BanChanged' || event.type === 'UserUnbanned' || event.type === 'BanExpired'

/** The ban that was in force when a right was given, and that the decision had not seen. */
const overlookedBan = async (ports: Ports, given: Given): Promise<Ban | undefined> => {
  const { subsite, account } = given.data
  const last = (await unseenBy(ports, given, `${Relation.category}-${subsite}.${account}`)).findLast(isOfBan)
  return last?.type === 'UserBanned' || last?.type === 'BanChanged' ? last : undefined
}

const membershipOf = ({ data: { subsite, account } }: Given | Ban) => ({ subsite, account })

/** The service removes the seat; no account requested it. */
const takeBack =
  (given: Logged<'ModeratorInvitationAccepted' | 'ModeratorAdded'>): Consequence =>
  async (ports) => {
    const ban = await overlookedBan(ports, given)
    if (ban === undefined) return undefined
    const by = followUp(ban, `unseat ${given.id}`, { account: null, as: 'system' })
    return ports.run(Moderators, given.data.subsite, endSeat(membershipOf(given), madeBy(given)), by)
  }

/** A ban withdraws the invitation to moderate that was pending then. A right given during a race with the ban ends as if the ban had come later. */
export const bans: Reactions = {
  UserBanned: (event) => [
    async (ports) => {
      const { subsite, account } = event.data
      const invitation = invitationOf(await ports.load(Moderators, subsite), account)
      const which = await ifThereBefore(ports, event, `${Moderators.category}-${subsite}`, invitation?.origin)
      const by = followUp(event, 'withdraw invitation', event.by)
      return ports.run(Moderators, subsite, endInvitation(membershipOf(event), which), by)
    },
  ],
  ModeratorInvited: (event) => [
    async (ports) => {
      const ban = await overlookedBan(ports, event)
      if (ban === undefined) return undefined
      const by = followUp(ban, `withdraw invitation ${event.id}`, ban.by)
      return ports.run(Moderators, event.data.subsite, endInvitation(membershipOf(event), madeBy(event)), by)
    },
  ],
  ModeratorInvitationAccepted: (event) => [takeBack(event)],
  ModeratorAdded: (event) => (event.data.founder ? [] : [takeBack(event)]),
}
