// Decisions 78 and 103.

import { Account } from '../domain/account.ts'
import { positionAtMost, SERVICE } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { endInvitation } from '../domain/moderator-invitations.ts'
import { endSeat, invitationOf, leaveModeration, Moderators, moderatorOf } from '../domain/moderators.ts'
import { madeBy } from '../domain/origin.ts'
import { followUp } from '../runtime/command.ts'
import { type Consequence, ifThereBefore, type Ports, type Reactions } from './reaction.ts'

type AccountEnd = Stored<'AccountDeleted' | 'AccountErased'>
type SeatEvent = Stored<'ModeratorInvited' | 'ModeratorInvitationAccepted' | 'ModeratorAdded'>

/** Ends sessions, tokens, apps and the password: nobody can act as the account any more. */
const endAccess =
  ({ data: { account } }: AccountEnd): Consequence =>
  ({ endAccess }) =>
    endAccess(account)

/** Ends the account's moderator seats in some subsites as if it had left, and withdraws its invitations. */
const leave = async ({ run, load, isBefore }: Ports, event: AccountEnd, subsites: Iterable<SubsiteId>) => {
  const { account } = event.data
  for (const subsite of subsites) {
    const membership = { subsite, account }
    const stream = `${Moderators.category}-${subsite}`
    const state = await load(Moderators, subsite)
    const seat = await ifThereBefore({ isBefore }, event, stream, moderatorOf(state, account)?.origin)
    await run(Moderators, subsite, leaveModeration(membership, seat), followUp(event, 'leave', { account, as: 'moderator' }))
    const invitation = await ifThereBefore({ isBefore }, event, stream, invitationOf(state, account)?.origin)
    await run(Moderators, subsite, endInvitation(membership, invitation), followUp(event, 'withdraw invitation', SERVICE))
  }
}

const leaveNamed =
  (event: AccountEnd): Consequence =>
  (ports) =>
    leave(ports, event, event.data.seats)

/** Ends the seats that were given while the end was decided. The read models show them only once they have reached it. */
const leaveOverlooked =
  (event: AccountEnd): Consequence =>
  async (ports) => {
    const named = new Set(event.data.seats)
    const seats = await ports.seatsOf(event.data.account, positionAtMost(event))
    await leave(ports, event, new Set(seats.filter((subsite) => !named.has(subsite))))
  }

/** Takes back a right that was given to a deleted account, since the decision had not seen the deletion. */
const takeBack =
  (seat: SeatEvent): Consequence =>
  async ({ run, load, historyBefore }) => {
    const { subsite, account } = seat.data
    if (!(await load(Account, account))?.deleted) return undefined
    const earlier = await historyBefore(seat, `${Account.category}-${account}`)
    if (!earlier.some(({ type }) => type === 'AccountDeleted' || type === 'AccountErased')) return undefined
    const membership = { subsite, account }
    const decide = seat.type === 'ModeratorInvited' ? endInvitation : endSeat
    return run(Moderators, subsite, decide(membership, madeBy(seat)), followUp(seat, 'account deleted', SERVICE))
  }

const endConsequences = (event: AccountEnd) => [endAccess(event), leaveNamed(event), leaveOverlooked(event)]

/** Reactions to the deletion or erasure of an account. */
export const accountLife: Reactions = {
  AccountDeleted: endConsequences,
  AccountErased: endConsequences,
  ModeratorInvited: (event) => [takeBack(event)],
  ModeratorInvitationAccepted: (event) => [takeBack(event)],
  ModeratorAdded: (event) => [takeBack(event)],
}
