import { randomUUID } from 'node:crypto'
import type { Actor, SeenRevisions } from '../domain/event.ts'
import { toMintTime } from '../domain/ids.ts'
import type { ExpectedRevision, Position } from '../ports/event-store.ts'
import { derivedUuid } from './derived-uuid.ts'

/** Everything about one command that must not change between its tries. One command acts at most once on any one stream. */
export type Command = {
  /** The source of event ids: each is a UUIDv5 of the command id and the event's place. */
  readonly id: string
  /** Milliseconds since 1970, read once. */
  readonly at: number
  readonly by: Actor
  readonly correlationId: string
  readonly causationId: string
  /** A 53-bit id for the thing the command may create, minted with it. */
  readonly mint: number
  /** True if an earlier try, in this or another process, had an unknown outcome. Its events are looked for before deciding. */
  readonly retried: boolean
  /** Revisions of other streams that were read for it, the first one if a stream is read again. The loader records them. */
  readonly seen: Map<string, SeenRevisions[string]>
  /** A durable record of the progress of its tries. Without it a retry searches whole streams. */
  readonly journal?: Journal
  /** The state that its actor saw. The command is refused if somebody decided about the thing after that position. */
  readonly expected?: { readonly thing: string; readonly position: Position }
  /** The position of a follow-up's cause. Its own events come later, so earlier ones need not be searched. */
  readonly after?: Position
}

export type Journal = {
  /** True if any try got as far as writing. */
  readonly isStarted: boolean
  /** Returns the revision of a stream just before the first try wrote to it; undefined if no try got that far. */
  readonly startedAt: (stream: string) => ExpectedRevision | undefined
  /** Stores the revision on which this try decides, before it writes. */
  readonly noteStart: (stream: string, revision: ExpectedRevision) => Promise<void>
}

/** The part of a command that does not depend on its caller. An idempotency record stores it. */
export type Seed = Pick<Command, 'id' | 'at' | 'mint' | 'retried' | 'journal'>

/** Returns the seed of a new command with a fresh id. Its time is the one in the id, so that the two agree even if the clock steps back. */
export const seedOf = (mint: number): Seed => ({ id: randomUUID(), at: toMintTime(mint), mint, retried: false })

export const commandOf = (seed: Seed, by: Actor): Command => ({
  ...seed,
  by,
  correlationId: seed.id,
  causationId: seed.id,
  seen: new Map(),
})

/** Tells whether an earlier try may have recorded something. It was admitted and counted then, and the command is not counted again. */
export const isBegun = ({ retried, journal }: Pick<Command, 'retried' | 'journal'>): boolean => retried && (journal?.isStarted ?? true)

/** Returns the command in another capacity (as a moderator, say). */
export const actAs = (command: Command, as: Actor['as']): Command => ({ ...command, by: { ...command.by, as } })

/**
 * An event that causes further commands. All its consequences are later than its position, if that is known, and than all of its append.
 */
export type Cause = {
  readonly id: string
  readonly at: number
  readonly meta: { readonly correlationId: string }
} & ({ readonly position?: Position } | { readonly positionAtMost: Position })

/** Returns a command that an event causes. It is the same whenever and wherever it is created, so that repeating it changes nothing. */
export const followUp = (cause: Cause, key: string, by: Actor): Command => {
  const after = 'positionAtMost' in cause ? cause.positionAtMost : cause.position
  return {
    id: derivedUuid(key, cause.id),
    at: cause.at,
    by,
    correlationId: cause.meta.correlationId,
    causationId: cause.id,
    mint: 0,
    retried: true,
    ...(after !== undefined && { after }),
    seen: new Map(),
  }
}
