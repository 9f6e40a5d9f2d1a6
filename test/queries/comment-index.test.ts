import test from 'ava'
import { growing, ROOT, type Skeleton } from '../../src/queries/comment-index.ts'
import { selectTree } from '../../src/queries/tree.ts'
import { usual } from '../support/sketched-thread.ts'

test('replies read before their parents are placed below them', (t) => {
  const { add, skeleton } = growing()
  const bone = { author: 'a', ups: 1, downs: 0, length: 1, deleted: false, removed: false }
  add({ ...bone, seq: 3, parent: 2 })
  add({ ...bone, seq: 2, parent: 1 })
  t.is(skeleton().size, 0)
  add({ ...bone, seq: 1, parent: undefined })
  const { size, descendants, depth, rowOf } = skeleton()
  t.is(size, 3)
  t.is(descendants[rowOf(1) ?? ROOT], 2)
  t.is(depth[rowOf(3) ?? ROOT], 2)
  add({ ...bone, seq: 3, parent: 2, ups: 9 })
  t.is(skeleton().size, 3)
  t.is(skeleton().ups[skeleton().rowOf(3) ?? ROOT], 9)
})

const bone = (seq: number, parent: number | undefined) =>
  ({ seq, parent, author: 'someone', ups: 0, downs: 1, length: 10, deleted: false, removed: false }) as const

/** The same thread, counting how often a parent is looked up. */
const counting = (skeleton: Skeleton) => {
  let looked = 0
  const parent = new Proxy(skeleton.parent, {
    get: (rows, name) => {
      looked += 1
      return Reflect.get(rows, name) as unknown
    },
  })
  return { skeleton: { ...skeleton, parent }, looked: () => looked }
}

test('reading every comment of a deep chain visits each a bounded number of times', (t) => {
  const { add, skeleton } = growing()
  const DEPTH = 10_000
  for (let seq = 0; seq < DEPTH; seq += 1) add(bone(seq, seq === 0 ? undefined : seq - 1))
  add(bone(DEPTH, undefined))
  const whole = skeleton()
  for (const rows of [
    Array.from({ length: DEPTH }, (_, row) => row),
    Array.from({ length: DEPTH }, (_, row) => DEPTH - row), // the shallowest is another thread: all of the chain is elsewhere
  ]) {
    const { skeleton: counted, looked } = counting(whole)
    selectTree(counted, { ...usual, view: { kind: 'children', rows }, limit: 20 })
    t.true(looked() < 10 * DEPTH, String(looked()))
  }
})

test('a thread can be read from its end, however deep or wide', (t) => {
  const COMMENTS = 50_000
  const deep = growing()
  for (let seq = COMMENTS - 1; seq >= 0; seq -= 1) deep.add(bone(seq, seq === 0 ? undefined : seq - 1))
  t.is(deep.skeleton().size, COMMENTS)
  t.is(deep.skeleton().depth[COMMENTS - 1], COMMENTS - 1)
  const wide = growing()
  for (let seq = COMMENTS; seq >= 1; seq -= 1) wide.add(bone(seq, 0))
  wide.add(bone(0, undefined))
  t.is(wide.skeleton().descendants[0], COMMENTS)
})
