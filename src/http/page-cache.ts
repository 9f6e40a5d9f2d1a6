import { LRUCache } from 'lru-cache'
import type { App } from '../app.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { Outgoing } from './incoming.ts'

/** Milliseconds that a page is kept although nothing in it changed: ages and time windows move on. */
const LIFETIME = 1_000
const MOST_BYTES = 32 * 1024 * 1024
const LONGEST_TARGET = 512

type Generations = readonly number[]
export type Kept = { readonly endpoint: AnyEndpoint; readonly outgoing: Outgoing; readonly generations: Generations; readonly at: number }

/** Whole answers to anonymous callers, by path and query, for as long as no document they could come from has changed. */
export type PageCache = {
  readonly find: (target: string) => Kept | undefined
  /** What to remember before reading, so that a change while reading is noticed; undefined where nothing may be kept. */
  readonly before: (endpoint: AnyEndpoint) => Generations | undefined
  readonly keep: (target: string, endpoint: AnyEndpoint, outgoing: Outgoing, generations: Generations) => void
}

export const openPageCache = ({ freshness, clock }: Pick<App, 'freshness' | 'clock'>): PageCache => {
  const pages = new LRUCache<string, Kept>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ outgoing }, target) => 500 + 2 * target.length + (outgoing.body?.length ?? 0),
  })

  const isCurrent = ({ endpoint, generations }: Kept): boolean => {
    const collections = endpoint.cachedOn ?? []
    for (let index = 0; index < collections.length; index++)
      if (freshness.generation(collections[index] ?? '') !== generations[index]) return false
    return true
  }

  return {
    find: (target) => {
      const kept = pages.get(target)
      return kept && clock() - kept.at < LIFETIME && isCurrent(kept) ? kept : undefined
    },
    before: ({ cachedOn }) => {
      const generations = cachedOn?.map(freshness.generation)
      return generations?.every((generation) => generation !== undefined) ? generations : undefined
    },
    keep: (target, endpoint, outgoing, generations) => {
      if (outgoing.status !== 200 || target.length > LONGEST_TARGET || target.includes('min_position')) return
      // As bytes, so that sending it costs no encoding.
      const body = typeof outgoing.body === 'string' ? Buffer.from(outgoing.body) : outgoing.body
      pages.set(target, { endpoint, outgoing: { ...outgoing, body }, generations, at: clock() })
    },
  }
}
