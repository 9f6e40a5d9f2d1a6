import { projections } from '../projections/all.ts'
import { collectionsOf } from '../projections/engine/sets.ts'
import type { Envelope } from '../src/domain/event.ts'
import type { VoteEvent } from '../src/domain/vote.ts'
import { codec } from '../src/log/codec.ts'
import { openKeyring } from '../src/log/keys.ts'
import type { Position } from '../src/ports/event-store.ts'
import { besideKoa, isWanted, type Wanted } from './beside-koa.ts'
import { fillLog } from './fill-log.ts'
import { history } from './history.ts'
import type { Rate } from './in-flight.ts'
import { lagOf } from './lag.ts'
import { load } from './load.ts'
import { type Measure, measuresOf } from './measures.ts'
import { replays } from './replays.ts'
import { openServers, type Servers, type Site } from './servers.ts'
import { residentLine, type Service, start } from './service.ts'
import { milliseconds, ratio, say, toTable, toWholeText } from './table.ts'
import { votesLike } from './vote-appends.ts'
import { type VoteRates, voteRates } from './vote-rates.ts'
import { caughtUp, startWorkers } from './workers.ts'

const main = new URL('../src/main.ts', import.meta.url).pathname

/** The shares of the rate of the bare clients that votes and a replay must reach. */
const VOTE_BAR = 0.3
const REPLAY_BAR = 0.5
/** The factor by which the processor time of a vote and of an event may exceed that of the bare parts. */
const VOTE_CPU_BAR = 2
const EVENT_CPU_BAR = 3
/** The factors by which numbering an event may exceed reading it, and four workers together one. */
const NUMBERING_CPU_BAR = 1.5
const FOUR_WORKERS_CPU_BAR = 1.8
/** The most MiB that a worker may have resident while it builds all read models from 55,000 events. */
const WORKER_MIB_BAR = 230
const WORKER_COUNTS = [1, 2, 4]
/** Votes to measure lag with, more than any run needs. */
const VOTES_TO_MEASURE_LAG = 5_000

export type Asked = {
  readonly eventStoreUrl: string
  readonly documentStoreUrl: string
  readonly links: number
  readonly threads: readonly number[]
  /** Receives a function that removes the data of the run from the servers. */
  readonly addCleanUp: (cleanUp: () => Promise<void>) => void
}

const atLeast = (bar: number) => (share: number) => `${ratio(bar)} ${share >= bar ? 'met' : 'missed'}`
const atMost = (times: number, bar: number) => `${ratio(times)} times, bar ${ratio(bar)} ${times <= bar ? 'met' : 'missed'}`

/** Returns a vote of the service on each thing voted on since a position. */
const votesSince = async ({ events, vault }: Site, position: Position): Promise<readonly Envelope<VoteEvent>[]> => {
  const { open } = codec(openKeyring(vault))
  const byThing = new Map<string, Envelope<VoteEvent>>()
  for (let after = position; ; ) {
    const page = await events.readAll(after, 500)
    for (const event of await open(page)) if (event.type === 'VoteCast') byThing.set(event.data.thing, event)
    const last = page.at(-1)
    if (!last) return [...byThing.values()]
    after = last.position
  }
}

const mean = (rounds: readonly VoteRates[], of: (rates: VoteRates) => Rate, what: keyof Rate = 'perSecond'): number =>
  rounds.reduce((sum, rates) => sum + of(rates)[what], 0) / rounds.length

const rateTable = (rounds: readonly VoteRates[]): string => {
  const bare = mean(rounds, (rates) => rates.bare)
  const row = (name: string, of: (rates: VoteRates) => Rate, bar: (share: number) => string) => {
    const cpu = toWholeText(mean(rounds, of, 'cpu'))
    const shares = rounds.map((rates) => of(rates).perSecond / rates.bare.perSecond)
    const share = mean(rounds, of) / bare
    return [
      name,
      toWholeText(mean(rounds, of)),
      ratio(share),
      `${ratio(Math.min(...shares))}-${ratio(Math.max(...shares))}`,
      bar(share),
      `${cpu} µs`,
    ]
  }
  return toTable(
    ['vote appends', 'a second', 'ratio', 'of rounds', 'bar', 'CPU each'],
    [
      ['the bare client', toWholeText(bare), '', '', '', `${toWholeText(mean(rounds, (rates) => rates.bare, 'cpu'))} µs`],
      row(
        'the bare client, receiving them again',
        ({ echoed }) => echoed,
        () => '',
      ),
      row(
        'through the event-store port',
        ({ port }) => port,
        () => '',
      ),
      row('votes over HTTP, seen when answered', ({ service }) => service, atLeast(VOTE_BAR)),
    ],
  )
}

/** Returns the processor time of the API process for a vote, beside that of the parts that no service could do without. */
const voteCost = (rounds: readonly VoteRates[], koa: number): string => {
  const [ours, echoed] = [mean(rounds, ({ service }) => service, 'cpu'), mean(rounds, (rates) => rates.echoed, 'cpu')]
  const floor = `bare Koa ${toWholeText(koa)} µs and the bare client, receiving them again, ${toWholeText(echoed)} µs`
  return `processor time of the API process for a vote: ${toWholeText(ours)} µs; ${floor}: ${atMost(ours / (koa + echoed), VOTE_CPU_BAR)}`
}

/** Measures on the running site: lag, and votes beside the bare client. */
const measureWriting = async (
  servers: Servers,
  site: Site,
  { api, worker }: { api: Service; worker: Service },
  vote: Measure,
  koa: number | undefined,
  { effort, only }: Wanted,
) => {
  const { connections, seconds } = effort
  const before = await site.events.head()
  const voting = () => load({ url: api.url, connections, seconds, ask: vote.ask })
  await voting()
  await caughtUp(site.documents, await site.events.head())
  const supply = votesLike(await votesSince(site, before), codec(openKeyring(site.vault)))
  if (isWanted('lag', only)) {
    await supply.fill(VOTES_TO_MEASURE_LAG)
    const idle = await lagOf(site, supply.next, seconds)
    const [busy] = await Promise.all([lagOf(site, supply.next, seconds), voting()])
    for (const [name, { p50, p99, votes }] of Object.entries({
      'while nobody else writes': idle,
      [`under votes, ${connections} in flight`]: busy,
    }))
      say(`lag from append to visible, ${name}: half within ${milliseconds(p50)}, 99 in 100 within ${milliseconds(p99)} (${votes} votes)`)
  }
  if (!isWanted('vote appends', only)) return
  const rounds = await voteRates({ servers, site, api, worker, ask: vote.ask, supply }, effort)
  say(`\n${rateTable(rounds)}`)
  if (koa !== undefined) say(voteCost(rounds, koa))
}

const measureReplay = async (servers: Servers, site: Site): Promise<void> => {
  const { events, read, write, numbering, workers } = await replays(servers, site, WORKER_COUNTS)
  const slower = Math.min(read.perSecond, write.perSecond)
  const rows = [
    ['bare catch-up subscription', toWholeText(read.perSecond), '', '', `${toWholeText(read.cpu)} µs`],
    [
      `bare driver, ${toWholeText(write.documents)} documents written`,
      toWholeText(write.perSecond),
      '',
      '',
      `${toWholeText(write.cpu)} µs`,
    ],
    ['numbering', toWholeText(numbering.perSecond), '', '', `${toWholeText(numbering.cpu)} µs`],
    ...[...workers].map(([count, { perSecond, cpu }]) => [
      `${count} ${count === 1 ? 'worker' : 'workers'}`,
      toWholeText(perSecond),
      ratio(perSecond / slower),
      atLeast(REPLAY_BAR)(perSecond / slower),
      `${toWholeText(cpu)} µs`,
    ]),
  ]
  const one = workers.get(1)?.cpu ?? 0
  say(`\n${toTable([`replay of ${toWholeText(events)} events`, 'events/s', 'of the slower bare side', 'bar', 'CPU each'], rows)}`)
  say(`processor time of one worker for an event, of the bare subscription’s: ${atMost(one / read.cpu, EVENT_CPU_BAR)}`)
  say(`processor time of four workers together, of one: ${atMost((workers.get(4)?.cpu ?? 0) / one, FOUR_WORKERS_CPU_BAR)}`)
  const most = workers.get(1)?.most ?? 0
  say(`one worker had at most ${toWholeText(most)} MiB resident, bar ${WORKER_MIB_BAR} ${most <= WORKER_MIB_BAR ? 'met' : 'missed'}`)
  say(`processor time of numbering an event, of the bare subscription’s: ${atMost(numbering.cpu / read.cpu, NUMBERING_CPU_BAR)}`)
}

/** Measures one API process and one worker: the table, the lag and the rates of appends. */
const measureServing = async (servers: Servers, site: Site, threads: readonly number[], wanted: Wanted): Promise<void> => {
  const { only } = wanted
  const [worker] = await startWorkers(1, site.environment)
  if (!worker) throw new Error('there is no worker')
  await caughtUp(site.documents, await site.events.head())
  const api = await start(main, [], site.environment)
  say(`the API process started in ${api.startup.toFixed(1)} s, ${residentLine(api)}; the worker ${residentLine(worker)}`)
  const measures = await measuresOf(api.url, threads)
  const compared = await besideKoa(api, measures, wanted)
  const vote = measures.find(({ name }) => name === 'vote')
  if (vote && ['lag', 'vote appends'].some((name) => isWanted(name, only)))
    await measureWriting(servers, site, { api, worker }, vote, compared.get(vote.name)?.bare.cpu, wanted)
  say(`the API process ${residentLine(api)} after that; the worker ${residentLine(worker)}`)
  await Promise.all([api.stop(), worker.stop()])
}

/** Measures a site on an EventStoreDB and a MongoDB. */
export const measureDistributed = async (
  { eventStoreUrl, documentStoreUrl, links, threads, addCleanUp }: Asked,
  wanted: Wanted,
): Promise<void> => {
  const servers = await openServers(eventStoreUrl, documentStoreUrl, addCleanUp)
  const site = await servers.openSite()
  await site.documents.prepare(collectionsOf(projections))
  const begun = performance.now()
  const written = await fillLog(site.events, codec(openKeyring(site.vault)), history(links, threads))
  const seconds = (performance.now() - begun) / 1000
  say(
    `${toWholeText(links)} links, ${toWholeText(written)} events, written in ${toWholeText(seconds)} s (${toWholeText(written / seconds)}/s)`,
  )
  if (wanted.only !== 'replay') await measureServing(servers, site, threads, wanted)
  if (isWanted('replay', wanted.only)) await measureReplay(servers, site)
  await site.close()
}
