import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import { MINUTE } from '../../src/domain/time.ts'
import { makeReserved } from '../../src/limits/reservations.ts'
import { writeSide } from '../support/commanding.ts'

const MOST = 100
type Refused = { readonly code: 'FULL' | 'REFUSED' | 'OUTCOME_UNKNOWN' }
type Made = { readonly position: string | undefined }

/** The module once more, with queues of its own, as another process has it. */
const elsewhere: typeof makeReserved = (await import(new URL('../../src/limits/reservations.ts?elsewhere', import.meta.url).href))
  .makeReserved

/** A vault, a log that is shown late, and making an item if there is room. */
const storeroom = async (t: ExecutionContext) => {
  const { vault } = await writeSide(t)
  const log: { readonly item: string; readonly is: 'made' | 'gone' }[] = []
  const made = (upTo = log.length) => {
    const there = new Set<string>()
    for (const { item, is } of log.slice(0, upTo)) is === 'made' ? there.add(item) : there.delete(item)
    return there
  }
  let shown = 0
  const at = (n: number) => String(n).padStart(20, '0')
  const freshness = { position: () => at(shown) }
  /** As a process knows it that looks only when it has to. */
  let looked = 0
  const seldom = {
    position: () => at(looked),
    refresh: async () => {
      looked = shown
    },
  }
  const make =
    (item: string, outcome: Refused['code'] | undefined, known = () => shown) =>
    async (pending: readonly string[]): Promise<Either<Refused, Made>> => {
      const held = new Set([...made(known()), ...pending])
      await sleep(Math.random() * 5)
      if (held.size >= MOST) return E.left({ code: 'FULL' })
      if (outcome !== undefined) return E.left({ code: outcome })
      log.push({ item, is: 'made' })
      return E.right({ position: at(log.length) })
    }
  return {
    made,
    show: () => {
      shown = log.length
    },
    remove: (item: string) => log.push({ item, is: 'gone' }),
    create: (reserve: typeof makeReserved, item: string, outcome?: Refused['code'], clock = Date.now) =>
      reserve({ vault, freshness, clock }, { name: 'shelf', items: [item], by: `command ${item}` }, make(item, outcome)),
    createSeldom: (item: string) =>
      elsewhere(
        { vault, freshness: seldom, clock: Date.now },
        { name: 'shelf', items: [item], by: `command ${item}` },
        make(item, undefined, () => looked),
      ),
  }
}

const from = (n: number) => (n % 2 === 0 ? makeReserved : elsewhere)

test('of many creations at once in two processes exactly as many succeed as may exist, whatever the read models show', async (t) => {
  const { made, show, create } = await storeroom(t)
  const results = await Promise.all(Array.from({ length: 130 }, (_, n) => create(from(n), `item ${n}`)))
  t.is(made().size, MOST)
  t.is(results.filter(E.isRight).length, MOST)
  t.deepEqual(await create(makeReserved, 'one more'), E.left({ code: 'FULL' }), 'before they are shown')
  show()
  t.deepEqual(await create(elsewhere, 'one more'), E.left({ code: 'FULL' }), 'and after that')
})

test('what was refused leaves its place to others', async (t) => {
  const { made, show, remove, create } = await storeroom(t)
  for (let n = 0; n < MOST; n += 1) await create(from(n), `refused ${n}`, 'REFUSED')
  await Promise.all(Array.from({ length: MOST }, (_, n) => create(from(n), `item ${n}`)))
  t.is(made().size, MOST)
  remove('item 0')
  show()
  t.true(E.isRight(await create(makeReserved, 'in place of the first')))
})

test('what may have been made counts', async (t) => {
  const { made, create } = await storeroom(t)
  await create(makeReserved, 'unknown', 'OUTCOME_UNKNOWN')
  await Promise.all(Array.from({ length: MOST }, (_, n) => create(from(n), `item ${n}`)))
  t.is(made().size, MOST - 1)
})

test('another try of a command does not count the first', async (t) => {
  const { made, create } = await storeroom(t)
  await Promise.all(Array.from({ length: MOST - 1 }, (_, n) => create(from(n), `item ${n}`)))
  await create(makeReserved, 'last', 'OUTCOME_UNKNOWN')
  t.true(E.isRight(await create(elsewhere, 'last')))
  t.is(made().size, MOST)
})

test('a process whose clock is five minutes ahead counts what others reserved just now', async (t) => {
  const { made, create } = await storeroom(t)
  await create(makeReserved, 'unknown', 'OUTCOME_UNKNOWN')
  const ahead = () => Date.now() + 5 * MINUTE
  await Promise.all(Array.from({ length: MOST }, (_, n) => create(elsewhere, `item ${n}`, undefined, ahead)))
  t.is(made().size, MOST - 1)
  const muchLater = () => ahead() + 5 * MINUTE
  t.true(E.isRight(await create(makeReserved, 'in its place', undefined, muchLater)), 'but not for ever')
})

test('what one process has seen and no longer reserves, another one that has not seen it counts as well', async (t) => {
  const { made, show, create, createSeldom } = await storeroom(t)
  await Promise.all(Array.from({ length: MOST }, (_, n) => create(makeReserved, `item ${n}`)))
  show()
  t.deepEqual(await create(makeReserved, 'one more'), E.left({ code: 'FULL' }))
  t.deepEqual(await createSeldom('another'), E.left({ code: 'FULL' }))
  t.is(made().size, MOST)
})

test('what the read models will never reach, since the log was replaced by an earlier one, does not count for ever', async (t) => {
  const { made, create } = await storeroom(t)
  await Promise.all(Array.from({ length: MOST }, (_, n) => create(makeReserved, `item ${n}`)))
  const later = (minutes: number) => () => Date.now() + minutes * MINUTE
  t.deepEqual(await create(makeReserved, 'too early', undefined, later(50)), E.left({ code: 'FULL' }))
  t.true(E.isRight(await create(makeReserved, 'the first in the other log', undefined, later(70))))
  t.is(made().size, MOST + 1)
})
