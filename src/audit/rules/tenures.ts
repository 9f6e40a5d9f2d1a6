// Decision 102.

import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import { entry, type LedgerRules, readRow } from './rule.ts'

// The rights that accounts held at each revision of the stream that gives and takes them: seats of moderators, admins, suspensions.

/** A change from a revision on. A null `value` means no right. */
export type TenureChange<Value> = { readonly revision: number; readonly at: number; readonly value: Value | null }
/** The newest changes. `isWhole` means that there were no others. */
export type Tenure<Value> = { readonly changes: readonly TenureChange<Value>[]; readonly isWhole: boolean }

/** The most changes of one right that are kept. An act that was decided before the oldest of them is judged by that one. */
const MAX_CHANGES = 100

export type ModeratorRights = { readonly permissions: string }
export type SuspensionTerm = { readonly until: number | null }
export type AdminGrant = { readonly isAdmin: true }

export const seatId = (subsite: string, account: string): string => `${subsite}.${account}`

const recordChange = <Value>(
  book: string,
  id: string,
  { revision, at }: Envelope,
  value: (before: Value | null) => Value | null,
): LedgerEntry =>
  entry<Tenure<Value>>(book, id, (row = { changes: [], isWhole: true }) => ({
    changes: [...row.changes, { revision, at, value: value(row.changes.at(-1)?.value ?? null) }].slice(-MAX_CHANGES),
    isWhole: row.isWhole && row.changes.length < MAX_CHANGES,
  }))

const seat = (event: Envelope & Logged<'ModeratorAdded' | 'ModeratorInvitationAccepted'>): readonly LedgerEntry[] => {
  const { subsite, account, permissions } = event.data
  return [recordChange<ModeratorRights>('audit_seats', seatId(subsite, account), event, () => ({ permissions }))]
}

const suspension = (
  event: Envelope & { readonly data: { readonly account: string } },
  value: SuspensionTerm | null,
): readonly LedgerEntry[] => [recordChange<SuspensionTerm>('audit_suspensions', event.data.account, event, () => value)]

/** Posted after the event itself was judged. */
export const tenureRules: LedgerRules = {
  ModeratorAdded: seat,
  ModeratorInvitationAccepted: seat,
  ModeratorPermissionsChanged: (event) => {
    const { subsite, account, invitation, after } = event.data
    return invitation ? [] : [recordChange<ModeratorRights>('audit_seats', seatId(subsite, account), event, () => ({ permissions: after }))]
  },
  ModeratorRemoved: (event) => [
    recordChange<ModeratorRights>('audit_seats', seatId(event.data.subsite, event.data.account), event, () => null),
  ],
  AdminGranted: (event) => [recordChange<AdminGrant>('audit_admins', event.data.account, event, () => ({ isAdmin: true }))],
  AdminRevoked: (event) => [recordChange<AdminGrant>('audit_admins', event.data.account, event, () => null)],
  AccountSuspended: (event) => suspension(event, { until: event.data.until }),
  AccountUnsuspended: (event) => suspension(event, null),
  AccountSuspensionExpired: (event) => suspension(event, null),
}

type SeenRevision = number | 'none' | undefined

/** The value at the revision that a decision saw, and the value when the act was recorded. Without a revision both are the same. */
export type TenureValues<Value> = {
  readonly whenDecided: Value | null
  readonly whenRecorded: Value | null
  /** The time of the last change, in milliseconds since 1970. */
  readonly since: number
  /** True if it was held at some time. */
  readonly ever: boolean
}

const heldAt = <Value>({ changes, isWhole }: Tenure<Value>, seen: SeenRevision): TenureValues<Value> => {
  const last = changes.at(-1)
  const oldest = isWhole ? undefined : changes[0]
  const decided = seen === 'none' ? undefined : (changes.findLast(({ revision }) => revision <= (seen ?? revision)) ?? oldest)
  return {
    whenDecided: decided?.value ?? null,
    whenRecorded: last?.value ?? null,
    since: last?.at ?? 0,
    ever: !isWhole || changes.some(({ value }) => value !== null),
  }
}

const noTenures = { changes: [], isWhole: true }

const lookAtTenure =
  <Value>(book: string) =>
  (id: string, seen: SeenRevision, see: (tenure: TenureValues<Value>) => void): LedgerEntry =>
    readRow<Tenure<Value>>(book, id, (row) => see(heldAt(row ?? noTenures, seen)))

export const readSeat = lookAtTenure<ModeratorRights>('audit_seats')
export const readAdminGrant = lookAtTenure<AdminGrant>('audit_admins')
export const readSuspension = lookAtTenure<SuspensionTerm>('audit_suspensions')
