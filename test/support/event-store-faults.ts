import type { ExecutionContext } from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import type { Timings } from '../../src/adapters/eventstoredb/timings.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { type EventStoreServer, startEventStoreServer } from './event-store-server/server.ts'
import { FULL } from './full.ts'

/** Returns a number of repetitions or a duration: less in the ordinary run. */
export const times = (ordinary: number, all: number): number => (FULL ? all : ordinary)
/** Milliseconds in which every call ends. */
export const LIMIT = 5_000
/** Milliseconds more; the ordinary run shares the machine with other tests, and asks only that nothing waits for a deadline of the client itself. */
export const SLACK = FULL ? 400 : 5_000

/** Timings that notice silence early, for cases that are not about how long that takes. */
export const hasty: Partial<Timings> = { silence: 250 }

type Opened = {
  readonly server: EventStoreServer
  readonly url: string
  readonly open: (timings?: Partial<Timings>) => Promise<EventStore>
}

/** Starts a simulated EventStoreDB. Returns it, and a function that opens stores on it. */
export const begin = async (t: ExecutionContext, scheme = 'esdb'): Promise<Opened> => {
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  const url = `${scheme}://127.0.0.1:${server.port}?tls=false`
  const open = async (timings: Partial<Timings> = {}): Promise<EventStore> => {
    const store = await openEventStoreDb({ url, timings })
    t.teardown(store.close)
    return store
  }
  return { server, url, open }
}

/** Returns the seed of a random test, which its output names. */
export const seedOf = (t: ExecutionContext): number => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  t.log(`seed ${seed}`)
  return seed
}

/** Measures the time until the promise settles, and returns its result. */
export const measureTime = async <T>(
  work: Promise<T>,
): Promise<{ readonly took: number; readonly value?: T; readonly fault?: StoreFault }> => {
  const began = Date.now()
  try {
    return { value: await work, took: Date.now() - began }
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault
    return { fault, took: Date.now() - began }
  }
}
