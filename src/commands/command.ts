import type { Actor, Seen } from '../domain/event.ts'

/** Everything about one command that must not change between its tries. */
export type Command = {
  /** Event ids derive from it (UUIDv5 of command id and ordinal). */
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
}

/** The same command in another capacity (as a moderator, say). */
export const actingAs = (command: Command, as: Actor['as']): Command => ({ ...command, by: { ...command.by, as } })
