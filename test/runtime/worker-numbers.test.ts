import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { ID_EPOCH_MS, toMintTime } from '../../src/domain/ids.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { MAX_AHEAD_OF_CLOCK_MS, openMint } from '../../src/runtime/mint.ts'
import { eventually } from '../support/community.ts'
import { mintOrRefuse, workerOf } from '../support/minted-ids.ts'
import { temporaryDirectory } from '../support/temporary.ts'

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
  const now = ID_EPOCH_MS + 100_000_000
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
  let now = ID_EPOCH_MS + 100_000_000
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
  t.throws(crashed.mint, { instanceOf: StoreFault, message: /its lease for making ids/ })
  await Promise.all([crashed.close(), beside.close(), heir.close()])
})

test('a number whose ids ran far ahead of the clock is not used until the clock reaches them', async (t) => {
  const vault = await vaultFor(t)
  const now = ID_EPOCH_MS + 100_000_000
  const ahead = await openMint(vault, 'a', () => now + 86_400_000)
  const far = ahead.mint()
  await ahead.close()
  const next = await openMint(vault, 'b', () => now)
  t.not(workerOf(next.mint()), workerOf(far))
  t.is(toMintTime(next.mint()), now)
  const later = await openMint(vault, 'c', () => now + 86_400_000)
  t.is(workerOf(later.mint()), workerOf(far))
  t.true(later.mint() > far)
  await Promise.all([next.close(), later.close()])
})

test('a process whose clock ran ahead for one id reports that it cannot write until the clock reaches that time', async (t) => {
  const vault = await vaultFor(t)
  let now = ID_EPOCH_MS + 100_000_000
  const { mint, unableToMint, close } = await openMint(vault, 'a', () => now)
  const before = mint()
  t.is(unableToMint(), undefined)
  now += 3_600_000
  t.throws(mint, { instanceOf: StoreFault, message: /its lease for making ids/ }, 'one reading far ahead, and nothing is used up')
  now -= 3_600_000
  t.true(mint() > before)
  now += 3_600_000
  t.throws(mint, { instanceOf: StoreFault })
  t.true(await eventually(async () => unableToMint() === undefined), 'the lease follows the clock')
  mint()
  now -= 3_600_000
  t.throws(mint, { instanceOf: StoreFault, message: /ids have reached/ })
  t.regex(unableToMint() ?? '', /ids have reached 2026-01-02T04:46:40/)
  now += 3_600_000 - MAX_AHEAD_OF_CLOCK_MS
  t.is(unableToMint(), undefined)
  t.true(mint() > before)
  await close()
})

test('a suspended process whose worker number was taken over takes another', async (t) => {
  const vault = await vaultFor(t)
  let now = ID_EPOCH_MS + 100_000_000
  const slept = await openMint(vault, 'a', () => now)
  const last = slept.mint()
  now += 65_000
  const heir = await openMint(vault, 'b', () => now)
  t.is(workerOf(heir.mint()), workerOf(last))
  t.regex(slept.unableToMint() ?? '', /its lease for making ids in time \(worker number 0\)/)
  t.throws(slept.mint, { instanceOf: StoreFault, message: /its lease for making ids/ })
  t.true(await eventually(async () => slept.unableToMint() === undefined))
  const own = slept.mint()
  t.not(workerOf(own), workerOf(last))
  t.true(own > last)
  t.true(heir.mint() > last)
  await Promise.all([slept.close(), heir.close()])
})

test('a process that lost its worker number while none is free reports it, and takes the next free one', async (t) => {
  const vault = await vaultFor(t)
  let now = ID_EPOCH_MS + 100_000_000
  const slept = await openMint(vault, 'a', () => now)
  now += 65_000
  const full = { holder: 'x', until: now + 60_000, upTo: now + 60_000 }
  for (let worker = 0; worker < 63; worker++) await vault.put('lease', `worker.${worker}`, { value: full })
  t.throws(slept.mint, { instanceOf: StoreFault })
  t.true(await eventually(async () => /all 63 worker numbers are in use/.test(slept.unableToMint() ?? '')))
  t.throws(slept.mint, { instanceOf: StoreFault, message: /all 63 worker numbers are in use/ })
  await vault.put('lease', 'worker.17', { value: { ...full, holder: '' } })
  t.true(await eventually(async () => mintOrRefuse(slept.mint) !== undefined))
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
