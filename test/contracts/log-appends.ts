import { randomInt } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { positionAtMost } from '../../src/domain/event.ts'
import { idAt } from '../../src/domain/ids.ts'
import { changeSettings, createSubsite, Subsite } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { codec } from '../../src/log/codec.ts'
import { type ExpectedRevision, MAX_APPEND_BYTES, MAX_EVENT_BYTES } from '../../src/ports/event-store.ts'
import { type FaultKind, StoreFault } from '../../src/ports/faults.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { runner } from '../../src/runtime/run.ts'
import { fixedKeys } from '../support/fixed-keys.ts'
import { streamOf } from '../support/stream-of.ts'
import type { Cases } from './contract.ts'
import { ids, newStream, type OpenedLog, propose, proposeMany, proposeSized, requireAppended } from './log-entries.ts'

const refusedAs = async (t: ExecutionContext, kind: FaultKind, work: Promise<unknown>): Promise<void> => {
  const fault = await t.throwsAsync(work, { instanceOf: StoreFault })
  t.is(fault.kind, kind)
}

export const conflicts: Cases<OpenedLog> = {
  'a stream that was never written is empty': async (t, { events }) => {
    t.deepEqual(await streamOf(events, newStream(), 0), [])
  },
  'an append with a wrong expected revision is a conflict that names the actual one, and writes nothing': async (t, { events }) => {
    const stream = newStream()
    t.deepEqual(await events.append(stream, 0, proposeMany(1)), { outcome: 'conflict', actual: 'none' })
    await events.append(stream, 'none', proposeMany(3))
    for (const expected of ['none', 0, 1, 3, 7] satisfies ExpectedRevision[])
      t.deepEqual(await events.append(stream, expected, proposeMany(1)), { outcome: 'conflict', actual: 2 })
    t.is((await streamOf(events, stream, 0)).length, 3)
  },
  'of 64 concurrent first appends to a stream one succeeds and the others are conflicts': async (t, { events }) => {
    const stream = newStream()
    const claims = Array.from({ length: 64 }, () => propose())
    const results = await Promise.all(claims.map((claim) => events.append(stream, 'none', [claim])))
    const winners = claims.filter((_, i) => results[i]?.outcome === 'appended')
    t.is(winners.length, 1)
    t.is(results.filter((result) => result.outcome === 'conflict').length, 63)
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids(winners))
  },
}

export const handedOn: Cases<OpenedLog> = {
  'a runner hands on each event as the log returns it, but for a position, which is at most the one that it gives': async (
    t,
    { events },
  ) => {
    const log = codec(fixedKeys)
    const { run } = runner({ events, codec: log })
    const id = `t4_${randomInt(2 ** 40).toString(36)}` as const
    const by = () => commandOf(seedOf(idAt(Date.now())), { account: 't2_ann', as: 'moderator' })
    const created = { subsite: id, name: 'Tea', creator: 't2_ann', settings: defaultSettings }
    const changes = [
      { type: 'private', allow_top: false, show_media: false },
      { type: 'public' },
      { lang: 'de', type: 'private', over_18: true },
    ] as const
    const done = [await run(Subsite, id, createSubsite(created), by())]
    for (const change of changes) done.push(await run(Subsite, id, changeSettings({ admin: false, gold: false }, change), by()))
    const handed = done.flatMap((result) => (E.isRight(result) ? result.right.recorded : []))
    const stream = await streamOf(events, `subsite-${id}`)
    t.is(handed.length, 8)
    const withoutPosition = (event: object) => Object.fromEntries(Object.entries(event).filter(([name]) => !name.startsWith('position')))
    t.deepEqual(handed.map(withoutPosition), stream.map(withoutPosition))
    t.deepEqual((await log.open(handed)).map(withoutPosition), (await log.open(stream)).map(withoutPosition))
    const ends = [0, 3, 3, 3, 4, 7, 7, 7].map((revision) => stream[revision]?.position)
    t.deepEqual(handed.map(positionAtMost), ends as string[])
    t.true(handed.every((event) => !('position' in event)))
    t.true(stream.every(({ position }, n) => position <= (ends[n] ?? '')))
  },
}

export const retries: Cases<OpenedLog> = {
  'repeating an append with the same ids returns the first result, also after later appends': async (t, { events }) => {
    const stream = newStream()
    const all = proposeMany(3)
    const first = await events.append(stream, 'none', all)
    t.deepEqual(await events.append(stream, 'none', all), first)
    const more = proposeMany(2)
    const second = await events.append(stream, 2, more)
    t.deepEqual(await events.append(stream, 'none', all), first)
    t.deepEqual(await events.append(stream, 2, more), second)
    t.deepEqual(ids(await streamOf(events, stream, 0)), ids([...all, ...more]))
  },
  'the same append sent many times concurrently is written once': async (t, { events }) => {
    const stream = newStream()
    const all = proposeMany(2)
    const results = await Promise.all(Array.from({ length: 20 }, () => events.append(stream, 'none', all)))
    for (const result of results) t.deepEqual(result, results[0])
    t.is((await streamOf(events, stream, 0)).length, 2)
  },
  'repeating an append with the same ids succeeds after a restart': async (t, { events, reopen }) => {
    const stream = newStream()
    const all = proposeMany(3)
    const first = await events.append(stream, 'none', all)
    const again = await reopen()
    t.deepEqual(await again.append(stream, 'none', all), first)
    t.is((await streamOf(again, stream, 0)).length, 3)
  },
  'an append of which only some ids are at that revision is a conflict': async (t, { events }) => {
    const stream = newStream()
    const [one = propose(), two = propose()] = proposeMany(2)
    await events.append(stream, 'none', [one, two])
    t.deepEqual(await events.append(stream, 'none', [one, propose()]), { outcome: 'conflict', actual: 1 })
    t.deepEqual(await events.append(stream, 'none', [propose(), two]), { outcome: 'conflict', actual: 1 })
    t.deepEqual(await events.append(stream, 'none', [two, one]), { outcome: 'conflict', actual: 1 })
    t.deepEqual(await events.append(stream, 'none', [one, two, propose()]), { outcome: 'conflict', actual: 1 })
    t.is((await streamOf(events, stream, 0)).length, 2)
  },
  'known ids with another payload are refused as a changed retry': async (t, { events }) => {
    const stream = newStream()
    const [one = propose(), two = propose()] = proposeMany(2)
    await events.append(stream, 'none', [one, two])
    await refusedAs(t, 'changed-retry', events.append(stream, 'none', [one, { ...two, data: '{"i":2}' }]))
    await refusedAs(t, 'changed-retry', events.append(stream, 'none', [{ ...one, meta: '{}' }, two]))
    t.deepEqual(
      (await streamOf(events, stream, 0)).map(({ data }) => data),
      [one.data, two.data],
    )
  },
  'appends repeated as one append, and a part of an earlier append, succeed again': async (t, { events }) => {
    const stream = newStream()
    const [one = propose(), two = propose(), three = propose()] = proposeMany(3)
    const first = requireAppended(t, await events.append(stream, 'none', [one]))
    const last = requireAppended(t, await events.append(stream, 0, [two, three]))
    t.deepEqual(await events.append(stream, 'none', [one, two, three]), last)
    t.deepEqual(await events.append(stream, 'none', [one]), first)
    t.is(requireAppended(t, await events.append(stream, 0, [two])).revision, 1)
    t.is((await streamOf(events, stream, 0)).length, 3)
  },
  'of two concurrent payloads with the same id one is written and the other refused as a changed retry': async (t, { events }) => {
    for (let round = 0; round < 20; round++) {
      const stream = newStream()
      const event = propose()
      const payloads = [event, { ...event, data: '{"other":1}' }]
      const results = await Promise.allSettled(payloads.map((payload) => events.append(stream, 'none', [payload])))
      const [refused, ...others] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as StoreFault] : []))
      t.is(refused?.kind, 'changed-retry')
      t.is(others.length, 0)
      t.is((await streamOf(events, stream, 0)).length, 1)
    }
  },
}

export const limits: Cases<OpenedLog> = {
  'an append without events is refused': async (t, { events }) => {
    await t.throwsAsync(events.append(newStream(), 'none', []))
  },
  'an event or append over the size limit is refused whole, without effect on others': async (t, { events }) => {
    const streams = [newStream(), newStream(), newStream(), newStream()]
    const [one = '', two = '', three = '', four = ''] = streams
    const half = MAX_EVENT_BYTES
    await Promise.all([
      refusedAs(t, 'too-large', events.append(one, 'none', [propose(), proposeSized(MAX_EVENT_BYTES + 1)])),
      refusedAs(t, 'too-large', events.append(two, 'none', [proposeSized(half), proposeSized(MAX_APPEND_BYTES - half), proposeSized(10)])),
      events.append(three, 'none', [proposeSized(MAX_EVENT_BYTES)]),
      events.append(four, 'none', proposeMany(1)),
    ])
    const lengths = await Promise.all(streams.map(async (stream) => (await streamOf(events, stream, 0)).length))
    t.deepEqual(lengths, [0, 0, 1, 1])
  },
}
