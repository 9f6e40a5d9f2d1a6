import { type ModQueueDocument, modQueues } from '../../projections/mod-queues.ts'
import type { AccountId, SubsiteId, ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { accountsById, isSuspendedForGood } from './accounts.ts'
import { subsitesById } from './subsites.ts'
import { found, type Source } from './walk.ts'

const NEWEST_FIRST = ['-seq', '-id'] as const

/** The moderation queues: the condition for a thing to be in each, and its order. */
const queues = {
  reports: { where: { inReports: true }, order: NEWEST_FIRST },
  spam: { where: { inSpam: true }, order: NEWEST_FIRST },
  modqueue: { where: { inModqueue: true }, order: NEWEST_FIRST },
  unmoderated: { where: { inUnmoderated: true }, order: NEWEST_FIRST },
  edited: { where: { inEdited: true }, order: ['-editedAt', ...NEWEST_FIRST] },
} as const
export type QueueName = keyof typeof queues
export const queueNames = ['reports', 'spam', 'modqueue', 'unmoderated', 'edited'] as const satisfies readonly QueueName[]

export const orderOf = (queue: QueueName): readonly string[] => queues[queue].order

/** One queue of some subsites; `only` one kind of thing, ignored by the queue of links. */
export const queueOf = (
  documents: DocumentStore,
  subsites: readonly SubsiteId[],
  queue: QueueName,
  only: ModQueueDocument['kind'] | undefined,
): Source<ModQueueDocument> => {
  const kind = only === undefined || queue === 'unmoderated' ? {} : { kind: only }
  return found(documents, modQueues, { subsite: { in: subsites }, ...queues[queue].where, ...kind }, orderOf(queue))
}

/** The queue records of some things; things without one are left out. */
export const concerning = (documents: DocumentStore, things: readonly ThingId[]): Promise<ReadonlyMap<ThingId, ModQueueDocument>> =>
  documents.getMany(modQueues, things)

type Waiting = { readonly subsite: SubsiteId; readonly author: AccountId }

/** Removes the things of permanently suspended accounts, in subsites whose settings exclude them. */
export const writtenByBanned = async (documents: DocumentStore, things: readonly Waiting[]): Promise<(thing: Waiting) => boolean> => {
  const places = await subsitesById(
    documents,
    things.map(({ subsite }) => subsite),
  )
  const excludes = ({ subsite }: Waiting) => places.get(subsite)?.settings.exclude_banned_modqueue ?? false
  const authors = await accountsById(
    documents,
    things.filter(excludes).map(({ author }) => author),
  )
  return (thing) => {
    const author = excludes(thing) ? authors.get(thing.author) : undefined
    return author !== undefined && isSuspendedForGood(author)
  }
}

const MOST_COUNTED = 1000

/** How many things wait for a decision in some subsites, counting no further than a thousand. */
export const waitingIn = async (documents: DocumentStore, subsites: readonly SubsiteId[]): Promise<number> => {
  const { where, order } = queues.modqueue
  const waiting = (some: readonly SubsiteId[]) => ({ where: { subsite: { in: some }, ...where }, order, page: { limit: MOST_COUNTED } })
  const places = await subsitesById(documents, subsites)
  const [all, some] = [false, true].map((on) =>
    subsites.filter((id) => (places.get(id)?.settings.exclude_banned_modqueue ?? false) === on),
  ) as [SubsiteId[], SubsiteId[]]
  const [counted, looked] = await Promise.all([
    documents.select(modQueues, waiting(all), ['seq']),
    some.length === 0 ? [] : documents.find(modQueues, waiting(some)),
  ])
  const isExcluded = await writtenByBanned(documents, looked)
  return Math.min(MOST_COUNTED, counted.length + looked.filter((thing) => thing.inReports || !isExcluded(thing)).length)
}
