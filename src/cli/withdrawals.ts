// Decision 122.

import type { EventName, Logged } from '../domain/events.ts'
import { openWithoutKeys } from '../log/codec.ts'
import type { BlobHash } from '../ports/blobs.ts'
import type { RecordedEvent } from '../ports/event-store.ts'

/** The texts and names that an event withdraws for good. No copy of an earlier state may give them away. */
type Withdrawn = {
  /** One thing of an account, whose texts become unreadable. */
  readonly thing?: readonly [account: string, thing: string]
  /** All texts in the same stream before the event. */
  readonly stream?: true
  /** All texts of an account. */
  readonly account?: string
  readonly blob?: BlobHash
  /** True if the event itself makes a thing show no author, or an account no name. A copy must have such an event, too. */
  readonly repeated?: true
}

const table = {
  LinkDeleted: ({ data }: Logged<'LinkDeleted'>) => ({ thing: [data.author, data.link], repeated: true }),
  CommentDeleted: ({ data }: Logged<'CommentDeleted'>) => ({ thing: [data.author, data.comment], repeated: true }),
  MultiDeleted: (_: Logged<'MultiDeleted'>) => ({ stream: true, repeated: true }),
  AccountDeleted: (_: Logged<'AccountDeleted'>) => ({ repeated: true }),
  AccountErased: ({ data }: Logged<'AccountErased'>) => ({ account: data.account, repeated: true }),
  LinkErased: ({ data: { target } }: Logged<'LinkErased'>) => ({ thing: [target.author, target.id] }),
  CommentErased: ({ data: { target } }: Logged<'CommentErased'>) => ({ thing: [target.author, target.id] }),
  MessageErased: ({ data }: Logged<'MessageErased'>) => ({ thing: [data.author, data.message] }),
  WikiRevisionErased: ({ data }: Logged<'WikiRevisionErased'>) => ({ thing: [data.author, data.revision] }),
  ImageErased: ({ data }: Logged<'ImageErased'>) => ({ blob: data.hash }),
} satisfies { readonly [Name in EventName]?: (event: Logged<Name>) => Withdrawn }

/** The events that withdraw something. */
export const withdrawing: ReadonlySet<string> = new Set(Object.keys(table))

const withdrawnBy = (event: Logged): Withdrawn =>
  (table as Readonly<Record<string, (event: Logged) => Withdrawn>>)[event.type]?.(event) ?? {}

/** Collects everything that a log withdraws, event by event, each once. */
export const openWithdrawals = () => {
  const things = new Map<string, Set<string>>()
  /** The last revision that withdraws the texts before it, by stream. */
  const streams = new Map<string, number>()
  const accounts = new Set<string>()
  const blobs = new Set<BlobHash>()

  const note = (account: string, thing: string): void => {
    const known = things.get(account) ?? new Set()
    things.set(account, known.add(thing))
  }

  return {
    things: (account: string): ReadonlySet<string> => things.get(account) ?? new Set(),
    accounts: (): Iterable<string> => things.keys(),
    isErased: (account: string): boolean => accounts.has(account),
    isBlobErased: (hash: BlobHash): boolean => blobs.has(hash),
    streams: streams as ReadonlyMap<string, number>,
    note,
    /** Returns those of some events that a copy of an earlier state must have, too. */
    read: async (recorded: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> => {
      const ending = recorded.filter(({ type }) => withdrawing.has(type))
      const opened = await openWithoutKeys(ending)
      return ending.filter((_, index) => {
        const event = opened[index] as Logged
        const { thing, stream, account, blob, repeated = false } = withdrawnBy(event)
        if (thing) note(...thing)
        if (stream) streams.set(event.stream, event.revision)
        if (account !== undefined) accounts.add(account)
        if (blob !== undefined) blobs.add(blob)
        return repeated
      })
    },
  }
}

export type Withdrawals = ReturnType<typeof openWithdrawals>
