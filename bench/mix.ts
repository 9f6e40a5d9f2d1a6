import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Asked, load, requestOf } from './load.ts'
import { askAnew, comments, inTurn, votes } from './measures.ts'
import type { Service } from './service.ts'
import { newestLinks, register, type Session } from './session.ts'
import { milliseconds, ratio, say, toWholeText } from './table.ts'
import { type Tail, tailOf } from './tails.ts'

/** The permanent load of a site: people who vote, some who comment, many who read. */
const VOTES_A_SECOND = 200
const COMMENTS_A_SECOND = 20
const READERS = 16
const WRITERS = 16
/** The newest links, of which threads and authors are read, and which are voted and commented on. */
const LINKS = 1_000
const TICK_MS = 5
/** Connections of one sender. More than the queue of a listening socket takes at once would be reset while the service is overloaded. */
const MAX_CONNECTIONS = 128

const send = (agent: Agent, url: string, asked: Asked, due: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { method, path, headers, body } = requestOf(asked)
    request(`${url}${path}`, { agent, method, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`))
      response.on('end', () => resolve(performance.now() - due)).resume()
    })
      .on('error', reject)
      .end(body)
  })

/** Sends so many requests a second, whether or not those before are answered; how long each took from the moment that it was due. */
export const sendPaced = async (url: string, perSecond: number, seconds: number, ask: () => Asked): Promise<readonly number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS })
  const begun = performance.now()
  const sent: Promise<number>[] = []
  for (; sent.length < perSecond * seconds; await sleep(TICK_MS))
    for (let due = begun; due <= performance.now() && sent.length < perSecond * seconds; ) {
      due = begun + (sent.length * 1000) / perSecond
      if (due <= performance.now()) sent.push(send(agent, url, ask(), due))
    }
  const took = await Promise.all(sent)
  agent.destroy()
  return took
}

type Mix = { readonly pages: () => Asked; readonly shares: () => string; readonly vote: () => Asked; readonly comment: () => Asked }

/** Prepares the mix for a running service. */
export const mixOf = async (url: string): Promise<Mix> => {
  const writers: Session[] = []
  for (let i = 0; i < WRITERS; i += 1) writers.push(await register(url, `mixer_${i}`))
  const links = await newestLinks(url, LINKS)
  const names = links.map(({ name }) => name)
  const kinds = {
    hot: askAnew(() => ({ path: '/s/all/hot', headers: {} })),
    threads: askAnew(inTurn(names.map((name) => ({ path: `/comments/${name.slice(3)}`, headers: {} })))),
    'user pages': askAnew(inTurn(links.map(({ author }) => ({ path: `/user/${author}/overview`, headers: {} })))),
  }
  const counts = new Map(Object.keys(kinds).map((kind) => [kind, 0]))
  const next = inTurn(Object.entries(kinds))
  return {
    pages: () => {
      const [kind, ask] = next()
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return ask()
    },
    shares: () => {
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
      return [...counts].map(([kind, count]) => `${kind} ${toWholeText((100 * count) / all)} %`).join(', ')
    },
    vote: votes(writers, names),
    comment: comments(writers, names),
  }
}

/** Sends the writes of the mix for so many seconds. Returns the milliseconds that each took. */
export const sendWrites = async (url: string, { vote, comment }: Mix, seconds: number): Promise<readonly number[]> =>
  (await Promise.all([sendPaced(url, VOTES_A_SECOND, seconds, vote), sendPaced(url, COMMENTS_A_SECOND, seconds, comment)])).flat()

type Round = { readonly perSecond: number; readonly cpu: number; readonly pages: Tail; readonly writes: Tail }

const round = async (service: Service, mix: Mix, seconds: number): Promise<Round> => {
  const before = service.cpu()
  const [{ answers, seconds: took, p50, p99 }, written] = await Promise.all([
    load({ url: service.url, connections: READERS, seconds, ask: mix.pages }),
    sendWrites(service.url, mix, seconds),
  ])
  const cpu = ((service.cpu() - before) / answers) * 1e6
  return { perSecond: answers / took, cpu, pages: { p50, p99 }, writes: tailOf(written) }
}

const within = ({ p50, p99 }: Tail) => `half within ${milliseconds(p50)}, 99 in 100 within ${milliseconds(p99)}`

/** Prints what some services do under the mix, in turn; the first round of each only warms up. */
export const runMix = async (services: Readonly<Record<string, Service>>, seconds: number, rounds: number): Promise<void> => {
  const mixes = new Map<string, Mix>()
  for (const [name, service] of Object.entries(services)) mixes.set(name, await mixOf(service.url))
  say(`mix: ${VOTES_A_SECOND} votes and ${COMMENTS_A_SECOND} comments a second beside ${READERS} readers, no two addresses alike`)
  for (let n = 0; n <= rounds; n += 1)
    for (const [name, service] of Object.entries(services)) {
      const mix = mixes.get(name)
      if (!mix) continue
      const { perSecond, cpu, pages, writes } = await round(service, mix, seconds / rounds)
      if (n === 0) continue
      say(`${name}: ${toWholeText(perSecond)} pages a second (${mix.shares()}), ${within(pages)}; writes: ${within(writes)}`)
      say(
        `  ${toWholeText(cpu)} µs of processor time for each page with its share of writes, ${ratio(perSecond / 6_000)} of the bar of 6,000`,
      )
    }
}
