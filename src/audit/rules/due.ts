// Decision 49.

import type { Actor, Envelope } from '../../domain/event.ts'
import type { EventName, EventNamed, Logged } from '../../domain/events.ts'
import type { BookRow, LedgerEntry } from '../ledger.ts'
import { entry, putRow } from './rule.ts'

// Consequences of events on other streams, one row of the ledger each.

/** A required or possible consequence of an event on another stream. Its id is `<cause> <key>`. */
export type Due = {
  readonly id: string
  readonly key: string
  readonly cause: {
    readonly id: string
    readonly type: string
    readonly stream: string
    readonly revision: number
    readonly position: string
  }
  /** False if the consequence is possible, not required. */
  readonly required: boolean
  readonly by: Actor
  readonly at: number
  readonly correlationId: string
  /** Fields of its data that are known from the cause. */
  readonly data: BookRow
  /** The expected content of its text. */
  readonly says: readonly string[]
  /** Events after which it is no longer required, if they come after the cause. */
  readonly excusedBy: readonly string[]
  /** Milliseconds since 1970 before which it is not overdue. */
  readonly notBefore: number
  /** True if more than one event may follow from the cause in this way. */
  readonly repeats: boolean
  readonly followed: boolean
}

type Multi = { readonly account: string; readonly kind: string; readonly name: string }
export const multiOf = ({ account, kind, name }: Multi): string => `${account}.${kind}.${name}`

/** Returns keys of events that follow from others or make a consequence needless. */
const keys: { readonly [Name in EventName]?: (data: EventNamed<Name>['data']) => string } = {
  AccountRegistered: ({ account }) => account,
  AdminGranted: ({ account }) => account,
  AccountTextsErased: ({ account, thing }) => thing ?? account,
  AccountSuspended: ({ account }) => account,
  AccountUnsuspended: ({ account }) => account,
  AccountSuspensionExpired: ({ account }) => account,
  SubsiteCreated: ({ subsite }) => subsite,
  AudienceApplied: ({ subsite }) => subsite,
  ModeratorAdded: ({ subsite, account }) => `${subsite}.${account}`,
  ModeratorRemoved: ({ subsite, account }) => `${subsite}.${account}`,
  ModeratorInvitationWithdrawn: ({ subsite, account }) => `${subsite}.${account}`,
  ModeratorInvitationAccepted: ({ subsite, account }) => `${subsite}.${account}`,
  ContributorAdded: ({ subsite, account }) => `${subsite}.${account}`,
  Subscribed: ({ subsite, account }) => `${subsite}.${account}`,
  ImageErased: ({ hash }) => hash,
  LinkUnstickied: ({ target }) => target.id,
  CommentUnstickied: ({ target }) => target.id,
  InboxEntryRead: ({ account, thing }) => `${account}.${thing}`,
  InboxEntryUnread: ({ account, thing }) => `${account}.${thing}`,
  MessageSent: ({ to }) => to ?? 'moderators',
  UserBanned: ({ subsite, account }) => `${subsite}.${account}`,
  BanChanged: ({ subsite, account }) => `${subsite}.${account}`,
  UserUnbanned: ({ subsite, account }) => `${subsite}.${account}`,
  BanExpired: ({ subsite, account }) => `${subsite}.${account}`,
  UserWikiBanned: ({ subsite, account }) => `${subsite}.${account}`,
  WikiBanChanged: ({ subsite, account }) => `${subsite}.${account}`,
  UserWikiUnbanned: ({ subsite, account }) => `${subsite}.${account}`,
  WikiBanExpired: ({ subsite, account }) => `${subsite}.${account}`,
  UserMuted: ({ subsite, account }) => `${subsite}.${account}`,
  UserUnmuted: ({ subsite, account }) => `${subsite}.${account}`,
  MuteExpired: ({ subsite, account }) => `${subsite}.${account}`,
  MultiCreated: multiOf,
  MultiEdited: multiOf,
  MultiDeleted: multiOf,
  GoldExtended: ({ account }) => account,
  GoldExpired: ({ account }) => account,
}

export const toDueKey = ({ type, data }: Logged): string | undefined => {
  const name = (keys[type] as ((data: object) => string) | undefined)?.(data)
  return name === undefined ? undefined : `${type} ${name}`
}

export const dueOf = (cause: Envelope & Logged, key: string, details: Partial<Due> = {}): Due => {
  const { id, type, stream, revision, position, at, by, meta } = cause
  const none = { data: {}, says: [], excusedBy: [key], notBefore: 0, repeats: false }
  const origin = { id, type, stream, revision, position }
  return {
    id: `${id} ${key}`,
    key,
    cause: origin,
    required: true,
    by,
    at,
    correlationId: meta.correlationId,
    ...none,
    followed: false,
    ...details,
  }
}

export const expectDue = (cause: Envelope & Logged, key: string, details: Partial<Due> = {}): LedgerEntry =>
  putRow('audit_due', dueOf(cause, key, details))

/** The service itself, which acts without a request. */
export const system: Actor = { account: null, as: 'system' }

const HOUR_MS = 3_600_000

/** Expects the service to end an effect at that time, unless one of these events came first. It is overdue an hour later. */
export const dueAt = (
  cause: Envelope & Logged,
  key: string,
  until: number,
  excusedBy: readonly string[],
  data: BookRow = {},
): LedgerEntry => expectDue(cause, key, { by: system, at: until, correlationId: cause.id, data, excusedBy, notBefore: until + HOUR_MS })

/** Works like `expectDue`, if a fact must first be read from another row. */
export const dueAfter = <R extends object>(
  read: readonly [book: string, id: string],
  makeDue: (row: R | undefined) => Due | undefined,
  id: string,
): readonly LedgerEntry[] => {
  let known: Due | undefined
  return [
    entry<R>(read[0], read[1], (row) => {
      known = makeDue(row)
      return row
    }),
    entry<Due>('audit_due', id, () => known),
  ]
}
