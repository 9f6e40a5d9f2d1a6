import test, { type ExecutionContext } from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { refuseCompression } from '../support/event-store-server/compression.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { realEventStore } from '../support/real-event-store.ts'
import { eventStoreContract } from './event-store.ts'
import type { OpenedLog } from './log-entries.ts'

const openAt = async (t: ExecutionContext, url: string, restart: () => Promise<void>): Promise<OpenedLog> => {
  let open = await openEventStoreDb({ url })
  t.teardown(() => open.close())
  const reopen = async (): Promise<EventStore> => {
    await open.close()
    await restart()
    open = await openEventStoreDb({ url })
    return open
  }
  return { events: open, reopen }
}

const real = await realEventStore()

eventStoreContract(test, 'EventStoreDB at the wire', async (t) => {
  const server = await startEventStoreServer()
  t.teardown(async () => {
    await server.stop()
    refuseCompression(server.compression)
  })
  return openAt(t, `esdb://127.0.0.1:${server.port}?tls=false`, async () => {
    await server.kill()
    await server.restart()
  })
})

if ('url' in real) {
  const { url, stop } = real
  test.after.always(stop)
  eventStoreContract(test, 'EventStoreDB', (t) => openAt(t, url, async () => undefined))
} else {
  test(`EventStoreDB: the contract on a real server is left out: ${real.missing}`, (t) => {
    t.log(real.missing)
    t.pass()
  })
}
