import { LRUCache } from 'lru-cache'
import type { App } from '../app.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import { anonymous } from './identity.ts'
import type { Incoming, Outgoing } from './incoming.ts'
import { prefersHtml } from './representation.ts'

/** Milliseconds that a page is kept although nothing in it changed: ages and time windows move on. */
const LIFETIME = 1_000
const MOST_BYTES = 32 * 1024 * 1024
const LONGEST_KEY = 600
/** Of the names of pages that were asked for once; what is asked for only once is not worth its memory. */
const MOST_ASKED_BYTES = 4 * 1024 * 1024

export type Kept = {
  readonly endpoint: AnyEndpoint
  readonly outgoing: Outgoing
  readonly collections: readonly string[]
  readonly generations: readonly number[]
  readonly at: number
}

/** What is remembered before reading, so that a change while reading is noticed. */
type Snapshot = Pick<Kept, 'collections' | 'generations'>

/** Under which key an answer may be kept, and what it depends on. */
export type Keeping = { readonly key: string; readonly snapshot: Snapshot }

/** Whole answers for as long as no document they could come from has changed: of anonymous callers by path and query, of others also by who asks. */
export type PageCache = {
  /** What anonymous callers are answered, found before anything else is known. */
  readonly find: (incoming: Incoming) => Kept | undefined
  /** What this viewer was answered a moment ago; else the exchange learns what it takes to keep the answer to come. */
  readonly recall: (exchange: Exchange, endpoint: AnyEndpoint) => Outgoing | undefined
  readonly keep: (exchange: Exchange, outgoing: Outgoing) => void
}

const none: readonly string[] = []

const dependsOn = ({ cachedOn, personalOn }: AnyEndpoint, isPersonal: boolean): readonly string[] => {
  if (cachedOn === undefined) return none
  return isPersonal ? (personalOn === undefined ? none : [...cachedOn, ...personalOn]) : cachedOn
}

/** Browsers are answered with a page where clients are answered with data. */
const addressOf = ({ target, headers: { accept } }: Incoming): string => (prefersHtml(accept) ? `${target} html` : target)

export const openPageCache = ({ freshness, clock }: Pick<App, 'freshness' | 'clock'>): PageCache => {
  const pages = new LRUCache<string, Kept>({
    maxSize: MOST_BYTES,
    // a text takes two bytes a character where one of them is not Latin; what is compressed of it is some third of it
    sizeCalculation: ({ outgoing }, key) => 500 + 2 * key.length + Math.ceil(2.8 * (outgoing.body?.length ?? 0)),
  })

  const asked = new LRUCache<string, true>({ maxSize: MOST_ASKED_BYTES, sizeCalculation: (_, key) => 100 + 2 * key.length })

  const isCurrent = ({ collections, generations }: Kept): boolean => {
    for (let index = 0; index < collections.length; index++)
      if (freshness.generation(collections[index] ?? '') !== generations[index]) return false
    return true
  }

  /** Undefined where nothing may be kept. */
  const snapshotOf = (endpoint: AnyEndpoint, isPersonal: boolean): Snapshot | undefined => {
    const collections = dependsOn(endpoint, isPersonal)
    const generations = collections.map(freshness.generation)
    return collections.length > 0 && generations.every((generation) => generation !== undefined) ? { collections, generations } : undefined
  }

  const findKey = (key: string): Kept | undefined => {
    const kept = pages.get(key)
    return kept && clock() - kept.at < LIFETIME && isCurrent(kept) ? kept : undefined
  }

  return {
    find: (incoming) => findKey(addressOf(incoming)),
    recall: (exchange, endpoint) => {
      const { incoming, identity } = exchange
      const { viewer } = identity
      if (endpoint.cachedOn === undefined || incoming.method !== 'GET') return undefined
      const isPersonal = identity !== anonymous
      if (isPersonal && (viewer.account === undefined || identity.subsites !== undefined)) return undefined
      const key = isPersonal ? `${viewer.account} ${viewer.modhash ?? ''} ${addressOf(incoming)}` : addressOf(incoming)
      const kept = isPersonal ? findKey(key) : undefined
      if (kept) return kept.outgoing
      const snapshot = snapshotOf(endpoint, isPersonal)
      exchange.keeping = snapshot && { key, snapshot }
      return undefined
    },
    keep: ({ endpoint, keeping }, outgoing) => {
      if (!endpoint || !keeping || outgoing.status !== 200) return
      const { key, snapshot } = keeping
      if (key.length > LONGEST_KEY || key.includes('min_position')) return
      if (!asked.has(key)) {
        asked.set(key, true)
        return
      }
      pages.set(key, { endpoint, outgoing: { ...outgoing, derived: { coded: {} } }, ...snapshot, at: clock() })
    },
  }
}
