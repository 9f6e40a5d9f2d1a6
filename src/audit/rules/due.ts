import type { Actor, Envelope } from '../../domain/event.ts'
import type { EventName, EventNamed, Logged } from '../../domain/events.ts'
import type { Entry, Row } from '../ledger.ts'
import { entry, put } from './rule.ts'

// What must follow from events elsewhere, one row of the ledger each.

/** What must follow from an event elsewhere, or may. Its id is `<cause> <key>`. */
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
  /** Else it may follow. */
  readonly required: boolean
  readonly by: Actor
  readonly at: number
  readonly correlationId: string
  /** Fields of its data that are known from the cause. */
  readonly data: Row
  /** What its text must say. */
  readonly says: readonly string[]
  /** It need not follow any more when one of these came after the cause. */
  readonly excusedBy: readonly string[]
  /** Milliseconds since 1970 before which it is not overdue. */
  readonly notBefore: number
  /** More than one event may follow from the cause in this way. */
  readonly repeats: boolean
  readonly followed: boolean
}

/** Names what happened, for those events that follow from others or make following needless. */
const keys: { readonly [Name in EventName]?: (data: EventNamed<Name>['data']) => string } = {
  AccountRegistered: ({ account }) => account,
  SubsiteCreated: ({ subsite }) => subsite,
  ModeratorAdded: ({ subsite, account }) => `${subsite}.${account}`,
  ModeratorRemoved: ({ subsite, account }) => `${subsite}.${account}`,
  ModeratorInvitationWithdrawn: ({ subsite, account }) => `${subsite}.${account}`,
  ModeratorInvitationAccepted: ({ subsite, account }) => `${subsite}.${account}`,
  ContributorAdded: ({ subsite, account }) => `${subsite}.${account}`,
  Subscribed: ({ subsite, account }) => `${subsite}.${account}`,
  LinkUnstickied: ({ target }) => target.id,
  InboxEntryRead: ({ account, thing }) => `${account}.${thing}`,
  InboxEntryUnread: ({ account, thing }) => `${account}.${thing}`,
  MessageSent: ({ to }) => to ?? 'moderators',
  UserBanned: ({ subsite, account }) => `${subsite}.${account}`,
  BanChanged: ({ subsite, account }) => `${subsite}.${account}`,
  UserUnbanned: ({ subsite, account }) => `${subsite}.${account}`,
  BanExpired: ({ subsite, account }) => `${subsite}.${account}`,
}

export const keyOf = ({ type, data }: Logged): string | undefined => {
  const name = (keys[type] as ((data: object) => string) | undefined)?.(data)
  return name === undefined ? undefined : `${type} ${name}`
}

export const dueOf = (cause: Envelope & Logged, key: string, what: Partial<Due> = {}): Due => {
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
    ...what,
  }
}

export const due = (cause: Envelope & Logged, key: string, what: Partial<Due> = {}): Entry => put('audit_due', dueOf(cause, key, what))

/** As `due`, where what must be known first is read from another row. */
export const dueAfter = <R extends object>(
  read: readonly [book: string, id: string],
  made: (row: R | undefined) => Due | undefined,
  id: string,
): readonly Entry[] => {
  let known: Due | undefined
  return [
    entry<R>(read[0], read[1], (row) => {
      known = made(row)
      return row
    }),
    entry<Due>('audit_due', id, () => known),
  ]
}
