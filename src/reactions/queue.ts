// Decision 48.

import type { RecordedEvent } from '../ports/event-store.ts'
import type { Vault } from '../ports/vault.ts'

/** An event whose consequences failed, which waits for the next try. */
export type QueuedReaction = Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position'> & {
  /** The error of the last try. */
  readonly error: string
  readonly tries: number
  /** The time of the first failure, in milliseconds since 1970. */
  readonly since: number
}

/** More queued events than this indicate faulty code, not a faulty event: nothing further is read from the log until some are done. */
export const MAX_QUEUED_REACTIONS = 1_000
const OWNER = 'reactions'

/** Returns all queued events, oldest first. They are in the vault, so that they survive the process and any rebuild. */
export const listQueued = async (vault: Pick<Vault, 'list'>): Promise<readonly QueuedReaction[]> =>
  (await vault.list('reaction', OWNER)).map(({ value }) => value as QueuedReaction)

export type ReactionQueue = {
  readonly list: () => Promise<readonly QueuedReaction[]>
  /** Adds an event, or records that another try failed. */
  readonly put: (entry: QueuedReaction) => Promise<void>
  readonly remove: (entry: Pick<QueuedReaction, 'id'>) => Promise<void>
  readonly clear: () => Promise<void>
}

export const reactionQueue = (vault: Pick<Vault, 'list' | 'put' | 'delete' | 'deleteAll'>): ReactionQueue => ({
  list: () => listQueued(vault),
  put: (entry) => vault.put('reaction', entry.id, { value: entry, owner: OWNER }),
  remove: ({ id }) => vault.delete('reaction', id),
  clear: () => vault.deleteAll('reaction', OWNER),
})
