import type { AccountDocument } from '../../../projections/accounts.ts'
import type { Karma } from '../../../projections/karma.ts'
import { id36 } from '../../domain/ids.ts'
import type { Preferences } from '../../domain/preferences.ts'
import { isSuspendedForGood } from '../../queries/accounts.ts'
import { accountId, subsiteName, username } from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { thingShape } from '../contract/schemas/things.ts'
import { createdFields, notKnownInPast } from './thing.ts'

const MIN_SHOWN_LINK_KARMA = 1
const MIN_SHOWN_COMMENT_KARMA = -100

type AccountView = {
  readonly account: AccountDocument
  readonly karma: Karma
  readonly isMod: boolean
  /** True if the viewer is an admin, who sees karma below the floors. */
  readonly toAdmin: boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The preferences of the account that is shown. */
  readonly preferences: Preferences
}

/** The clock is read only where it matters, since a response that read it is cached for a short time only. */
const isGold = ({ account: { goldUntil }, clock }: AccountView): boolean => goldUntil > 0 && goldUntil > clock()

const linkKarma = ({ karma: { link }, toAdmin }: AccountView): number => (toAdmin ? link : Math.max(MIN_SHOWN_LINK_KARMA, link))
const commentKarma = ({ karma: { comment }, toAdmin }: AccountView): number =>
  toAdmin ? comment : Math.max(MIN_SHOWN_COMMENT_KARMA, comment)

/** The public fields of an account. No e-mail address is ever verified. */
const common: shape.RecordTable<AccountView> = {
  id: [accountId, ({ account }) => id36(account.id)],
  name: [username, ({ account }) => account.name],
  ...createdFields(({ account }) => account.created),
  link_karma: [shape.integer(7), linkKarma],
  comment_karma: [shape.integer(3), commentKarma],
  total_karma: [shape.integer(10), (shown) => linkKarma(shown) + commentKarma(shown)],
  is_gold: [shape.flag, isGold],
  is_mod: [shape.flag, ({ isMod }) => isMod],
  has_verified_email: [shape.flag, () => false],
  verified: [shape.flag, () => false],
  hide_from_robots: [shape.flag, ({ preferences }) => preferences.hide_from_robots],
  // a temporary suspension is shown to the account itself only
  is_suspended: [shape.flag, ({ account }) => isSuspendedForGood(account)],
}

type OwnAccountView = AccountView & {
  /** The number of unread entries of the inbox. */
  readonly unread: number
  /** True if there is unread moderator mail. */
  readonly unreadModmail: boolean
  /** The number of things that wait for a decision where the account moderates. */
  readonly queued: number
  /** False for a token that may not read messages. */
  readonly mailVisible: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Tells whether a suspension in a document is still in force. */
const isSuspended = ({ account: { suspended, suspendedUntil }, now }: OwnAccountView): boolean =>
  suspended && (suspendedUntil === null || suspendedUntil > now)

/** The ends of gold and of a suspension are integers, unlike every other time. */
const ending = shape.orNull(shape.integer(1_795_000_000, 'Seconds since 1970 (UTC), an integer.'))
const inSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

const ownFields: shape.RecordTable<OwnAccountView> = {
  ...common,
  is_suspended: [shape.flag, isSuspended],
  suspension_expiration_utc: [
    ending,
    (shown) => (isSuspended(shown) && shown.account.suspendedUntil !== null ? inSeconds(shown.account.suspendedUntil) : null),
  ],
  over_18: [shape.flag, ({ preferences }) => preferences.over_18],
  gold_csites: [shape.integer(0), ({ account }) => account.csites],
  gold_expiration: [ending, (shown) => (isGold(shown) ? inSeconds(shown.account.goldUntil) : null)],
  inbox_count: [shape.integer(1), ({ unread }) => unread],
  mod_queue_count: [
    shape.integer(0, 'Things that wait for a decision where the account moderates with `posts`; at most 1,000.'),
    ({ queued }) => queued,
  ],
  has_mail: [shape.optional(shape.flag), ({ mailVisible, unread }) => (mailVisible ? unread > 0 : undefined)],
  has_mod_mail: [shape.optional(shape.flag), ({ mailVisible, unreadModmail }) => (mailVisible ? unreadModmail : undefined)],
  is_employee: [shape.flag, ({ toAdmin }) => toAdmin],
  in_beta: [shape.flag, ({ preferences }) => preferences.beta],
  features: [shape.recordSchema({}), () => ({})],
}

export const ownAccountShape = shape.tableShape('OwnAccount', ownFields)

/** One's own account. */
export const ownAccount = (shown: OwnAccountView) => shape.valuesOf(ownFields, shown)

const friendship: shape.RecordTable<{ readonly isFriend: boolean }> = { is_friend: [shape.flag, ({ isFriend }) => isFriend] }

type OfSession = {
  readonly isFriend: boolean
  /** Undefined where no session asks. */
  readonly modhash: string | null | undefined
}

const ofSession: shape.RecordTable<OfSession> = {
  ...friendship,
  modhash: [shape.optional(shape.orNull(shape.text(''))), ({ modhash }) => modhash],
}

/** The viewer's own account in a response that shows others, too: with what only the viewer sees. */
export const sessionAccountShape = shape.tableShape('SessionAccount', { ...ownFields, ...ofSession })

/** Returns the fields of a session beside those of one's own account. */
export const fieldsOfSession = (shown: OfSession) => shape.valuesOf(ofSession, shown)

const open: shape.RecordTable<AccountView & { readonly isFriend: boolean }> = { ...common, ...friendship }

export const accountShape = shape.tableShape('Account', open)

/** Another account, or the viewer's own as the public sees it. */
export const publicAccount = (shown: AccountView & { readonly isFriend: boolean }) => shape.valuesOf(open, shown)

const suspended: shape.RecordTable<AccountDocument> = {
  name: [username, ({ name }) => name],
  is_suspended: [shape.constant(true), () => true],
}

/** A permanently suspended account, as others see it. */
export const suspendedAccountShape = shape.tableShape('SuspendedAccount', suspended)

export const suspendedAccount = (account: AccountDocument) => shape.valuesOf(suspended, account)

type PastAccountView = {
  readonly account: AccountDocument
  /** The viewer is the account itself or an admin. */
  readonly isTold: boolean
}

const past: shape.RecordTable<PastAccountView> = {
  id: [accountId, ({ account }) => id36(account.id)],
  name: [username, ({ account }) => account.name],
  ...createdFields(({ account }) => account.created),
  link_karma: notKnownInPast,
  comment_karma: notKnownInPast,
  total_karma: notKnownInPast,
  is_gold: notKnownInPast,
  is_mod: notKnownInPast,
  is_suspended: [
    { ...shape.orNull(shape.flag), description: 'For the account itself and admins; null for others.' },
    ({ account, isTold }) => (isTold ? account.suspended : null),
  ],
}

export const pastAccountShape = shape.tableShape('PastAccount', past)

/** An account as it was, without what other streams than its own made of it. */
export const pastAccount = (shown: PastAccountView) => shape.valuesOf(past, shown)

/** An account, or only its name where it is permanently suspended. */
export const accountOrNameShape = shape.union(thingShape('t2', accountShape), thingShape('t2', suspendedAccountShape))

export const accountThing = (data: object) => ({ kind: 't2', data })

const karma: shape.RecordTable<Karma & { readonly place: string }> = {
  sr: [subsiteName, ({ place }) => place],
  link_karma: [shape.integer(7), ({ link }) => Math.max(MIN_SHOWN_LINK_KARMA, link)],
  comment_karma: [shape.integer(3), ({ comment }) => Math.max(MIN_SHOWN_COMMENT_KARMA, comment)],
}

export const karmaListShape = shape.component('KarmaList', () =>
  shape.recordSchema({ kind: shape.constant('KarmaList'), data: shape.listOf(shape.tableRecord(karma)) }),
)

/** Returns the karma of an account in one subsite, as shown to itself. */
export const karmaRow = (place: string, earned: Karma) => shape.valuesOf(karma, { ...earned, place })
