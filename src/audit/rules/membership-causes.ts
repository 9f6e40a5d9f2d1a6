import type { EventName, Logged } from '../../domain/events.ts'
import type { BookRow, LedgerEntry } from '../ledger.ts'
import { type Due, dueAfter, dueAt, dueOf, expectDue, system } from './due.ts'
import { entry, type LedgerRules, putRow } from './rule.ts'
import { expectAccountEnd, givenUp, type HoldRow, holdId, isEnded, takeHold } from './seats.ts'

// The consequences of moderating a subsite, of bans and mutes there, and of the end of an account.

type MembershipEvent = Logged<
  | 'ModeratorInvited'
  | 'ModeratorInvitationAccepted'
  | 'ModeratorAdded'
  | 'ModeratorRemoved'
  | 'ContributorAdded'
  | 'UserBanned'
  | 'BanChanged'
  | 'UserMuted'
>

/** Expects a message in the name of the subsite to the account concerned. */
const tells = (cause: MembershipEvent, says: readonly string[] = []): Due => {
  const { account, subsite } = cause.data
  const data = { author: cause.by.account, to: account, subsite, fromSubsite: true, modmail: true, parent: null }
  const distinguished = cause.by.as === 'admin' ? 'admin' : 'moderator'
  return dueOf(cause, `MessageSent ${account}`, { data: { ...data, distinguished }, says, excusedBy: [] })
}

const tellsModerators = (cause: MembershipEvent, author: string | null): LedgerEntry => {
  const data = { author, to: null, subsite: cause.data.subsite, fromSubsite: false, modmail: true, parent: null }
  const distinguished = author === null ? null : 'moderator'
  return expectDue(cause, 'MessageSent moderators', { data: { ...data, distinguished }, excusedBy: [] })
}

const send = (due: Due): LedgerEntry => putRow('audit_due', due)

type TimedEvent = Logged<'UserBanned' | 'BanChanged' | 'UserWikiBanned' | 'WikiBanChanged' | 'UserMuted'>

/** Expects the end of an effect at its time, unless one of the other events came first. */
const runsOut = (cause: TimedEvent, until: number, end: EventName, others: readonly EventName[], data: BookRow = {}): LedgerEntry => {
  const pair = `${cause.data.subsite}.${cause.data.account}`
  const excusedBy = [end, ...others].map((type) => `${type} ${pair}`)
  return dueAt(cause, `${end} ${pair}`, until, excusedBy, data)
}

type LastBan = { readonly revision: number }

/**
 * Expects the consequences of a ban. Only accounts that took part there before get a message; a pending invitation is withdrawn; the ban
 * ends at its time. A seat that the decision to ban had not seen ends. One decided on before the ban and recorded after it may be taken
 * back because of it.
 */
const expectBan = (cause: Logged<'UserBanned' | 'BanChanged'>): readonly LedgerEntry[] => {
  const { subsite, account, until, days, message = '' } = cause.data
  const pair = `${subsite}.${account}`
  const [first = ''] = message.split('\n')
  const notice = tells(cause, [...(days === null ? [] : [`${days} day`]), [...first].slice(0, 60).join('')])
  const unseated = dueOf(cause, `ModeratorRemoved ${pair}`, { by: system, data: { left: false }, repeats: true })
  const seen = cause.meta.seen[`moderators-${subsite}`]
  const withdrawn = dueOf(cause, `ModeratorInvitationWithdrawn ${pair}`, { excusedBy: answers(pair), repeats: true })
  return [
    entry<LastBan>('audit_bans', pair, () => ({ revision: cause.revision })),
    ...dueAfter(['participation', `${account}.${subsite}`], (took) => (took ? notice : undefined), notice.id),
    ...dueAfter(
      ['relations', `${pair}.moderator_invite`],
      (invitation) => ({ ...withdrawn, required: invitation !== undefined && cause.type === 'UserBanned' }),
      withdrawn.id,
    ),
    ...dueAfter<HoldRow>(
      ['audit_held', holdId(cause.data, 'moderator')],
      (seat) => ({ ...unseated, required: seat !== undefined && seen !== undefined && (seen === 'none' || seat.revision > seen) }),
      unseated.id,
    ),
    ...(until === null || cause.by.account === null
      ? []
      : [runsOut(cause, until, 'BanExpired', ['UserUnbanned', 'UserBanned', 'BanChanged'], { bannedBy: cause.by.account })]),
  ]
}

const wikiBanned = (cause: Logged<'UserWikiBanned' | 'WikiBanChanged'>): readonly LedgerEntry[] => {
  const { until } = cause.data
  const bannedBy = cause.by.account
  return until === null || bannedBy === null
    ? []
    : [runsOut(cause, until, 'WikiBanExpired', ['UserWikiUnbanned', 'UserWikiBanned', 'WikiBanChanged'], { bannedBy })]
}

/** Expects a message in the conversation concerned, only for accounts that took part there before. */
const expectMute = (cause: Logged<'UserMuted'>): readonly LedgerEntry[] => {
  const { account, subsite, until, over = null } = cause.data
  const notice = tells(cause, ['72 hours'])
  const reply = { ...notice, data: { ...notice.data, parent: over } }
  return [
    ...dueAfter(['participation', `${account}.${subsite}`], (took) => (took ? reply : undefined), reply.id),
    runsOut(cause, until, 'MuteExpired', ['UserUnmuted', 'UserMuted']),
  ]
}

const expectUnban = ({ data: { subsite, account } }: Logged<'UserUnbanned' | 'BanExpired'>): readonly LedgerEntry[] => [
  entry('audit_bans', `${subsite}.${account}`, () => undefined),
]

/** Returns events after which an invitation is no longer pending. */
const answers = (pair: string): readonly string[] =>
  ['ModeratorInvitationWithdrawn', 'ModeratorInvitationAccepted', 'ModeratorAdded'].map((type) => `${type} ${pair}`)

/** Expects a right to be taken back that was given to an account that was banned between the decision and this event. */
const givenTo = (
  cause: Logged<'ModeratorInvited' | 'ModeratorInvitationAccepted' | 'ModeratorAdded'>,
  back: string,
  excusedBy: readonly string[],
): readonly LedgerEntry[] => {
  const pair = `${cause.data.subsite}.${cause.data.account}`
  const seen = cause.type === 'ModeratorAdded' && cause.data.founder ? 'none' : cause.meta.seen[`relation-${pair}`]
  const due = dueOf(cause, `${back} ${pair}`, { excusedBy })
  const isUnseen = (ban: LastBan | undefined) => ban !== undefined && seen !== undefined && (seen === 'none' || ban.revision > seen)
  return dueAfter<LastBan>(['audit_bans', pair], (ban) => (isUnseen(ban) ? due : undefined), due.id)
}

const seatGiven = (cause: Logged<'ModeratorInvitationAccepted' | 'ModeratorAdded'>): readonly LedgerEntry[] =>
  givenTo(cause, 'ModeratorRemoved', [`ModeratorRemoved ${cause.data.subsite}.${cause.data.account}`])

const givenToEnded = (
  cause: Logged<'ModeratorInvited' | 'ModeratorInvitationAccepted' | 'ModeratorAdded'>,
  back: 'ModeratorInvitationWithdrawn' | 'ModeratorRemoved',
): readonly LedgerEntry[] => {
  const { subsite, account } = cause.data
  const pair = `${subsite}.${account}`
  const excused = back === 'ModeratorInvitationWithdrawn' ? { excusedBy: answers(pair) } : {}
  const due = dueOf(cause, `${back} ${pair}`, { by: system, ...excused })
  let isOver = false
  return [
    isEnded(account, (ended) => {
      isOver = ended
    }),
    entry<Due>('audit_due', due.id, (row) => (isOver ? due : row)),
  ]
}

export const membershipCauses: LedgerRules = {
  AccountDeleted: (cause) => [expectAccountEnd(cause)],
  ModeratorInvited: (cause) => [
    send(tells(cause)),
    tellsModerators(cause, null),
    ...givenTo(cause, 'ModeratorInvitationWithdrawn', answers(`${cause.data.subsite}.${cause.data.account}`)),
    ...givenToEnded(cause, 'ModeratorInvitationWithdrawn'),
    takeHold(cause, 'moderator_invite'),
  ],
  ModeratorInvitationWithdrawn: (cause) => [givenUp(cause.data, 'moderator_invite')],
  ModeratorInvitationAccepted: (cause) => [
    tellsModerators(cause, cause.data.account),
    ...seatGiven(cause),
    ...givenToEnded(cause, 'ModeratorRemoved'),
    givenUp(cause.data, 'moderator_invite'),
    takeHold(cause, 'moderator'),
  ],
  ModeratorAdded: (cause) => {
    const data = { author: cause.by.account, to: cause.data.account, subsite: null, fromSubsite: false, modmail: false, parent: null }
    const key = `MessageSent ${cause.data.account}`
    const seat = [
      ...seatGiven(cause),
      ...givenToEnded(cause, 'ModeratorRemoved'),
      givenUp(cause.data, 'moderator_invite'),
      takeHold(cause, 'moderator'),
    ]
    return cause.data.founder ? seat : [expectDue(cause, key, { data: { ...data, distinguished: 'admin' }, excusedBy: [] }), ...seat]
  },
  ModeratorRemoved: (cause) => [...(cause.data.left ? [] : [send(tells(cause))]), givenUp(cause.data, 'moderator')],
  ContributorAdded: (cause) => (cause.data.founder ? [] : [send(tells(cause))]),
  UserBanned: expectBan,
  BanChanged: expectBan,
  UserUnbanned: expectUnban,
  BanExpired: expectUnban,
  UserWikiBanned: wikiBanned,
  WikiBanChanged: wikiBanned,
  UserMuted: expectMute,
}
