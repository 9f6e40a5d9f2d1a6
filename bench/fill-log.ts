import type { Codec } from '../src/log/codec.ts'
import type { EventStore, ExpectedRevision } from '../src/ports/event-store.ts'
import { inGroups } from './groups.ts'
import type { Stamped } from './log-shape.ts'
import { toSeal } from './write-log.ts'

const SEALED_AT_ONCE = 500
const IN_FLIGHT = 64

const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1)

/** Returns the ids that must be in the log before an event: its stream so far, and the things that it refers to. */
const leansOn = ({ stream, data }: Stamped): readonly string[] => [
  idOf(stream),
  ...Object.values(data as object).filter((value) => typeof value === 'string'),
]

/**
 * Writes a log through the port, one append for each event. Many appends are in flight, but none before the events that it refers to.
 * Returns the number of events.
 */
export const fillLog = async (
  events: Pick<EventStore, 'append'>,
  { seal }: Pick<Codec, 'seal'>,
  log: Iterable<Stamped>,
): Promise<number> => {
  const pending = new Map<string, Promise<void>>()
  const lately: Promise<void>[] = []
  let written = 0

  const append = async (one: Stamped, event: Parameters<EventStore['append']>[2][number], before: readonly Promise<void>[]) => {
    await Promise.all(before)
    const { stream, revision } = one
    const expected: ExpectedRevision = revision === 0 ? 'none' : revision - 1
    const { outcome } = await events.append(stream, expected, [event])
    if (outcome !== 'appended') throw new Error(`${stream} has no revision ${expected}`)
  }

  const write = async (group: readonly Stamped[]): Promise<void> => {
    const sealed = await seal(group.map(toSeal))
    for (const [i, one] of group.entries()) {
      const event = sealed[i]
      if (!event) throw new Error(`${one.type} was not sealed`)
      await lately[written % IN_FLIGHT]
      const before = leansOn(one).flatMap((id) => pending.get(id) ?? [])
      const id = idOf(one.stream)
      const appended = append(one, event, before).then(() => {
        if (pending.get(id) === appended) pending.delete(id)
      })
      appended.catch(() => undefined) // the waiting caller handles it
      pending.set(id, appended)
      lately[written % IN_FLIGHT] = appended
      written += 1
    }
  }

  for (const group of inGroups(log, SEALED_AT_ONCE)) await write(group)
  await Promise.all(lately)
  return written
}
