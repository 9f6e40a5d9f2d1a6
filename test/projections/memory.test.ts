import test from 'ava'
import { sumBytes } from '../../projections/engine/pace.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { openRunner } from '../../projections/engine/runner.ts'
import { openShardedRunner } from '../../projections/engine/sharded-runner.ts'
import { SHARD_COUNT } from '../../projections/engine/shards.ts'
import { linksProjection } from '../../projections/links.ts'
import { LinkEdited, LinkSubmitted } from '../../src/domain/link.ts'
import type { DocumentChange, DocumentStore } from '../../src/ports/documents.ts'
import { LOG_START, MAX_PAGE_BYTES, type Position, type RecordedEvent } from '../../src/ports/event-store.ts'
import { longText } from '../support/grow-log.ts'
import { positionOf } from '../support/logged-events.ts'

// A log of long posts, and what a runner writes of it at once: it must not depend on how long they are.

const POSTS = 2_000
const CHARACTERS = 40_000
const MOST = 56 * 1024 * 1024

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
  for (let n = Number(after); n < 2 * POSTS && page.length < limit && bytes < MAX_PAGE_BYTES; n++) {
    const event = at(n)
    page.push(event)
    bytes += event.data.length
  }
  return page
}
const open = async (recorded: readonly RecordedEvent[]) =>
  recorded.map((one) => ({ ...one, at: 0, by: { account: 't2_1', as: 'user' }, data: JSON.parse(one.data) })) as never

/** A store that holds every document as long as it was at first, and weighs the texts that are written to it and loaded from it. */
const weighing = () => {
  const most = { written: 0, held: 0 }
  const loads = { total: 0, last: 0 }
  let held = 0
  const there = new Map<string, number>()
  const weigh = (documents: readonly unknown[]): number =>
    documents.reduce((sum: number, document) => sum + ((document as { text?: string } | undefined)?.text?.length ?? 0), 0)
  const documents = {
    checkpoint: async () => undefined,
    checkpoints: async () => new Map(),
    walk: async () => [],
    load: async (_: unknown, ids: readonly string[]) => {
      const loaded = ids.filter((id) => there.has(id)).map((id) => ({ ...submitted(Number.parseInt(id.slice(3), 36)).data, id }))
      const bytes = weigh(loaded)
      held += bytes
      loads.total += bytes
      loads.last = bytes
      most.held = Math.max(most.held, held)
      return new Map(loaded.map((document) => [document.id, { position: positionOf(1), document }]))
    },
    write: async (changes: readonly DocumentChange[]) => {
      most.written = Math.max(most.written, weigh(changes.map(({ document }) => document)))
      held = 0
      for (const { id, document } of changes) there.set(id, (document as { text?: string }).text?.length ?? 0)
      return 'written' as const
    },
  } as unknown as DocumentStore
  /** Counts the documents that were written last with their short text. */
  const shortened = () => [...there.values()].filter((length) => length < 10).length
  /** The most bytes of texts written in one call, and loaded from one write to the next; those of all loads, and of the last one. */
  return { documents, most, loads, shortened }
}

test('a batch is written before its texts take too much memory, and is shorter if documents are large', async (t) => {
  const { documents, most, loads, shortened } = weighing()
  const runner = await openRunner({ events: { readAll, head: async () => LOG_START }, documents, open }, projections, {
    checkpoint: 'c',
    onPoison: 'stop',
  })
  // the posts by themselves first: an edit in the same batch would shorten what is written of them
  for (const target of [positionOf(POSTS), undefined])
    for (let events = 1; events > 0; ) events = (await runner.next(1_000_000, target)).events
  t.is(runner.position(), positionOf(2 * POSTS))
  t.is(shortened(), POSTS)
  t.true(most.written < MOST, `${most.written} bytes written at once`)
  t.true(most.held < MOST, `${most.held} bytes loaded before they were written`)
  t.true(loads.last < MOST / 4, `${loads.last} bytes loaded at once`)
})

test('one of many workers bounds its batches in the same way, reads no further in the log and keeps few documents', async (t) => {
  const { documents, most, loads, shortened } = weighing()
  let taken = 0
  let end = POSTS
  const feed = {
    next: async (after: Position) => {
      const events = await readAll(after, Math.min(500, end - Number(after)))
      taken += sumBytes(events)
      return { events, position: events.at(-1)?.position ?? after }
    },
    leaveOut: async () => {},
    head: async () => positionOf(end),
    close: async () => {},
  }
  const { turn, places } = openShardedRunner({ events: { readAll }, documents, open }, feed, projections)
  const shards = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard))
  let mostTaken = 0
  for (end of [POSTS, 2 * POSTS])
    while ((await turn(shards)) === 'moved') {
      mostTaken = Math.max(mostTaken, taken)
      taken = 0
    }
  t.deepEqual(new Set(places().values()), new Set([positionOf(2 * POSTS)]))
  t.is(shortened(), POSTS)
  t.true(mostTaken < MOST, `${mostTaken} bytes read from the log at once`)
  t.true(most.written < MOST, `${most.written} bytes written at once`)
  t.true(most.held < MOST, `${most.held} bytes loaded before they were written`)
  t.true(loads.total > (POSTS * CHARACTERS) / 2, 'most documents were not kept in memory')
})
