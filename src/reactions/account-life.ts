import { Account } from '../domain/account.ts'
import type { Logged } from '../domain/events.ts'
import { endInvitation, endSeat, invitationOf, leaveModeration, Moderators, moderatorOf } from '../domain/moderators.ts'
import { madeBy } from '../domain/origin.ts'
import { followUp } from '../runtime/command.ts'
import { type Consequence, ifThereBefore, type Reactions } from './reaction.ts'

type Ending = Logged<'AccountDeleted' | 'AccountErased'>
type Given = Logged<'ModeratorInvited' | 'ModeratorInvitationAccepted' | 'ModeratorAdded'>

const system = { account: null, as: 'system' } as const

/** Ends sessions, tokens, apps and the password: nobody can act as the account any more. */
const endAccess =
  ({ data: { account } }: Ending): Consequence =>
  ({ endAccess }) =>
    endAccess(account)

/**
 * The account's moderator seats end as if it had left, and its invitations are withdrawn: those that the event names, and those that were given while
 * it was decided.
 */
const leaveSeats =
  (event: Ending): Consequence =>
  async ({ run, load, ...ports }) => {
    const { account, seats } = event.data
    for (const subsite of new Set([...seats, ...(await ports.seatsOf(account, event.position))])) {
      const membership = { subsite, account }
      const stream = `${Moderators.category}-${subsite}`
      const state = await load(Moderators, subsite)
      const seat = await ifThereBefore(ports, event, stream, moderatorOf(state, account)?.origin)
      await run(Moderators, subsite, leaveModeration(membership, seat), followUp(event, 'leave', { account, as: 'moderator' }))
      const invitation = await ifThereBefore(ports, event, stream, invitationOf(state, account)?.origin)
      await run(Moderators, subsite, endInvitation(membership, invitation), followUp(event, 'withdraw invitation', system))
    }
  }

/** A right given to a deleted account is taken back, since the decision had not seen the deletion. */
const takeBack =
  (given: Given): Consequence =>
  async ({ run, load, history }) => {
    const { subsite, account } = given.data
    if (!(await load(Account, account))?.deleted) return undefined
    const earlier = await history(`${Account.category}-${account}`, 0, given.position)
    if (!earlier.some(({ type }) => type === 'AccountDeleted' || type === 'AccountErased')) return undefined
    const membership = { subsite, account }
    const decide = given.type === 'ModeratorInvited' ? endInvitation : endSeat
    return run(Moderators, subsite, decide(membership, madeBy(given)), followUp(given, 'account deleted', system))
  }

const ended = (event: Ending) => [endAccess(event), leaveSeats(event)]

/** Reactions to the deletion or erasure of an account. */
export const accountLife: Reactions = {
  AccountDeleted: ended,
  AccountErased: ended,
  ModeratorInvited: (event) => [takeBack(event)],
  ModeratorInvitationAccepted: (event) => [takeBack(event)],
  ModeratorAdded: (event) => [takeBack(event)],
}
