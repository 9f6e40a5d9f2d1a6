import { Account, eraseTexts } from '../domain/account.ts'
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

/** A second pass finds texts that were recorded while the key was destroyed; any that are recorded even later, a rebuild erases. */
const MOST_PASSES = 3

/** Removes the texts of an erased account from read models, some at a time; each event causes the next. */
const eraseSome =
  (event: Logged<'AccountErased' | 'AccountTextsErased'>): Consequence =>
  async ({ run, textsOf, forgetAnswers }) => {
    const { account } = event.data
    const { next: from, pass: before } = event.type === 'AccountErased' ? { next: null, pass: 0 } : event.data
    const pass = from === null ? before + 1 : before
    if (pass > MOST_PASSES) return
    const texts = await textsOf(account, from, event.position)
    const { next, ...named } = texts
    const isNothing = Object.values(named).every((some) => some.length === 0)
    // the first event is always recorded, so that every process drops the key; a later pass that finds nothing records nothing
    if (isNothing && next === null && from === null && pass > 1) return
    await run(Account, account, eraseTexts(texts, pass), followUp(event, 'erase texts', system))
    await Promise.all([account, ...texts.things].map(forgetAnswers))
  }

/** The key is destroyed first: texts that are recorded afterwards are unreadable at once. */
const erase =
  (event: Logged<'AccountErased'>): Consequence =>
  async (ports) => {
    await ports.destroyTexts(event.data.account)
    return eraseSome(event)(ports)
  }

const ended = (event: Ending) => [endAccess(event), leaveSeats(event)]

/** Reactions to the deletion or erasure of an account. */
export const accountLife: Reactions = {
  AccountDeleted: ended,
  AccountErased: (event) => [...ended(event), erase(event)],
  AccountTextsErased: (event) => [eraseSome(event)],
  ModeratorInvited: (event) => [takeBack(event)],
  ModeratorInvitationAccepted: (event) => [takeBack(event)],
  ModeratorAdded: (event) => [takeBack(event)],
}
