import test from 'ava'
import { endingsOf, PARTITION_COUNT, partId, partIds, partitionOf, partitionOfPart } from '../../../projections/engine/partitions.ts'
import { SHARD_COUNT, shardOf } from '../../../projections/engine/shards.ts'
import { voteId } from '../../../projections/votes.ts'
import { fullname } from '../../../src/domain/ids.ts'
import { idGenerator } from '../../../src/runtime/mint.ts'

const every = Array.from({ length: PARTITION_COUNT }, (_, partition) => partition)

test('each partition has about as many of the things that processes name at random times', (t) => {
  const counts = every.map(() => 0)
  const PROCESSES = 8
  const IDS = 12_500
  let now = Date.UTC(2026, 10, 28)
  for (let process = 0; process < PROCESSES; process++) {
    let seed = process + 1
    const generator = idGenerator(process, now, () => {
      seed = (Math.imul(seed, 48_271) >>> 0) % 0x7fffffff
      now += 1 + (seed % 40)
      return now
    })
    for (let n = 0; n < IDS; n++) {
      const partition = partitionOf(fullname(n % 2 ? 'link' : 'comment', generator.next()))
      counts[partition] = (counts[partition] ?? 0) + 1
    }
  }
  for (const count of counts) {
    const share = count / (PROCESSES * IDS)
    t.true(share >= 0.06 && share <= 0.077, String(share))
  }
})

test('the endings of some partitions are those of exactly their things, also of short ids', (t) => {
  const things = Array.from({ length: 5_000 }, (_, n) => fullname('link', n)).concat(fullname('comment', Number.MAX_SAFE_INTEGER))
  for (const partitions of [new Set([3]), new Set([0, 7, 15]), new Set(every)]) {
    const endings = endingsOf(partitions)
    for (const thing of things) t.is(endings.includes(thing.slice(-2)), partitions.has(partitionOf(thing)), thing)
  }
})

test('all that a vote changes is in the shard of the partition of its thing', (t) => {
  t.is(SHARD_COUNT, PARTITION_COUNT)
  for (const thing of ['t5_3n', 't1_abc9z', 't5_7', 't1_00']) {
    const partition = partitionOf(thing)
    for (const id of [thing, voteId('t2_ann', thing), partId('t2_ann.t4_tea', partition), partId('t2_ann.', partition)])
      t.is(shardOf(id), partition, id)
  }
})

test('only ids of parts are taken for parts', (t) => {
  t.deepEqual(partIds('t2_ann.').map(partitionOfPart), every)
  for (const id of ['', '#', 't2_ann', 't4_tea.a#', 't4_tea.a#16', 't4_tea.a#b', 't4_tea.a#003', 't4_tea.a#1.t2_ann'])
    t.is(partitionOfPart(id), undefined, id)
})
