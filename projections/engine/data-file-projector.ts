import type { CreateProjector } from '../../src/adapters/sqlite/projector.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { projections } from '../all.ts'
import { dropLeftovers, forgetParked, leftoversOf } from './leftovers.ts'
import { BUILD_BATCH_EVENTS, openReadModels, type ReportProgress } from './sets.ts'

const PROGRESS_INTERVAL_MS = 1_000 // ms of work before progress is reported
const MAX_SWEPT_TOMBSTONES = 100_000 // tombstones of one collection
/** The number of events from which read models can be built without keeping much memory in use. */
const FEW_EVENTS = 20_000
const DROPPING_TIME_MS = 500 // ms after which no further collection is dropped

/** Writes a line to stderr every second while the work lasts longer than that. */
const progressLines = (title: string): ReportProgress => {
  let reportedAt = Date.now()
  return ({ events, position, target }) => {
    if (Date.now() - reportedAt < PROGRESS_INTERVAL_MS) return
    reportedAt = Date.now()
    process.stderr.write(`${title}: ${events} events, at ${Number(position)} of ${Number(target)}\n`)
  }
}

const onParked = ({ message }: Error): void => {
  process.stderr.write(`projection parked: ${message}\n`)
}

/** Runs the read models in the thread that writes the file. When this resolves, they have caught up with the log as it was at the start. */
export const createProjector: CreateProjector = async ({ events, documents, vault }) => {
  const { open } = codec(openKeyring(vault))
  const reportBuilding = progressLines('building new read models')
  let built = 0
  const runner = await openReadModels({ events, documents, open, onParked }, projections, (progress) => {
    built = progress.events
    reportBuilding(progress)
  })

  const target = await events.head()
  const report = progressLines('bringing the read models up to date')
  for (let count = 0; runner.position() < target; ) {
    const { position, events: more } = await runner.next(BUILD_BATCH_EVENTS)
    count += more
    report({ events: count, position, target })
  }

  // Events before the checkpoint are not delivered again, so tombstones up to it are not needed. Collections of an earlier version are not
  // needed either, since one server at a time uses the file. The next start deletes those that are not deleted now.
  for (const { collection } of projections) await documents.sweep(collection, runner.position(), MAX_SWEPT_TOMBSTONES)
  await dropLeftovers(documents, await leftoversOf(documents, projections), DROPPING_TIME_MS)
  await forgetParked(documents, projections, runner.position())

  return {
    hasBuiltMany: built > FEW_EVENTS,
    catchUp: async (limit) => {
      const { position, more } = await runner.next(limit)
      return { position, more }
    },
  }
}
