import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import canonicalize from 'canonicalize'
import { projections } from '../../projections/all.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import type { Logged } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'
import { documentChanges } from './document-changes.ts'
import { everyEvent } from './every-event/every-event.ts'
import { fixedKeys } from './fixed-keys.ts'
import { addGoldenLeaves } from './history-leaves.ts'
import { stampedOf } from './logged-events.ts'

// A history as a log has it, in which every event happens, and what each read model made of it: a read model that makes other documents of
// the same events needs a new version, since existing stores keep those of the old one.

/** Digests by the name of the collection. */
type Recorded = Readonly<Record<string, { readonly version: number; readonly sha256: string }>>

const historyFile = new URL('../fixtures/recorded-history.jsonl', import.meta.url)
const digestsFile = new URL('../fixtures/recorded-read-models.json', import.meta.url)

const openLines = (lines: readonly string[]): Promise<readonly Logged[]> =>
  codec(fixedKeys).open(lines.map((line) => JSON.parse(line) as RecordedEvent))

const recordedLines = (): readonly string[] => readFileSync(historyFile, 'utf8').trimEnd().split('\n')

/** Reads the history as it was stored, so that also an upcast that changes documents is noticed. */
export const recordedHistory = (): Promise<readonly Logged[]> => openLines(recordedLines())

/**
 * Returns lines of events that begin with the recorded ones: how texts were sealed then stays, as in logs. Throws unless the events begin
 * with those that were recorded, because a log only grows at its end.
 */
export const continueRecorded = async (before: readonly string[], lines: readonly string[]): Promise<readonly string[]> => {
  const wordsOf = async (of: readonly string[]) => (await openLines(of)).map((event) => canonicalize(event))
  const [recorded, present] = [await wordsOf(before), await wordsOf(lines)]
  const changed = recorded.findIndex((words, n) => words !== present[n])
  if (changed !== -1)
    throw new Error(
      `event ${changed} of test/support/every-event was ${recorded[changed]} and is now ${present[changed]}: add events at the end`,
    )
  return [...before, ...lines.slice(before.length)]
}

export const recordedReadModels = (): Recorded => JSON.parse(readFileSync(digestsFile, 'utf8')) as Recorded

/** Returns the digest of the documents after each event that changes them, in any order within an event. */
const digestOf = (projection: Projection, events: readonly Logged[]): string => {
  const changes = [...documentChanges([projection], events)].flatMap(({ event, id, before, after }) => {
    const document = canonicalize(after ?? null)
    return document === canonicalize(before ?? null) ? [] : [`${event.position} ${id} ${document}\n`]
  })
  return hash('sha256', changes.toSorted().join(''))
}

/** The collections whose documents differ from those that the same version was recorded with. */
export const changedWithoutVersion = (all: readonly Projection[], events: readonly Logged[], recorded: Recorded): readonly string[] =>
  all.flatMap((projection) => {
    const { name, version } = projection.collection
    const before = recorded[name]
    return before === undefined || version > before.version || before.sha256 === digestOf(projection, events) ? [] : [name]
  })

/** Records the present history and versions, unless a read model has changed since the last record without a new version. */
export const recordReadModels = async (): Promise<void> => {
  if (existsSync(digestsFile)) {
    const changed = changedWithoutVersion(projections, await recordedHistory(), recordedReadModels())
    if (changed.length > 0) throw new Error(`raise the version of: ${changed.join(', ')}`)
  }
  const stored = await codec(fixedKeys).seal(everyEvent.map(stampedOf))
  const lines = everyEvent.map(({ stream, revision, position }, n) => JSON.stringify({ ...stored[n], stream, revision, position }))
  const continued = existsSync(historyFile) ? await continueRecorded(recordedLines(), lines) : lines
  writeFileSync(historyFile, `${continued.join('\n')}\n`)
  addGoldenLeaves(continued.map((line) => JSON.parse(line) as RecordedEvent))
  const history = await recordedHistory()
  const digests = projections.map((projection) => {
    const { name, version } = projection.collection
    return [name, { version, sha256: digestOf(projection, history) }] as const
  })
  writeFileSync(digestsFile, `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`)
}
