import * as t from 'io-ts'
import { type Aggregate, becomes, type Decide, nothing, record, refuse } from './decision.ts'
import { byService, type EventOf, event, type OneOf, optional, sealed } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'
import { asItWas, FormerRestriction, type Restriction, Until } from './restriction.ts'
import { DAY } from './time.ts'

/** On `username-<lower case>`: the first append claims the name. Everything else about the account derives from it. */
export const UsernameClaimed = event('UsernameClaimed', { account: AccountId, name: t.string })
export const usernameEvents = [UsernameClaimed] as const
export type UsernameEvent = OneOf<typeof usernameEvents>

export type Username = { readonly account: AccountId; readonly name: string }

export const Username: Aggregate<Username, UsernameEvent> = {
  category: 'username',
  subsiteOf: null,
  on: { UsernameClaimed: (_, { account, name }) => ({ account, name }) },
}

export const AccountRegistered = event('AccountRegistered', { account: AccountId, name: t.string })
/** `seats`: the subsites that it moderated or was invited to moderate. */
const ending = { account: AccountId, seats: t.readonlyArray(SubsiteId) }
/** By its owner: its posts stay without its name; the name stays taken. */
export const AccountDeleted = event('AccountDeleted', ending)
/** By its owner or an admin: deleted, and all its texts permanently unreadable. */
export const AccountErased = event('AccountErased', ending)
/**
 * Where text of an account stands in documents that are not its own: a reason in what is kept of the `report`s on a thing or a message; a
 * `note` in a relation; the description of an `entry` of the moderation log, and the reason of the revision of the same event; a `change` that such
 * an entry shows; its `flair`
 * in a subsite, that of a link of its (`link-flair`), the `category` of what it saved; a `multi`
 * that quotes it; and the `subject` or the `body` of a message alone.
 */
const TextPlace = t.readonly(
  t.type({
    kind: t.keyof({
      report: null,
      note: null,
      entry: null,
      change: null,
      flair: null,
      'link-flair': null,
      category: null,
      multi: null,
      subject: null,
      body: null,
    }),
    id: t.string,
  }),
)
export type TextPlace = t.TypeOf<typeof TextPlace>

/**
 * What an erased account wrote, or one `thing` of an account, is unreadable in the log; now also in these documents: things and messages,
 * entries of the moderation log on them (named by their events), contacts, multis, and other `places`. `next`: where the rest begins; null: that was all.
 * `pass`: how often it was looked for from the beginning, the first included.
 */
export const AccountTextsErased = event('AccountTextsErased', {
  account: AccountId,
  things: t.readonlyArray(t.string),
  entries: t.readonlyArray(t.string),
  contacts: t.readonlyArray(t.string),
  multis: t.readonlyArray(t.string),
  places: optional(t.readonlyArray(TextPlace)),
  next: t.union([t.string, t.null]),
  pass: t.number,
  /** A link, comment or message, or the id of the event of a wiki page's revision. Absent: all that the account wrote. */
  thing: optional(t.string),
})
export type ErasedTexts = Required<Omit<EventOf<typeof AccountTextsErased>['data'], 'account' | 'pass' | 'thing'>>

/** The ids of the places of a kind that an erasure names. */
export const placesOf = ({ places = [] }: { readonly places?: readonly TextPlace[] }, kind: TextPlace['kind']): readonly string[] =>
  places.filter((place) => place.kind === kind).map(({ id }) => id)

/** The suspension that was changed or ended; earlier versions did not record it. */
const before = optional(FormerRestriction)
/** By an admin: the account can read but no longer take part. */
export const AccountSuspended = event('AccountSuspended', {
  account: AccountId,
  until: Until,
  days: Until,
  note: optional(sealed('@by')),
  before,
})
export const AccountUnsuspended = event('AccountUnsuspended', { account: AccountId, before })
/** The suspension expired. */
export const AccountSuspensionExpired = event('AccountSuspensionExpired', { account: AccountId, before })
export const accountEvents = [
  AccountRegistered,
  AccountDeleted,
  AccountErased,
  AccountTextsErased,
  AccountSuspended,
  AccountUnsuspended,
  AccountSuspensionExpired,
] as const
export type AccountEvent = OneOf<typeof accountEvents>

export type Account = {
  readonly id: AccountId
  readonly name: string
  readonly created: number
  /** Also an erased account is deleted. */
  readonly deleted: boolean
  readonly erased: boolean
  /** Not in force after its end, however late the expiry is recorded. */
  readonly suspension: Restriction | undefined
}

export const Account: Aggregate<Account, AccountEvent> = {
  category: 'account',
  subsiteOf: null,
  on: {
    AccountRegistered: (_, { account, name }, { at }) => ({
      id: account,
      name,
      created: at,
      deleted: false,
      erased: false,
      suspension: undefined,
    }),
    AccountDeleted: becomes({ deleted: true }),
    AccountErased: becomes({ deleted: true, erased: true }),
    AccountTextsErased: (account) => account,
    AccountSuspended: (account, { until, note = '' }, { by: { account: by } }) =>
      account && { ...account, suspension: { until, by, note, noteBy: by } },
    AccountUnsuspended: becomes({ suspension: undefined }),
    AccountSuspensionExpired: becomes({ suspension: undefined }),
  },
}

export const isSuspended = (account: { readonly suspension: Pick<Restriction, 'until'> | undefined }, now: number): boolean =>
  account.suspension !== undefined && (account.suspension.until === null || account.suspension.until > now)

/** Suspended until that is lifted: banned from the whole site. */
export const isSuspendedForGood = (account: Pick<Account, 'suspension'> | undefined): boolean => account?.suspension?.until === null

/** A name is claimed once; the same account claiming it again changes nothing. */
export const claimUsername =
  (account: AccountId, name: string): Decide<Username, UsernameEvent> =>
  (claim) => {
    if (claim) return claim.account === account ? nothing : refuse('USERNAME_TAKEN', 'user')
    return record(UsernameClaimed({ account, name }))
  }

export const registerAccount =
  (account: AccountId, name: string): Decide<Account, AccountEvent> =>
  (state) =>
    state ? nothing : record(AccountRegistered({ account, name }))

/** Seats that one event names; no account has as many. */
export const MAX_SEATS_PER_EVENT = 10_000

export const deleteAccount =
  (seats: readonly SubsiteId[]): Decide<Account, AccountEvent> =>
  (account) =>
    account && !account.deleted ? record(AccountDeleted({ account: account.id, seats })) : nothing

/** Also for a deleted account. */
export const eraseAccount =
  (seats: readonly SubsiteId[]): Decide<Account, AccountEvent> =>
  (account) =>
    account && !account.erased ? record(AccountErased({ account: account.id, seats: account.deleted ? [] : seats })) : nothing

export const NO_ERASED_TEXTS = { things: [], entries: [], contacts: [], multis: [], places: [] } as const

/** Records that read models no longer show these texts, of an erased account or of a `thing` that was erased. */
export const eraseTexts =
  (texts: ErasedTexts, pass: number, thing?: string): Decide<Account, AccountEvent> =>
  (account) =>
    account?.erased || (account && thing !== undefined)
      ? record(AccountTextsErased({ account: account.id, ...texts, pass, ...(thing !== undefined && { thing }) }))
      : nothing

/** For some days or permanently; another end replaces the current one. */
export const suspendAccount =
  ({ at, days, note }: { readonly at: number; readonly days: number | null; readonly note: string }): Decide<Account, AccountEvent> =>
  (account) => {
    if (!account || account.deleted) return refuse('USER_DOESNT_EXIST', 'name')
    if (days === null && account.suspension?.until === null) return nothing
    const until = days === null ? null : at + days * DAY
    const suspended = { account: account.id, until, days, ...(note !== '' && { note }) }
    if (account.suspension === undefined) return record(AccountSuspended(suspended))
    const before = asItWas(account.suspension)
    return isSuspended(account, at)
      ? record(AccountSuspended({ ...suspended, before }))
      : record<AccountEvent>(byService(AccountSuspensionExpired({ account: account.id, before })), AccountSuspended(suspended))
  }

/** One that has run out cannot be lifted: its expiry event follows. */
export const unsuspendAccount =
  (at: number): Decide<Account, AccountEvent> =>
  (account) =>
    account?.suspension && isSuspended(account, at)
      ? record(AccountUnsuspended({ account: account.id, before: asItWas(account.suspension) }))
      : nothing

/** `due`: the end of the suspension that expires; one with another end by now stays. */
export const expireSuspension =
  (due: number): Decide<Account, AccountEvent> =>
  (account) =>
    account?.suspension?.until === due
      ? record(AccountSuspensionExpired({ account: account.id, before: asItWas(account.suspension) }))
      : nothing
