import { projections } from '../../projections/all.ts'
import { openFeed } from '../../projections/engine/feed.ts'
import { openSweeper, registerShards } from '../../projections/engine/leftovers.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import type { Ports } from '../../projections/engine/runner.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { openShardedRunner } from '../../projections/engine/sharded-runner.ts'
import { SHARD_COUNT } from '../../projections/engine/shards.ts'
import { Subscribed, Unsubscribed } from '../../src/domain/subscription.ts'
import type { DocumentStore } from '../../src/ports/documents.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { ann, bob, tea } from './example-history.ts'
import { inNameOf, loggedFrom } from './logged-events.ts'
import { openFile, watchForeignLog } from './read-models.ts'

const SUBSITES = ['t4_a', 't4_b', 't4_c', 't4_d', 't4_e'] as const

/** Ann subscribes to five subsites and to tea, and leaves the five again. */
export const told = [
  ...[...SUBSITES, tea].map((subsite) => inNameOf(ann)(Subscribed({ account: ann, subsite }))),
  ...SUBSITES.map((subsite) => inNameOf(ann)(Unsubscribed({ account: ann, subsite }))),
]
export const more = [...told, inNameOf(bob)(Subscribed({ account: bob, subsite: tea }))]

const projectionsNamed = (name: string): readonly Projection[] => projections.filter(({ collection }) => collection.name === name)
export const old: readonly Projection[] = [...projectionsNamed('subscriptions'), ...projectionsNamed('messages')]
export const next = old.map((one) =>
  one.collection.name === 'messages' ? { ...one, collection: { ...one.collection, version: one.collection.version + 1 } } : one,
)

const every = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard))

export const upToDate = async (ports: Ports, log: EventStore, projections: readonly Projection[]): Promise<void> => {
  const runner = openShardedRunner(ports, openFeed(watchForeignLog(log)), projections)
  while ((await runner.turn(every)) !== 'waited');
}

export const openVersions = async (t: Parameters<typeof openFile>[0], projections = old) => {
  const file = openFile(t)
  await file.append(loggedFrom(told))
  await file.stores.documents.prepare([...collectionsOf(old), ...collectionsOf(next)])
  await registerShards(file.stores.documents, projections)
  return file
}

/** A round that takes what was passed just now. */
export const sweepAtOnce = async (documents: DocumentStore, projections: readonly Projection[], limit?: number): Promise<number> => {
  const sweeper = openSweeper(documents, projections, 0)
  await sweeper.look()
  return sweeper.sweep(limit)
}
