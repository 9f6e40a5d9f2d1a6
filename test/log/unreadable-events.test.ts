import test from 'ava'
import * as t from 'io-ts'
import { type EventDefinition, event, field, sealedText } from '../../src/domain/event.ts'
import { codec, isIntact, UnreadableEvent } from '../../src/log/codec.ts'
import type { ProposedEvent, RecordedEvent } from '../../src/ports/event-store.ts'
import { fixedKeys } from '../support/fixed-keys.ts'
import { comment, fixed, stamp, toRecorded } from '../support/sealing.ts'

test('an unreadable event is reported with its stream, revision and position', async (tt) => {
  const [good] = await fixed.seal([stamp(comment('tea'))])
  if (!good) return tt.fail()
  const meta = JSON.parse(good.meta) as object
  const bad: readonly (readonly [Partial<RecordedEvent>, RegExp])[] = [
    [{ type: 'TeaBrewed' }, /the event type is unknown/],
    [{ data: '{' }, /not JSON/],
    [{ data: '3' }, /not an object/],
    [{ meta: '{}' }, /metadata/],
    [{ data: good.data.replace('"t5_1"', '5') }, /does not match its declaration/],
    [{ data: good.data.replace(/"body":"[^"]*"/, '"body":"tea"') }, /encrypted text is damaged/],
    [{ meta: JSON.stringify({ ...meta, schema: 2 }) }, /its schema is 2, the newest known 1/],
    [{ meta: JSON.stringify({ ...meta, schema: 0 }) }, /its schema is 0/],
  ]
  for (const [change, why] of bad) {
    const error = await tt.throwsAsync(fixed.open([toRecorded({ ...good, ...change } as ProposedEvent)]), { instanceOf: UnreadableEvent })
    tt.regex(error?.message ?? '', /at revision 7 of a-stream \(position 00000000000000000042\)/)
    tt.regex(error?.message ?? '', why)
  }
})

const meaning = 'Somebody brewed tea.'
const maker = field(t.string, 'Who brewed it.', 'public')
const cups = field(t.number, 'How many cups.', 'public')
const note = field(sealedText('maker'), 'What they say of it.', 'public')

test('events of older schemas are upcast step by step, with their texts still sealed', async (tt) => {
  const first = event('TeaBrewed', meaning, { maker, note }, { by: 'public' })
  const third = event(
    'TeaBrewed',
    meaning,
    { maker, cups, remark: note },
    { by: 'public', upcasts: [({ note: remark, ...data }) => ({ ...data, remark }), (data) => ({ ...data, cups: 1 })] },
  )
  const speaking = (definition: unknown) => codec(fixedKeys, new Map([['TeaBrewed', definition as EventDefinition]]))
  const [stored] = await speaking(first).seal([stamp(first({ maker: 't2_ann', note: 'strong' }))])
  if (!stored) return tt.fail()
  const [opened] = await speaking(third).open([toRecorded(stored)])
  tt.deepEqual(opened?.data as unknown, { maker: 't2_ann', cups: 1, remark: 'strong' })
  tt.is(opened?.meta.schema, 1)
  tt.true(isIntact(stored))
  const [newest] = await speaking(third).seal([stamp(third({ maker: 't2_ann', cups: 2, remark: 'weak' }))])
  tt.is((JSON.parse(newest?.meta ?? '{}') as { schema?: number }).schema, 3)
})

test('an event whose upcast fails is unreadable; a fault of the keys is not reported as one of the event', async (tt) => {
  const first = event('TeaBrewed', meaning, { maker, note }, { by: 'public' })
  const failing = () => {
    throw new TypeError('no such cup')
  }
  const second = event('TeaBrewed', meaning, { maker, cups, note }, { by: 'public', upcasts: [failing] })
  const speaking = (definition: unknown, keys = fixedKeys) => codec(keys, new Map([['TeaBrewed', definition as EventDefinition]]))
  const [stored] = await speaking(first).seal([stamp(first({ maker: 't2_ann', note: 'strong' }))])
  if (!stored) return tt.fail()
  await tt.throwsAsync(speaking(second).open([toRecorded(stored)]), {
    instanceOf: UnreadableEvent,
    message: /schema 1 cannot be upcast to 2/,
  })
  const unreachable = { ...fixedKeys, fetch: () => Promise.reject(new TypeError('not now')) }
  await tt.throwsAsync(speaking(first, unreachable).open([toRecorded(stored)]), { instanceOf: TypeError, message: 'not now' })
})
