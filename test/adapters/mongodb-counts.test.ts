import test from 'ava'
import { startStandIn } from '../../bench/stand-ins.ts'
import { openMongo } from '../../src/adapters/mongodb/open.ts'

const CALLERS = 10_000
/** Milliseconds of a slow server's command, and between two exchanges of counts. */
const COMMAND_MS = 5
const EXCHANGE_MS = 2_000

test('ten thousand callers are counted in so few commands that a slow server ends before the next exchange', async (t) => {
  const server = await startStandIn('document-store-server')
  t.teardown(server.stop)
  const { vault, close } = await openMongo({ url: server.url })
  t.teardown(close)
  const expires = Date.now() + 600_000
  const additions = Array.from({ length: CALLERS }, (_, n) => ({ id: `caller ${n}`, count: 61 + (n % 7), expires }))
  await server.calls()
  for (const times of [1, 2]) {
    const sums = await vault.add(additions)
    t.is(sums.size, CALLERS)
    t.true(additions.every(({ id, count }) => sums.get(id) === times * count))
    const commands = Object.entries(await server.calls()).filter(([label]) => label.endsWith(' vault_count'))
    const count = commands.reduce((sum, [, asked]) => sum + asked, 0)
    t.true(count > 0 && count * COMMAND_MS <= EXCHANGE_MS, JSON.stringify(commands))
    t.log(`${count} commands`)
  }
})
