import test from 'ava'
import type { Projection } from '../../projections/engine/projection.ts'
import { openRunner } from '../../projections/engine/runner.ts'
import { openShardedRunner } from '../../projections/engine/sharded-runner.ts'
import { SHARDS } from '../../projections/engine/shards.ts'
import { linksProjection } from '../../projections/links.ts'
import { LinkEdited, LinkSubmitted } from '../../src/domain/link.ts'
import type { Change, DocumentStore } from '../../src/ports/documents.ts'
import { PAGE_BYTES, type Position, type RecordedEvent, START } from '../../src/ports/event-store.ts'
import { longText } from '../support/grow-log.ts'
import { positionOf } from '../support/tell.ts'

// A log of long posts, and what a runner writes of it at once: it must not depend on how long they are.

const POSTS = 2_000
const CHARACTERS = 40_000
const MOST = 48 * 1024 * 1024

const projections = [linksProjection as unknown as Projection]
const place = (n: number) => ({ link: `t5_${n.toString(36)}`, subsite: 't4_1', author: 't2_1' })
const submitted = (n: number) =>
  LinkSubmitted({ ...place(n), title: `post ${n}`, text: longText(n, CHARACTERS), over18: false, sendReplies: true, filtered: false })

/** All posts, then a short edit of each. Nothing is kept of it: each page is made when it is asked for. */
const at = (n: number): RecordedEvent => {
  const post = n % POSTS
  const { type, data } = n < POSTS ? submitted(post) : LinkEdited({ ...place(post), text: `new ${post}` })
  const revision = n < POSTS ? 0 : 1
  return {
    id: `event-${n}`,
    type,
    data: JSON.stringify(data),
    meta: '{}',
    stream: `link-${place(post).link}`,
    revision,
    position: positionOf(n + 1),
  }
}
const readAll = async (after: Position, limit: number): Promise<readonly RecordedEvent[]> => {
  const page: RecordedEvent[] = []
  let bytes = 0
  for (let n = Number(after); n < 2 * POSTS && page.length < limit && bytes < PAGE_BYTES; n++) {
    const event = at(n)
    page.push(event)
    bytes += event.data.length
  }
  return page
}
const open = async (recorded: readonly RecordedEvent[]) =>
  recorded.map((one) => ({ ...one, at: 0, by: { account: 't2_1', as: 'user' }, data: JSON.parse(one.data) })) as never

/** A store that holds every document as long as it was at first, and weighs what is written to it and loaded from it at once. */
const weighing = () => {
  let most = 0
  const there = new Map<string, number>()
  const weigh = (documents: readonly unknown[]) => {
    const bytes = documents.reduce((sum: number, document) => sum + ((document as { text?: string } | undefined)?.text?.length ?? 0), 0)
    most = Math.max(most, bytes)
  }
  const documents = {
    checkpoint: async () => undefined,
    checkpoints: async () => new Map(),
    walk: async () => [],
    load: async (_: unknown, ids: readonly string[]) => {
      const loaded = ids.map((id) => ({ ...submitted(Number.parseInt(id.slice(3), 36)).data, id }))
      weigh(loaded)
      return new Map(loaded.flatMap((document) => (there.has(document.id) ? [[document.id, { position: positionOf(1), document }]] : [])))
    },
    write: async (changes: readonly Change[]) => {
      weigh(changes.map(({ document }) => document))
      for (const { id, document } of changes) there.set(id, (document as { text?: string }).text?.length ?? 0)
      return 'written' as const
    },
  } as unknown as DocumentStore
  /** How many were written last with their short text. */
  const shortened = () => [...there.values()].filter((length) => length < 10).length
  return { documents, most: () => most, shortened }
}

test('a batch is written before the texts in hand become too many, and shorter steps are taken where documents are large', async (t) => {
  const { documents, most, shortened } = weighing()
  const runner = await openRunner({ events: { readAll, head: async () => START }, documents, open }, projections, {
    checkpoint: 'c',
    onPoison: 'stop',
  })
  for (let more = true; more; ) more = (await runner.next(1_000_000)).more
  t.is(runner.position(), positionOf(2 * POSTS))
  t.is(shortened(), POSTS)
  t.true(most() < MOST, `${most()} bytes`)
})

test('so is a batch of a worker of many', async (t) => {
  const { documents, most, shortened } = weighing()
  const feed = {
    next: async (after: Position) => {
      const events = await readAll(after, 500)
      return { events, position: events.at(-1)?.position ?? after }
    },
    close: async () => {},
  }
  const { turn, places } = openShardedRunner({ documents, open }, feed, projections)
  const shards = new Set(Array.from({ length: SHARDS }, (_, shard) => shard))
  while ((await turn(shards)) === 'moved');
  t.deepEqual(new Set(places().values()), new Set([positionOf(2 * POSTS)]))
  t.is(shortened(), POSTS)
  t.true(most() < MOST, `${most()} bytes`)
})
