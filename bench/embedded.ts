import { copyFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { besideKoa, type Wanted } from './beside-koa.ts'
import { history } from './history.ts'
import type { Shape } from './log-shape.ts'
import { measuresOf } from './measures.ts'
import { mixed } from './mix.ts'
import { rawVotes } from './raw-loop.ts'
import { replay, type Speed } from './replay.ts'
import { residentLine, type Service, start, untilIdle } from './service.ts'
import { threadPath } from './session.ts'
import { milliseconds, ratio, say, whole } from './table.ts'
import { openings, tails } from './tails.ts'
import { writeLog } from './write-log.ts'

const main = new URL('../src/main.ts', import.meta.url).pathname

type DataSet = {
  readonly links: number
  readonly threads: readonly number[]
  readonly shape?: Partial<Shape>
  readonly eventsEach?: number
}

/** Makes a data file with its read models; the file. */
const dataFile = async (directory: string, { links, threads, shape, eventsEach }: DataSet): Promise<string> => {
  const file = join(directory, `links-${links}.db`)
  const begun = performance.now()
  const events = await writeLog(file, history(links, threads, shape, eventsEach))
  const written = (performance.now() - begun) / 1000
  const { folded, projected } = await replay(file)
  const speed = ({ perSecond, perCpuSecond }: Speed) => `${whole(perSecond)}/s (${whole(perCpuSecond)} for each second of processor time)`
  say(`${whole(links)} links, ${whole(events)} events, written in ${whole(written)} s`)
  say(`read, decoded and folded alone: ${speed(folded)}; into all read models: ${speed(projected)}`)
  return file
}

const serve = (file: string, program = main): Promise<Service> =>
  start(program, [], { PORT: '0', LOG_LEVEL: 'warn', EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` })

/** About how many writes share a commit with 64 requests in flight. */
const GROUPED = 32

const OPENINGS = 300
/** The `limit` of a requested page of a thread. */
const OPENED = 200

/** How much longer the largest of some threads takes to open than the smallest. */
const openThreads = async (url: string, threads: readonly number[]): Promise<void> => {
  const sizes = threads.toSorted((a, b) => a - b)
  const pages = await Promise.all(sizes.map(async (size) => `${url}${await threadPath(url, size)}?limit=${OPENED}`))
  const took = await openings(pages, OPENINGS)
  const [first, last] = [took[0], took.at(-1)]
  if (!first || !last) return
  const each = took.map(({ p50, p99 }, n) => `of ${whole(sizes[n] ?? 0)} in ${milliseconds(p50)} (99 in 100 within ${milliseconds(p99)})`)
  say(`one at a time, with limit=${OPENED} and no cached page, half of the threads open: ${each.join(', ')}`)
  say(`the largest takes ${ratio(last.p50 / first.p50)} of the time of the smallest (3.00 allowed)`)
}

type WantedHere = Wanted & {
  readonly mix: boolean
  /** The directory of another checkout. */
  readonly beside: string | undefined
}

/** Another version of the service, on a copy of the data file. */
const serveOther = async (file: string, checkout: string): Promise<Service> => {
  const copy = `${file}-other`
  copyFileSync(file, copy)
  return serve(copy, resolve(checkout, 'src/main.ts'))
}

/** A site in one data file: the whole table. */
export const embedded = async ({ links, threads }: DataSet, wanted: WantedHere): Promise<void> => {
  const file = await dataFile(wanted.directory, { links, threads })
  const old = wanted.beside === undefined ? undefined : await serveOther(file, wanted.beside)
  const service = await serve(file)
  say(`started on it in ${service.startup.toFixed(1)} s, ${residentLine(service)}`)
  for (const one of old ? [old, service] : [service]) await untilIdle(one)
  if (wanted.mix) {
    await mixed({ ...(old && { old }), Rostra: service }, wanted.effort.seconds, wanted.effort.rounds)
    await Promise.all([service.stop(), old?.stop()])
    return
  }
  const other = old && { service: old, measures: await measuresOf(old.url, threads) }
  const compared = await besideKoa(service, await measuresOf(service.url, threads), wanted, other)
  await old?.stop()
  if ('opening threads'.includes(wanted.only)) await openThreads(service.url, threads)
  say(`${residentLine(service)} after that`)
  await service.stop()
  const raw = new Map([1, 16, 32, 64].map((grouped) => [grouped, rawVotes(file, grouped, 2)]))
  const rates = [...raw].map(([grouped, perSecond]) => `${whole(perSecond)}/s by ${grouped}`)
  say(`SQLite alone, the rows of a vote and of its read models in the same tables, each group on disk: ${rates.join(', ')}`)
  const votes = compared.get('vote')?.ours.perSecond
  if (votes !== undefined)
    say(`votes are ${ratio(votes / (raw.get(GROUPED) ?? 0))} of that by ${GROUPED} (0.60 where the disk is the limit)`)
}

/** Start, memory and listings of a site with a million links, against one with ten thousand. */
export const big = async (directory: string): Promise<void> => {
  const shape = { votes: 1, silent: true, accounts: 5_000 }
  const few = await dataFile(directory, { links: 10_000, threads: [], shape, eventsEach: 1.5 })
  const many = await dataFile(directory, { links: 1_000_000, threads: [], shape, eventsEach: 1.5 })
  const services = [await serve(few), await serve(many)] as const
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
