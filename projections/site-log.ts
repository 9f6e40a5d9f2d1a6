// Decision 115.

import type { Logged } from '../src/domain/events.ts'
import { isSiteAct, type SiteActEvent, type SiteAction, siteActionOf } from '../src/domain/site-acts.ts'
import type { Document } from '../src/ports/documents.ts'
import type { Position } from '../src/ports/event-store.ts'
import { collection, type Projection, putDocument, type Touch } from './engine/projection.ts'

type Value = string | number | null

/** One act of an admin on the whole site; its id is that of the event. */
export type SiteLogDocument = Document & {
  readonly position: Position
  readonly action: SiteAction
  /** The account that acted; null for the service itself. */
  readonly by: string | null
  /** The account or message that was acted on, and the account that it belongs to. */
  readonly targetId: string
  readonly author: string
  readonly description: string | null
  readonly changes: readonly { readonly field: string; readonly before: Value; readonly after: Value }[]
  readonly at: number
}

export const siteLog = collection<SiteLogDocument>({
  name: 'site_log',
  version: 1,
  positions: ['position'],
  indexes: [{ fields: ['-position', '-id'] }, { fields: ['action', 'id'] }],
})

type Act = Pick<SiteLogDocument, 'targetId' | 'author'> & Partial<Pick<SiteLogDocument, 'description' | 'changes'>>

const ofAccount = (account: string, changes: SiteLogDocument['changes'] = []): Act => ({ targetId: account, author: account, changes })

/** Returns seconds since 1970, or `permanent`. Notes are not in the log: they stay sealed. */
const end = (until: number | null): Value => (until === null ? 'permanent' : Math.floor(until / 1000))
type Suspension = Logged<'AccountSuspended' | 'AccountUnsuspended' | 'AccountSuspensionExpired'>['data']
const term = ({ before }: Suspension, after: Value) => [{ field: 'until', before: before ? end(before.until) : null, after }]
const toLiftedAct = ({ data }: Logged<'AccountUnsuspended' | 'AccountSuspensionExpired'>): Act => ofAccount(data.account, term(data, null))
/** Records a change of the admins, whom the configuration names. */
const admins =
  (before: Value, after: Value) =>
  ({ data }: Logged<'AdminGranted' | 'AdminRevoked'>): Act =>
    ofAccount(data.account, [{ field: 'admin', before, after }])

const acts: { readonly [Name in SiteActEvent]: (event: Logged<Name>) => Act } = {
  AccountSuspended: ({ data }) => ofAccount(data.account, term(data, end(data.until))),
  AccountUnsuspended: toLiftedAct,
  AccountSuspensionExpired: toLiftedAct,
  AccountErased: ({ data }) => ofAccount(data.account),
  MessageErased: ({ data }) => ({ targetId: data.message, author: data.author, description: data.reason }),
  CreditsGranted: ({ data }) => ofAccount(data.account, [{ field: 'credits', before: data.balance - data.csites, after: data.balance }]),
  GoldGiven: ({ data }) => ofAccount(data.to, [{ field: 'months', before: null, after: data.months }]),
  ThingGilded: ({ data }) => ({ targetId: data.thing, author: data.author }),
  AdminGranted: admins(null, 'admin'),
  AdminRevoked: admins('admin', null),
}

const entryOf =
  (act: (event: never) => Act) =>
  (event: Logged<SiteActEvent>): readonly Touch<SiteLogDocument>[] => {
    if (!isSiteAct(event)) return []
    const { description = null, changes = [], ...target } = act(event as never)
    const { id, position, at, by } = event
    return [
      putDocument<SiteLogDocument>({ id, position, action: siteActionOf[event.type], by: by.account, ...target, description, changes, at }),
    ]
  }

export const siteLogProjection: Projection<SiteLogDocument> = {
  collection: siteLog,
  inLogOrder: true,
  on: Object.fromEntries(Object.entries(acts).map(([name, act]) => [name, entryOf(act)])),
}
