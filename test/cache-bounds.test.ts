import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test from 'ava'
import type { CommentDocument } from '../projections/comments.ts'
import { type LinkDocument, links } from '../projections/links.ts'
import { documentCache } from '../src/adapters/sqlite/cache.ts'
import { type KnownValues, knownValues, shareKnownValues } from '../src/adapters/sqlite/known-values.ts'
import { openStreamEnds } from '../src/adapters/sqlite/stream-ends.ts'
import type { TableLayout } from '../src/adapters/sqlite/tables.ts'
import { openLookUps } from '../src/auth/look-ups.ts'
import { Link } from '../src/domain/link.ts'
import type { AnyEndpoint } from '../src/http/contract/endpoint.ts'
import type { IncomingRequest } from '../src/http/contract/incoming.ts'
import { exchangeOf } from '../src/http/contract/request-state.ts'
import { endpoints } from '../src/http/endpoints/all.ts'
import { openPageCache } from '../src/http/pipeline/page-cache.ts'
import { bodyHtml, pageHtml } from '../src/http/present/markdown.ts'
import { writeCached } from '../src/http/wire/json-bytes.ts'
import { shareMembers } from '../src/http/wire/json-writing.ts'
import { openStreams } from '../src/log/opened-streams.ts'
import { cacheBounds } from '../src/ports/cache-bounds.ts'
import type { DocumentStore, Query } from '../src/ports/documents.ts'
import type { EventStore, RecordedEvent } from '../src/ports/event-store.ts'
import type { Freshness } from '../src/ports/freshness.ts'
import { commentIndexes } from '../src/queries/comment-indexes.ts'
import { anchors } from '../src/queries/ordered-source.ts'
import { cacheReads } from '../src/queries/read-cache.ts'
import type { Reading } from '../src/queries/reading.ts'
import { selectThatFits } from '../src/queries/threads.ts'
import { openFollowOnce } from '../src/reactions/following-once.ts'
import { folds } from '../src/runtime/folds.ts'
import { watchLog } from '../src/runtime/log-watch.ts'
import { comment, fixed, stamp } from './support/sealing.ts'

const MIB = 1024 * 1024
/** The least and the most that a full cache may take of its bound. Texts are counted with two bytes a character; those that are Latin alone take half. */
const [LEAST, MOST] = [0.4, 1.5]

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** The bytes of memory in use, once everything that nothing refers to is collected. */
const bytesInUse = async (): Promise<number> => {
  for (let n = 0; n < 2; n += 1) {
    collect()
    await setImmediate()
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** A text of so many characters that shares no bytes with another. */
const ownText = (characters: number): string =>
  randomBytes(Math.ceil(characters / 2))
    .toString('hex')
    .slice(0, characters)

/** A value as a store returns it. */
const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value))

const freshness = { generation: () => 1, changes: () => [], position: () => '1' } as unknown as Freshness

const record = (id: string) => ({
  id,
  title: ownText(60),
  text: ownText(300),
  author: 't2_1',
  createdAt: 1_700_000_000_000,
  ups: 1,
  downs: 0,
})

/** Documents of any id. */
const documents = {
  getMany: async (_: unknown, ids: readonly string[]) => new Map(ids.map((id) => [id, parsed(record(id))])),
  find: async (_: unknown, { where }: Query) => Array.from({ length: 10 }, (__, n) => parsed(record(`${where.author}${n}`))),
} as unknown as DocumentStore

/** A stream with one event, for each name. */
const eventIn = (stream: string): RecordedEvent =>
  parsed({ id: ownText(32), type: 'LinkSubmitted', stream, revision: 0, position: '1', data: ownText(400), meta: '{}' })
const events = {
  read: async (stream: string, from: number) => ({
    events: from === 0 && stream.startsWith('link-') ? [eventIn(stream)] : [],
    more: false,
  }),
} as unknown as EventStore
const codec = { open: async (recorded: readonly RecordedEvent[]) => recorded } as unknown as Parameters<typeof folds>[0]['codec']
const aggregate = {
  ...Link,
  parts: undefined,
  initial: undefined,
  evolve: (_: unknown, { data, id }: RecordedEvent) => ({ data, id, counts: [1, 2, 3] }),
} as unknown as typeof Link

/** A cache, a way to add its nth entry, and a number of entries that are more than it has room for. */
type Filling = { readonly cache: unknown; readonly add: (n: number) => unknown; readonly entries: number; readonly close?: () => unknown }

const lookUps = (name: 'sessions' | 'tokens'): Filling => {
  const cache = openLookUps(name, async (id) => ({ account: `t2_${id}`, expires: 1, scopes: ['read', 'vote'], client: ownText(40) }))
  return { cache, entries: 10_000, add: (n) => cache.find(`${n} ${ownText(40)}`) }
}

const endpoint = endpoints.find(({ path }) => path === '[/s/{sub}]/hot') as AnyEndpoint
const pageCache = (times: number, entries: number, body: () => string | Buffer): Filling => {
  const cache = openPageCache({ config: { pages: true }, freshness, clock: () => 0 })
  const add = (n: number) => {
    const incoming = { method: 'GET', target: `/hot?after=${n}_${ownText(60)}`, headers: {}, ip: '127.0.0.1' } as unknown as IncomingRequest
    for (let time = 0; time < times; time += 1) {
      const exchange = exchangeOf(incoming, 'id')
      cache.recall(exchange, endpoint)
      exchange.endpoint = endpoint
      for (const name of ['links', 'accounts', 'subsites', 'flair', 'votes']) exchange.keeping?.note(name)
      cache.keep(exchange, { status: 200, headers: { 'content-type': 'application/json' }, body: body() })
    }
  }
  return { cache, entries, add }
}

const rowOf = (link: string, n: number): CommentDocument =>
  parsed({
    id: `t1_${n}`,
    seq: n + 1,
    parent: n % 3 === 0 ? null : `t1_${n.toString(36)}`,
    author: `t2_${n % 50}`,
    ups: 1,
    downs: 0,
    length: 40,
    deleted: false,
    isRemoved: false,
    distinguished: null,
    link,
    $position: '1',
  } as unknown as CommentDocument)
/** Documents as both threads keep them beside the file. */
const rowCache = (name: 'storedDocuments' | 'writtenDocuments'): Filling => {
  const cache = documentCache(cacheBounds[name])
  const add = (n: number) => {
    const document = rowOf(`t3_${n}`, n)
    cache.set('comments', { n, position: n, document, seen: 0 }, JSON.stringify(document).length)
  }
  return { cache, entries: 30_000, add }
}

const COMMENTS = 400
const threadRows = {
  select: async (_: unknown, { where }: Query) => Array.from({ length: COMMENTS }, (__, n) => rowOf(String(where.link), n)),
} as unknown as DocumentStore

/** A subscription to a log that nobody writes. */
const forever = (_: unknown, signal: AbortSignal) => ({
  [Symbol.asyncIterator]: () => ({ next: () => once(signal, 'abort').then(() => ({ done: true, value: undefined })) }),
})

/**
 * Each cache is filled by its real owner, with entries such as it has on a site. memory.test.ts fills those of keys and of shared
 * fragments; pages of the log are estimated by their texts.
 */
const fillings: Readonly<Record<Exclude<keyof typeof cacheBounds, 'accountKeys' | 'sharedFragments' | 'historyPages'>, () => Filling>> = {
  absentStreams: () => {
    const cache = folds({ events, codec })
    return { cache, entries: 12_000, add: (n) => cache.readState(aggregate, `ban-t5_${n}.t2_${ownText(6)}`) }
  },
  anchors: () => {
    const cache = anchors()
    const order = ['-hot', 'id']
    return { cache, entries: 40_000, add: (n) => cache.remember(`t2_${n}`, order, `t3_${ownText(7)}`, [n, `t3_${n}`]) }
  },
  documents: () => {
    const cache = cacheReads(documents, freshness)
    return { cache, entries: 30_000, add: (n) => cache.getMany(links, [`t3_${n}${ownText(4)}`]) }
  },
  folds: () => {
    const cache = folds({ events, codec })
    return { cache, entries: 20_000, add: (n) => cache.readState(aggregate, `link-t3_${n}${ownText(6)}`) }
  },
  followedEvents: () => {
    const cache = openFollowOnce(async ([cause]) => ({ position: '1', recorded: [eventIn(cause?.stream ?? '')], isWhole: true }))
    return { cache, entries: 3_000, add: (n) => cache([{ ...eventIn(`relation-${n}`), type: 'UserBanned' }]) }
  },
  knownValues: () => {
    let cache: KnownValues | undefined
    const table = { name: 'links', collection: links } as unknown as TableLayout
    const add = (n: number) => {
      cache ??= knownValues(shareKnownValues())
      cache.add(table, { id: `t5_${n}`, urlKey: ownText(40) } as unknown as LinkDocument)
    }
    return { cache: undefined, entries: 1_000, add }
  },
  pageNames: () => pageCache(1, 15_000, () => '{}'),
  pages: () => pageCache(2, 1_600, () => randomBytes(15_000)),
  queryResults: () => {
    const cache = cacheReads(documents, freshness)
    const query = (n: number): Query => ({ where: { author: `t2_${n}` }, order: ['-createdAt', 'id'], page: { limit: 25 } })
    return { cache, entries: 2_500, add: (n) => cache.find(links, query(n)) }
  },
  readEnds: () => {
    const cache = openStreamEnds()
    return { cache, entries: 8_000, add: (n) => cache.readFrom(`contact-t2_${n}.t2_${ownText(6)}`, 0, () => ({ events: [], more: false })) }
  },
  renderedTexts: () => ({ cache: undefined, entries: 16_000, add: (n) => bodyHtml(`Text ${n}, *long*. ${ownText(300)}`) }),
  renderedWikiPages: () => ({ cache: undefined, entries: 1_000, add: (n) => pageHtml(`# Page ${n}\n\n${ownText(2_000)}`) }),
  sealedEvents: () => {
    const add = async (n: number) => {
      for (const _ of await fixed.seal([stamp(comment(`${n} ${ownText(100)}`), { id: `${n}-${ownText(30)}` })]));
    }
    return { cache: fixed, entries: 1_000, add }
  },
  sessions: () => lookUps('sessions'),
  storedDocuments: () => rowCache('storedDocuments'),
  streamEnds: () => {
    const cache = watchLog({ subscribe: forever, head: async () => '1' } as unknown as EventStore, () => {})
    return { cache, entries: 35_000, add: (n) => cache.note(`link-t3_${n}${ownText(6)}`, n), close: cache.close }
  },
  threads: () => {
    const cache = commentIndexes({ documents: threadRows, freshness })
    return {
      cache,
      entries: 300,
      add: async (n) => {
        const index = await cache(`t3_${n}`)
        const link = { id: `t3_${n}`, author: 't2_1', subsite: 't5_1' } as LinkDocument
        const read = { isModerator: () => true, moderates: () => true, viewer: {} } as unknown as Reading
        for (const sort of ['top', 'new', 'old'] as const)
          await selectThatFits(documents, index, link, read, { view: { kind: 'whole' }, sort, limit: 500, depth: 10, showMore: true })
      },
    }
  },
  tokens: () => lookUps('tokens'),
  wikiRevisions: () => {
    const append: EventStore['append'] = async (_, __, proposed) => ({ outcome: 'appended', revision: proposed.length - 1, position: '1' })
    const cache = openStreams({ append, read: async () => ({ events: [], more: false }) }, fixed)
    const add = (n: number) =>
      cache.append(`wikipage-t5_1.${n}`, 'none', [{ id: `${n}`, type: 'WikiPageRevised', data: ownText(2_000), meta: ownText(100) }])
    return { cache, entries: 1_000, add }
  },
  writtenBodies: () => {
    const text = ownText(2_000)
    const itemsOf = (n: number) => Array.from({ length: 10 }, (_, item) => shareMembers(() => ({ n, item, text })))
    // the cache of shared fragments is full already, so that it does not grow
    for (let n = 0; n < cacheBounds.sharedFragments / 20_000; n += 1) for (const item of itemsOf(n)) item.piece('entities')
    const write = (value: unknown) => writeCached(value, 'entities', undefined)
    // from the second time on the body is kept, too
    const add = (n: number) => {
      const items = itemsOf(n)
      return [write(items), write(items)]
    }
    return { cache: undefined, entries: 400, add }
  },
  writtenDocuments: () => rowCache('writtenDocuments'),
}

/** The number of times that a cache is measured while it is filled: some empty themselves when they are full. */
const MEASURED = 7

for (const [name, fill] of Object.entries(fillings) as (readonly [keyof typeof cacheBounds, () => Filling])[])
  test.serial(`the cache ${name} takes as much memory as its bound says when it is full`, async (t) => {
    const { cache, add, entries, close } = fill()
    if (close) t.teardown(close)
    const before = await bytesInUse()
    let most = 0
    for (let n = 0; n < entries; n += 1) {
      await add(n)
      if (n % Math.floor(entries / MEASURED) === 0) most = Math.max(most, (await bytesInUse()) - before)
    }
    const bound = cacheBounds[name]
    const measured = `${(most / MIB).toFixed(1)} of ${bound / MIB} MiB`
    t.log(name, measured, typeof cache)
    t.true(most < MOST * bound, measured)
    t.true(most > LEAST * bound, measured)
  })
