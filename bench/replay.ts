import { createProjector } from '../projections/engine/data-file-projector.ts'
import { localStores } from '../src/adapters/sqlite/local-stores.ts'
import { openWriter } from '../src/adapters/sqlite/schema.ts'
import { Comment } from '../src/domain/comment.ts'
import { type Aggregate, fold } from '../src/domain/decision.ts'
import type { AnyEvent, Envelope } from '../src/domain/event.ts'
import { Link } from '../src/domain/link.ts'
import { Vote } from '../src/domain/vote.ts'
import { codec } from '../src/log/codec.ts'
import { openKeyring } from '../src/log/keys.ts'
import { LOG_START } from '../src/ports/event-store.ts'
import { REACTIONS_CHECKPOINT } from '../src/reactions/process.ts'

/** Events a second, and for each second of processor time: the same on a machine that does nothing else. */
export type Speed = { readonly perSecond: number; readonly perCpuSecond: number }

export type Replay = {
  readonly events: number
  /** Read, opened and folded into votes, links and comments. */
  readonly folded: Speed
  /** The speed of building all read models, which were empty. */
  readonly projected: Speed
}

/** Begins to measure; the returned function says how fast that many events were. */
const stopwatch = (): ((events: number) => Speed) => {
  const begun = performance.now()
  const before = process.cpuUsage()
  return (events) => {
    const { user, system } = process.cpuUsage(before)
    return { perSecond: (events / (performance.now() - begun)) * 1e3, perCpuSecond: (events / (user + system)) * 1e6 }
  }
}

const PAGE_EVENTS = 1_000
const aggregates = new Map(
  [Vote, Link, Comment].map((aggregate) => [aggregate.category, aggregate as unknown as Aggregate<unknown, AnyEvent>]),
)

/** Every vote, link and comment as the log has it, remembered until the end. */
const foldAll = async (file: string): Promise<Pick<Replay, 'events' | 'folded'>> => {
  const connection = openWriter(file)
  try {
    const { ports } = localStores(connection)
    const { open } = codec(openKeyring(ports.vault))
    const states = new Map<string, unknown>()
    const speed = stopwatch()
    let events = 0
    for (let after = LOG_START; ; ) {
      const page = await open(await ports.events.readAll(after, PAGE_EVENTS))
      for (const event of page) {
        const aggregate = aggregates.get(event.stream.slice(0, event.stream.indexOf('-')))
        if (aggregate) states.set(event.stream, fold(aggregate, states.get(event.stream), [event as unknown as Envelope<AnyEvent>]))
      }
      const last = page.at(-1)
      if (!last) return { events, folded: speed(events) }
      events += page.length
      after = last.position
    }
  } finally {
    connection.close()
  }
}

/** Reads a whole log twice: only to fold it, then into its read models. The data file must not be in use. */
export const replay = async (file: string): Promise<Replay> => {
  const { events, folded } = await foldAll(file)
  const connection = openWriter(file)
  try {
    const { ports } = localStores(connection)
    const speed = stopwatch()
    await createProjector(ports) // resolves when the read models have caught up
    const projected = speed(events)
    // A log of the past: the reactions to its events are done.
    await ports.documents.write([], { name: REACTIONS_CHECKPOINT, from: undefined, to: await ports.events.head() })
    return { events, folded, projected }
  } finally {
    connection.close()
  }
}
