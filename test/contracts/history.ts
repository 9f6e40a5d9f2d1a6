import type { TestFn } from 'ava'
import { StoreFault } from '../../src/ports/faults.ts'
import type { HistoryRow, HistoryStore } from '../../src/ports/history.ts'
import { type Cases, type Open, runContract } from './contract.ts'

export type OpenedHistory = { readonly history: HistoryStore; readonly reopen: () => Promise<HistoryStore> }

const bytes = (text: string): Uint8Array => Buffer.from(text)
const row = (number: number, text: string, more: Partial<HistoryRow> = {}): HistoryRow => ({
  tree: '1/log',
  kind: 'tile',
  number,
  value: bytes(text),
  ...more,
})
const textsOf = (rows: Iterable<HistoryRow>) => [...rows].map(({ number, value }) => [number, Buffer.from(value).toString()])

const cases: Cases<OpenedHistory> = {
  'rows are found by their numbers, and survive a restart': async (t, { history, reopen }) => {
    await history.add([
      row(0, 'a'),
      row(2 ** 44 + 3, 'b'),
      row(0, 'of another kind', { kind: 'head' }),
      row(0, 'of a third kind', { kind: 'milestone' }),
      row(0, 'of another tree', { tree: '1/s/t5_1' }),
    ])
    const again = await reopen()
    t.deepEqual(textsOf((await again.get('1/log', 'tile', [0, 1, 2 ** 44 + 3])).values()), [
      [0, 'a'],
      [2 ** 44 + 3, 'b'],
    ])
    t.deepEqual(textsOf((await again.get('1/log', 'milestone', [0])).values()), [[0, 'of a third kind']])
    t.is((await again.get('1/log', 'tile', [])).size, 0)
  },
  'a row that is there stays; with other content it is a fault, and nothing changes': async (t, { history }) => {
    await history.add([row(1, 'a', { name: 'x' })])
    await history.add([row(1, 'a', { name: 'x' })])
    for (const other of [row(1, 'b', { name: 'x' }), row(1, 'a', { name: 'y' }), row(1, 'a')]) {
      const fault = await t.throwsAsync(history.add([other]), { instanceOf: StoreFault })
      t.is(fault?.kind, 'damaged')
    }
    t.deepEqual(textsOf((await history.get('1/log', 'tile', [1])).values()), [[1, 'a']])
  },
  'rows are listed from a number on, both ways': async (t, { history }) => {
    await history.add([3, 1, 2, 9].map((number) => row(number, String(number), { kind: 'head' })))
    await history.add([row(2, 'no head')])
    t.deepEqual(textsOf(await history.list('1/log', 'head', 2, 2)), [
      [2, '2'],
      [3, '3'],
    ])
    t.deepEqual(textsOf(await history.list('1/log', 'head', 8, 2, 'down')), [
      [3, '3'],
      [2, '2'],
    ])
    t.deepEqual(await history.list('1/log', 'head', 10, 2), [])
  },
  'entries are found by the ids of their events, within an origin': async (t, { history }) => {
    const entry = (tree: string, number: number, name: string) => row(number, name, { tree, kind: 'entry', name })
    await history.add([entry('1/s/t5_1', 0, 'x'), entry('1/s/t5_2', 0, 'y'), entry('2/s/t5_1', 4, 'x'), entry('11/s/t5_1', 7, 'x')])
    const found = await history.named('1/s/', ['x', 'y', 'z'])
    t.deepEqual([...found].map(([name, { tree, number }]) => [name, tree, number]).sort(), [
      ['x', '1/s/t5_1', 0],
      ['y', '1/s/t5_2', 0],
    ])
    t.is((await history.named('1/s/', [])).size, 0)
  },
  'a tree grows only from the size that it has': async (t, { history, reopen }) => {
    const state = (size: number, text: string) => ({ tree: '1/log', size, value: bytes(text) })
    t.is(await history.state('1/log'), undefined)
    t.false(await history.grow(1, state(2, 'too early')))
    t.true(await history.grow(0, state(3, 'a')))
    t.false(await history.grow(0, state(3, 'the same again')))
    t.false(await history.grow(2, state(5, 'another')))
    t.true(await history.grow(3, state(7, 'b')))
    const found = await (await reopen()).state('1/log')
    t.like(found, { tree: '1/log', size: 7 })
    t.is(Buffer.from(found?.value ?? []).toString(), 'b')
  },
  'of several that grow a tree at once one does': async (t, { history }) => {
    await history.grow(0, { tree: '1/log', size: 4, value: bytes('') })
    const tries = Array.from({ length: 8 }, (_, n) => history.grow(4, { tree: '1/log', size: 5 + n, value: bytes(String(n)) }))
    t.is((await Promise.all(tries)).filter(Boolean).length, 1)
    const first = Array.from({ length: 8 }, (_, n) => history.grow(0, { tree: '1/s/t5_9', size: 1 + n, value: bytes(String(n)) }))
    t.is((await Promise.all(first)).filter(Boolean).length, 1)
  },
  'the value of a tree changes only at the size that it has': async (t, { history }) => {
    const state = (text: string) => ({ tree: '1/log', size: 3, value: bytes(text) })
    await history.grow(0, state('a'))
    t.true(await history.grow(3, state('b')))
    t.is(Buffer.from((await history.state('1/log'))?.value ?? []).toString(), 'b')
    t.false(await history.grow(2, state('c')))
  },
  'trees are listed by their names, within an origin': async (t, { history }) => {
    for (const tree of ['1/log', '1/s/t5_1', '1/s/t5_2', '2/log']) await history.grow(0, { tree, size: 2, value: bytes('') })
    t.deepEqual(
      (await history.states('1/s/', '', 10)).map(({ tree }) => tree),
      ['1/s/t5_1', '1/s/t5_2'],
    )
    t.deepEqual(
      (await history.states('1/s/', '1/s/t5_1', 10)).map(({ tree }) => tree),
      ['1/s/t5_2'],
    )
  },
}

export const historyContract = (test: TestFn, name: string, open: Open<OpenedHistory>): void => runContract(test, name, cases, open, {})
