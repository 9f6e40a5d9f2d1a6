import test from 'ava'
import { type CommentDocument, comments } from '../../projections/comments.ts'
import { numberOf } from '../../src/domain/ids.ts'
import type { DocumentStore } from '../../src/ports/documents.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { type CommentIndexes, commentIndexes } from '../../src/queries/comment-indexes.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import fc from '../support/properties.ts'
import { openFile } from '../support/read-models.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let ann: User
let bob: User

test.before(async () => {
  site = await startSite()
  ann = await site.register('ann')
  bob = await site.register('bob')
  await foundSubsite(ann, 'tea')
})
test.after.always(() => site.stop())

const shapeOf = async (read: CommentIndexes, link: string) => {
  const index = await read(link)
  return Array.from({ length: index.size }, (_, row) => [
    index.seq[row],
    index.parent[row],
    index.ups[row],
    index.deleted[row],
    index.removed[row],
  ])
}

const grown = async (): Promise<readonly [string, string, string]> => {
  const link = await submit(ann, 'tea')
  const top = await say(ann, link)
  return [link, top, await say(bob, top)]
}

test('a cached thread follows comments, votes, removals and deletions', async (t) => {
  const read = commentIndexes(site.running.app)
  const [link, top, reply] = await grown()
  t.deepEqual(await shapeOf(read, link), [
    [numberOf(top), -1, 1, 0, 0],
    [numberOf(reply), 0, 1, 0, 0],
  ])
  const before = await read(link)
  t.is(await read(link), before, 'nothing changed: the same shape')
  await bob.post('/api/vote', { id: top, dir: 1 })
  await bob.post('/api/del', { id: reply })
  await ann.post('/api/remove', { id: top })
  const last = await say(ann, link)
  t.deepEqual(await shapeOf(read, link), [
    [numberOf(top), -1, 2, 0, 1],
    [numberOf(reply), 0, 1, 1, 0],
    [numberOf(last), -1, 1, 0, 0],
  ])
})

test('concurrent reads of a thread each see the comments that existed when they began', async (t) => {
  const read = commentIndexes(site.running.app)
  const [link] = await grown()
  const sizes = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      await say(n % 2 ? ann : bob, link)
      const known = (await read(link)).size
      return known
    }),
  )
  t.is((await read(link)).size, 12)
  t.true(sizes.every((size) => size >= 3))
})

test('a thread dropped from the cache is read again', async (t) => {
  const read = commentIndexes(site.running.app, 5_000)
  const threads = [await grown(), await grown(), await grown()]
  for (let round = 0; round < 2; round += 1) for (const [link] of threads) t.is((await read(link)).size, 2)
})

test('comments whose write is not settled are read again', async (t) => {
  const { documents, freshness } = site.running.app
  const read = commentIndexes({ documents, freshness: { ...freshness, generation: () => undefined, position: () => LOG_START } })
  const [link, top] = await grown()
  t.is((await read(link)).size, 2)
  await bob.post('/api/vote', { id: top, dir: 1 })
  const shape = await read(link)
  t.deepEqual([shape.size, shape.ups[0]], [2, 2])
})

const at = (n: number) => String(n).padStart(LOG_START.length, '0')
const comment = (n: number, author: string): CommentDocument =>
  ({
    ...{ id: `t1_${n.toString(36)}`, seq: n, link: 't5_pot', subsite: 't3_tea', author, linkAuthor: 't2_ann', parent: null, body: '' },
    ...{ length: 0, created: 0, edited: null, ups: 1, downs: 0, score: 2, hot: 0, fun: 0, removed: null, approved: null },
    ...{ deleted: false, isRemoved: false, distinguished: null, gilded: 0 },
  }) as unknown as CommentDocument

/** A thread of comments at some positions, of which events may change several at once, and reads of it without a cache. */
const stored = async (t: Parameters<typeof openFile>[0], positions: readonly number[]) => {
  const { documents } = openFile(t).stores
  await documents.prepare([comments])
  let from: string | undefined
  let reached = Math.max(0, ...positions)
  const write = async (changed: readonly (readonly [n: number, position: number, author: string])[]) => {
    reached = Math.max(reached, ...changed.map(([, position]) => position))
    const changes = changed.map(([n, position, author]) => {
      const document = comment(n, author)
      return { collection: comments, id: document.id, position: at(position), document }
    })
    await documents.write(changes, { name: 'comments', from, to: at(reached) })
    from = at(reached)
  }
  await write(positions.map((position, n) => [n, position, 't2_bob']))
  const freshness = { position: () => at(reached), waitUntil: async () => true, generation: () => undefined, changes: () => undefined }
  const reading = (store: DocumentStore = documents, settled = freshness.position) =>
    commentIndexes({ documents: store, freshness: { ...freshness, position: settled } })
  return { documents, write, reading, reached: () => reached }
}

const seqsOf = async (read: CommentIndexes) =>
  [...(await read('t5_pot')).seq.slice(0, (await read('t5_pot')).size)].toSorted((a, b) => a - b)
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

test('a thread in which one event changed any number of comments is read whole', async (t) => {
  // 400 comments, then 150 that an erasure changes after the 60 below them
  const { reading } = await stored(t, [...upTo(400), ...Array.from({ length: 150 }, () => 900), ...upTo(60).map((n) => 600 + n)])
  t.deepEqual(await seqsOf(reading()), upTo(610))
  const runs = fc.array(fc.record({ size: fc.constantFrom(1, 30, 499, 500, 501, 1_100), position: fc.integer({ min: 1, max: 9 }) }), {
    minLength: 1,
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(runs, fc.integer({ min: 0, max: 10 }), async (drawn, settled) => {
      const positions = drawn.flatMap(({ size, position }) => Array.from({ length: size }, () => position))
      const thread = await stored(t, positions)
      const read = thread.reading(thread.documents, () => at(settled))
      t.deepEqual(await seqsOf(read), upTo(positions.length))
      t.deepEqual(await seqsOf(read), upTo(positions.length), 'also where it is read on from what is settled')
    }),
    { numRuns: 12 },
  )
})

test('a comment that changes while its thread is read in slices is not lost', async (t) => {
  const thread = await stored(t, [...upTo(700), ...Array.from({ length: 700 }, () => 700)])
  let slices = 0
  const changing: DocumentStore = {
    ...thread.documents,
    select: async (collection, query, fields) => {
      const rows = await thread.documents.select(collection, query, fields)
      slices += 1
      // some were read, others not yet
      if (slices < 4) await thread.write([10, 450, 499, 500, 620, 699, 700, 1_399].map((n) => [n, 1_000 + slices, `t2_changed${slices}`]))
      return rows as never
    },
  }
  const index = await thread.reading(changing)('t5_pot')
  t.is(index.size, 1_400)
  t.is(slices, 3)
})
