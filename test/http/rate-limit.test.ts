import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { MAX_REQUESTS, openRateLimit, REQUEST_WINDOW_MS } from '../../src/limits/rate-limit.ts'
import { type Share, shareIn } from '../../src/limits/window-count.ts'
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

test('processes that share a vault count requests together', async (t) => {
  const { vault, close } = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  const now = Date.now()
  let known = 0
  const share: Share = async (...count) => {
    const sum = await shareIn(vault)(...count)
    setImmediate(() => {
      known = Math.max(known, sum)
    })
    return sum
  }
  const limits = [1, 2].map(() => openRateLimit({ clock: () => now, enforced: true, share, every: 50, report }))
  t.teardown(async () => {
    await Promise.all(limits.map((limit) => limit.close()))
    await close()
  })
  const [one, other] = limits
  /** Waits until all processes have added so many requests, and the last of them has read the sum. */
  const exchanged = async (count: number) => {
    while (known < count) await sleep(5)
  }
  for (let n = 0; n < 10; n++) one?.count('a')
  for (let n = 0; n < 5; n++) other?.count('a')
  await exchanged(15)
  t.is(Math.max(one?.count('a').used ?? 0, other?.count('a').used ?? 0), 16, 'the process that exchanged counts last knows those of both')
  await exchanged(17)
  const [a = 0, b = 0] = [one?.count('a').used, other?.count('a').used]
  t.true(a >= 17 && b >= 17, `${a} and ${b}`)
  t.true(a <= 19 && b <= 19, `${a} and ${b}`)
})
