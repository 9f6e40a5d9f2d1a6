import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Worker } from '../../projections/engine/worker.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import { messageOf } from '../ports/faults.ts'
import { createServer } from '../ports/node-http.ts'
import { cannotListen } from './cannot-listen.ts'
import { lagsAfter } from './lag.ts'
import { openRegistry } from './metrics-registry.ts'

/** The lag of a shard from which the worker calls itself late. */
const MAX_LAG_MS = 5_000

type WorkerPageParts = {
  readonly worker: Worker
  readonly events: Pick<EventStore, 'readAll' | 'head'>
  readonly clock: () => number
  /** Renders the page for people. */
  readonly render: (status: WorkerStatus) => string
}

/** The state of a worker, for its page. */
type WorkerStatus = Pick<Readiness, 'ready' | 'spare' | 'problems'> & {
  readonly shards: readonly { readonly shard: number; readonly position: Position; readonly lag: number }[]
  readonly head: Position
  readonly parked: number
  readonly events: number
}

/** Returns the lag in milliseconds of each shard that the worker holds. */
const lagsOf = async ({ worker, events, clock }: WorkerPageParts): Promise<ReadonlyMap<number, number>> => {
  const places = worker.places()
  const lags = await lagsAfter(events, clock, [...places.values()], await events.head())
  return new Map([...places.keys()].map((shard, i) => [shard, lags[i] ?? 0]))
}

type Readiness = {
  readonly ready: boolean
  /** True if this worker holds no shard, since other running workers hold all of them. */
  readonly spare: boolean
  /** The lag of each shard in milliseconds. */
  readonly shards: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}

const readinessOf = async (parts: WorkerPageParts): Promise<Readiness> => {
  const lags = await lagsOf(parts)
  const shards = parts.worker.heldShards()
  const unplaced = [...(shards ?? [])].filter((shard) => !lags.has(shard))
  const late = [...lags].filter(([, lag]) => lag > MAX_LAG_MS)
  const problems = [
    ...(shards ? [] : ['the shards are still being distributed among the workers']),
    ...(unplaced.length > 0 ? [`the positions of these shards are not known yet: ${unplaced.join(', ')}`] : []),
    ...late.map(([shard, lag]) => `shard ${shard} is ${(lag / 1000).toFixed(1)} s behind`),
  ]
  return { ready: problems.length === 0, spare: shards?.size === 0, shards: Object.fromEntries(lags), problems }
}

const statusOf = async (parts: WorkerPageParts): Promise<WorkerStatus> => {
  const { worker, events } = parts
  const [{ ready, spare, problems, shards: lags }, head] = await Promise.all([readinessOf(parts), events.head()])
  const shards = Array.from(worker.places(), ([shard, position]) => ({ shard, position, lag: lags[shard] ?? 0 }))
  const ordered = shards.toSorted((one, other) => one.shard - other.shard)
  return { ready, spare, problems, shards: ordered, head, parked: worker.parked(), events: worker.events() }
}

/** A page that runs and loads nothing. */
const PAGE = 'text/html; charset=UTF-8'
const pageHeaders = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'" }

const metricsOf = (parts: WorkerPageParts): Registry => {
  const registry = openRegistry('projections', 'servers')
  const registers = [registry]
  new Gauge({
    name: 'rostra_projection_shard_lag_seconds',
    help: 'Age of the oldest event that a shard lacks, for the shards that this worker holds.',
    labelNames: ['shard'],
    registers,
    async collect() {
      this.reset()
      for (const [shard, lag] of await lagsOf(parts)) this.set({ shard }, lag / 1000)
    },
  })
  new Gauge({
    name: 'rostra_projection_shards',
    help: 'How many shards this worker holds.',
    registers,
    collect() {
      this.set(parts.worker.places().size)
    },
  })
  new Counter({
    name: 'rostra_projected_events_total',
    help: 'Events that this worker has projected since it started.',
    registers,
    collect() {
      this.reset()
      this.inc(parts.worker.events())
    },
  })
  new Gauge({
    name: 'rostra_projection_parked',
    help: 'Documents that a failing event stopped, as far as this worker knows.',
    registers,
    collect() {
      this.set(parts.worker.parked())
    },
  })
  return registry
}

const answer = (res: ServerResponse, status: number, type: string, body: string): void => {
  res.writeHead(status, { ...(type === PAGE && pageHeaders), 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  res.end(body)
}

const json = (res: ServerResponse, status: number, body: object): void => answer(res, status, 'application/json', JSON.stringify(body))

export type WorkerPage = { readonly port: number; readonly close: () => Promise<void> }

/** Serves a projection worker's pages: `/` for people, `/health/live`, `/health/ready` and `/metrics`. */
export const serveWorkerPage = async (parts: WorkerPageParts, host: string, port: number): Promise<WorkerPage> => {
  const metrics = metricsOf(parts)
  const routes: Readonly<Record<string, (res: ServerResponse) => Promise<void> | void>> = {
    '/': async (res) => answer(res, 200, PAGE, parts.render(await statusOf(parts))),
    '/health/live': (res) => json(res, 200, { status: 'live' }),
    '/health/ready': async (res) => {
      const readiness = await readinessOf(parts)
      json(res, readiness.ready ? 200 : 503, readiness)
    },
    '/metrics': async (res) => answer(res, 200, metrics.contentType, await metrics.metrics()),
  }
  const server = createServer(async (req, res) => {
    try {
      const route = routes[new URL(req.url ?? '/', 'http://worker').pathname]
      await (route ? route(res) : json(res, 404, { error: 404 }))
    } catch (error) {
      json(res, 503, { ready: false, problems: [messageOf(error)] })
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(host, 'WORKER_PORT', port, error)))
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
