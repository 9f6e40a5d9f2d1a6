import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestsUsed } from '../../limits/rate-limit.ts'
import type { Position } from '../../ports/event-store.ts'
import type { Command } from '../../runtime/command.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { Encoding, Fields, IncomingRequest } from './incoming.ts'
import { anonymous, type Identity } from './request.ts'

/** How one response's body is serialized. */
export type BodyFormat = { readonly encoding: Encoding; readonly callback: string | undefined; readonly modhash: string | null }

/** The key under which a response may be cached; what it is read from is recorded while it is made. */
export type CacheRecord = {
  readonly key: string
  readonly reads: Map<string, number | undefined>
  readonly note: (collection: string) => void
  readsClock: boolean
  readonly noteAggregate: (category: string) => void
  /** It depends on data outside all collections. */
  readsMore: boolean
}

/** The state of one request while it is handled; filled in step by step, so that refusals have the right header fields, too. */
export type Exchange = {
  readonly incoming: IncomingRequest
  readonly id: string
  /** Of the site, for the addresses that refusals name. */
  readonly publicUrl: string
  endpoint: AnyEndpoint | undefined
  identity: Identity
  quota: RequestsUsed | undefined
  /** The revisions of what its acts of authority rest on beside the facts that its command reads. */
  readonly seen: Command['seen']
  keeping: CacheRecord | undefined
  writing: BodyFormat
  /** The position of the read models before anything was read. */
  read: Position | undefined
  /** The position of the last event that the request wrote. */
  written: Position | undefined
  stale: boolean
}

export const exchangeOf = (incoming: IncomingRequest, id: string, publicUrl = ''): Exchange => ({
  incoming,
  id,
  publicUrl,
  endpoint: undefined,
  identity: anonymous,
  quota: undefined,
  seen: new Map(),
  keeping: undefined,
  writing: { encoding: 'entities', callback: undefined, modhash: '' },
  read: undefined,
  written: undefined,
  stale: false,
})

export const noteWritten = (exchange: Exchange, position: Position | undefined): void => {
  if (position !== undefined && (exchange.written === undefined || position > exchange.written)) exchange.written = position
}

/** `raw_json=1`, in the query or the body: text without entities. */
export const noteRawJson = (exchange: Exchange, { raw_json }: Fields): void => {
  if (raw_json === '1') exchange.writing = { ...exchange.writing, encoding: 'unicode' }
}

/** What code anywhere below a request can ask about the response that it helps to make. */
type ThisAnswer = {
  /** The account, or without one the address, that costly work is counted for. */
  readonly caller: () => string
  /** Aborted when nobody waits for the response any more. */
  readonly abandoned: () => AbortSignal
  /** The texts that were rendered for this response: all of them are shown, even if the cache of renderings cannot hold them all. */
  readonly rendered: Map<string, string>
}

const answers = new AsyncLocalStorage<ThisAnswer>()

const never = new AbortController().signal

export const making = <T>(caller: () => string, make: () => Promise<T>, abandoned = () => never): Promise<T> =>
  answers.run({ caller, abandoned, rendered: new Map() }, make)

export const thisAnswer = (): ThisAnswer | undefined => answers.getStore()

/** Empty outside requests. */
export const callerHere = (): string => thisAnswer()?.caller() ?? ''
