import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { parked } from '../../projections/engine/parked.ts'
import type { PasswordLane } from '../auth/password-lane.ts'
import type { DocumentStore } from '../ports/documents.ts'
import type { EventStore } from '../ports/event-store.ts'
import { findBy, listingIndex } from '../ports/indexed.ts'
import { dueTimers } from '../queries/timers.ts'
import type { Health } from './health.ts'
import { openRegistry, type StoresLabel } from './metrics-registry.ts'
import type { RefusedWrites } from './refused-writes.ts'

export type Metrics = {
  readonly observeRequest: (route: string, method: string, status: number, seconds: number) => void
  /** Returns the same log, with its appends counted and timed. */
  readonly timeCalls: (events: EventStore) => EventStore
  /** Returns what this process counted since it started. */
  readonly counts: () => Readonly<Record<'requests' | 'refused' | 'failed' | 'appended' | 'conflicts' | 'faults', number>>
  /** Returns the metrics in the Prometheus text format. */
  readonly text: () => Promise<string>
  readonly contentType: string
}

const DURATION_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** The most that a metric counts. It shows this number for more. */
const MAX_COUNT = 1_000
/** The delay after which the end of a ban should have been recorded. */
const OVERDUE_AFTER_MS = 60_000

type MetricsParts = {
  readonly stores: StoresLabel
  readonly health: () => Promise<Health>
  readonly documents: DocumentStore
  readonly events: Pick<EventStore, 'head'>
  readonly passwords: Pick<PasswordLane, 'waiting' | 'countRefusals'>
  /** Returns the number of events with a reaction that is not done yet. */
  readonly queued: () => Promise<number>
  readonly clock: () => number
  readonly isHistoryStopped: () => boolean
  readonly writes: Pick<RefusedWrites, 'counts'>
}

const countPasswords = (registers: Registry[], passwords: MetricsParts['passwords']): void => {
  new Gauge({
    name: 'rostra_password_hashes_waiting',
    help: 'Logins and registrations waiting for a place to hash a password.',
    registers,
    collect() {
      this.set(passwords.waiting())
    },
  })
  new Counter({
    name: 'rostra_password_hashes_refused_total',
    help: 'Logins and registrations answered 503 because too many were waiting or one waited too long.',
    registers,
    collect() {
      this.reset()
      this.inc(passwords.countRefusals())
    },
  })
}

/** Measures the memory that the process takes of the machine. */
const measureMemory = (registers: Registry[]): void => {
  new Gauge({
    name: 'rostra_memory_bytes',
    help: 'Memory of this process: `resident`, and in it `heap` and `buffers` of the main thread.',
    labelNames: ['part'],
    registers,
    collect() {
      const { rss, heapTotal, arrayBuffers } = process.memoryUsage()
      for (const [part, bytes] of Object.entries({ resident: rss, heap: heapTotal, buffers: arrayBuffers })) this.set({ part }, bytes)
    },
  })
}

const countRefusedWrites = (registers: Registry[], writes: MetricsParts['writes']): void => {
  new Counter({
    name: 'rostra_writes_refused_total',
    help: 'Writes refused because there was no room, by where: log, vault or blobs.',
    labelNames: ['store'],
    registers,
    collect() {
      this.reset()
      for (const [store, count] of Object.entries(writes.counts())) this.inc({ store }, count)
    },
  })
}

/** Measures the position of the log, and the lag of the read models. */
const measureLag = (registers: Registry[], { events, health }: Pick<MetricsParts, 'events' | 'health'>): void => {
  new Gauge({
    name: 'rostra_log_position',
    help: 'Position of the last event in the log; NaN while the log does not answer.',
    registers,
    async collect() {
      this.set(await events.head().then(Number, () => Number.NaN))
    },
  })
  new Gauge({
    name: 'rostra_projection_lag_seconds',
    help: 'Age of the oldest event not yet projected; NaN while the log does not answer.',
    registers,
    async collect() {
      const { lag } = await health()
      this.set(lag === null ? Number.NaN : lag / 1000)
    },
  })
  new Gauge({
    name: 'rostra_projection_shard_lag_seconds',
    help: 'Age of the oldest event not yet projected into a shard, where the read models have shards.',
    labelNames: ['shard'],
    registers,
    async collect() {
      const { shards = [] } = await health()
      for (const [shard, lag] of shards.entries()) this.set({ shard }, lag / 1000)
    },
  })
}

const PARKED = listingIndex(parked, [], ['id'])

/** Counts items that wait for somebody, or for another try. */
const countBacklog = (
  registers: Registry[],
  { documents, queued, clock, isHistoryStopped }: Pick<MetricsParts, 'documents' | 'queued' | 'clock' | 'isHistoryStopped'>,
): void => {
  new Gauge({
    name: 'rostra_history_stopped',
    help: '1 if numbering and signing have stopped because the stored history differs from what was signed; else 0.',
    registers,
    collect() {
      this.set(isHistoryStopped() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'rostra_projection_parked',
    help: 'Documents parked because an event could not be projected.',
    registers,
    async collect() {
      const documentsParked = await findBy(documents, PARKED, {}, { limit: MAX_COUNT })
      this.set(documentsParked.length)
    },
  })
  new Gauge({
    name: 'rostra_reactions_queued',
    help: 'Events whose reaction failed and will be retried.',
    registers,
    async collect() {
      this.set(await queued())
    },
  })
  new Gauge({
    name: 'rostra_expiries_overdue',
    help: 'Bans, mutes and other timed effects that ended more than a minute ago without a recorded end.',
    registers,
    async collect() {
      this.set((await dueTimers(documents, MAX_COUNT)(clock() - OVERDUE_AFTER_MS, undefined)).length)
    },
  })
}

const timeAppends = (appends: Histogram<'outcome'>, count: (outcome: string) => void, timed: EventStore): EventStore => ({
  ...timed,
  append: async (stream, expected, proposed) => {
    const end = appends.startTimer()
    try {
      const result = await timed.append(stream, expected, proposed)
      end({ outcome: result.outcome })
      count(result.outcome)
      return result
    } catch (error) {
      end({ outcome: 'fault' })
      count('fault')
      throw error
    }
  },
})

const outcomes: Readonly<Record<string, 'appended' | 'conflicts' | 'faults'>> = { appended: 'appended', conflict: 'conflicts' }

export const openMetrics = (parts: MetricsParts): Metrics => {
  const registry = openRegistry('api', parts.stores)
  const registers = [registry]
  const counts = { requests: 0, refused: 0, failed: 0, appended: 0, conflicts: 0, faults: 0 }
  const requests = new Histogram({
    name: 'rostra_http_request_duration_seconds',
    help: 'Time from request to response, by the declared path of the endpoint.',
    labelNames: ['route', 'method', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  })
  const appends = new Histogram({
    name: 'rostra_append_duration_seconds',
    help: 'Time of an append, by outcome: appended, conflict or fault.',
    labelNames: ['outcome'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  })
  countPasswords(registers, parts.passwords)
  measureMemory(registers)
  countRefusedWrites(registers, parts.writes)
  measureLag(registers, parts)
  countBacklog(registers, parts)
  return {
    observeRequest: (route, method, status, seconds) => {
      requests.observe({ route, method, status }, seconds)
      counts.requests += 1
      if (status >= 500) counts.failed += 1
      else if (status >= 400) counts.refused += 1
    },
    timeCalls: (timed) => timeAppends(appends, (outcome) => (counts[outcomes[outcome] ?? 'faults'] += 1), timed),
    counts: () => counts,
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
