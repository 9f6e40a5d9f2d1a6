import test from 'ava'
import { v5 } from 'uuid'
import { fullname, ID_EPOCH_MS, numberOf, toMintTime } from '../../src/domain/ids.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { seedOf } from '../../src/runtime/command.ts'
import { derivedUuid } from '../../src/runtime/derived-uuid.ts'
import { derivedIds, idGenerator, MAX_AHEAD_OF_CLOCK_MS } from '../../src/runtime/mint.ts'
import { mintOrRefuse, workerOf } from '../support/minted-ids.ts'
import fc from '../support/properties.ts'

test('ids only increase for any clock, stay safe numbers, name their worker and are at most five minutes ahead', (t) => {
  const steps = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(steps, fc.nat(62), (moves, worker) => {
      let now = ID_EPOCH_MS + 1_000_000
      const { next } = idGenerator(worker, ID_EPOCH_MS, () => now)
      let last = 0
      return moves.every((move) => {
        now = Math.max(ID_EPOCH_MS, now + move)
        const id = mintOrRefuse(next)
        if (id === undefined) return toMintTime(last) > now + MAX_AHEAD_OF_CLOCK_MS
        const grows = id > last
        last = id
        return (
          grows &&
          toMintTime(id) <= now + MAX_AHEAD_OF_CLOCK_MS &&
          Number.isSafeInteger(id) &&
          workerOf(id) === worker &&
          numberOf(fullname('link', id)) === id
        )
      })
    }),
  )
  t.pass()
})

test('while the clock goes forward, ids contain its time', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 50 }), (moves) => {
      let now = ID_EPOCH_MS + 5
      const { next } = idGenerator(3, ID_EPOCH_MS, () => now)
      return moves.every((move) => {
        now += move
        return toMintTime(next()) === now
      })
    }),
  )
  t.pass()
})

test('more than 64 ids in a millisecond use the following ones, and two workers never make the same id', (t) => {
  const now = ID_EPOCH_MS + 1_000
  const ann = idGenerator(1, ID_EPOCH_MS, () => now)
  const bob = idGenerator(2, ID_EPOCH_MS, () => now)
  const ids = Array.from({ length: 1_000 }, () => [ann.next(), bob.next()]).flat()
  t.is(new Set(ids).size, 2_000)
  t.is(toMintTime(Math.max(...ids)), now + Math.ceil(1_000 / 64) - 1)
})

test('after a clock ran ahead and was set back, ids are refused until it reaches that time again', (t) => {
  let now = ID_EPOCH_MS + 1_000
  const { next, reached } = idGenerator(1, ID_EPOCH_MS, () => now)
  now += MAX_AHEAD_OF_CLOCK_MS + 1
  next()
  now -= MAX_AHEAD_OF_CLOCK_MS + 1
  t.throws(next, {
    instanceOf: StoreFault,
    message: /^ids have reached 2026-01-01T00:05:01\.001Z, but the clock says 2026-01-01T00:00:01\.000Z/,
  })
  t.is(reached(), now + MAX_AHEAD_OF_CLOCK_MS + 1)
  now += 1
  t.is(toMintTime(next()), now + MAX_AHEAD_OF_CLOCK_MS)
})

test('a refused request uses no ids', (t) => {
  let now = ID_EPOCH_MS + 1_000
  const { next, reached } = idGenerator(1, ID_EPOCH_MS, () => now)
  next()
  now += 100_000
  t.throws(() => next(ID_EPOCH_MS + 61_000), { instanceOf: StoreFault, message: /its lease for making ids in time \(worker number 1\)/ })
  t.is(reached(), ID_EPOCH_MS + 1_000)
})

test('a command has the time of its id, also after the clock was set back', (t) => {
  let now = ID_EPOCH_MS + 1_000
  const { next } = idGenerator(1, ID_EPOCH_MS, () => now)
  t.is(seedOf(next()).at, now)
  now -= 500
  t.is(seedOf(next()).at, ID_EPOCH_MS + 1_000)
})

test('ids of 53 bits suffice for 69 years', (t) => {
  const { next } = idGenerator(62, ID_EPOCH_MS, () => Date.UTC(2095, 0, 1))
  t.true(Number.isSafeInteger(next()))
})

test('ids derived from an event are deterministic, and differ from generated ones', (t) => {
  const event = 'c0ffee00-0000-5000-8000-000000000000'
  const first = (n: number) =>
    Array.from(
      { length: n },
      (
        (ids) => () =>
          ids.next().value
      )(derivedIds(ID_EPOCH_MS + 9, event)),
    )
  t.deepEqual(first(200), first(200))
  t.is(new Set(first(200)).size, 200)
  t.true(first(200).every((id) => workerOf(Number(id)) === 63))
  t.is(toMintTime(Number(first(1)[0])), ID_EPOCH_MS + 9)
})

test('a derived UUID is the one of version 5 that the library makes', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uuid(), (name, namespace) => derivedUuid(name, namespace) === v5(name, namespace)),
  )
  t.is(
    derivedUuid('vote-t2_1.t5_1@0', '11111111-2222-4333-8444-55555555555a'),
    v5('vote-t2_1.t5_1@0', '11111111-2222-4333-8444-55555555555A'),
  )
  t.throws(() => derivedUuid('vote-t2_1.t5_1@0', '11111111-2222-4333-8444-5555'))
})
