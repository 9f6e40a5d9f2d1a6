import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'

// Appends to the file that is named until the store says that it stalls, then only says how that goes on.

const { events, lastFault } = await openSqlite({ file: process.argv[2] ?? '', log: { pages: 60, soon: 70, bound: 80 } })
const data = JSON.stringify({ filling: 'x'.repeat(10_000) })
for (let n = 0; lastFault() === undefined; n += 1) {
  await events.append(`s-${n}`, 'none', [{ id: randomUUID(), type: 'Filled', data, meta: '{}' }]).catch(() => undefined)
  await sleep(5)
}
process.stdout.write(`stalled: ${lastFault()?.message}\n`)
while (lastFault() !== undefined) await sleep(20)
process.stdout.write('well\n')
