import type { CreateProjector } from '../src/adapters/sqlite/projector.ts'
import { codec } from '../src/log/codec.ts'
import { keyring } from '../src/log/keys.ts'
import { projections } from './all.ts'
import { BUILD_BATCH, collectionsOf, openReadModels, type Report } from './sets.ts'

const SILENCE = 1_000 // ms of work before anything is said

/** A line on stderr every second, once it takes longer than that. */
const progressLines = (what: string): Report => {
  let said = Date.now()
  return ({ events, position, target }) => {
    if (Date.now() - said < SILENCE) return
    said = Date.now()
    process.stderr.write(`${what}: ${events} events, at ${Number(position)} of ${Number(target)}\n`)
  }
}

/** The read models in the thread that writes the file. When this resolves they have caught up with the log as it was found. */
export const createProjector: CreateProjector = async ({ events, documents, vault }) => {
  const { open } = codec(keyring(vault))
  const runner = await openReadModels({ events, documents, open }, projections, progressLines('building new read models'))

  const target = await events.head()
  const report = progressLines('bringing the read models up to date')
  for (let done = 0; runner.position() < target; ) {
    const { position, events: more } = await runner.next(BUILD_BATCH)
    done += more
    report({ events: done, position, target })
  }

  // Nothing is delivered again from before the checkpoint, so the tombstones up to it have done their work.
  for (const collection of collectionsOf(projections)) await documents.sweep(collection, runner.position())

  return {
    catchUp: async (limit) => {
      const { position, touched, events: done } = await runner.next(limit)
      return { position, touched, more: done === limit }
    },
  }
}
