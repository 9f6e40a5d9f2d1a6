import { projections } from '../../projections/all.ts'
import { checkpointOf, collectionsOf } from '../../projections/engine/sets.ts'
import { shardCheckpoints } from '../../projections/engine/shards.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { eventDefinitions } from '../domain/events.ts'
import { SubsiteId } from '../domain/ids.ts'
import { manifestToAddTo, openExport, PART_EVENTS, UnfitDirectory } from '../export/export.ts'
import { type Level, levels, openEvents, sealedEvents } from '../export/levels.ts'
import { type Compression, compressions } from '../export/output.ts'
import { type Format, formats } from '../export/parts.ts'
import { publicEvents } from '../export/public-events.ts'
import { exportTables } from '../export/read-models.ts'
import { type Bound, boundOf } from '../export/reading.ts'
import { openNumberedEvents } from '../history/numbered-events.ts'
import { codec } from '../log/codec.ts'
import { openKeyring } from '../log/keys.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { pause } from '../ports/pause.ts'
import type { ServerConnections } from '../stores.ts'
import { misuseOf } from './command-line.ts'
import { Misuse } from './data-file.ts'
import type { Call } from './program.ts'
import { progressBar } from './progress-bar.ts'
import { isDataFile, openToRead, readConfig } from './stores.ts'

export const directoryOptions = {
  to: { type: 'string' },
  public: { type: 'boolean' },
  sealed: { type: 'boolean' },
  from: { type: 'string' },
  type: { type: 'string', multiple: true },
  subsite: { type: 'string', multiple: true },
  format: { type: 'string' },
  compress: { type: 'string' },
  tables: { type: 'boolean' },
  follow: { type: 'boolean' },
  every: { type: 'string' },
  'tables-every': { type: 'string' },
} as const

export const directoryHelp = `With --to DIR: writes events into files below DIR, to be read by programs of your own (docs/history.md). The same command again adds what is new since.

  --public      what anybody may read now, and nothing else; the default
  --sealed      all events, texts encrypted. They tell who voted on what, who reported what, and who wrote to whom: not to be published
  --open        the same with readable texts: GIVES AWAY private messages, voters, reporters and private subsites
  --from X      begin with the event of this number, or with the first at this time or later
  --until X     end with the event of this number, or before the first event later than this time
  --type T      only events of this type; may be given several times
  --subsite S   only events of this subsite, by name or fullname; may be given several times
  --format F    ndjson (an event a line), or parquet (a table for each type, and one for all)
  --compress C  gzip, zstd or none; without it gzip for ndjson and zstd for parquet
  --tables      write the read models, too, as they are now: accounts, subsites, links, comments, moderation logs; votes and their voters with --open alone
  --follow      go on with events as they come, until SIGINT or SIGTERM
  --every N     seconds between looks for new events while following (10)
  --tables-every N  seconds between new tables while following (600)`

type Values = {
  readonly to?: string | undefined
  readonly open?: boolean | undefined
  readonly public?: boolean | undefined
  readonly sealed?: boolean | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
  readonly type?: readonly string[] | undefined
  readonly subsite?: readonly string[] | undefined
  readonly format?: string | undefined
  readonly compress?: string | undefined
  readonly tables?: boolean | undefined
  readonly follow?: boolean | undefined
  readonly every?: string | undefined
  readonly 'tables-every'?: string | undefined
}

type Usage = Parameters<typeof misuseOf>[0]

const oneOf = <Name extends string>(usage: Usage, option: string, names: readonly Name[], value: string): Name => {
  const known = names.find((name) => name === value)
  if (known === undefined) throw misuseOf(usage, `--${option} is '${value}', but must be ${names.join(' or ')}`)
  return known
}

const parseBound = (usage: Usage, option: string, value: string | undefined): Bound | undefined => {
  if (value === undefined) return undefined
  const bound = boundOf(value)
  if (bound === undefined) throw misuseOf(usage, `--${option} is '${value}', but must be a number of an event, or a time`)
  return bound
}

/** Converts seconds to milliseconds. */
const pauseOf = (usage: Usage, option: string, value: string): number => {
  const seconds = Number(value)
  if (!(seconds > 0 && seconds <= 86_400)) throw misuseOf(usage, `--${option} is '${value}', but must be seconds, at most a day`)
  return seconds * 1_000
}

type Options = {
  readonly directory: string
  readonly level: Level
  readonly format: Format
  readonly compression: Compression
  readonly from: Bound | undefined
  readonly until: Bound | undefined
  readonly types: readonly string[]
  readonly everyMs: number
  readonly tablesEveryMs: number
}

const optionsOf = (usage: Usage, values: Values): Options => {
  const chosenLevels = levels.filter((level) => values[level])
  const [level = 'public'] = chosenLevels
  if (chosenLevels.length > 1) throw misuseOf(usage, 'with --to goes one of --public, --sealed and --open')
  const format = oneOf(usage, 'format', formats, values.format ?? 'ndjson')
  const compression = oneOf(usage, 'compress', compressions, values.compress ?? (format === 'ndjson' ? 'gzip' : 'zstd'))
  const types = [...new Set(values.type)].sort()
  const unknown = types.find((type) => !eventDefinitions.has(type))
  if (unknown !== undefined) throw misuseOf(usage, `there is no event ${unknown}`)
  const everyMs = pauseOf(usage, 'every', values.every ?? '10')
  const tablesEveryMs = pauseOf(usage, 'tables-every', values['tables-every'] ?? '600')
  const [from, until] = [parseBound(usage, 'from', values.from), parseBound(usage, 'until', values.until)]
  return { directory: values.to ?? '', level, format, compression, from, until, types, everyMs, tablesEveryMs }
}

/** Returns the fullnames of named subsites, from the log. */
const subsitesNamed = async (events: Pick<EventStore, 'read'>, names: readonly string[]): Promise<readonly string[]> => {
  const found = names.map(async (name) => {
    const isFullname: boolean = SubsiteId.is(name)
    if (isFullname) return name
    const [claim] = (await events.read(`subsitename-${name.toLowerCase()}`, 0, 1)).events
    if (claim === undefined) throw new Misuse(`there is no subsite ${name}`)
    return String((JSON.parse(claim.data) as { readonly subsite: unknown }).subsite)
  })
  return [...new Set(await Promise.all(found))].sort()
}

const selectionOf = (types: readonly string[], subsites: readonly string[]) => {
  const [ofType, ofSubsite] = [new Set(types), new Set(subsites)]
  return ({ type, data }: RecordedEvent): boolean =>
    (ofType.size === 0 || ofType.has(type)) &&
    (ofSubsite.size === 0 || ofSubsite.has(String((JSON.parse(data) as { readonly subsite?: unknown }).subsite)))
}

const WARNING = 'GIVES AWAY private messages, voters, reporters and private subsites: whoever has these files can read them'

/** Milliseconds between looks at awaited checkpoints. */
const POLL_INTERVAL_MS = 100
/** A service writes its read models every ten seconds. If they have not moved for longer, nothing keeps them. */
const STILL_MS = 15_000

type Moving = {
  /** Undefined to wait on for read models that do not move. */
  readonly stillMs: number | undefined
  readonly signal: AbortSignal
}

/** Returns a function that reads the position up to which the read models are written. It throws if this version has none. */
const writtenEnd = ({ documents }: ServerConnections, isFile: boolean): (() => Promise<Position>) => {
  const names = isFile ? [checkpointOf(projections)] : shardCheckpoints(projections)
  return async () => {
    const positions = await documents.checkpoints(names)
    if (positions.size < names.length) throw new Misuse('the read models of this version are not there: start the service, or its workers')
    return [...positions.values()].sort()[0] ?? LOG_START
  }
}

/**
 * Waits until the read models are written up to the present end of the log, or a signal, and returns their position. They decide what is
 * public, so nothing after that position is known to be public.
 */
const currentEnd = async (
  events: Pick<EventStore, 'head'>,
  readWritten: () => Promise<Position>,
  { stillMs, signal }: Moving,
): Promise<Position> => {
  const last = await events.head()
  let end = await readWritten()
  for (let moved = performance.now(); end < last && !signal.aborted; ) {
    if (stillMs !== undefined && performance.now() - moved > stillMs)
      throw new Misuse('the read models end before the log does, and nobody writes them: start the service, or its workers')
    await pause(POLL_INTERVAL_MS, signal)
    const next = await readWritten()
    if (next !== end) moved = performance.now()
    end = next
  }
  return end < last ? end : last
}

/** Locks a directory: one process at a time adds to it. */
const lockDirectory = (directory: string): (() => void) => {
  try {
    return lock(`${directory}/manifest.json`)
  } catch (fault) {
    if (fault instanceof StoreFault && fault.kind === 'in-use') throw new Misuse(`another process exports into ${directory}`)
    throw fault
  }
}

/** Returns a signal that aborts at the signals that end a process. In a test, which runs in a thread, there are none. */
const untilSignal = () => {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  const stopListening = () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  }
  return { signal: stopping.signal, ended: stopListening }
}

/** Exports events into the files of a directory. */
export const exportDirectory = async ({ env, stderr }: Call, values: Values, usage: Usage): Promise<number> => {
  const { directory, level, format, compression, from, until, types, everyMs, tablesEveryMs } = optionsOf(usage, values)
  const config = readConfig(env)
  const stores = await openToRead(env)
  const { events, documents, vault, history, close } = stores
  const bar = progressBar('exporting', stderr)
  const { signal, ended } = untilSignal()
  let unlock: (() => void) | undefined
  try {
    const subsites = await subsitesNamed(events, [...(values.subsite ?? [])])
    const { open } = codec(openKeyring(vault))
    const reading = { documents, vault, config, clock: Date.now }
    const exporting = { public: () => publicEvents(open, reading), sealed: () => sealedEvents, open: () => openEvents(open) }[level]()
    const written = writtenEnd(stores, isDataFile(config))
    const findEnd = () => currentEnd(events, written, { stillMs: values.follow ? undefined : STILL_MS, signal })
    if (level === 'public' || values.tables) {
      await written()
      await documents.prepare(collectionsOf(projections))
    }
    const end = level === 'public' ? findEnd : events.head
    if (level === 'open') stderr.write(`--open ${WARNING}\n`)
    const choice = { level, format, compression, from: values.from ?? null, types, subsites }
    // refused before anything is written
    manifestToAddTo({ directory, choice })
    unlock = lockDirectory(directory)
    const plan = { directory, choice, exporting, isWanted: selectionOf(types, subsites), from, until, partEvents: PART_EVENTS }
    const numbered = history && openNumberedEvents({ events, history })
    const exported = await openExport({ events, numbered, end }, plan, (reached, end) => bar.update(Number(reached), Number(end)))
    let tablesDue = values.tables ? 0 : Number.POSITIVE_INFINITY
    let tablesEnd: Position | undefined
    let awaited: Position | undefined
    /** Returns the position of the next tables. An export that follows does not wait for it: events go on while the read models are behind. */
    const nextTables = async (): Promise<Position | undefined> => {
      if (!values.follow) return findEnd()
      awaited ??= await events.head()
      if ((await written()) < awaited) return undefined
      const position = awaited
      awaited = undefined
      return position
    }
    const renewTables = async (): Promise<void> => {
      const position = await nextTables()
      if (position === undefined) return
      if (position !== tablesEnd) exported.replaceTables(await exportTables(reading, directory, choice, position))
      tablesEnd = position
      tablesDue = performance.now() + tablesEveryMs
    }
    do {
      if (performance.now() >= tablesDue) await renewTables()
      if ((await exported.advance()) || !values.follow) break
      await pause(everyMs, signal)
    } while (!signal.aborted)
    const { rows, last } = exported.manifest()
    stderr.write(`${rows} events in ${directory}${last === null ? '' : `, up to number ${last}`}\n`)
    return 0
  } catch (error) {
    if (error instanceof UnfitDirectory) throw new Misuse(error.message)
    throw error
  } finally {
    ended()
    bar.stop()
    unlock?.()
    await close()
  }
}
