import type { AccountDocument } from '../../../projections/accounts.ts'
import type { KarmaDocument } from '../../../projections/karma.ts'
import { id36 } from '../../domain/ids.ts'
import type { Preferences } from '../../domain/preferences.ts'
import { isSuspendedForGood } from '../../queries/accounts.ts'
import { epoch } from './thing.ts'

const LEAST_LINK_KARMA = 1
const LEAST_COMMENT_KARMA = -100

type Open = {
  readonly isMod: boolean
  /** The viewer is an admin and sees karma below the floors. */
  readonly toAdmin: boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Of the account that is shown. */
  readonly preferences: Preferences
}

/** Whether a suspension in a document is still in force. */
const isSuspended = ({ suspended, suspendedUntil }: AccountDocument, now: number): boolean =>
  suspended && (suspendedUntil === null || suspendedUntil > now)

/** The clock is read only where it matters, since a response that read it is cached for a short time only. */
const isGold = (until: number, clock: () => number): boolean => until > 0 && until > clock()

/** The public fields of an account. No e-mail address is ever verified. */
const open = (account: AccountDocument, { isMod, clock, toAdmin, preferences }: Open) => ({
  id: id36(account.id),
  name: account.name,
  created: epoch(account.created),
  created_utc: epoch(account.created),
  link_karma: toAdmin ? account.linkKarma : Math.max(LEAST_LINK_KARMA, account.linkKarma),
  comment_karma: toAdmin ? account.commentKarma : Math.max(LEAST_COMMENT_KARMA, account.commentKarma),
  is_gold: isGold(account.goldUntil, clock),
  is_mod: isMod,
  has_verified_email: false,
  hide_from_robots: preferences.hide_from_robots,
  // a temporary suspension is shown to the account itself only
  is_suspended: isSuspendedForGood(account),
})

export type Own = {
  readonly isMod: boolean
  readonly clock: () => number
  readonly preferences: Preferences
  readonly admin: boolean
  /** How many entries of the inbox are unread. */
  readonly unread: number
  /** Whether there is unread moderator mail. */
  readonly unreadModmail: boolean
  /** How many things wait for a decision where the account moderates. */
  readonly queued: number
  /** False for a token that may not read messages. */
  readonly mailVisible: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The ends of gold and of a suspension are integers, unlike every other time. */
const inSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

/** One's own account. */
export const ownAccount = (
  account: AccountDocument,
  { isMod, clock, preferences, admin, unread, unreadModmail, queued, mailVisible, now }: Own,
) => ({
  ...open(account, { isMod, clock, preferences, toAdmin: admin }),
  is_suspended: isSuspended(account, now),
  suspension_expiration_utc: isSuspended(account, now) && account.suspendedUntil !== null ? inSeconds(account.suspendedUntil) : null,
  over_18: preferences.over_18,
  gold_csites: account.csites,
  gold_expiration: isGold(account.goldUntil, clock) ? inSeconds(account.goldUntil) : null,
  inbox_count: unread,
  mod_queue_count: queued,
  ...(mailVisible && { has_mail: unread > 0, has_mod_mail: unreadModmail }),
  is_employee: admin,
  in_beta: preferences.beta,
  features: {},
})

/** Another account, or the viewer's own as the public sees it. */
export const publicAccount = (account: AccountDocument, { isFriend, ...how }: Open & { readonly isFriend: boolean }) => ({
  ...open(account, how),
  is_friend: isFriend,
})

/** Of a permanently suspended account. */
export const suspendedAccount = ({ name }: AccountDocument) => ({ name, is_suspended: true })

export const accountThing = (data: object) => ({ kind: 't2', data })

/** What an account earned in one subsite, as shown to itself. */
export const karmaRow = (sr: string, { link, comment }: Pick<KarmaDocument, 'link' | 'comment'>) => ({
  sr,
  link_karma: Math.max(LEAST_LINK_KARMA, link),
  comment_karma: Math.max(LEAST_COMMENT_KARMA, comment),
})
