import { type ModQueueDocument, modQueues } from '../../projections/mod-queues.ts'
import type { AccountId, SubsiteId, ThingId } from '../domain/ids.ts'
import type { DocumentStore, FieldOf, OrderField } from '../ports/documents.ts'
import { listingIndex, selectBy, type Where } from '../ports/indexed.ts'
import { accountsById, isSuspendedForGood } from './accounts.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'
import { subsitesById } from './subsites.ts'

const NEWEST_FIRST = ['-seq', '-id'] as const

type QueuedKind = ModQueueDocument['kind']
type InQueue = Extract<FieldOf<ModQueueDocument>, `in${string}`>

/** Declares a moderation queue: the field of its things, their order, and whether one kind of them can be listed. */
const queue = <const Field extends InQueue>(field: Field, order: readonly OrderField<FieldOf<ModQueueDocument>>[], hasKinds = true) => {
  const all = listingIndex(modQueues, ['subsite', field], order, ['seq'])
  const ofKind = hasKinds ? listingIndex(modQueues, ['subsite', field, 'kind'], order) : undefined
  const inSome = (subsites: readonly SubsiteId[]) =>
    ({ subsite: { in: subsites }, [field]: true }) as Where<ModQueueDocument, 'subsite' | Field>
  return {
    order,
    things: (documents: DocumentStore, subsites: readonly SubsiteId[], kind?: QueuedKind) =>
      kind === undefined || ofKind === undefined
        ? listBy(documents, all, inSome(subsites))
        : listBy(documents, ofKind, { ...inSome(subsites), kind } as Where<ModQueueDocument, 'subsite' | 'kind' | Field>),
    numbers: (documents: DocumentStore, subsites: readonly SubsiteId[], limit: number) =>
      selectBy(documents, all, inSome(subsites), { limit }),
  }
}

/** The queues. Only links are in the queue of undecided things. */
const queues = {
  reports: queue('inReports', NEWEST_FIRST),
  spam: queue('inSpam', NEWEST_FIRST),
  modqueue: queue('inModqueue', NEWEST_FIRST),
  unmoderated: queue('inUnmoderated', NEWEST_FIRST, false),
  edited: queue('inEdited', ['-editedAt', ...NEWEST_FIRST]),
} as const
export type QueueName = keyof typeof queues
export const queueNames = ['reports', 'spam', 'modqueue', 'unmoderated', 'edited'] as const satisfies readonly QueueName[]

export const queueOrder = (name: QueueName): readonly string[] => queues[name].order

/** Lists one queue of some subsites. `only` selects one kind of thing; the queue of links ignores it. */
export const queueOf = (
  documents: DocumentStore,
  subsites: readonly SubsiteId[],
  name: QueueName,
  only: QueuedKind | undefined,
): OrderedSource<ModQueueDocument> => queues[name].things(documents, subsites, only)

/** Returns the queue records of some things that have one. */
export const queueRecordsOf = (documents: DocumentStore, things: readonly ThingId[]): Promise<ReadonlyMap<ThingId, ModQueueDocument>> =>
  documents.getMany(modQueues, things)

type AwaitingThing = { readonly subsite: SubsiteId; readonly author: AccountId }

/** Returns the things of permanently suspended accounts, in subsites whose settings exclude them. */
export const writtenByBanned = async (
  documents: DocumentStore,
  things: readonly AwaitingThing[],
): Promise<(thing: AwaitingThing) => boolean> => {
  const places = await subsitesById(
    documents,
    things.map(({ subsite }) => subsite),
  )
  const excludes = ({ subsite }: AwaitingThing) => places.get(subsite)?.settings.exclude_banned_modqueue ?? false
  const authors = await accountsById(
    documents,
    things.filter(excludes).map(({ author }) => author),
  )
  return (thing) => {
    const author = excludes(thing) ? authors.get(thing.author) : undefined
    return author !== undefined && isSuspendedForGood(author)
  }
}

const MAX_COUNTED_THINGS = 1000

/** Counts the things that wait for a decision in some subsites, no further than a thousand. */
export const countWaiting = async (documents: DocumentStore, subsites: readonly SubsiteId[]): Promise<number> => {
  const { numbers, things } = queues.modqueue
  const places = await subsitesById(documents, subsites)
  const [whole = [], withoutBanned = []] = [false, true].map((excludes) =>
    subsites.filter((id) => (places.get(id)?.settings.exclude_banned_modqueue ?? false) === excludes),
  )
  const [counted, examined] = await Promise.all([
    numbers(documents, whole, MAX_COUNTED_THINGS),
    withoutBanned.length === 0 ? [] : things(documents, withoutBanned).find({ limit: MAX_COUNTED_THINGS }),
  ])
  const isExcluded = await writtenByBanned(documents, examined)
  return Math.min(MAX_COUNTED_THINGS, counted.length + examined.filter((thing) => thing.inReports || !isExcluded(thing)).length)
}
