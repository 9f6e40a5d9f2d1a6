import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type ParkedDocument, parked } from '../projections/parked.ts'
import type { Health } from './health.ts'
import type { DocumentStore } from './ports/documents.ts'
import type { EventStore } from './ports/event-store.ts'

export type Metrics = {
  readonly observeRequest: (route: string, method: string, status: number, seconds: number) => void
  /** The same log; its appends are counted. */
  readonly counting: (events: EventStore) => EventStore
  /** In the Prometheus text format. */
  readonly text: () => Promise<string>
  readonly contentType: string
  readonly close: () => void
}

const SECOND = 1e9
const MOST_PARKED = 1_000

type Parts = { readonly health: () => Promise<Health>; readonly documents: DocumentStore }

export const openMetrics = ({ health, documents }: Parts): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'rostra_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'rostra_http_request_seconds',
    help: 'From the request to its answer.',
    labelNames: ['method'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const appends = new Counter({ name: 'rostra_appends_total', help: 'Appends to the log.', labelNames: ['outcome'], registers })
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()

  new Gauge({
    name: 'rostra_event_loop_delay_seconds',
    help: 'Event loop delay since the last look.',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const quantile of [0.5, 0.99]) this.set({ quantile: String(quantile) }, delay.percentile(100 * quantile) / SECOND)
      this.set({ quantile: '1' }, delay.max / SECOND)
      delay.reset()
    },
  })
  new Gauge({
    name: 'rostra_resident_bytes',
    help: 'Resident memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'rostra_projection_lag_seconds',
    help: 'Age of the oldest event that the read models lack; NaN while the log does not answer.',
    registers,
    async collect() {
      const { lag } = await health()
      this.set(lag === null ? Number.NaN : lag / 1000)
    },
  })
  new Gauge({
    name: 'rostra_projection_shard_lag_seconds',
    help: 'Age of the oldest event that a shard of the read models lacks, where they have shards.',
    labelNames: ['shard'],
    registers,
    async collect() {
      const { shards = [] } = await health()
      for (const [shard, lag] of shards.entries()) this.set({ shard }, lag / 1000)
    },
  })
  new Gauge({
    name: 'rostra_projection_parked',
    help: 'Documents that a failing event stopped.',
    registers,
    async collect() {
      const documentsParked = await documents.find<ParkedDocument>(parked, { where: {}, order: ['id'], page: { limit: MOST_PARKED } })
      this.set(documentsParked.length)
    },
  })

  return {
    observeRequest: (route, method, status, seconds) => {
      requests.inc({ route, method, status })
      durations.observe({ method }, seconds)
    },
    counting: (events) => ({
      ...events,
      append: async (stream, expected, proposed) => {
        try {
          const result = await events.append(stream, expected, proposed)
          appends.inc({ outcome: result.outcome })
          return result
        } catch (error) {
          appends.inc({ outcome: 'fault' })
          throw error
        }
      },
    }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    close: () => {
      delay.disable()
    },
  }
}
