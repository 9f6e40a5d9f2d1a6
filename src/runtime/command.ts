import { randomUUID } from 'node:crypto'
import type { Actor, SeenRevisions } from '../domain/event.ts'
import { mintedAt } from '../domain/ids.ts'
import type { ExpectedRevision, Position } from '../ports/event-store.ts'
import { derivedUuid } from './derived-uuid.ts'

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
  /** An earlier try, in this or another process, had an unknown outcome: look for its events before deciding. */
  readonly retried: boolean
  /** Revisions of other streams read for it, the first where one is read again; the loader records them. */
  readonly seen: Map<string, SeenRevisions[string]>
  /** A durable record of the progress of its tries; without it a retry searches whole streams. */
  readonly journal?: Journal
  /** What its actor saw: it is refused if somebody decided about the thing after that position. */
  readonly expected?: { readonly thing: string; readonly position: Position }
  /** The position of a follow-up's cause: its own events come later, so earlier ones need not be searched. */
  readonly after?: Position
}

export type Journal = {
  /** Whether any try got as far as writing. */
  readonly isStarted: boolean
  /** The revision of a stream just before the first try wrote to it; undefined if no try got that far. */
  readonly startedAt: (stream: string) => ExpectedRevision | undefined
  /** Store the revision on which this try decides, before it writes. */
  readonly noteStart: (stream: string, revision: ExpectedRevision) => Promise<void>
}

/** The part of a command that does not depend on its caller; stored in an idempotency record. */
export type Seed = Pick<Command, 'id' | 'at' | 'mint' | 'retried' | 'journal'>

/** A new command with a fresh id. Its time is the one in the id, so that the two agree also when the clock steps back. */
export const seedOf = (mint: number): Seed => ({ id: randomUUID(), at: mintedAt(mint), mint, retried: false })

export const commandOf = (seed: Seed, by: Actor): Command => ({
  ...seed,
  by,
  correlationId: seed.id,
  causationId: seed.id,
  seen: new Map(),
})

/** Whether an earlier try may have recorded something, and so was admitted and counted where the command is not counted again. */
export const isBegun = ({ retried, journal }: Pick<Command, 'retried' | 'journal'>): boolean => retried && (journal?.isStarted ?? true)

/** The same command in another capacity (as a moderator, say). */
export const actingAs = (command: Command, as: Actor['as']): Command => ({ ...command, by: { ...command.by, as } })

/** An event that causes further commands. */
export type Cause = {
  readonly id: string
  readonly at: number
  /** Its position, if known: all its consequences are later. */
  readonly position?: Position
  readonly meta: { readonly correlationId: string }
}

/** A command that an event causes: the same one whenever and wherever it is created, so that repeating it changes nothing. */
export const followUp = (cause: Cause, what: string, by: Actor): Command => ({
  id: derivedUuid(what, cause.id),
  at: cause.at,
  by,
  correlationId: cause.meta.correlationId,
  causationId: cause.id,
  mint: 0,
  retried: true,
  ...(cause.position !== undefined && { after: cause.position }),
  seen: new Map(),
})
