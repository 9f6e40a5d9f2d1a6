import test from 'ava'
import { numberOf } from '../../src/domain/ids.ts'
import { START } from '../../src/ports/event-store.ts'
import { type CommentIndexes, commentIndexes } from '../../src/queries/comment-indexes.ts'
import { found, say, submit } from '../support/posting.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let ann: User
let bob: User

test.before(async () => {
  site = await startSite()
  ann = await site.register('ann')
  bob = await site.register('bob')
  await found(ann, 'tea')
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
  const read = commentIndexes({ documents, freshness: { ...freshness, generation: () => undefined, position: () => START } })
  const [link, top] = await grown()
  t.is((await read(link)).size, 2)
  await bob.post('/api/vote', { id: top, dir: 1 })
  const shape = await read(link)
  t.deepEqual([shape.size, shape.ups[0]], [2, 2])
})
