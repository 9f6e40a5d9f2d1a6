import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { BatchRecord } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import { type ShardWatch, watchShards as watchStore } from '../../src/runtime/shard-watch.ts'

const P = (place: number): Position => String(place).padStart(20, '0')

/** Watches shards of whose batches nothing is recorded, so that each move ends everything. */
const watchShards = (checkpoints: () => Promise<readonly Position[]>): ShardWatch =>
  watchStore({
    names: ['0', '1'],
    progress: async () => ({ positions: new Map((await checkpoints()).map((position, n) => [String(n), position])), records: [] }),
    fetch: async () => new Map(),
    inLogOrder: [],
  })

/** The generation after a look of its own. */
const seen = async ({ generation, refresh }: ShardWatch): Promise<number | undefined> => {
  await refresh?.()
  return generation('links')
}

test('the generation changes exactly when a checkpoint has advanced', async (t) => {
  const places = [P(1), P(1)]
  const watch = watchShards(async () => [...places])
  t.teardown(watch.close)
  const before = await seen(watch)
  t.not(before, undefined)
  await sleep(100)
  t.is(await seen(watch), before)
  places[1] = P(2)
  t.not(await seen(watch), before)
  t.is(watch.position(), P(1))
})

test('the read models are at a position while all shards are, and the changes up to there are taken in', async (t) => {
  const places = [P(1), P(1)]
  let record: BatchRecord | undefined
  let isDuring: readonly boolean[] = []
  const watch: ShardWatch = watchStore({
    names: ['0', '1'],
    progress: async () => ({ positions: new Map(places.map((position, n) => [String(n), position])), records: record ? [record] : [] }),
    fetch: async () => {
      isDuring = [P(1), P(2)].map((position) => watch.isAt?.(position) === true)
      return new Map()
    },
    inLogOrder: [],
  })
  t.teardown(watch.close)
  watch.attend?.({ holds: () => true, follows: () => true })
  t.is(watch.isAt?.(P(1)), false)
  await seen(watch)
  t.is(watch.isAt?.(P(1)), true)
  const move = (name: string) => ({ name, from: P(1), to: P(2) })
  record = { moves: [move('0'), move('1')], ids: new Map([['links', ['x']]]) }
  places[0] = P(2)
  await seen(watch)
  t.deepEqual([P(1), P(2)].map(watch.isAt ?? (() => undefined)), [false, false], 'one shard is behind')
  places[1] = P(2)
  await seen(watch)
  t.is(watch.isAt?.(P(2)), true)
  t.deepEqual(isDuring, [false, false])
})

test('a checkpoint read that began before the request does not answer it', async (t) => {
  const places = [P(1)]
  let looks = 0
  const watch = watchShards(async () => {
    const found = [...places]
    looks++
    await sleep(40)
    return found
  })
  t.teardown(watch.close)
  const before = await seen(watch)
  const under = looks
  const first = seen(watch)
  while (looks === under) await sleep(1)
  places[0] = P(2)
  t.is(await first, before)
  const [one, other] = await Promise.all([seen(watch), seen(watch)])
  t.not(one, before)
  t.is(other, one)
  t.is(looks, under + 2, 'who asks at once shares a look')
})

test('the generation has changed when a waiting command learns that its shard advanced', async (t) => {
  const places = [P(1), P(1)]
  const watch = watchShards(async () => [...places])
  t.teardown(watch.close)
  const before = await seen(watch)
  const told = watch.waitFor(new Set([1]), P(2), 5_000)
  places[1] = P(2)
  t.true(await told)
  t.not(watch.generation('links'), before)
})

test('the generation is unknown before the first checkpoint read and while reads fail or hang, and no command waits long', async (t) => {
  let answer: () => Promise<readonly Position[]> = async () => [P(1)]
  const watch = watchShards(() => answer())
  t.teardown(watch.close)
  t.is(watch.generation('links'), undefined)
  t.not(await seen(watch), undefined)

  answer = async () => {
    throw new Error('the server is away')
  }
  t.is(await seen(watch), undefined)
  t.is(watch.fault()?.message, 'the server is away')

  answer = async () => [P(1)]
  t.not(await seen(watch), undefined)
  answer = () => new Promise(() => undefined)
  const asked = performance.now()
  t.is(await seen(watch), undefined)
  t.true(performance.now() - asked < 10_000)
})

test('checkpoint reads are rare without requests', async (t) => {
  let looks = 0
  const watch = watchShards(async () => {
    looks++
    return [P(1), P(1)]
  })
  t.teardown(watch.close)
  await sleep(450)
  t.true(looks <= 3, `${looks} looks`)
})
