import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { MAX_REQUESTS, openRateLimit, type RateLimit, REQUEST_WINDOW_MS } from '../../src/limits/rate-limit.ts'
import type { Addition, Vault } from '../../src/ports/vault.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const report = (fault: unknown) => {
  throw fault
}

test('windows are aligned, and each begins with the full quota', (t) => {
  let now = 5 * REQUEST_WINDOW_MS + 1_500
  const limit = openRateLimit({ clock: () => now, enforced: true, report })
  t.deepEqual(limit.count('a'), { used: 1, remaining: MAX_REQUESTS - 1, reset: 599, exceeded: false })
  t.is(limit.count('a').used, 2)
  t.is(limit.count('b').used, 1)
  now = 6 * REQUEST_WINDOW_MS - 1
  t.deepEqual(limit.count('a'), { used: 3, remaining: MAX_REQUESTS - 3, reset: 1, exceeded: false })
  now = 6 * REQUEST_WINDOW_MS
  t.deepEqual(limit.count('a'), { used: 1, remaining: MAX_REQUESTS - 1, reset: 600, exceeded: false })
})

test('the request beyond the quota is the first that exceeds it', (t) => {
  const limit = openRateLimit({ clock: () => 0, enforced: true, report })
  for (let n = 0; n < MAX_REQUESTS; n++) t.false(limit.count('a').exceeded)
  t.deepEqual(limit.count('a'), { used: MAX_REQUESTS + 1, remaining: 0, reset: 600, exceeded: true })
})

test('while limits are off every caller has the full quota', (t) => {
  const limit = openRateLimit({ clock: () => 0, enforced: false, report })
  for (let n = 0; n < 3; n++) t.deepEqual(limit.count('a'), { used: 0, remaining: MAX_REQUESTS, reset: 600, exceeded: false })
})

type Counts = Pick<Vault, 'add'>

/** Processes that share counts, each with a function that waits until it has exchanged them. */
const processes = (t: ExecutionContext, vault: Counts, count: number) => {
  // a vault forgets the counts of a window that is over, and the present one may end at any moment
  const now = Date.now() + REQUEST_WINDOW_MS
  const started = Array.from({ length: count }, () => {
    let exchanges = 0
    const add: Counts['add'] = async (additions) => {
      const sums = await vault.add(additions)
      setImmediate(() => {
        exchanges += 1
      })
      return sums
    }
    const limit = openRateLimit({ clock: () => now, enforced: true, vault: { add }, every: 20, report })
    const exchanged = async () => {
      for (const before = exchanges; exchanges === before; ) await sleep(5)
    }
    return { limit, exchanged }
  })
  t.teardown(() => Promise.all(started.map(({ limit }) => limit.close())))
  return started
}

const ask = ({ limit }: { readonly limit: RateLimit }, caller: string, requests: number) => {
  for (let n = 0; n < requests; n++) limit.count(caller)
}

test('processes that share a vault count the requests of a caller together', async (t) => {
  const { vault, close } = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(close)
  for (const one of processes(t, vault, 2)) {
    ask(one, 'a', 100)
    await one.exchanged()
    t.true([101, 201].includes(one.limit.count('a').used))
  }
})

test('a caller of three processes is refused before 1.15 times the quota', async (t) => {
  const { vault, close } = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(close)
  const three = processes(t, vault, 3)
  let answered = 0
  for (let isRefused = false; !isRefused; ) {
    for (const one of three) for (let n = 0; n < 10; n++) if (!one.limit.count('a').exceeded) answered += 1
    isRefused = three.every(({ limit }) => limit.count('a').exceeded)
    await sleep(30)
  }
  t.true(answered >= MAX_REQUESTS && answered <= 1.15 * MAX_REQUESTS, `${answered} were answered`)
})

test('callers who have used little of their quota are not exchanged, and all others in one call', async (t) => {
  const calls: (readonly Addition[])[] = []
  const vault: Counts = {
    add: async (additions) => {
      calls.push(additions)
      return new Map(additions.map(({ id, count }) => [id, count]))
    },
  }
  const [one] = processes(t, vault, 1)
  if (!one) return t.fail()
  for (let caller = 0; caller < 600; caller++) ask(one, `address ${caller}`, caller < 500 ? MAX_REQUESTS / 20 : MAX_REQUESTS / 20 + 1)
  await one.exchanged()
  t.is(calls[0]?.length, 100)
  t.true(calls[0]?.every(({ count }) => count === MAX_REQUESTS / 20 + 1))
  await sleep(100)
  t.is(calls.length, 1)
})
