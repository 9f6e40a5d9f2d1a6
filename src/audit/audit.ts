import { parked } from '../../projections/parked.ts'
import type { Projection } from '../../projections/projection.ts'
import { openRunner, readParked } from '../../projections/runner.ts'
import { collectionsOf } from '../../projections/sets.ts'
import type { Codec } from '../log/codec.ts'
import type { DocumentStore } from '../ports/documents.ts'
import type { EventStore, Position, RecordedEvent } from '../ports/event-store.ts'
import { compare, type Scratch, type Standing } from './compare.ts'
import type { Finding } from './finding.ts'
import { logCheck } from './log-check.ts'

export type Audited = {
  readonly events: EventStore
  /** As they are stored. */
  readonly documents: DocumentStore
  readonly standing: Standing
  readonly open: Codec['open']
  /** An empty store that nobody else uses. */
  readonly scratch: DocumentStore
  /** Lower-cased names. */
  readonly admins: readonly string[]
}

export type Report = (done: { readonly position: Position; readonly head: Position }) => void

export type Summary = {
  readonly events: number
  readonly documents: number
  /** Comments that were decided before a lock and recorded after it. */
  readonly raced: number
}

const BATCH = 50_000
const CHECKPOINT = 'audit'

/** Only the documents are compared, so nothing of what makes them quick to find is built. */
const bare = ({ collection: { name, version }, on }: Projection): Projection => ({ collection: { name, version, indexes: [] }, on })

/** Replay the log beside what is stored, and tell every difference as it is found. A server may run meanwhile. */
export async function* audit(
  { events, documents, standing, open, scratch, admins }: Audited,
  projections: readonly Projection[],
  report: Report,
): AsyncGenerator<Finding, Summary> {
  const position = await standing()
  const head = await events.head()
  const check = logCheck(events, admins)
  let replayed = 0
  let compared = 0

  const openAndLook = async (recorded: readonly RecordedEvent[]) => {
    try {
      const opened = await open(recorded)
      for (const [i, one] of recorded.entries()) await check.look(one, opened[i])
      return opened
    } catch (error) {
      // The runner opens them one by one then, which shows whose fault it is.
      const [only] = recorded
      if (only && recorded.length === 1) await check.look(only, undefined, error instanceof Error ? error.message : String(error))
      throw error
    }
  }

  const bareProjections = projections.map(bare)
  await scratch.prepare([...bareProjections.map((one) => one.collection), parked], 'later')
  const runner = await openRunner({ events, documents: scratch, open: openAndLook }, bareProjections, {
    checkpoint: CHECKPOINT,
    onPoison: 'park',
  })
  const advance: Scratch['advance'] = async (target) => {
    while (runner.position() < target) {
      const batch = await runner.next(BATCH, target)
      if (batch.events === 0) throw new Error(`the read models stand at ${target}, where no event does`)
      replayed += batch.events
      report({ position: batch.position, head })
    }
  }

  if (position === undefined) yield { kind: 'store', problem: 'the read models of this version have not been built' }
  else if (position > head) yield { kind: 'store', problem: `the read models stand at ${position}, beyond the end of the log, ${head}` }
  else {
    await documents.prepare(collectionsOf(projections))
    await advance(position)
    for (const { collection } of projections) {
      compared += yield* compare(documents, standing, { documents: scratch, advance }, collection)
    }
    for (const entry of await readParked(documents)) yield { kind: 'parked', ...entry }
  }
  await advance(await events.head())
  yield* check.findings
  return { events: replayed, documents: compared, raced: check.raced() }
}
