import { randomUUID } from 'node:crypto'
import test from 'ava'
import canonicalize from 'canonicalize'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import fc from '../support/properties.ts'
import { streamOf } from '../support/stream-of.ts'

const canonicalText = (value: unknown): string => canonicalize(value) ?? 'null'

const data = fc.jsonValue().map((value) => canonicalText(JSON.parse(JSON.stringify(value).replace(/-?\d+(\.\d+)?(e[+-]?\d+)?/gi, '7'))))

const meta = fc
  .record(
    {
      causationId: fc.uuid(),
      correlationId: fc.string({ unit: 'grapheme' }),
      schema: fc.nat(),
      seen: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.nat()),
    },
    { requiredKeys: [] },
  )
  .map(canonicalText)

test('every canonical text of an event is read back unchanged', async (t) => {
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
  t.teardown(store.close)
  let count = 0
  const property = fc.asyncProperty(data, meta, async (givenData, givenMeta) => {
    const event = { id: randomUUID(), type: 'Said', data: givenData, meta: givenMeta }
    const stream = `text-${count++}`
    await store.append(stream, 'none', [event])
    const [there] = await streamOf(store, stream, 0)
    t.is(there?.data, givenData)
    t.is(there?.meta, givenMeta)
  })
  await fc.assert(property, { numRuns: 200 })
})

test('correlation and causation are stored under the names that the database’s own tools use', async (t) => {
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
  t.teardown(store.close)
  const event = { id: randomUUID(), type: 'Said', data: '{"a":1}', meta: '{"causationId":"c","commandId":"d","correlationId":"e"}' }
  await store.append('named-1', 'none', [event])
  const [stored] = server.log.stream('named-1') ?? []
  t.deepEqual(JSON.parse(Buffer.from(stored?.meta ?? []).toString('utf8')), { $causationId: 'c', commandId: 'd', $correlationId: 'e' })
  t.is(stored?.contentType, 'application/json')
  t.is((await store.readAll(LOG_START, 1))[0]?.meta, event.meta)
})
