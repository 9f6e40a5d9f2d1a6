import { either as E } from 'fp-ts'
import type { SubsiteDocument } from '../../projections/subsites.ts'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { exchangeOf, type Keeping } from '../../src/http/exchange.ts'
import { anonymous } from '../../src/http/identity.ts'
import type { Incoming } from '../../src/http/incoming.ts'
import { openPageCache } from '../../src/http/page-cache.ts'
import { openReads, type Reads } from '../../src/http/reads.ts'
import type { Viewer } from '../../src/http/request.ts'
import { siteAt } from '../../src/http/site.ts'
import { startTea } from '../support/cast.ts'
import { settled } from '../support/community.ts'
import { of, put } from '../support/multis.ts'
import { found } from '../support/posting.ts'
import type { User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(async () => {
  const cast = await startTea(['root'])
  const { site, ann, root } = cast
  await root.post('/api/v1/gold/give/ann', { months: 1 })
  await found(ann, 'herbs')
  await found(ann, 'closed', { type: 'private' })
  await found(ann, 'lounge', { type: 'gold_only' })
  await put(ann, 'user/ann/m/leaves', of('tea'))
  await settled(site)
  return cast
})

const hot = endpoints.find(({ path }) => path === '[/s/{sub}]/hot') as AnyEndpoint
const incoming = { method: 'GET', target: '/hot', headers: {}, ip: '127.0.0.1' } as unknown as Incoming

/** What a response that may be cached is recorded in. */
const keepingOf = (parts: Parameters<typeof openPageCache>[0]): Keeping => {
  const exchange = exchangeOf(incoming, 'id')
  openPageCache(parts).recall(exchange, hot)
  return exchange.keeping as Keeping
}

const viewerOf = ({ id, name }: User): Viewer => ({ ...anonymous.viewer, account: id, name, via: 'session' })

const parts = [
  { part: undefined, collections: [], readsClock: false },
  { part: 'tea', collections: ['subsites'], readsClock: false },
  { part: 'tea+herbs', collections: ['subsites'], readsClock: false },
  { part: 'all-tea', collections: ['subsites'], readsClock: false },
  { part: 'closed', collections: ['relations', 'subsites'], readsClock: true },
  { part: 'lounge', collections: ['accounts', 'relations', 'subsites'], readsClock: true },
  { part: 'tea+lounge', collections: ['accounts', 'relations', 'subsites'], readsClock: true },
  { part: '/user/ann/m/leaves', collections: ['accounts', 'multis', 'subsites'], readsClock: false },
  { part: '/me/f/all', collections: ['multis', 'subsites'], readsClock: false },
] as const

for (const { part, collections, readsClock } of parts)
  test(`a response records what its site was looked up in, also where a cache has that: ${part ?? 'no site'}`, async (t) => {
    const { site, ann } = t.context
    const { app } = site.running
    for (const time of ['first', 'cached']) {
      const keeping = keepingOf(app)
      const resolved = await siteAt({ ...openReads(app)(keeping), viewer: viewerOf(ann) }, part, false)
      t.true(E.isRight(resolved), time)
      t.deepEqual([...keeping.reads.keys()].toSorted(), [...collections], time)
      t.is(keeping.readsClock, readsClock, time)
      t.false(keeping.readsMore, time)
    }
  })

test('a collection is recorded before it is read: a change during the read makes the cached response outdated', async (t) => {
  let generation = 1
  const tea = { id: 't5_1', lower: 'tea', type: 'public' } as SubsiteDocument
  const find = async () => {
    generation += 1
    return [tea]
  }
  const keeping = keepingOf({ freshness: { generation: () => generation } as never, clock: () => 0 })
  const reads = openReads({ documents: { find } } as unknown as Reads)(keeping)
  t.true(E.isRight(await siteAt({ ...reads, viewer: anonymous.viewer }, 'tea', false)))
  t.deepEqual([...keeping.reads], [['subsites', 1]])
})
