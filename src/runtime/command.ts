import { v4, v5 } from 'uuid'
import type { Actor, Seen } from '../domain/event.ts'
import { mintedAt } from '../domain/ids.ts'
import type { Expected, Position } from '../ports/event-store.ts'

/** Everything about one command that must not change between its tries. One command acts at most once on any one stream. */
export type Command = {
  /** Event ids derive from it (UUIDv5 of command id and the event's place). */
  readonly id: string
  /** Milliseconds since 1970, read once. */
  readonly at: number
  readonly by: Actor
  readonly correlationId: string
  readonly causationId: string
  /** A 53-bit id for the thing the command may create, minted with it. */
  readonly mint: number
  /** It was begun before, by this or another process, with unknown outcome: look for its events before deciding. */
  readonly retried: boolean
  /** Revisions of other streams read on its behalf; the loader writes them down. */
  readonly seen: Map<string, Seen[string]>
  /** What is kept beyond this process of how far its tries came; without it a retry looks through whole streams. */
  readonly journal?: Journal
  /** What a follow-up wrote stands after this position, that of its cause; nothing earlier needs to be looked at. */
  readonly after?: Position
}

export type Journal = {
  /** Where the first try stood on a stream just before it wrote; undefined when none got that far. */
  readonly startedAt: (stream: string) => Expected | undefined
  /** Make durable where this try stands, before it writes. */
  readonly noteStart: (stream: string, revision: Expected) => Promise<void>
}

/** What a command is before it is known who gives it; kept by an idempotency record. */
export type Seed = Pick<Command, 'id' | 'at' | 'mint' | 'retried' | 'journal'>

/** A new command around a fresh id. Its time is the one in the id, so that the two agree also when the clock steps back. */
export const seedOf = (mint: number): Seed => ({ id: v4(), at: mintedAt(mint), mint, retried: false })

export const commandOf = (seed: Seed, by: Actor): Command => ({
  ...seed,
  by,
  correlationId: seed.id,
  causationId: seed.id,
  seen: new Map(),
})

/** The same command in another capacity (as a moderator, say). */
export const actingAs = (command: Command, as: Actor['as']): Command => ({ ...command, by: { ...command.by, as } })

/** An event that something follows from. */
export type Cause = {
  readonly id: string
  readonly at: number
  /** Where it stands, if that is known: what follows from it stands later. */
  readonly position?: Position
  readonly meta: { readonly correlationId: string }
}

/** What follows from an event: the same command whenever and wherever it is made, so that doing it again changes nothing. */
export const followUp = (cause: Cause, what: string, by: Actor): Command => ({
  id: v5(what, cause.id),
  at: cause.at,
  by,
  correlationId: cause.meta.correlationId,
  causationId: cause.id,
  mint: 0,
  retried: true,
  ...(cause.position !== undefined && { after: cause.position }),
  seen: new Map(),
})
