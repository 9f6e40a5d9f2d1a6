import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestsUsed } from '../../limits/rate-limit.ts'
import type { Position } from '../../ports/event-store.ts'
import type { Command } from '../../runtime/command.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { Encoding, Fields, IncomingRequest } from './incoming.ts'
import { anonymous, type Identity } from './request.ts'

/** The format in which one response's body is serialized. */
export type BodyFormat = { readonly encoding: Encoding; readonly callback: string | undefined; readonly modhash: string | null }

/** The key under which a response may be cached. Its reads are recorded while it is made. */
export type CacheRecord = {
  readonly key: string
  readonly reads: Map<string, number | undefined>
  readonly note: (collection: string) => void
  readsClock: boolean
  readonly noteAggregate: (category: string) => void
  /** True if it depends on data outside all collections. */
  readsMore: boolean
}

/** The state of one request while it is handled. It is filled in step by step, so that refusals have the right header fields, too. */
export type Exchange = {
  readonly incoming: IncomingRequest
  readonly id: string
  /** The address of the site, for the addresses in refusals. */
  readonly publicUrl: string
  /** The request whose page shows the answer to this one. It has the same viewer, counts as nothing, and is recorded for that page. */
  readonly page: Exchange | undefined
  endpoint: AnyEndpoint | undefined
  identity: Identity
  quota: RequestsUsed | undefined
  /** Revisions that its acts of authority rest on beside the facts that its command reads. */
  readonly seen: Command['seen']
  keeping: CacheRecord | undefined
  writing: BodyFormat
  /** The position of the read models before anything was read. */
  read: Position | undefined
  /** The position of the last event that the request wrote. */
  written: Position | undefined
  stale: boolean
}

export const exchangeOf = (incoming: IncomingRequest, id: string, publicUrl = '', page?: Exchange): Exchange => ({
  incoming,
  id,
  publicUrl,
  page,
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

/** Notes `raw_json=1`, in the query or the body: text without entities. */
export const noteRawJson = (exchange: Exchange, { raw_json }: Fields): void => {
  if (raw_json === '1') exchange.writing = { ...exchange.writing, encoding: 'unicode' }
}

/** The facts about the response in progress that code anywhere below a request can ask for. */
type ThisAnswer = {
  /** Returns the account, or without one the address, that costly work is counted for. */
  readonly caller: () => string
  /** Returns a signal that aborts when nobody waits for the response any more. */
  readonly abandoned: () => AbortSignal
  /** The texts that were rendered for this response. All of them are shown, even if the cache of renderings cannot hold them all. */
  readonly rendered: Map<string, string>
}

const answers = new AsyncLocalStorage<ThisAnswer>()

const never = new AbortController().signal

export const runForCaller = <T>(caller: () => string, make: () => Promise<T>, abandoned = () => never): Promise<T> =>
  answers.run({ caller, abandoned, rendered: new Map() }, make)

export const thisAnswer = (): ThisAnswer | undefined => answers.getStore()

/** Returns the caller; empty outside requests. */
export const callerHere = (): string => thisAnswer()?.caller() ?? ''
