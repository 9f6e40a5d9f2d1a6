import type { Envelope } from '../../domain/event.ts'
import type { EventName, EventNamed, Logged } from '../../domain/events.ts'
import { put, type Rules } from './rule.ts'

// The log of the site: what admins and the service did to accounts and messages, for admins.

type Line = {
  readonly action: string
  readonly on: string
  readonly of?: string
  readonly description?: string
  readonly field?: string
  readonly change?: readonly [before: unknown, after: unknown]
  /** Accounts do the same for themselves. */
  readonly adminsOnly?: true
}

const seconds = (term: { readonly until: number | null } | undefined): unknown =>
  term === undefined ? null : term.until === null ? 'permanent' : Math.floor(term.until / 1000)

type Freed = EventNamed<'AccountUnsuspended' | 'AccountSuspensionExpired'>['data']
const freed = ({ account, before }: Freed): Line => ({
  action: 'unsuspenduser',
  on: account,
  field: 'until',
  change: [seconds(before), null],
})

const lines: { readonly [Name in EventName]?: (data: EventNamed<Name>['data']) => Line } = {
  AccountSuspended: (data) => ({
    action: 'suspenduser',
    on: data.account,
    field: 'until',
    change: [seconds(data.before), seconds(data)],
  }),
  AccountUnsuspended: freed,
  AccountSuspensionExpired: freed,
  AccountErased: ({ account }) => ({ action: 'eraseuser', on: account, adminsOnly: true }),
  MessageErased: ({ message, author, reason }) => ({ action: 'erasemessage', on: message, of: author, description: reason }),
  CreditsGranted: ({ account, csites, balance }) => ({
    action: 'grantcredits',
    on: account,
    field: 'credits',
    change: [balance - csites, balance],
  }),
  GoldGiven: ({ to, months }) => ({ action: 'givegold', on: to, field: 'months', change: [null, months], adminsOnly: true }),
  ThingGilded: ({ thing, author }) => ({ action: 'givegold', on: thing, of: author, adminsOnly: true }),
  AdminGranted: ({ account }) => ({ action: 'addadmin', on: account, field: 'admin', change: [null, 'admin'] }),
  AdminRevoked: ({ account }) => ({ action: 'removeadmin', on: account, field: 'admin', change: ['admin', null] }),
}

const entryOf = ({ id, position, at, by, type, data }: Envelope & Logged) => {
  const line = (lines[type] as ((data: object) => Line) | undefined)?.(data)
  if (line === undefined || (line.adminsOnly && by.as !== 'admin')) return []
  const { action, on, of = on, description = null, field, change: [before, after] = [] } = line
  const changes = field === undefined ? [] : [{ field, before, after }]
  return [put('site_log', { id, position, action, by: by.account, targetId: on, author: of, description, changes, at })]
}

export const siteLogRules: Rules = Object.fromEntries(Object.keys(lines).map((type) => [type, entryOf]))
