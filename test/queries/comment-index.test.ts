import test from 'ava'
import { type CommentIndex, openCommentIndex, ROOT_INDEX } from '../../src/queries/comment-index.ts'
import { selectTree } from '../../src/queries/comment-tree.ts'
import { usual } from '../support/sketched-thread.ts'

test('replies read before their parents are placed below them', (t) => {
  const { add, index } = openCommentIndex()
  const comment = { author: 'a', ups: 1, downs: 0, length: 1, deleted: false, removed: false, distinguished: false }
  add({ ...comment, seq: 3, parent: 2 })
  add({ ...comment, seq: 2, parent: 1 })
  t.is(index().size, 0)
  add({ ...comment, seq: 1, parent: undefined })
  const { size, descendants, depth, rowOf } = index()
  t.is(size, 3)
  t.is(descendants[rowOf(1) ?? ROOT_INDEX], 2)
  t.is(depth[rowOf(3) ?? ROOT_INDEX], 2)
  add({ ...comment, seq: 3, parent: 2, ups: 9 })
  t.is(index().size, 3)
  t.is(index().ups[index().rowOf(3) ?? ROOT_INDEX], 9)
})

const comment = (seq: number, parent: number | undefined) =>
  ({ seq, parent, author: 'someone', ups: 0, downs: 1, length: 10, deleted: false, removed: false, distinguished: false }) as const

/** Wraps a thread and counts the look-ups of parents. */
const counting = (index: CommentIndex) => {
  let looked = 0
  const parent = new Proxy(index.parent, {
    get: (rows, name) => {
      looked += 1
      return Reflect.get(rows, name) as unknown
    },
  })
  return { index: { ...index, parent }, looked: () => looked }
}

test('reading every comment of a deep chain visits each a bounded number of times', (t) => {
  const { add, index } = openCommentIndex()
  const DEPTH = 10_000
  for (let seq = 0; seq < DEPTH; seq += 1) add(comment(seq, seq === 0 ? undefined : seq - 1))
  add(comment(DEPTH, undefined))
  const whole = index()
  for (const rows of [
    Array.from({ length: DEPTH }, (_, row) => row),
    Array.from({ length: DEPTH }, (_, row) => DEPTH - row), // the shallowest is another thread: all of the chain is elsewhere
  ]) {
    const { index: counted, looked } = counting(whole)
    selectTree(counted, { ...usual, view: { kind: 'children', rows }, limit: 20 })
    t.true(looked() < 10 * DEPTH, String(looked()))
  }
})

test('a thread can be read from its end, however deep or wide', (t) => {
  const COMMENTS = 50_000
  const deep = openCommentIndex()
  for (let seq = COMMENTS - 1; seq >= 0; seq -= 1) deep.add(comment(seq, seq === 0 ? undefined : seq - 1))
  t.is(deep.index().size, COMMENTS)
  t.is(deep.index().depth[COMMENTS - 1], COMMENTS - 1)
  const wide = openCommentIndex()
  for (let seq = COMMENTS; seq >= 1; seq -= 1) wide.add(comment(seq, 0))
  wide.add(comment(0, undefined))
  t.is(wide.index().descendants[0], COMMENTS)
})
