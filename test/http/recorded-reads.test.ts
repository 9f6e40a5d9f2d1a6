import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../projections/subsites.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import type { IncomingRequest } from '../../src/http/contract/incoming.ts'
import type { ReadParts } from '../../src/http/contract/parts.ts'
import { anonymous, type Viewer } from '../../src/http/contract/request.ts'
import { type CacheRecord, exchangeOf } from '../../src/http/contract/request-state.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { openPageCache } from '../../src/http/pipeline/page-cache.ts'
import { recordAllReads, recordReads } from '../../src/http/pipeline/recorded-reads.ts'
import { siteAt } from '../../src/http/pipeline/site.ts'
import type { Collection, Document } from '../../src/ports/documents.ts'
import { startTea } from '../support/cast.ts'
import { waitUntilSettled } from '../support/community.ts'
import { modelOf, put } from '../support/multis.ts'
import { foundSubsite } from '../support/posting.ts'
import type { User } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(async () => {
  const cast = await startTea(['root'])
  const { site, ann, root } = cast
  await root.post('/api/v1/gold/give/ann', { months: 1 })
  await foundSubsite(ann, 'herbs')
  await foundSubsite(ann, 'closed', { type: 'private' })
  await foundSubsite(ann, 'lounge', { type: 'gold_only' })
  await put(ann, 'user/ann/m/leaves', modelOf('tea'))
  await waitUntilSettled(site)
  return cast
})

type Thing = Document & { readonly group: string; readonly seq: number }
const things: Collection<Thing> = { name: 'things', version: 1, unique: { seq: [] }, indexes: [{ fields: ['group', '-seq'] }] }

const hot = endpoints.find(({ path }) => path === '[/s/{sub}]/hot') as AnyEndpoint
const incoming = { method: 'GET', target: '/hot', headers: {}, ip: '127.0.0.1' } as unknown as IncomingRequest

/** Returns the record of a response that may be cached. */
const keepingOf = (parts: Parameters<typeof openPageCache>[0]): CacheRecord => {
  const exchange = exchangeOf(incoming, 'id')
  openPageCache(parts).recall(exchange, hot)
  return exchange.keeping as CacheRecord
}

const viewerOf = ({ id, name }: User): Viewer => ({ ...anonymous.viewer, account: id, name, via: 'session' })

const parts = [
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
  test(`a response records what its site was looked up in, also where a cache has that: ${part}`, async (t) => {
    const { site, ann } = t.context
    const { app } = site.running
    for (const time of ['first', 'cached']) {
      const keeping = keepingOf(app)
      const resolved = await siteAt({ ...recordAllReads(app, keeping), viewer: viewerOf(ann) }, part, false)
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
  const keeping = keepingOf({ config: { pages: true }, freshness: { generation: () => generation } as never, clock: () => 0 })
  const reads = recordAllReads({ documents: { find } } as unknown as ReadParts, keeping)
  t.true(E.isRight(await siteAt({ ...reads, viewer: anonymous.viewer }, 'tea', false)))
  t.deepEqual([...keeping.reads], [['subsites', 1]])
})

test('every read of a collection is recorded, and no write', async (t) => {
  const { documents, close } = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(close)
  await documents.prepare([things])
  const noted: string[] = []
  const read = recordReads(documents, (collection) => noted.push(collection))
  const query = { where: { group: 'a' }, order: ['-seq'], page: { limit: 1 } }
  const reads: readonly (() => Promise<unknown>)[] = [
    () => read.getMany(things, ['x']),
    () => read.getPairs(things, { one: 'a', idOf: (other) => `a.${other}` }, ['x']),
    () => read.find(things, query),
    () => read.select(things, query, ['group', 'seq']),
    () => read.count(things, { group: 'a' }, 1),
    () => read.walk(things, undefined, 1),
    () => read.load(things, ['x']),
  ]
  for (const [n, one] of reads.entries()) {
    await one()
    t.is(noted.length, n + 1)
  }
  t.deepEqual([...new Set(noted)], ['things'])
  await read.write([], { name: 'c', from: undefined, to: '0'.repeat(20) })
  t.is(noted.length, reads.length)
})
