import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openSqlite, type SqliteOptions } from '../../src/adapters/sqlite/stores.ts'
import type { ProposedEvent } from '../../src/ports/event-store.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const event = (id: string): ProposedEvent => ({ id, type: 'Written', data: '{}', meta: '{}' })

const opened = async (t: ExecutionContext, options: SqliteOptions) => {
  const stores = await openSqlite(options)
  t.teardown(stores.close)
  return stores.events
}

test('a read finds each event that was acknowledged before it, whatever was read before and meanwhile', async (t) => {
  const log = await opened(t, { file: join(temporaryDirectory(t), 'rostra.db') })
  const [stream, other] = ['a-1', 'a-2']
  const count = async (from: number) => (await log.read(stream, from)).events.length
  t.is(await count(0), 0)
  for (let n = 0; n < 30; n += 1) {
    const appending = log.append(stream, n === 0 ? 'none' : n - 1, [event(`e-${n}`)])
    const beside = log.append(other, n === 0 ? 'none' : n - 1, [event(`o-${n}`)])
    let done = false
    const reading = (async () => {
      while (!done) {
        t.true((await count(n)) <= 1)
        await pause(0)
      }
    })()
    t.is((await appending).outcome, 'appended')
    t.is(await count(n), 1)
    t.is(await count(n + 1), 0)
    t.is(await count(n + 1), 0)
    done = true
    await Promise.all([reading, beside])
    t.is((await log.read(other, 0)).events.length, n + 1)
  }
  const repeated = await log.append(stream, 'none', [event('e-0')])
  t.like(repeated, { outcome: 'appended', revision: 0 })
  t.is(await count(1), 29)
  t.like(await log.append(stream, 3, [event('x')]), { outcome: 'conflict', actual: 29 })
  t.is(await count(29), 1)
})

test('of two appends to a stream that is read meanwhile, both are found', async (t) => {
  const log = await opened(t, { file: join(temporaryDirectory(t), 'rostra.db') })
  const all = Array.from({ length: 20 }, (_, n) => log.append('a-1', n === 0 ? 'none' : n - 1, [event(`e-${n}`)]))
  for (const [n, one] of all.entries()) {
    await one
    t.true((await log.read('a-1', n)).events.length > 0)
    await log.read('a-1', 20)
  }
  t.is((await log.read('a-1', 19)).events.length, 1)
})

test('a read finds what a command appended beside the server', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const log = await opened(t, { file })
  t.is((await log.read('a-1', 0)).events.length, 0)
  const beside = await opened(t, { file, beside: true })
  await beside.append('a-1', 'none', [event('e-0')])
  t.is((await beside.read('a-1', 0)).events.length, 1)
  for (let tries = 0; (await log.read('a-1', 0)).events.length === 0; tries += 1) {
    if (tries > 200) return t.fail('never found')
    await pause(20)
  }
  t.is((await log.read('a-1', 1)).events.length, 0)
  await beside.append('a-1', 0, [event('e-1')])
  t.like(await log.append('a-1', 0, [event('x')]), { outcome: 'conflict', actual: 1 })
  t.is((await log.read('a-1', 1)).events.length, 1, 'a conflict is read at once')
})
