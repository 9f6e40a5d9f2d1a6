import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandLine } from '../src/cli/command-line.ts'
import { Misuse } from '../src/cli/data-file.ts'
import { explain } from '../src/operations/error-message.ts'
import { pinToOneCore } from './one-core.ts'
import { fsyncTime } from './raw-loop.ts'
import { killAll } from './service.ts'
import { ratio, say } from './table.ts'

const { values: options } = commandLine({
  usage: 'npm run bench -- [--event-store URL --document-store URL] [--links N] [--seconds S] [--rounds R] [--only TEXT] …',
  help: `Measures the service against a bare Koa server that sends the same bytes, in one run.

  npm run bench -- [--links N] [--seconds S] [--rounds R] [--connections C] [--threads A,B] [--only TEXT]
                  [--mix | --cores | --starts | --replay | --demo | --pages | --big | --memory | --lasting] [--one-core] [--beside DIR] [--data DIR]
  npm run bench -- --event-store URL --document-store URL [the first line of the same options]
  npm run bench -- --stand-ins [the same]
  npm run bench -- --servers-counts [--only TEXT] [--verbose]

  --links N        links in the data set (100000; of the demo 10000, for pages 400; with servers 5000); twelve events for each, seven in ten of them votes
  --seconds S      length of each measurement of each server (6), in so many
  --rounds R       rounds, the two servers in turn (3)
  --connections C  requests in flight (64)
  --threads A,B    sizes of the comment threads (500,50000; with servers 500)
  --only TEXT      only measures with this in their names; "opening threads": the largest beside the smallest; "SQLite alone"
  --one-core       each server on one core and the load on the other, as on a small machine; by taskset, on Linux
  --beside DIR     beside the version in another checkout, in place of bare Koa; it makes a data file of its own
  --data DIR       keep data files here for later runs, which copy them

With --servers-counts, two simulated servers count what two API processes and a worker ask them for; the counts are exact on any machine,
and the run fails where one is over its bound. --verbose prints them all.

Instead of the table:

  --mix            votes, comments and pages together, as a site has it
  --cores          votes, comments and submissions with one core and with two; by taskset, on Linux
  --starts         starts on an existing data file: after a stop, and after a kill -9 in the middle of S seconds of votes
  --replay         all read models from the log of the data set
  --demo           what npm run demo costs the service for each event
  --pages          bytes and times of pages for browsers, beside their JSON
  --big            start, memory and listings with 1,000,000 links, against 10,000
  --memory         resident memory by part, after phases of writes, votes, pages, all together and long texts, S seconds each
  --lasting        resident memory by part under the mix, after each sixth of S seconds

With the addresses of an EventStoreDB (esdb://…) and a MongoDB (mongodb://…), the distributed shape is measured: one API process, and
worker processes. Beside the table it prints, by these names:

  lag              milliseconds from an append to its being visible in the read models
  vote appends     votes a second, beside the bare @eventstore/db-client with the same appends (bar: 0.3 of it)
  replay           all read models from zero by 1, 2 and 4 workers, beside a bare catch-up subscription and the bare MongoDB driver
                   writing the same documents (bar: 0.5 of the slower); and the history of the log numbered

The log and the database of that name must be empty; anything else is refused. The log keeps what the bench writes, so each run needs a new
one. The read models go into databases of their own (rostra_bench_…), dropped at the end: the user must be allowed to make such. Everything
is written over the wire, one append for each event, and projected four times over: hence the smaller data set. Where writing is slow, make it
smaller still: --links 2000. With --stand-ins in place of the addresses, both servers are simulated, on this machine.`,
  options: {
    links: { type: 'string' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    threads: { type: 'string' },
    only: { type: 'string', default: '' },
    'one-core': { type: 'boolean', default: false },
    beside: { type: 'string' },
    data: { type: 'string' },
    mix: { type: 'boolean', default: false },
    cores: { type: 'boolean', default: false },
    starts: { type: 'boolean', default: false },
    replay: { type: 'boolean', default: false },
    demo: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    big: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    lasting: { type: 'boolean', default: false },
    'event-store': { type: 'string' },
    'document-store': { type: 'string' },
    'stand-ins': { type: 'boolean', default: false },
    'servers-counts': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

const directory = mkdtempSync(join(tmpdir(), 'rostra-bench-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))

const servers = options['stand-ins'] || options['event-store'] !== undefined || options['document-store'] !== undefined
const effort = { connections: Number(options.connections), seconds: Number(options.seconds), rounds: Number(options.rounds) }
const threads = (options.threads ?? (servers ? '500' : '500,50000')).split(',').filter(Boolean).map(Number)
const MODES = ['mix', 'cores', 'starts', 'replay', 'demo', 'pages', 'big', 'memory', 'lasting'] as const
const modes = MODES.filter((mode) => options[mode])
const [mode = 'table'] = modes
const usualLinks = servers ? 5_000 : mode === 'demo' ? 10_000 : mode === 'pages' ? 400 : 100_000
const links = Number(options.links ?? usualLinks)
const wanted = { effort, only: options.only, directory }
/** The functions that remove the data of a run from the servers at its end. */
const cleanUps: (() => Promise<void>)[] = []

const end = async (code: number): Promise<never> => {
  killAll()
  for (const cleanUp of cleanUps.splice(0)) await cleanUp().catch((error) => process.stderr.write(`${explain(error)}\n`))
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(1))

const startStandIns = async () => {
  const { startStandIn } = await import('./stand-ins.ts')
  const [log, documents] = await Promise.all([startStandIn('event-store-server'), startStandIn('document-store-server')])
  return { 'event-store': log.url, 'document-store': documents.url }
}

const bench = async (): Promise<void> => {
  if (options['servers-counts']) {
    const { serversCounts } = await import('./servers-counts.ts')
    if (await serversCounts(options.only, options.verbose, (cleanUp) => cleanUps.push(cleanUp))) return
    throw new Misuse('a count is over its bound')
  }
  if (modes.length > 1) throw new Misuse(`--${modes.join(' and --')} cannot be measured in one run`)
  say(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}; SQLite ${process.versions.sqlite}`)
  say(`load average before: ${loadavg().map(ratio).join(' ')}; an fsync takes ${fsyncTime(directory).toFixed(2)} ms`)
  if (!servers) {
    say(`${effort.connections} requests in flight; every acknowledged write is on disk`)
    const { measureEmbedded } = await import('./embedded.ts')
    if (options['one-core'] || mode === 'cores') pinToOneCore()
    return measureEmbedded({ links, threads }, { ...wanted, mode, beside: options.beside, data: options.data })
  }
  const { 'event-store': eventStoreUrl, 'document-store': documentStoreUrl } = options['stand-ins'] ? await startStandIns() : options
  if (eventStoreUrl === undefined || documentStoreUrl === undefined)
    throw new Misuse('--event-store and --document-store must be given together')
  for (const only of ['one-core', 'beside', 'data', ...MODES] as const)
    if (options[only]) throw new Misuse(`--${only} is for one data file`)
  say(`${effort.connections} requests in flight`)
  const { measureDistributed } = await import('./distributed.ts') // the drivers of both servers
  await measureDistributed({ eventStoreUrl, documentStoreUrl, links, threads, addCleanUp: (cleanUp) => cleanUps.push(cleanUp) }, wanted)
}

try {
  await bench()
} catch (error) {
  process.stderr.write(`${error instanceof Misuse ? error.message : explain(error)}\n`)
  await end(1)
}
await end(0)
