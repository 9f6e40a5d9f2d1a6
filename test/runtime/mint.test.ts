import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { EPOCH, fullname, mintedAt, numberOf } from '../../src/domain/ids.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { seedOf } from '../../src/runtime/command.ts'
import { derivedIds, idGenerator, MOST_AHEAD, openMint } from '../../src/runtime/mint.ts'
import { eventually } from '../support/community.ts'
import fc from '../support/properties.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const workerOf = (id: number) => Math.floor(id / 64) % 64

/** The id, or undefined when it was refused because it would be too far ahead of the clock. */
const minted = (next: () => number): number | undefined => {
  try {
    return next()
  } catch (fault) {
    if (fault instanceof StoreFault && fault.kind === 'unavailable') return undefined
    throw fault
  }
}

test('ids only increase for any clock, stay safe numbers, name their worker and are at most five minutes ahead', (t) => {
  const steps = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(steps, fc.nat(62), (moves, worker) => {
      let now = EPOCH + 1_000_000
      const { next } = idGenerator(worker, EPOCH, () => now)
      let last = 0
      return moves.every((move) => {
        now = Math.max(EPOCH, now + move)
        const id = minted(next)
        if (id === undefined) return mintedAt(last) > now + MOST_AHEAD
        const grows = id > last
        last = id
        return (
          grows &&
          mintedAt(id) <= now + MOST_AHEAD &&
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
      let now = EPOCH + 5
      const { next } = idGenerator(3, EPOCH, () => now)
      return moves.every((move) => {
        now += move
        return mintedAt(next()) === now
      })
    }),
  )
  t.pass()
})

test('more than 64 ids in a millisecond use the following ones, and two workers never make the same id', (t) => {
  const now = EPOCH + 1_000
  const ann = idGenerator(1, EPOCH, () => now)
  const bob = idGenerator(2, EPOCH, () => now)
  const ids = Array.from({ length: 1_000 }, () => [ann.next(), bob.next()]).flat()
  t.is(new Set(ids).size, 2_000)
  t.is(mintedAt(Math.max(...ids)), now + Math.ceil(1_000 / 64) - 1)
})

test('after a clock ran ahead and was set back, ids are refused until it reaches that time again', (t) => {
  let now = EPOCH + 1_000
  const { next, reached } = idGenerator(1, EPOCH, () => now)
  now += MOST_AHEAD + 1
  next()
  now -= MOST_AHEAD + 1
  t.throws(next, {
    instanceOf: StoreFault,
    message: /^ids have reached 2026-01-01T00:05:01\.001Z, but the clock says 2026-01-01T00:00:01\.000Z/,
  })
  t.is(reached(), now + MOST_AHEAD + 1)
  now += 1
  t.is(mintedAt(next()), now + MOST_AHEAD)
})

test('a refused request uses no ids', (t) => {
  let now = EPOCH + 1_000
  const { next, reached } = idGenerator(1, EPOCH, () => now)
  next()
  now += 100_000
  t.throws(() => next(EPOCH + 61_000), { instanceOf: StoreFault, message: /lease of worker number 1 has run out/ })
  t.is(reached(), EPOCH + 1_000)
})

test('a command has the time of its id, also after the clock was set back', (t) => {
  let now = EPOCH + 1_000
  const { next } = idGenerator(1, EPOCH, () => now)
  t.is(seedOf(next()).at, now)
  now -= 500
  t.is(seedOf(next()).at, EPOCH + 1_000)
})

test('ids of 53 bits suffice for 69 years', (t) => {
  const { next } = idGenerator(62, EPOCH, () => Date.UTC(2095, 0, 1))
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
      )(derivedIds(EPOCH + 9, event)),
    )
  t.deepEqual(first(200), first(200))
  t.is(new Set(first(200)).size, 200)
  t.true(first(200).every((id) => workerOf(Number(id)) === 63))
  t.is(mintedAt(Number(first(1)[0])), EPOCH + 9)
})

const vaultFor = async (t: ExecutionContext) => {
  const { vault, close } = await openSqlite({ file: join(temporaryDirectory(t), 'vault.db') })
  t.teardown(close)
  return vault
}

test('concurrent processes have different worker numbers; a released number is reused', async (t) => {
  const vault = await vaultFor(t)
  const mints = await Promise.all(['a', 'b', 'c'].map((holder) => openMint(vault, holder, Date.now)))
  t.is(new Set(mints.map(({ mint }) => workerOf(mint()))).size, 3)
  const given = workerOf(mints[0]?.mint() ?? 0)
  await mints[0]?.close()
  const fourth = await openMint(vault, 'd', Date.now)
  t.is(workerOf(fourth.mint()), given)
  await Promise.all([...mints.slice(1), fourth].map(({ close }) => close()))
})

test('a process that takes over a worker number continues after its ids, even if its clock is behind', async (t) => {
  const vault = await vaultFor(t)
  const now = EPOCH + 100_000_000
  const first = await openMint(vault, 'a', () => now)
  const last = Math.max(...Array.from({ length: 500 }, first.mint))
  await first.close()
  const second = await openMint(vault, 'b', () => now - 240_000)
  t.is(workerOf(second.mint()), workerOf(last))
  t.true(second.mint() > last)
  await second.close()
})

test('a lease not renewed is taken over after a minute, beyond all ids its holder may have used; the holder makes no more', async (t) => {
  const vault = await vaultFor(t)
  let now = EPOCH + 100_000_000
  const crashed = await openMint(vault, 'a', () => now)
  const worker = workerOf(crashed.mint())
  now += 59_000
  const beside = await openMint(vault, 'b', () => now)
  t.not(workerOf(beside.mint()), worker)
  const last = crashed.mint()
  now += 2_000
  const heir = await openMint(vault, 'c', () => now)
  const inherited = heir.mint()
  t.is(workerOf(inherited), worker)
  t.true(inherited > last)
  t.throws(crashed.mint, { instanceOf: StoreFault, message: /run out/ })
  await Promise.all([crashed.close(), beside.close(), heir.close()])
})

test('a number whose ids ran far ahead of the clock is not used until the clock reaches them', async (t) => {
  const vault = await vaultFor(t)
  const now = EPOCH + 100_000_000
  const ahead = await openMint(vault, 'a', () => now + 86_400_000)
  const far = ahead.mint()
  await ahead.close()
  const next = await openMint(vault, 'b', () => now)
  t.not(workerOf(next.mint()), workerOf(far))
  t.is(mintedAt(next.mint()), now)
  const later = await openMint(vault, 'c', () => now + 86_400_000)
  t.is(workerOf(later.mint()), workerOf(far))
  t.true(later.mint() > far)
  await Promise.all([next.close(), later.close()])
})

test('a process whose clock ran ahead for one id reports that it cannot write until the clock reaches that time', async (t) => {
  const vault = await vaultFor(t)
  let now = EPOCH + 100_000_000
  const { mint, unableToMint, close } = await openMint(vault, 'a', () => now)
  const before = mint()
  t.is(unableToMint(), undefined)
  now += 3_600_000
  t.throws(mint, { instanceOf: StoreFault, message: /run out/ }, 'one reading far ahead, and nothing is used up')
  now -= 3_600_000
  t.true(mint() > before)
  now += 3_600_000
  t.throws(mint, { instanceOf: StoreFault })
  t.true(await eventually(async () => unableToMint() === undefined), 'the lease follows the clock')
  mint()
  now -= 3_600_000
  t.throws(mint, { instanceOf: StoreFault, message: /ids have reached/ })
  t.regex(unableToMint() ?? '', /ids have reached 2026-01-02T04:46:40/)
  now += 3_600_000 - MOST_AHEAD
  t.is(unableToMint(), undefined)
  t.true(mint() > before)
  await close()
})

test('a suspended process whose worker number was taken over takes another', async (t) => {
  const vault = await vaultFor(t)
  let now = EPOCH + 100_000_000
  const slept = await openMint(vault, 'a', () => now)
  const last = slept.mint()
  now += 65_000
  const heir = await openMint(vault, 'b', () => now)
  t.is(workerOf(heir.mint()), workerOf(last))
  t.regex(slept.unableToMint() ?? '', /lease of worker number 0 has run out/)
  t.throws(slept.mint, { instanceOf: StoreFault, message: /run out/ })
  t.true(await eventually(async () => slept.unableToMint() === undefined))
  const own = slept.mint()
  t.not(workerOf(own), workerOf(last))
  t.true(own > last)
  t.true(heir.mint() > last)
  await Promise.all([slept.close(), heir.close()])
})

test('a process that lost its worker number while none is free reports it, and takes the next free one', async (t) => {
  const vault = await vaultFor(t)
  let now = EPOCH + 100_000_000
  const slept = await openMint(vault, 'a', () => now)
  now += 65_000
  const full = { holder: 'x', until: now + 60_000, upTo: now + 60_000 }
  for (let worker = 0; worker < 63; worker++) await vault.put('lease', `worker.${worker}`, { value: full })
  t.throws(slept.mint, { instanceOf: StoreFault })
  t.true(await eventually(async () => /all 63 worker numbers are in use/.test(slept.unableToMint() ?? '')))
  t.throws(slept.mint, { instanceOf: StoreFault, message: /all 63 worker numbers are in use/ })
  await vault.put('lease', 'worker.17', { value: { ...full, holder: '' } })
  t.true(await eventually(async () => minted(slept.mint) !== undefined))
  t.is(workerOf(slept.mint()), 17)
  await slept.close()
})

test('a process does not start while all worker numbers are taken', async (t) => {
  const vault = await vaultFor(t)
  const now = Date.now()
  for (let worker = 0; worker < 63; worker++)
    await vault.put('lease', `worker.${worker}`, { value: { holder: 'x', until: now + 60_000, upTo: now + 60_000 } })
  await t.throwsAsync(openMint(vault, 'late', Date.now), { instanceOf: StoreFault, message: /all 63 worker numbers are in use/ })
})
