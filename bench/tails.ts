import { Agent, get } from 'node:http'
import { newest } from './session.ts'

/** A name for each listing that is looked at, in front of the anchors. */
const LISTINGS = [
  '/s/all/new?',
  '/s/all/hot?',
  '/s/all/top?t=all&',
  '/s/all/top?t=month&',
  '/s/place0/new?',
  '/s/place1/hot?',
  '/s/place2/top?t=week&',
  '/s/place3/fun?t=year&',
]
const MAX_ANCHORS = 200

export type Tail = { readonly p50: number; readonly p99: number }

const ask = (agent: Agent, url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      response.on('end', () => resolve(performance.now() - begun)).resume()
    }).on('error', reject)
  })

export const tailOf = (times: readonly number[]): Tail => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

/** Measures the time of pages of one server, in milliseconds: one request at a time and for each page in turn, no address twice. */
export const openings = async (pages: readonly string[], requests: number): Promise<readonly Tail[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times = pages.map((): number[] => [])
  for (let i = -30; i < requests; i += 1)
    for (const [n, page] of pages.entries()) {
      const took = await ask(agent, `${page}&n=${i}`)
      if (i >= 0) times[n]?.push(took) // earlier ones only warm up
    }
  agent.destroy()
  return times.map(tailOf)
}

/**
 * Measures the time of listings on several servers, in milliseconds: one request at a time and to each server in turn, from the top and
 * from the middle of all kinds of listings, never a page that was requested before.
 */
export const tails = async (urls: readonly string[], requests: number): Promise<readonly Tail[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const servers = await Promise.all(urls.map(async (url) => ({ url, anchors: await newest(url, MAX_ANCHORS), times: [] as number[] })))
  for (let i = -LISTINGS.length * 20; i < requests; i += 1) {
    for (const { url, anchors, times } of servers) {
      const listing = LISTINGS[Math.abs(i) % LISTINGS.length]
      const after = i % 3 === 0 ? '' : `after=${anchors[(Math.abs(i) * 7) % anchors.length]}&`
      const took = await ask(agent, `${url}${listing}${after}n=${i}`)
      if (i >= 0) times.push(took) // earlier ones only warm up
    }
  }
  agent.destroy()
  return servers.map(({ times }) => tailOf(times))
}
