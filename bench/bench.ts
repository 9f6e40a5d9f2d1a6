import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Comparison, compare } from './compare.ts'
import type { Asked } from './load.ts'
import { type Measure, measuresOf } from './measures.ts'
import { fsyncTime, rawVotes } from './raw-loop.ts'
import { replay, type Speed } from './replay.ts'
import { type Service, start } from './service.ts'
import { type Shape, shapeFor, syntheticLog } from './synthetic-log.ts'
import { syntheticThreads } from './synthetic-thread.ts'
import { milliseconds, ratio, table, whole } from './table.ts'
import { tails } from './tails.ts'
import { writeLog } from './write-log.ts'

const usage = `Measures the service against a bare Koa server that sends the same bytes, in one run.

  npm run bench -- [--links N] [--seconds S] [--rounds R] [--connections C] [--threads A,B] [--only TEXT] [--big]

  --links N        links in the data set (100000); twelve events for each, seven in ten of them votes
  --seconds S      length of each measurement of each server (6), in so many
  --rounds R       rounds, the two servers in turn (3)
  --connections C  requests in flight (64)
  --threads A,B    sizes of the comment threads (500,50000)
  --only TEXT      only measures with this in their names
  --big            instead: start, memory and listings with 1,000,000 links, against 10,000
`

const { values: options } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    threads: { type: 'string', default: '500,50000' },
    only: { type: 'string', default: '' },
    big: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
if (options.help) {
  say(usage)
  process.exit(0)
}

const effort = { connections: Number(options.connections), seconds: Number(options.seconds), rounds: Number(options.rounds) }
const threads = options.threads.split(',').filter(Boolean).map(Number)
const here = dirname(fileURLToPath(import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'rostra-bench-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const DAY = 86_400_000
const SPAN = 30 * DAY

const fileOf = (links: number) => join(directory, `links-${links}.db`)

/** A data file with links of the last thirty days, then the threads, and its read models; nothing on it is archived. */
const dataSet = async (links: number, sizes: readonly number[], shape: Partial<Shape>, eventsEach: number): Promise<void> => {
  const file = fileOf(links)
  const from = Date.now() - SPAN - DAY
  const begun = performance.now()
  const log = function* () {
    yield* syntheticLog({ ...shapeFor(links), from, pace: SPAN / (links * eventsEach), ...shape })
    yield* syntheticThreads(sizes, Date.now() - DAY / 6)
  }
  const events = await writeLog(file, log())
  const written = (performance.now() - begun) / 1000
  const { folded, projected } = await replay(file)
  const speed = ({ perSecond, perCpuSecond }: Speed) => `${whole(perSecond)}/s (${whole(perCpuSecond)} for each second of processor time)`
  say(`${whole(links)} links, ${whole(events)} events, written in ${whole(written)} s`)
  say(`read, decoded and folded alone: ${speed(folded)}; into all read models: ${speed(projected)}`)
}

const serve = (file: string): Promise<Service> =>
  start(join(here, '../src/main.ts'), [], {
    PORT: '0',
    LOG_LEVEL: 'warn',
    EVENT_STORE_URL: `sqlite:${file}`,
    DOCUMENT_STORE_URL: `sqlite:${file}`,
  })

const residentLine = ({ resident }: Service) => {
  const { now, most } = resident()
  return `${whole(now)} MiB resident, at most ${whole(most)}`
}

/** What bare Koa has to send. */
const bytesOf = async (url: string, ask: Asked): Promise<Buffer> => {
  if (ask.form !== undefined) return Buffer.from('{}')
  return Buffer.from(await (await fetch(`${url}${ask.path}`, { headers: ask.headers })).arrayBuffer())
}

const sizeOf = (bytes: number) => (bytes < 1024 ? `${bytes} B` : `${whole(bytes / 1024)} KiB`)

const row = ({ name, bar }: Measure, bytes: number, { bare, ours, ratio: of }: Comparison): readonly string[] => [
  name,
  sizeOf(bytes),
  whole(bare.perSecond),
  whole(ours.perSecond),
  ratio(of.all),
  `${ratio(of.lowest)}-${ratio(of.highest)}`,
  bar === undefined ? '' : `${ratio(bar)} ${of.all >= bar ? 'met' : 'missed'}`,
  `${whole(bare.cpu)} / ${whole(ours.cpu)} µs`,
  `${whole(bare.p99)} / ${whole(ours.p99)} ms`,
  `${whole(bare.loopDelay)} / ${whole(ours.loopDelay)} ms`,
]

/** As many writes share a commit with 64 requests in flight, about. */
const GROUPED = 32

const HEAD = ['what', 'answer', 'bare /s', 'Rostra /s', 'ratio', 'of rounds', 'bar', 'CPU each', 'p99', 'loop delay p99']

/** Prints the table; what it compared, by name. */
const against = async (service: Service): Promise<ReadonlyMap<string, Comparison>> => {
  const compared = new Map<string, Comparison>()
  const rows: (readonly string[])[] = []
  for (const measure of await measuresOf(service.url, threads)) {
    const { name, ask } = measure
    if (!name.includes(options.only)) continue
    const bytes = await bytesOf(service.url, typeof ask === 'function' ? ask() : ask)
    const body = join(directory, 'body')
    writeFileSync(body, bytes)
    const bare = await start(join(here, 'bare-koa.ts'), [body], {})
    const comparison = await compare(bare, service, ask, effort)
    compared.set(name, comparison)
    rows.push(row(measure, bytes.length, comparison))
    await bare.stop()
    process.stderr.write(`${rows.at(-1)?.join('  ')}\n`)
  }
  say(`\n${table(HEAD, rows)}\n`)
  say(
    'of rounds: the ratio of the worst and of the best round; CPU each: processor time for one request, of all threads, bare Koa / Rostra,',
  )
  say('as in the columns to its right, which are of the worst round')
  return compared
}

const big = async (): Promise<void> => {
  const shape = { votes: 1, silent: true, accounts: 5_000 }
  await dataSet(10_000, [], shape, 1.5)
  await dataSet(1_000_000, [], shape, 1.5)
  const services = [await serve(fileOf(10_000)), await serve(fileOf(1_000_000))] as const
  for (const service of services) say(`started in ${service.startup.toFixed(1)} s, ${residentLine(service)}`)
  const [small, large] = await tails(
    services.map(({ url }) => url),
    3_000,
  )
  if (!small || !large) throw new Error('a server was not measured')
  for (const [name, { p50, p99 }] of Object.entries({ '10,000': small, '1,000,000': large }))
    say(`a listing over ${name} links: half within ${milliseconds(p50)}, 99 in 100 within ${milliseconds(p99)}`)
  say(`p99 at 1,000,000 is ${ratio(large.p99 / small.p99)} of that at 10,000 (1.50 allowed)`)
  for (const service of services) {
    say(`${residentLine(service)} after that`)
    await service.stop()
  }
}

const ordinary = async (): Promise<void> => {
  const links = Number(options.links)
  await dataSet(links, threads, {}, 12)
  const service = await serve(fileOf(links))
  say(`started on it in ${service.startup.toFixed(1)} s, ${residentLine(service)}`)
  const compared = await against(service)
  say(`${residentLine(service)} after that`)
  await service.stop()
  const raw = new Map([1, 16, 32, 64].map((grouped) => [grouped, rawVotes(fileOf(links), grouped, 2)]))
  const rates = [...raw].map(([grouped, perSecond]) => `${whole(perSecond)}/s by ${grouped}`)
  say(`SQLite alone, the rows of a vote and of its read models in the same tables, each group on disk: ${rates.join(', ')}`)
  const votes = compared.get('vote')?.ours.perSecond
  if (votes !== undefined)
    say(`votes are ${ratio(votes / (raw.get(GROUPED) ?? 0))} of that by ${GROUPED} (0.60 where the disk is the limit)`)
}

say(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}; SQLite ${process.versions.sqlite}`)
say(`load average before: ${loadavg().map(ratio).join(' ')}; an fsync takes ${fsyncTime(directory).toFixed(2)} ms`)
say(`${effort.connections} requests in flight; every acknowledged write is on disk`)
await (options.big ? big() : ordinary())
process.exit(0)
