import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { LOG_START, type ProposedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { numberedEvent } from '../support/event-load.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'

const begin = async (t: ExecutionContext, timings = {}) => {
  const server = await startEventStoreServer()
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false`, timings })
  t.teardown(async () => {
    await store.close()
    await server.stop()
  })
  return { server, store }
}

type Store = Awaited<ReturnType<typeof begin>>['store']
type Told = { readonly stream: string; readonly outcome: string }

/** Appends of one event each to streams that nobody wrote, with something else in between. */
const putAll = async ({ inOrder }: Store, count: number, between: (n: number) => unknown = () => undefined) => {
  let sent = 0
  let mostAhead = 0
  const told: Told[] = []
  const positions: string[] = []
  const ids: string[] = []
  const appends = inOrder<string>((result, stream) => {
    told.push({ stream, outcome: result.outcome })
    if (result.outcome === 'appended') positions.push(result.position)
  })
  for (let n = 0; n < count; n++) {
    await between(n)
    const event = numberedEvent(n)
    ids.push(event.id)
    mostAhead = Math.max(mostAhead, ++sent - told.length)
    await appends.put({ stream: `ordered-${n}`, expected: 'none', events: [event] }, `ordered-${n}`)
  }
  await appends.end()
  return { told, positions, ids, mostAhead }
}

const everyId = async (store: Store): Promise<readonly string[]> => {
  const ids: string[] = []
  for (let after = LOG_START; ; ) {
    const page = await store.readAll(after, 500)
    ids.push(...page.map(({ id }) => id))
    const last = page.at(-1)
    if (!last) return ids
    after = last.position
  }
}

test('concurrent appends are written and acknowledged in the order in which they were sent', async (t) => {
  const { server, store } = await begin(t)
  server.faults.answerDelay = 20
  const { told, positions, ids, mostAhead } = await putAll(store, 400)
  t.true(mostAhead > 32 && mostAhead <= 64 + 1, `${mostAhead} in flight at once`)
  t.deepEqual(
    told,
    ids.map((_, n) => ({ stream: `ordered-${n}`, outcome: 'appended' })),
  )
  t.deepEqual(positions, positions.toSorted())
  t.deepEqual(await everyId(store), ids)
})

test('broken connections and a restarted server do not change the order of appends', async (t) => {
  const { server, store } = await begin(t, { silence: 400 })
  server.faults.answerDelay = 2
  const { told, positions, ids } = await putAll(store, 750, async (n) => {
    if (n === 150) server.cut()
    if (n === 300) await server.kill()
    if (n === 300) void pause(300).then(server.restart)
    if (n === 450) server.endCalls('append')
    if (n === 600) server.faults.loseAnswers = 20
  })
  t.is(told.filter(({ outcome }) => outcome === 'appended').length, 750)
  t.deepEqual(positions, positions.toSorted())
  t.deepEqual(await everyId(store), ids)
})

test('an append sent after others were lost does not overtake them', async (t) => {
  const { server, store } = await begin(t)
  const { positions, ids } = await putAll(store, 30, async (n) => {
    if (n === 10) server.freeze()
    if (n === 20) server.cut()
    if (n === 20) server.thaw()
    if (n >= 20) await pause(20) // time to hear of it before more is sent
  })
  t.deepEqual(positions, positions.toSorted())
  t.deepEqual(await everyId(store), ids)
})

test('an append overtaken by another is acknowledged with its own position', async (t) => {
  const { server, store } = await begin(t)
  const { told, positions } = await putAll(store, 100, (n) => {
    if (n === 50) server.faults.overtaken = 1
  })
  t.is(told.length, 100)
  t.notDeepEqual(positions, positions.toSorted())
})

test('a wrong expected revision is a conflict, and a malformed append is refused without being sent', async (t) => {
  const { store } = await begin(t)
  await store.append('ordered-3', 'none', [numberedEvent(0)])
  const { told } = await putAll(store, 6)
  t.deepEqual(
    told.map(({ outcome }) => outcome),
    ['appended', 'appended', 'appended', 'conflict', 'appended', 'appended'],
  )
  const { put } = store.inOrder(() => t.fail())
  const refused = (events: readonly ProposedEvent[]) => t.throwsAsync(put({ stream: 'other', expected: 'none', events }, undefined))
  t.regex((await refused([])).message, /without events/)
  t.regex((await refused([{ ...numberedEvent(1), id: 'x' }])).message, /is not a lower-case UUID/)
})

test('ordered appends to a server that stays unreachable end with a fault', async (t) => {
  const { server, store } = await begin(t, { silence: 200, call: 800 })
  const fault = await t.throwsAsync(
    putAll(store, 200, (n) => (n === 100 ? server.kill() : undefined)),
    { instanceOf: StoreFault },
  )
  t.true(fault.kind === 'unavailable' || fault.kind === 'unknown-outcome', fault.kind)
})
