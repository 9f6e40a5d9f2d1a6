import { setTimeout as sleep } from 'node:timers/promises'
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
import { keyring } from '../log/keys.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { ServerConnections } from '../stores.ts'
import { misused } from './command-line.ts'
import { Misuse } from './data-file.ts'
import type { Call } from './program.ts'
import { progressBar } from './progress-bar.ts'
import { configured, isDataFile, openToRead } from './stores.ts'

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

  --public      what anybody may read now, and nothing else
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

type Usage = Parameters<typeof misused>[0]

const oneOf = <Name extends string>(usage: Usage, option: string, names: readonly Name[], value: string): Name => {
  const found = names.find((name) => name === value)
  if (found === undefined) throw misused(usage, `--${option} is '${value}', but must be ${names.join(' or ')}`)
  return found
}

const bound = (usage: Usage, option: string, value: string | undefined): Bound | undefined => {
  if (value === undefined) return undefined
  const found = boundOf(value)
  if (found === undefined) throw misused(usage, `--${option} is '${value}', but must be a number of an event, or a time`)
  return found
}

/** Seconds, as milliseconds. */
const pauseOf = (usage: Usage, option: string, value: string): number => {
  const seconds = Number(value)
  if (!(seconds > 0 && seconds <= 86_400)) throw misused(usage, `--${option} is '${value}', but must be seconds, at most a day`)
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
  const given = levels.filter((level) => values[level])
  const [level] = given
  if (level === undefined || given.length > 1) throw misused(usage, 'with --to goes one of --public, --sealed and --open')
  const format = oneOf(usage, 'format', formats, values.format ?? 'ndjson')
  const compression = oneOf(usage, 'compress', compressions, values.compress ?? (format === 'ndjson' ? 'gzip' : 'zstd'))
  const types = [...new Set(values.type)].sort()
  const unknown = types.find((type) => !eventDefinitions.has(type))
  if (unknown !== undefined) throw misused(usage, `there is no event ${unknown}`)
  const everyMs = pauseOf(usage, 'every', values.every ?? '10')
  const tablesEveryMs = pauseOf(usage, 'tables-every', values['tables-every'] ?? '600')
  const [from, until] = [bound(usage, 'from', values.from), bound(usage, 'until', values.until)]
  return { directory: values.to ?? '', level, format, compression, from, until, types, everyMs, tablesEveryMs }
}

/** The fullnames of subsites that are named, as the log has them. */
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

const selecting = (types: readonly string[], subsites: readonly string[]) => {
  const [ofType, ofSubsite] = [new Set(types), new Set(subsites)]
  return ({ type, data }: RecordedEvent): boolean =>
    (ofType.size === 0 || ofType.has(type)) &&
    (ofSubsite.size === 0 || ofSubsite.has(String((JSON.parse(data) as { readonly subsite?: unknown }).subsite)))
}

const WARNING = 'GIVES AWAY private messages, voters, reporters and private subsites: whoever has these files can read them'

/** How far the read models are, by which it is judged what is public: nothing after that is known to be. */
const projectedEnd = ({ documents, events }: ServerConnections, isFile: boolean): (() => Promise<Position>) => {
  const names = isFile ? [checkpointOf(projections)] : shardCheckpoints(projections)
  return async () => {
    const found = await documents.checkpoints(names)
    const head = await events.head()
    if (found.size < names.length) throw new Misuse('the read models of this version are not there: start the service, or its workers')
    return [head, ...found.values()].sort()[0] ?? LOG_START
  }
}

/** One process at a time adds to a directory. */
const locked = (directory: string): (() => void) => {
  try {
    return lock(`${directory}/manifest.json`)
  } catch (fault) {
    if (fault instanceof StoreFault && fault.kind === 'in-use') throw new Misuse(`another process exports into ${directory}`)
    throw fault
  }
}

/** Aborts at the signals that end a process; a test runs in its thread, where there are none. */
const untilSignal = () => {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  const ended = () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
  }
  return { signal: stopping.signal, ended }
}

/** Export events into the files of a directory. */
export const exportDirectory = async ({ env, stderr }: Call, values: Values, usage: Usage): Promise<number> => {
  const { directory, level, format, compression, from, until, types, everyMs, tablesEveryMs } = optionsOf(usage, values)
  const config = configured(env)
  const stores = await openToRead(env)
  const { events, documents, vault, history, close } = stores
  const bar = progressBar('exporting', stderr)
  const { signal, ended } = untilSignal()
  let unlock: (() => void) | undefined
  try {
    const subsites = await subsitesNamed(events, [...(values.subsite ?? [])])
    const { open } = codec(keyring(vault))
    const reading = { documents, vault, config, clock: Date.now }
    const exporting = { public: () => publicEvents(open, reading), sealed: () => sealedEvents, open: () => openEvents(open) }[level]()
    const projected = projectedEnd(stores, isDataFile(config))
    if (level === 'public' || values.tables) {
      await projected()
      await documents.prepare(collectionsOf(projections))
    }
    const end = level === 'public' ? projected : events.head
    if (level === 'open') stderr.write(`--open ${WARNING}\n`)
    const choice = { level, format, compression, from: values.from ?? null, types, subsites }
    // refused before anything is written
    manifestToAddTo({ directory, choice })
    unlock = locked(directory)
    const plan = { directory, choice, exporting, isWanted: selecting(types, subsites), from, until, partEvents: PART_EVENTS }
    const numbered = history && openNumberedEvents({ events, history })
    const exported = await openExport({ events, numbered, end }, plan, (done, end) => bar.update(Number(done), Number(end)))
    let tablesDue = values.tables ? 0 : Number.POSITIVE_INFINITY
    let tablesEnd: Position | undefined
    const renewTables = async (): Promise<void> => {
      const position = await projected()
      if (position !== tablesEnd) exported.replaceTables(await exportTables(reading, directory, choice, position))
      tablesEnd = position
      tablesDue = performance.now() + tablesEveryMs
    }
    do {
      if (performance.now() >= tablesDue) await renewTables()
      if ((await exported.advance()) || !values.follow) break
      await sleep(everyMs, undefined, { signal }).catch(() => undefined)
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
