import { SHARD_COUNT } from '../projections/engine/shards.ts'
import { commandLine } from '../src/cli/command-line.ts'
import { MAX_STREAMS } from '../src/http/pipeline/followers.ts'
import { MAX_API_PROCESSES } from '../src/runtime/mint.ts'
import { ratio, say, toTable, toWholeText } from './table.ts'

/** Requests a second at the busiest time, and the size of the site. */
export type Load = {
  readonly votes: number
  readonly comments: number
  readonly submissions: number
  readonly pages: number
  /** Open event streams. */
  readonly streams: number
  /** Events in the log. */
  readonly events: number
}

/** A lively site of some ten thousand readers a day. */
export const usualLoad: Load = { votes: 10, comments: 1, submissions: 0.2, pages: 150, streams: 100, events: 1e8 }

/**
 * Processor time in microseconds of one core, on the machine of docs/performance.md. `npm run bench` with both servers' addresses measures
 * votes, pages and replay; `npm run bench -- --servers-counts` counts what each request asks the servers for.
 */
const COSTS = {
  vote: 450,
  comment: 3_000,
  submission: 3_500,
  cachedPage: 105,
  newPage: 800,
  /** Following the log in an API process, without votes, which the server leaves out. */
  followedEvent: 25,
  /** Numbering an event for the history, in the process that has this duty. */
  numberedEvent: 32,
  /** Reading an event in a worker, which each does of all but votes; and folding it. Workers share the folding and the votes. */
  readEvent: 45,
  foldedEvent: 65,
  /** The reactions to a comment or a submission, one after the other in one process. */
  reaction: 1_000,
} as const

/** Calls to the servers for one request when caches are warm. */
const CALLS = { findsOfPage: 5, findsOfWrite: 9, readsOfWrite: 2.1, readsOfVote: 0.2, documentsOfEvent: 4 } as const

/** The work of one server a second: published figures of EventStoreDB, assumptions of a MongoDB replica set on common hardware. */
const SERVERS = { appends: 15_000, streamReads: 50_000, finds: 40_000, documents: 30_000 } as const

/** The part of a core or a server that may be in use at the busiest time. */
const USABLE_SHARE = 0.7
const CORE_MICROSECONDS = USABLE_SHARE * 1e6
const SECONDS_A_DAY = 86_400
const EVENT_BYTES = 735
/** A day's mean is half of its busiest time. */
const MEAN = 0.5
/** Consequences recorded for a comment or a submission, beside its own event. */
const CONSEQUENCES = 0.2
/** Events a second beside which most pages are made anew, since any change ends what the process cached of a collection. */
const BUSY = 20
/** The part of all pages that comes from a cache, on a busy site and on others. */
const CACHED = { busy: 0.1, quiet: 0.5 } as const

type Need = { readonly resource: string; readonly need: number; readonly bound: number; readonly unit?: string; readonly helps: string }

const eventsASecond = ({ votes, comments, submissions }: Load): number => votes + (1 + CONSEQUENCES) * (comments + submissions)

/** The part of a large site's events that is votes. */
const VOTE_SHARE = 0.9

/** Returns hours of a rebuild of all read models by so many workers, each on a core of its own. */
export const rebuildHours = (events: number, workers: number): number =>
  (events * ((1 - VOTE_SHARE) * COSTS.readEvent + (VOTE_SHARE * COSTS.readEvent + COSTS.foldedEvent) / workers)) / 1e6 / 3_600

/** Returns what a load needs of each resource, and where the resource ends. */
export const needsOf = (load: Load): readonly Need[] => {
  const { votes, comments, submissions, pages, streams, events } = load
  const all = eventsASecond(load)
  const cached = all > BUSY ? CACHED.busy : CACHED.quiet
  const page = cached * COSTS.cachedPage + (1 - cached) * COSTS.newPage
  const work = votes * COSTS.vote + comments * COSTS.comment + submissions * COSTS.submission + pages * page
  const ownOfProcess = CORE_MICROSECONDS - (all - votes) * COSTS.followedEvent
  const ownOfWorker = CORE_MICROSECONDS - (all - votes) * COSTS.readEvent
  const shared = votes * COSTS.readEvent + all * COSTS.foldedEvent
  const processes = ownOfProcess > 0 ? Math.max(1, Math.ceil(work / ownOfProcess), Math.ceil(streams / MAX_STREAMS)) : Infinity
  const workers = ownOfWorker > 0 ? Math.max(1, Math.ceil(shared / ownOfWorker)) : Infinity
  const writes = comments + submissions
  return [
    {
      resource: 'API processes',
      need: processes,
      bound: MAX_API_PROCESSES,
      helps: 'more processes; a proxy that keeps anonymous pages',
    },
    { resource: 'event streams of a process', need: streams / processes, bound: MAX_STREAMS, helps: 'more API processes' },
    { resource: 'workers', need: workers, bound: SHARD_COUNT, helps: 'more workers; each reads all but the votes of others' },
    { resource: 'reactions duty', need: (writes * COSTS.reaction) / CORE_MICROSECONDS, bound: 1, unit: 'cores', helps: 'a faster core' },
    { resource: 'history duty', need: (all * COSTS.numberedEvent) / CORE_MICROSECONDS, bound: 1, unit: 'cores', helps: 'a faster core' },
    { resource: 'EventStoreDB leader: appends a second', need: all, bound: SERVERS.appends * USABLE_SHARE, helps: 'faster disks' },
    {
      resource: 'EventStoreDB leader: stream reads a second',
      need: writes * CALLS.readsOfWrite + votes * CALLS.readsOfVote,
      bound: SERVERS.streamReads * USABLE_SHARE,
      helps: 'memory for its chunks',
    },
    {
      resource: 'MongoDB primary: finds a second',
      need: pages * (1 - cached) * CALLS.findsOfPage + writes * CALLS.findsOfWrite,
      bound: SERVERS.finds * USABLE_SHARE,
      helps: 'fewer pages made anew; shards help little, since lists by rank ask every shard',
    },
    {
      resource: 'MongoDB primary: documents written a second',
      need: all * CALLS.documentsOfEvent,
      bound: SERVERS.documents * USABLE_SHARE,
      helps: 'sharded collections',
    },
    {
      resource: 'log, a day',
      need: (all * MEAN * EVENT_BYTES * SECONDS_A_DAY) / 1e9,
      bound: Infinity,
      unit: 'GB',
      helps: 'nothing: it grows for ever',
    },
    {
      resource: `rebuild by ${SHARD_COUNT} workers`,
      need: rebuildHours(events, SHARD_COUNT),
      bound: 8,
      unit: 'hours',
      helps: 'a rebuild beside the running version takes no downtime',
    },
  ]
}

const withUnit = (value: number, unit = ''): string =>
  `${value === Infinity ? 'no end' : value < 10 && !Number.isInteger(value) ? ratio(value) : toWholeText(value)}${unit && value !== Infinity ? ` ${unit}` : ''}`

/** Returns the needs of a load as a table. */
export const toCeilings = (load: Load): string =>
  toTable(
    ['resource', 'needs', 'ends at', 'full to', 'what helps'],
    needsOf(load).map(({ resource, need, bound, unit, helps }) => [
      resource,
      withUnit(need, unit),
      withUnit(bound, unit),
      bound === Infinity ? '' : `${Math.ceil((100 * need) / bound)} %`,
      helps,
    ]),
  )

if (import.meta.main) {
  const names = Object.keys(usualLoad) as (keyof Load)[]
  const { values } = commandLine({
    usage: `node bench/ceilings.ts ${names.map((name) => `[--${name} N]`).join(' ')}`,
    help: `Says what a site on servers needs at its busiest, and where each resource ends.

  --votes, --comments, --submissions, --pages   a second, at the busiest time
  --streams                                     open event streams
  --events                                      events in the log, for a rebuild

Without them: ${names.map((name) => `${usualLoad[name]} ${name}`).join(', ')}.`,
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  })
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
  const wrong = Object.keys(given).find((name) => !((given[name] ?? 0) >= 0))
  if (wrong !== undefined) {
    process.stderr.write(`--${wrong} is a number that is not negative\n`)
    process.exit(2)
  }
  say(toCeilings({ ...usualLoad, ...given }))
}
