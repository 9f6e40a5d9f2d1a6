// Decision 78.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse, setState } from './decision.ts'
import { byService, type EventOf, event, field, type OneOf, optional, readBy, recordCodec, sealedText } from './event.ts'
import { asItWas, FormerRestriction, type Restriction, Until } from './former-restriction.ts'
import { AccountId, SubsiteId } from './ids.ts'
import { DAY } from './time.ts'

const newAccount = {
  account: field(AccountId, 'The new account.', 'public'),
  name: field(t.string, 'Its name, as it was typed; no other account has it in any case.', 'public'),
}

/**
 * The first event of `username-<lower case>`: its append claims the name. The registration repeats everything that is public, since its
 * stream does not contain the name.
 */
export const UsernameClaimed = event(
  'UsernameClaimed',
  'Somebody took a name for a new account, for good. Everything else about the account follows from it.',
  readBy('admins', newAccount),
  { by: 'admins' },
)
export const usernameEvents = [UsernameClaimed] as const
export type UsernameEvent = OneOf<typeof usernameEvents>

export type Username = { readonly account: AccountId; readonly name: string }

export const Username: Aggregate<Username, UsernameEvent> = {
  category: 'username',
  decidedByFirst: true,
  subsiteOf: null,
  on: { UsernameClaimed: (_, { account, name }) => ({ account, name }) },
}

export const AccountRegistered = event('AccountRegistered', 'An account exists from now on.', newAccount, { by: 'public' })
const ending = {
  account: field(AccountId, 'The account.', 'public'),
  seats: field(t.readonlyArray(SubsiteId), 'The subsites that it moderated or was invited to moderate until then.', 'admins'),
}
export const AccountDeleted = event(
  'AccountDeleted',
  'An account was deleted by its owner: its posts stay without its name, and nobody else can take the name.',
  ending,
  { by: 'public' },
)
export const AccountErased = event(
  'AccountErased',
  'An account was erased by its owner or by an admin: it is deleted, and all its texts are unreadable for good, here too.',
  ending,
  { by: 'admins' },
)
/**
 * A place of an account's text in a document that is not its own.
 * - `report`: a reason among the reports on a thing or a message.
 * - `note`: the note of a relation.
 * - `entry`: the description of an entry of the moderation log, and the reason of the revision of the same event.
 * - `change`: a change that such an entry shows.
 * - `flair` and `link-flair`: its flair in a subsite, and that of a link of its own.
 * - `category`: the category of a thing that it saved.
 * - `multi`: a multi that quotes it.
 * - `subject` and `body`: one text of a message alone.
 */
const TextPlace = recordCodec('TextPlace', {
  kind: field(
    t.keyof({
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
    'What the text is.',
    'admins',
  ),
  id: field(t.string, 'The document that it stood in.', 'admins'),
})
export type TextPlace = t.TypeOf<typeof TextPlace>

const names = t.readonlyArray(t.string)
export const AccountTextsErased = event(
  'AccountTextsErased',
  'The service took texts that are unreadable in the log, of an erased account or an erased thing of an account, out of these documents too.',
  {
    account: field(AccountId, 'Who wrote them.', 'admins'),
    things: field(names, 'Links, comments and messages.', 'admins'),
    entries: field(names, 'Entries of moderation logs on them, by the ids of their events.', 'admins'),
    contacts: field(names, 'Friendships with a note.', 'admins'),
    multis: field(names, 'Multis.', 'admins'),
    places: field(optional(t.readonlyArray(TextPlace)), 'Other places.', 'admins'),
    next: field(t.union([t.string, t.null]), 'Where the search for the rest begins; null: that was all.', 'admins'),
    pass: field(t.number, 'The number of the search through all of them that this is part of, from 1.', 'admins'),
    thing: field(
      optional(t.string),
      'The link, comment or message that was erased, or the id of the event of a revision of a wiki page; absent: all that the account wrote.',
      'admins',
    ),
  },
  { by: 'admins' },
)
export type ErasedTexts = Required<Omit<EventOf<typeof AccountTextsErased>['data'], 'account' | 'pass' | 'thing'>>

/** Returns the ids of the places of one kind that an erasure names. */
export const placesOf = ({ places = [] }: { readonly places?: readonly TextPlace[] }, kind: TextPlace['kind']): readonly string[] =>
  places.filter((place) => place.kind === kind).map(({ id }) => id)

const suspended = field(AccountId, 'The account.', 'party', { party: true })
const before = field(optional(FormerRestriction), 'The suspension that was changed or ended; earlier versions did not record it.', 'admins')
export const AccountSuspended = event(
  'AccountSuspended',
  'An admin suspended an account, or changed its suspension: it can read but no longer take part.',
  {
    account: suspended,
    until: field(Until, 'When it ends by itself; null: never.', 'party', { unit: 'milliseconds since 1970' }),
    days: field(Until, 'How long it was to last; null: for good.', 'party', { unit: 'days' }),
    note: field(optional(sealedText('@by')), 'Why, for other admins.', 'admins'),
    before,
  },
  { by: 'admins' },
)
export const AccountUnsuspended = event(
  'AccountUnsuspended',
  'An admin ended the suspension of an account before its time.',
  { account: suspended, before },
  { by: 'admins' },
)
export const AccountSuspensionExpired = event(
  'AccountSuspensionExpired',
  'The service recorded that the suspension of an account had ended by itself: at `before.until`, not at the time of this event.',
  { account: suspended, before },
  { by: 'admins' },
)
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
  /** True for erased accounts, too. */
  readonly deleted: boolean
  readonly erased: boolean
  /** The last suspension. It is not in force after its end, however late the expiry is recorded. */
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
    AccountDeleted: setState({ deleted: true }),
    AccountErased: setState({ deleted: true, erased: true }),
    AccountTextsErased: (account) => account,
    AccountSuspended: (account, { until, note = '' }, { by: { account: by } }) =>
      account && { ...account, suspension: { until, by, note, noteBy: by } },
    AccountUnsuspended: setState({ suspension: undefined }),
    AccountSuspensionExpired: setState({ suspension: undefined }),
  },
}

export const isSuspended = (account: { readonly suspension: Pick<Restriction, 'until'> | undefined }, now: number): boolean =>
  account.suspension !== undefined && (account.suspension.until === null || account.suspension.until > now)

/** Tells whether an account is suspended until somebody lifts it: it is banned from the whole site. */
export const isSuspendedForGood = (account: Pick<Account, 'suspension'> | undefined): boolean => account?.suspension?.until === null

/** Claims a name. The same account may claim it again, which changes nothing. */
export const claimUsername =
  (account: AccountId, name: string): Decide<Username, UsernameEvent> =>
  (claim) => {
    if (claim) return claim.account === account ? noEvents : refuse('USERNAME_TAKEN', 'user')
    return decideEvents(UsernameClaimed({ account, name }))
  }

export const registerAccount =
  (account: AccountId, name: string): Decide<Account, AccountEvent> =>
  (state) =>
    state ? noEvents : decideEvents(AccountRegistered({ account, name }))

/** The most seats that one event names; no account has as many. */
export const MAX_SEATS_PER_EVENT = 10_000

export const deleteAccount =
  (seats: readonly SubsiteId[]): Decide<Account, AccountEvent> =>
  (account) =>
    account && !account.deleted ? decideEvents(AccountDeleted({ account: account.id, seats })) : noEvents

/** Erases an account, also a deleted one. */
export const eraseAccount =
  (seats: readonly SubsiteId[]): Decide<Account, AccountEvent> =>
  (account) =>
    account && !account.erased ? decideEvents(AccountErased({ account: account.id, seats: account.deleted ? [] : seats })) : noEvents

export const NO_ERASED_TEXTS = { things: [], entries: [], contacts: [], multis: [], places: [] } as const

/** Records that read models no longer show these texts: those of an erased account, or of a `thing` that was erased. */
export const eraseTexts =
  (texts: ErasedTexts, pass: number, thing?: string): Decide<Account, AccountEvent> =>
  (account) =>
    account?.erased || (account && thing !== undefined)
      ? decideEvents(AccountTextsErased({ account: account.id, ...texts, pass, ...(thing !== undefined && { thing }) }))
      : noEvents

/** Suspends for some days or permanently. Another end replaces the current one; a permanent suspension gets another note. */
export const suspendAccount =
  ({ at, days, note }: { readonly at: number; readonly days: number | null; readonly note: string }): Decide<Account, AccountEvent> =>
  (account) => {
    if (!account || account.deleted) return refuse('USER_DOESNT_EXIST', 'name')
    if (days === null && account.suspension?.until === null && ['', account.suspension.note].includes(note)) return noEvents
    const until = days === null ? null : at + days * DAY
    const suspended = { account: account.id, until, days, ...(note !== '' && { note }) }
    if (account.suspension === undefined) return decideEvents(AccountSuspended(suspended))
    const before = asItWas(account.suspension)
    return isSuspended(account, at)
      ? decideEvents(AccountSuspended({ ...suspended, before }))
      : decideEvents<AccountEvent>(byService(AccountSuspensionExpired({ account: account.id, before })), AccountSuspended(suspended))
  }

/** Lifts a suspension. One that has run out cannot be lifted: its expiry event follows. */
export const unsuspendAccount =
  (at: number): Decide<Account, AccountEvent> =>
  (account) =>
    account?.suspension && isSuspended(account, at)
      ? decideEvents(AccountUnsuspended({ account: account.id, before: asItWas(account.suspension) }))
      : noEvents

/** Records the end of a suspension that expires at `due`. A suspension with another end by now stays. */
export const expireSuspension =
  (due: number): Decide<Account, AccountEvent> =>
  (account) =>
    account?.suspension?.until === due
      ? decideEvents(AccountSuspensionExpired({ account: account.id, before: asItWas(account.suspension) }))
      : noEvents
