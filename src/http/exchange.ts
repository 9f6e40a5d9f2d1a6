import type { Position } from '../ports/event-store.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { anonymous, type Identity } from './identity.ts'
import type { Incoming } from './incoming.ts'
import type { Keeping } from './page-cache.ts'
import type { Quota } from './rate-limit.ts'
import type { Writing } from './respond.ts'

/** What has been learned about one request on its way; filled in as it goes, so that also a refusal can be answered properly. */
export type Exchange = {
  readonly incoming: Incoming
  readonly id: string
  endpoint: AnyEndpoint | undefined
  identity: Identity
  quota: Quota | undefined
  keeping: Keeping | undefined
  writing: Writing
  /** How far the read models were before anything was read. */
  read: Position | undefined
  /** Where the last event stands that it wrote. */
  written: Position | undefined
  stale: boolean
}

export const exchangeOf = (incoming: Incoming, id: string, quota: Quota | undefined): Exchange => ({
  incoming,
  id,
  endpoint: undefined,
  identity: anonymous,
  quota,
  keeping: undefined,
  writing: { encoding: 'entities', callback: undefined, modhash: '' },
  read: undefined,
  written: undefined,
  stale: false,
})

export const noteWritten = (exchange: Exchange, position: Position | undefined): void => {
  if (position !== undefined && (exchange.written === undefined || position > exchange.written)) exchange.written = position
}
