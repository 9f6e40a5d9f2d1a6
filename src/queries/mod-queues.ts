import { type ModQueueDocument, modQueues } from '../../projections/mod-queues.ts'
import type { SubsiteId, ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { found, type Source } from './walk.ts'

/** The queues of the moderators: what holds a thing there, and in which order it stands. */
const queues = {
  reports: { where: { inReports: true }, order: ['-seq'] },
  spam: { where: { inSpam: true }, order: ['-seq'] },
  modqueue: { where: { inModqueue: true }, order: ['-seq'] },
  unmoderated: { where: { inUnmoderated: true }, order: ['-seq'] },
  edited: { where: { inEdited: true }, order: ['-editedAt', '-seq'] },
} as const
export type QueueName = keyof typeof queues
export const queueNames = ['reports', 'spam', 'modqueue', 'unmoderated', 'edited'] as const satisfies readonly QueueName[]

export const orderOf = (queue: QueueName): readonly string[] => queues[queue].order

/** One queue of some subsites; `only` one kind of thing, which says nothing of the queue that holds links alone. */
export const queueOf = (
  documents: DocumentStore,
  subsites: readonly SubsiteId[],
  queue: QueueName,
  only: ModQueueDocument['kind'] | undefined,
): Source<ModQueueDocument> => {
  const kind = only === undefined || queue === 'unmoderated' ? {} : { kind: only }
  return found(documents, modQueues, { subsite: { in: subsites }, ...queues[queue].where, ...kind }, orderOf(queue))
}

/** Why some things concern the moderators; those that never did are left out. */
export const concerning = (documents: DocumentStore, things: readonly ThingId[]): Promise<ReadonlyMap<ThingId, ModQueueDocument>> =>
  documents.getMany(modQueues, things)

const MOST_COUNTED = 1000

/** How many things wait for a decision in some subsites, counting no further than a thousand. */
export const waitingIn = async (documents: DocumentStore, subsites: readonly SubsiteId[]): Promise<number> => {
  const { where, order } = queues.modqueue
  const query = { where: { subsite: { in: subsites }, ...where }, order, page: { limit: MOST_COUNTED } }
  return (await documents.select(modQueues, query, ['seq'])).length
}
