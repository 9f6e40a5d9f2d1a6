import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Vault } from '../../src/ports/vault.ts'
import { openDuties } from '../../src/runtime/duties.ts'
import { openShares, type Shares } from '../../src/runtime/leases.ts'
import { eventually } from '../support/community.ts'
import { openFile } from '../support/read-models.ts'

const names = Array.from({ length: 16 }, (_, n) => String(n))
const never = (fault: unknown) => {
  throw fault
}

const opened = (t: ExecutionContext) => {
  const { vault } = openFile(t).stores
  const all: Shares[] = []
  const join = (over: Partial<Vault> = {}, faults: unknown[] = []): Shares => {
    const report = (fault: unknown) => void faults.push(fault)
    const shares = openShares({ vault: { ...vault, ...over }, report }, { group: 'g', names })
    all.push(shares)
    return shares
  }
  t.teardown(() => Promise.all(all.map(({ close }) => close())))
  return { vault, join }
}

const sizes = (...shares: readonly Shares[]) => shares.map(({ held }) => held().size)
const heldBy = (...shares: readonly Shares[]) => shares.flatMap(({ held }) => [...held().keys()]).sort()

test('a single member holds all leases; a new member gets a fair share, and none is held twice', async (t) => {
  const { join } = opened(t)
  const one = join()
  t.true(await eventually(async () => one.held().size === 16))
  const two = join()
  t.true(await eventually(async () => String(sizes(one, two)) === '8,8'))
  t.deepEqual(heldBy(one, two), names.toSorted())
  const three = join()
  t.true(await eventually(async () => sizes(one, two, three).toSorted().join() === '5,5,6'))
  t.deepEqual(heldBy(one, two, three), names.toSorted())
})

test('the leases of a member that leaves are taken over at once', async (t) => {
  const { vault, join } = opened(t)
  const [one, two] = [join(), join()]
  t.true(await eventually(async () => String(sizes(one, two)) === '8,8'))
  await one.close()
  // nobody waits for its silence: it is no member any more and holds nothing
  const holders = new Set((await vault.list('lease', 'g')).map(({ value }) => (value as { readonly holder: string }).holder))
  t.true(holders.size === 1 || (holders.size === 2 && holders.has('')), String([...holders]))
  t.true(await eventually(async () => two.held().size === 16))
})

test('the leases of a silent member are taken over within five seconds with greater tokens, and the member notices', async (t) => {
  const { vault, join } = opened(t)
  let silent = false
  const faults: unknown[] = []
  const put: Vault['put'] = (...args) => (silent ? Promise.reject(new Error('the wire is cut')) : vault.put(...args))
  const one = join({ put }, faults)
  t.true(await eventually(async () => one.held().size === 16))
  const tokens = new Map(one.held())
  silent = true
  const began = performance.now()
  const two = join()
  while (two.held().size < 16 && performance.now() - began < 10_000) await sleep(20)
  t.true(performance.now() - began < 5_000, `${performance.now() - began} ms`)
  t.is(one.held().size, 0)
  t.true(faults.length > 0)
  for (const [name, token] of two.held()) t.true(token > (tokens.get(name) ?? 0))
  silent = false
  t.true(await eventually(async () => String(sizes(one, two)) === '8,8'))
  t.deepEqual(heldBy(one, two), names.toSorted())
})

test('a singleton job runs in one process, and in another once that ends', async (t) => {
  const { vault } = openFile(t).stores
  const running: string[] = []
  let most = 0
  const join = (who: string) =>
    openDuties(
      { vault, report: never },
      {
        group: 'site',
        duties: {
          work: async (signal) => {
            running.push(who)
            most = Math.max(most, running.length)
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
            running.splice(running.indexOf(who), 1)
          },
        },
      },
    )
  const one = join('one')
  t.true(await eventually(async () => running.join() === 'one'))
  const two = join('two')
  await sleep(700)
  const [first] = running
  await (first === 'one' ? one : two).close()
  t.true(await eventually(async () => running.join() === (first === 'one' ? 'two' : 'one')))
  await (first === 'one' ? two : one).close()
  t.deepEqual(running, [])
  t.is(most, 1)
})
