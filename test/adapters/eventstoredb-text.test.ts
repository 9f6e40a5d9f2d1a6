import { randomUUID } from 'node:crypto'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import test from 'ava'
import canonicalize from 'canonicalize'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { alreadyCanonical } from '../../src/adapters/eventstoredb/already-canonical.ts'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { appendRequest, appendResponse } from '../../src/adapters/eventstoredb/own-calls/append-message.ts'
import { type EventStore, LOG_START, type RecordedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import fc from '../support/properties.ts'
import { streamOf } from '../support/stream-of.ts'

const canonicalText = (value: unknown): string => canonicalize(value) ?? 'null'

const JSON_EVENT = { id: randomUUID(), type: 'Said', contentType: 'application/json' }

/** The first events that a subscription gives. */
const followed = async (store: EventStore, count: number): Promise<readonly RecordedEvent[]> => {
  const stop = new AbortController()
  const events: RecordedEvent[] = []
  for await (const batch of store.subscribe(LOG_START, stop.signal)) {
    events.push(...batch.events)
    if (events.length >= count) break
  }
  stop.abort()
  return events
}

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
  t.deepEqual(await followed(store, count), await store.readAll(LOG_START, count))
})

test('an append is one message that has all of it', (t) => {
  const event = fc.record({ id: fc.uuid(), type: fc.string({ unit: 'grapheme', minLength: 1 }), data, meta })
  const revision = fc.oneof(fc.constant('none' as const), fc.maxSafeNat())
  const appended = fc.tuple(fc.maxSafeNat(), fc.string({ unit: 'grapheme' }), revision, fc.array(event), fc.nat({ max: 2 ** 41 }))
  const property = fc.property(appended, ([id, stream, expected, events, deadline]) => {
    const request = streams.BatchAppendReq.deserializeBinary(appendRequest(id, { stream, expected, events }, deadline).serializeBinary())
    const options = request.getOptions()
    t.is(request.getCorrelationId()?.getStructured()?.getLeastSignificantBits(), String(id))
    t.is(Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(), stream)
    t.is(options?.hasNoStream() ? 'none' : Number(options?.getStreamPosition()), expected)
    t.is(options?.getDeadline()?.toDate().getTime(), deadline)
    t.true(request.getIsFinal())
    const read = request.getProposedMessagesList().map((message) => ({
      id: message.getId()?.getString(),
      type: message.getMetadataMap().get('type'),
      data: Buffer.from(message.getData_asU8()).toString(),
      meta: Buffer.from(message.getCustomMetadata_asU8()).toString(),
    }))
    t.deepEqual(read, events)
    t.true(request.getProposedMessagesList().every((message) => message.getMetadataMap().get('content-type') === 'application/json'))
  })
  fc.assert(property, { numRuns: 200 })
})

test('each response to an append is a success or a failure of a known kind', (t) => {
  const id = new shared.UUID().setStructured(new shared.UUID.Structured().setMostSignificantBits('0').setLeastSignificantBits('77'))
  const answer = (response: InstanceType<typeof streams.BatchAppendResp>) =>
    appendResponse(streams.BatchAppendResp.deserializeBinary(response.setCorrelationId(id).serializeBinary()))
  const success = (at?: string) => {
    const it = new streams.BatchAppendResp.Success().setCurrentRevision('9007199254740991')
    if (at !== undefined) it.setPosition(new shared.AllStreamPosition().setCommitPosition(at).setPreparePosition(at))
    return answer(new streams.BatchAppendResp().setSuccess(it))
  }
  const refusal = (name: string, details: Uint8Array, message = '') => {
    const packed = new any.Any()
    packed.pack(details, name)
    const { outcome } = answer(new streams.BatchAppendResp().setError(new status.Status().setMessage(message).setDetails(packed)))
    return outcome.kind === 'success' ? outcome : { ...outcome, ...('error' in outcome && { error: outcome.error.message }) }
  }
  const wrong = (current: (it: InstanceType<typeof shared.WrongExpectedVersion>) => void) => {
    const it = new shared.WrongExpectedVersion().setExpectedStreamPosition('5')
    current(it)
    return refusal('event_store.client.WrongExpectedVersion', it.serializeBinary(), 'WrongExpectedVersion')
  }
  t.deepEqual(success('18446744073709551614'), {
    id: 77,
    outcome: { kind: 'success', revision: Number.MAX_SAFE_INTEGER, position: '18446744073709551614' },
  })
  t.deepEqual(success('0').outcome, { kind: 'success', revision: Number.MAX_SAFE_INTEGER, position: LOG_START })
  t.deepEqual(success().outcome, { kind: 'success', revision: Number.MAX_SAFE_INTEGER, position: undefined })
  t.deepEqual(
    wrong((it) => it.setCurrentStreamRevision('0')),
    { kind: 'conflict', actual: 0 },
  )
  t.deepEqual(
    wrong((it) => it.setCurrentNoStream(new empty.Empty())),
    { kind: 'conflict', actual: 'none' },
  )
  const nothing = new Uint8Array()
  const kinds = {
    StreamDeleted: 'deleted',
    AccessDenied: 'refused',
    Timeout: 'indeterminate',
    Unknown: 'indeterminate',
    BadRequest: 'invalid',
    MaximumAppendSizeExceeded: 'too-large',
    MaximumAppendEventSizeExceeded: 'too-large',
    SomethingNew: 'indeterminate',
  }
  for (const [name, kind] of Object.entries(kinds))
    t.deepEqual(refusal(`event_store.client.${name}`, nothing, 'why'), { kind, error: 'why' } as never, name)
  t.is(appendResponse(new streams.BatchAppendResp()).outcome.kind, 'indeterminate')
})

test('a text is taken for canonical only if it is', (t) => {
  const blank = fc.constantFrom('', '', '', ' ', '\n')
  const written = fc.oneof(
    fc.json(),
    fc.jsonValue().map((value) => canonicalText(value)),
    data,
    fc.tuple(blank, data, blank).map((parts) => parts.join('')),
    fc
      .array(fc.constantFrom('{', '}', '"a":', '"b":', '"\\u0061":', '1', '-0', '01', '1e3', '0.5', ',', '[', ']', '"\\/"', 'null'))
      .map((parts) => parts.join('')),
  )
  const isCanonical = (text: string): boolean => {
    try {
      return canonicalText(JSON.parse(text)) === text
    } catch {
      return false
    }
  }
  let taken = 0
  const property = fc.property(written, (text) => {
    const found = alreadyCanonical(text)
    if (found === undefined) return
    taken += 1
    t.is(found, text)
    t.true(isCanonical(text), text)
  })
  fc.assert(property, { numRuns: 3_000 })
  t.true(taken > 500)
  for (const other of [
    '{"b":1,"a":2}',
    '{"a":1,"a":2}',
    '{"a": 1}',
    '[1,]',
    '[-0]',
    '01',
    '1.0',
    '"\\u0061"',
    '"\ud800"',
    '"\t"',
    '',
    '{"a":1}x',
  ])
    t.is(alreadyCanonical(other), undefined, other)
  t.is(alreadyCanonical('{"$b":1,"c":{"$b":2},"d":["$b"]}', { $b: 'b' }), '{"b":1,"c":{"$b":2},"d":["$b"]}')
  t.is(alreadyCanonical('{"$b":1,"a":2}', { $b: 'b' }), '{"b":1,"a":2}')
  t.is(alreadyCanonical('{"a":2,"$b":1}', { $b: 'b' }), undefined)
})

test('a subscription gives what others wrote in another form as a read does', async (t) => {
  const server = await startEventStoreServer()
  t.teardown(server.stop)
  const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
  t.teardown(store.close)
  const texts = ['{ "b": 1, "a": "\\u0061" }', '{"10":1,"9":2}', ' null', '7', 'no JSON', '"é𝒳"']
  for (const [at, text] of texts.entries()) {
    const meta = Buffer.from(at % 2 === 0 ? '{"seen": {}, "$causationId": "c", "by": {"$causationId": 1}}' : '{"by":1,"$causationId":"c"}')
    server.log.append(`other-${at}`, 'no_stream', [{ ...JSON_EVENT, data: Buffer.from(text), meta }])
  }
  const read = await store.readAll(LOG_START, 10)
  t.is(read.length, texts.length)
  t.deepEqual(await followed(store, texts.length), read)
})

test('a subscription fails at an event that this service did not write', async (t) => {
  const foreign = [
    { ...JSON_EVENT, contentType: 'application/octet-stream', data: Buffer.from('{}'), meta: Buffer.from('{}') },
    { ...JSON_EVENT, data: Buffer.from('{}'), meta: Buffer.from('[') },
    { ...JSON_EVENT, data: Buffer.from('{}'), meta: Buffer.from('') },
    { ...JSON_EVENT, data: Buffer.from('{}'), meta: Buffer.from('7') },
  ]
  for (const event of foreign) {
    const server = await startEventStoreServer()
    t.teardown(server.stop)
    const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${server.port}?tls=false` })
    t.teardown(store.close)
    server.log.append('foreign-1', 'no_stream', [event])
    const fault = await t.throwsAsync(followed(store, 1), { instanceOf: StoreFault, message: /was not written by this service/ })
    t.is((fault as StoreFault).kind, 'damaged')
    await t.throwsAsync(store.readAll(LOG_START, 1), { message: fault?.message ?? '' })
  }
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
