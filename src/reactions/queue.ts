import type { RecordedEvent } from '../ports/event-store.ts'
import type { Vault } from '../ports/vault.ts'

/** An event whose consequences failed, which waits for the next try. */
export type QueuedReaction = Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position'> & {
  /** What went wrong at the last try. */
  readonly error: string
  readonly tries: number
  /** Of the first failure, in milliseconds since 1970. */
  readonly since: number
}

/** More than this indicates faulty code, not a faulty event: nothing further is read from the log until some are done. */
export const MAX_QUEUED_REACTIONS = 1_000
const OWNER = 'reactions'

/** All queued events, oldest first. Stored in the vault, so that they survive the process and any rebuild. */
export const queuedReactions = async (vault: Pick<Vault, 'list'>): Promise<readonly QueuedReaction[]> =>
  (await vault.list('reaction', OWNER)).map(({ value }) => value as QueuedReaction)

export type ReactionQueue = {
  readonly list: () => Promise<readonly QueuedReaction[]>
  /** Add an event, or write down that another try failed. */
  readonly put: (entry: QueuedReaction) => Promise<void>
  readonly remove: (entry: Pick<QueuedReaction, 'id'>) => Promise<void>
  readonly clear: () => Promise<void>
}

export const reactionQueue = (vault: Pick<Vault, 'list' | 'put' | 'delete' | 'deleteAll'>): ReactionQueue => ({
  list: () => queuedReactions(vault),
  put: (entry) => vault.put('reaction', entry.id, { value: entry, owner: OWNER }),
  remove: ({ id }) => vault.delete('reaction', id),
  clear: () => vault.deleteAll('reaction', OWNER),
})
