import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Figures, load } from './load.ts'
import { fsyncTime, rawVotes } from './raw-loop.ts'
import { replay } from './replay.ts'
import { type Service, start } from './service.ts'
import { createSubsite, newest, register, type Session } from './session.ts'
import { shapeFor } from './synthetic-log.ts'
import { milliseconds, ratio, table, whole } from './table.ts'
import { growThread } from './thread.ts'
import { writeLog } from './write-log.ts'

const usage = `Measures the service against a bare Koa server that sends the same bytes, in one run.

  npm run bench -- [--links N] [--seconds S] [--connections C] [--threads A,B] [--big]

  --links N        links in the data set (10000); twelve events for each, seven in ten of them votes
  --seconds S      length of each measurement (5)
  --connections C  requests in flight (64)
  --threads A,B    sizes of the comment threads (500,50000)
  --big            a million links: start-up, memory and the tail of listings instead of the ratios`

const { values: options } = parseArgs({
  options: {
    links: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    threads: { type: 'string', default: '500,50000' },
    big: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
if (options.help) {
  say(usage)
  process.exit(0)
}

const seconds = Number(options.seconds)
const connections = Number(options.connections)
const here = dirname(fileURLToPath(import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'rostra-bench-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))

const serve = (file: string): Promise<Service> =>
  start(join(here, '../src/main.ts'), [], {
    PORT: '0',
    LOG_LEVEL: 'warn',
    EVENT_STORE_URL: `sqlite:${file}`,
    DOCUMENT_STORE_URL: `sqlite:${file}`,
  })

/** A data set of so many links, its log replayed. */
const dataSet = async (links: number) => {
  const file = join(directory, `links-${links}.db`)
  const events = await writeLog(file, shapeFor(links))
  const figures = await replay(file)
  say(
    `${whole(links)} links, ${whole(events)} events: read, opened and folded at ${whole(figures.opened)}/s, into all read models at ${whole(figures.projected)}/s`,
  )
  return file
}

/** Samples that the monitor takes this many seconds apart are no delay. */
const RESOLUTION = 0.01

/** The event loop's delay at the 99th percentile since the last look, in milliseconds. */
const loopDelay = async ({ url }: Service): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const [, value = 'NaN'] = /rostra_event_loop_delay_seconds\{quantile="0.99"\} (\S+)/.exec(metrics) ?? []
  return Math.max(0, Number(value) - RESOLUTION) * 1000
}

const sound = (name: string, { failed, ...figures }: Figures): Figures => {
  if (failed > 0) throw new Error(`${name}: ${failed} requests failed, so nothing was measured`)
  return { failed, ...figures }
}

/** Both servers in turn, twice each, after a warm-up; the mean of the two. */
const against = async (name: string, bare: () => Promise<Figures>, ours: () => Promise<Figures>) => {
  await ours()
  const rounds = [await bare(), await ours(), await bare(), await ours()].map((figures) => sound(name, figures))
  const mean = (which: readonly (Figures | undefined)[]) =>
    which.reduce((sum, figures) => sum + (figures?.perSecond ?? 0), 0) / which.length
  return { bare: mean([rounds[0], rounds[2]]), ours: mean([rounds[1], rounds[3]]), p99: rounds[3]?.p99 ?? 0 }
}

type Row = readonly [name: string, bare: string, ours: string, ratio: string, p99: string, delay: string]

const compare = async (service: Service) => {
  const rows: Row[] = []
  const readers: Session[] = []
  for (let i = 0; i < 8; i += 1) readers.push(await register(service.url, `reader_${i}`))
  const [reader = { headers: {} }] = readers

  const measure = async (name: string, path: string, headers: Readonly<Record<string, string>>, length = seconds) => {
    const bytes = Buffer.from(await (await fetch(`${service.url}${path}`, { headers })).arrayBuffer())
    const body = join(directory, 'body')
    writeFileSync(body, bytes)
    const koa = await start(join(here, 'bare-koa.ts'), [body], {})
    await loopDelay(service)
    const { bare, ours, p99 } = await against(
      name,
      () => load({ url: `${koa.url}${path}`, connections, seconds: length, headers }),
      () => load({ url: `${service.url}${path}`, connections, seconds: length, headers }),
    )
    await koa.stop()
    rows.push([
      `${name}, ${whole(bytes.length / 1024)} KiB`,
      whole(bare),
      whole(ours),
      ratio(ours / bare),
      milliseconds(p99),
      milliseconds(await loopDelay(service)),
    ])
  }

  const measureForm = async (name: string, path: string, forms: () => string) => {
    const body = join(directory, 'body')
    writeFileSync(body, '{}')
    const koa = await start(join(here, 'bare-koa.ts'), [body], {})
    await loopDelay(service)
    const { headers } = reader
    const { bare, ours, p99 } = await against(
      name,
      () => load({ url: `${koa.url}${path}`, connections, seconds, headers, form: forms }),
      () => load({ url: `${service.url}${path}`, connections, seconds, headers, form: forms }),
    )
    await koa.stop()
    rows.push([name, whole(bare), whole(ours), ratio(ours / bare), milliseconds(p99), milliseconds(await loopDelay(service))])
  }

  await measure('hot, anonymous', '/s/all/hot', {})
  await measure('hot, logged in', '/s/all/hot', reader.headers)

  await createSubsite(service.url, reader, 'benchmarks')
  for (const size of options.threads.split(',').map(Number)) {
    const path = await growThread(service.url, readers, 'benchmarks', size)
    await measure(`comment page of ${whole(size)}, anonymous`, path, {})
    await measure(`comment page of ${whole(size)}, logged in`, path, reader.headers)
  }

  const links = await newest(service.url, 5_000)
  const moves = [1, -1, 11, -11]
  let votes = 0
  // one voter goes over all links with one move, then over all with the next: each vote changes something
  await measureForm('vote', '/api/vote', () => {
    const dir = moves[Math.floor(votes / links.length) % moves.length]
    return `id=${links[votes++ % links.length]}&dir=${dir}`
  })
  let submissions = 0
  await measureForm('submit', '/api/submit', () => {
    submissions += 1
    return `api_type=json&sr=benchmarks&kind=link&title=number+${submissions}&url=https%3A%2F%2Fexample.com%2F${submissions}`
  })

  say('')
  say(table(['what', 'bare Koa /s', 'Rostra /s', 'ratio', 'p99', 'loop delay p99'], rows))
}

const tails = async (service: Service, links: number) => {
  const figures = sound('new', await load({ url: `${service.url}/s/all/new?after=none`, connections: 8, seconds }))
  say(`${whole(links)} links: a listing's p99 is ${milliseconds(figures.p99)} at ${whole(figures.perSecond)}/s`)
}

say(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}; SQLite ${process.versions.sqlite}`)
say(`an fsync takes ${fsyncTime(directory).toFixed(2)} ms; ${connections} requests in flight; every acknowledged write is on disk`)
say(`SQLite alone, each vote a row and four documents: ${whole(rawVotes(1, 2))}/s one by one, ${whole(rawVotes(32, 2))}/s by 32`)
say('')

for (const links of options.big ? [10_000, 1_000_000] : [Number(options.links)]) {
  const service = await serve(await dataSet(links))
  say(`started on it in ${service.startup.toFixed(1)} s, ${whole(service.resident())} MiB resident`)
  if (options.big) await tails(service, links)
  else await compare(service)
  say(`${whole(service.resident())} MiB resident after that`)
  await service.stop()
}
process.exit(0)
