import test from 'ava'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import type { IncomingRequest } from '../../src/http/contract/incoming.ts'
import { exchangeOf } from '../../src/http/contract/request-state.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { openPageCache } from '../../src/http/pipeline/page-cache.ts'

const MINUTE = 60_000
const endpoint = endpoints.find(({ path }) => path === '[/s/{sub}]/hot') as AnyEndpoint
const incoming = { method: 'GET', target: '/hot', headers: {}, ip: '127.0.0.1' } as unknown as IncomingRequest

/** A cache with a response that was made at time 0 from links of generation 1; `made`: what else it was made from. */
const kept = (made: { readonly readsClock: boolean }) => {
  const state = { now: 0, generation: 1 }
  const freshness = { generation: () => state.generation } as unknown as Parameters<typeof openPageCache>[0]['freshness']
  const cache = openPageCache({ config: { pages: true }, freshness, clock: () => state.now })
  // a page that is requested only once is not cached
  for (const _ of ['first', 'second']) {
    const exchange = exchangeOf(incoming, 'id')
    cache.recall(exchange, endpoint)
    exchange.endpoint = endpoint
    exchange.keeping?.note('links')
    if (exchange.keeping) exchange.keeping.readsClock = made.readsClock
    cache.keep(exchange, { status: 200, headers: {}, body: '{}' })
  }
  return { cache, state }
}

test('a response that read the clock is cached for at most a minute', (t) => {
  const { cache, state } = kept({ readsClock: true })
  state.now = MINUTE - 1
  t.truthy(cache.find(incoming))
  state.now = MINUTE
  t.is(cache.find(incoming), undefined)
})

test('a response that did not read the clock is cached until a collection it was read from changes', (t) => {
  const { cache, state } = kept({ readsClock: false })
  state.now = 1000 * MINUTE
  t.truthy(cache.find(incoming))
  state.generation = 2
  t.is(cache.find(incoming), undefined)
})

test('responses are cached up to a number of bytes, and so are the addresses requested once', (t) => {
  const freshness = { generation: () => 1 } as unknown as Parameters<typeof openPageCache>[0]['freshness']
  const cache = openPageCache({ config: { pages: true }, freshness, clock: () => 0 })
  const ask = (target: string, body: string) => {
    const exchange = exchangeOf({ ...incoming, target }, 'id')
    cache.recall(exchange, endpoint)
    exchange.endpoint = endpoint
    exchange.keeping?.note('links')
    cache.keep(exchange, { status: 200, headers: {}, body })
  }
  const isKept = (target: string) => cache.find({ ...incoming, target }) !== undefined
  const large = 'x'.repeat(2_000_000)
  for (let n = 0; n < 10; n += 1) for (const _ of ['first', 'second']) ask(`/hot?limit=${n}`, large)
  t.true(isKept('/hot?limit=9'))
  t.false(isKept('/hot?limit=0'))
  ask('/hot?count=0', '{}')
  for (let n = 1; n < 5_000; n += 1) ask(`/hot?count=${n}${'0'.repeat(500)}`, '{}')
  ask('/hot?count=0', '{}')
  t.false(isKept('/hot?count=0'), 'so long ago that it counts as the first time')
  ask('/hot?count=0', '{}')
  t.true(isKept('/hot?count=0'))
})
