import { cpSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { besideKoa, isWanted, type Wanted } from './beside-koa.ts'
import { coreGains } from './cores.ts'
import type { DataSet } from './data-file.ts'
import { demoCost } from './demo-cost.ts'
import { measuresOf } from './measures.ts'
import { memoryOverTime, memoryPhases } from './memory.ts'
import { runMix } from './mix.ts'
import { measurePages } from './pages.ts'
import { rawVotes } from './raw-loop.ts'
import { residentLine, type Service, untilIdle } from './service.ts'
import { threadPath } from './session.ts'
import { starts } from './starts.ts'
import { milliseconds, ratio, say, toWholeText } from './table.ts'
import { openings, tails } from './tails.ts'
import { dataFileOf, otherVersion, replayBy, serve, thisVersion, type Version, writeLogOf } from './versions.ts'

/** About how many writes share a commit with 64 requests in flight. */
const VOTES_PER_COMMIT = 32

const OPENINGS_PER_THREAD = 300
/** The `limit` of a requested page of a thread. */
const COMMENTS_PER_PAGE = 200

/** Measures how much longer the largest of some threads takes to open than the smallest. */
const openThreads = async (url: string, threads: readonly number[]): Promise<void> => {
  const sizes = threads.toSorted((a, b) => a - b)
  const pages = await Promise.all(sizes.map(async (size) => `${url}${await threadPath(url, size)}?limit=${COMMENTS_PER_PAGE}`))
  const took = await openings(pages, OPENINGS_PER_THREAD)
  const [first, last] = [took[0], took.at(-1)]
  if (!first || !last) return
  const each = took.map(
    ({ p50, p99 }, n) => `of ${toWholeText(sizes[n] ?? 0)} in ${milliseconds(p50)} (99 in 100 within ${milliseconds(p99)})`,
  )
  say(`one at a time, with limit=${COMMENTS_PER_PAGE} and no cached page, half of the threads open: ${each.join(', ')}`)
  say(`the largest takes ${ratio(last.p50 / first.p50)} of the time of the smallest (3.00 allowed)`)
}

type WantedHere = Wanted & {
  readonly mode: 'table' | 'mix' | 'cores' | 'starts' | 'replay' | 'demo' | 'pages' | 'big' | 'memory' | 'lasting'
  /** The directory of another checkout. */
  readonly beside: string | undefined
  /** The folder that keeps data files for later runs. */
  readonly data: string | undefined
}

/** Measures how fast each version builds all its read models, each round from a copy of its log. */
const replays = async (versions: readonly Version[], dataSet: DataSet, { directory, effort }: WantedHere): Promise<void> => {
  const logs: string[] = []
  for (const [n, version] of versions.entries()) logs.push(await writeLogOf(version, join(directory, `log-${n}`), dataSet))
  for (let round = 0; round < effort.rounds; round += 1)
    for (const [n, version] of versions.entries()) {
      const copy = join(directory, `replayed-${n}`)
      cpSync(dirname(logs[n] ?? ''), copy, { recursive: true })
      await replayBy(version, join(copy, basename(logs[n] ?? '')))
      rmSync(copy, { recursive: true })
    }
}

/** Prints the whole table of one service beside bare Koa or another version. */
const wholeTable = async (service: Service, file: string, threads: readonly number[], wanted: Wanted, old?: Service): Promise<void> => {
  const other = old && { service: old, measures: await measuresOf(old.url, threads) }
  const compared = await besideKoa(service, await measuresOf(service.url, threads), wanted, other)
  if (isWanted('opening threads', wanted.only)) await openThreads(service.url, threads)
  for (const one of old ? [old, service] : [service]) say(`${residentLine(one)} after that`)
  await service.stop()
  if (!isWanted('SQLite alone', wanted.only)) return
  const raw = new Map([1, 16, 32, 64].map((grouped) => [grouped, rawVotes(file, grouped, 2)]))
  const rates = [...raw].map(([grouped, perSecond]) => `${toWholeText(perSecond)}/s by ${grouped}`)
  say(`SQLite alone, the rows of a vote and of its read models in the same tables, each group on disk: ${rates.join(', ')}`)
  const votes = compared.get('vote')?.ours.perSecond
  if (votes !== undefined)
    say(`votes are ${ratio(votes / (raw.get(VOTES_PER_COMMIT) ?? 0))} of that by ${VOTES_PER_COMMIT} (0.60 where the disk is the limit)`)
}

/** Measures a site in one data file. */
export const measureEmbedded = async (dataSet: DataSet, wanted: WantedHere): Promise<void> => {
  const { mode, directory, effort, data } = wanted
  const versions = [...(wanted.beside === undefined ? [] : [otherVersion(wanted.beside)]), thisVersion]
  if (mode === 'demo') return demoCost(versions, dataSet.links, directory)
  if (mode === 'pages') return measurePages(thisVersion, dataSet.links, directory)
  if (mode === 'replay') return replays(versions, dataSet, wanted)
  if (mode === 'big') {
    for (const version of versions) await measureBig(version, directory, data)
    return
  }
  const files = new Map<Version, string>()
  for (const version of versions) files.set(version, await dataFileOf(version, dataSet, directory, data))
  if (mode === 'starts')
    return starts(Object.fromEntries([...files].map(([version, file]) => [version.name, () => serve(version, file)])), effort)
  const services: Record<string, Service> = {}
  for (const [version, file] of files) {
    const service = await serve(version, file)
    services[version.name] = service
    say(`${version.name}: started in ${service.startup.toFixed(1)} s, ${residentLine(service)}`)
    await untilIdle(service)
  }
  const { [thisVersion.name]: service, other } = services
  if (!service) throw new Error('the service does not run')
  if (mode === 'memory') await memoryPhases(service, effort.seconds)
  else if (mode === 'lasting') await memoryOverTime(service, effort.seconds)
  else if (mode === 'mix') await runMix(services, effort.seconds, effort.rounds)
  else if (mode === 'cores') await coreGains(services, effort)
  else await wholeTable(service, files.get(thisVersion) ?? '', dataSet.threads, wanted, other)
}

/** Measures start, memory and listings of a site with a million links, and of one with ten thousand. */
const measureBig = async (version: Version, directory: string, data?: string): Promise<void> => {
  const shape = { votes: 1, silent: true, accounts: 5_000 }
  const services: Service[] = []
  for (const links of [10_000, 1_000_000]) {
    const service = await serve(version, await dataFileOf(version, { links, threads: [], shape, eventsEach: 1.5 }, directory, data))
    say(`${version.name}, ${toWholeText(links)} links: started in ${service.startup.toFixed(1)} s, ${residentLine(service)}`)
    services.push(service)
  }
  for (const service of services) await untilIdle(service)
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
