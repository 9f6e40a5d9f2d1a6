import test from 'ava'
import { commentSorts } from '../../src/domain/subsite-settings.ts'
import { selectTree, type TreeNode, type TreeRequest } from '../../src/queries/comment-tree.ts'
import { thread, usual } from '../support/sketched-thread.ts'

/** `A(a1 a2(x)) +2[B C]`: replies in round brackets, stubs with their count and children, `…` for a thread that continues. */
const drawn = (placed: readonly TreeNode[], nameOf: (row: number) => string): string =>
  placed
    .map((node) => {
      if (node.kind === 'continue') return '…'
      if (node.kind === 'more') return `+${node.count}[${node.children.map(nameOf).join(' ')}]`
      return nameOf(node.row) + (node.replies.length > 0 ? `(${drawn(node.replies, nameOf)})` : '')
    })
    .join(' ')

const worked = thread({
  A: { score: 100 },
  B: { score: 60 },
  C: { score: 55 },
  D: { score: 50 },
  a1: { parent: 'A', score: 90 },
  a2: { parent: 'A', score: 80 },
  a3: { parent: 'A', score: 70 },
  x: { parent: 'a2', score: 95 },
  y: { parent: 'a2', score: 85 },
  z: { parent: 'a2', score: 75 },
  c1: { parent: 'C', score: 110 },
})
const shows = (request: Partial<TreeRequest>, { index, nameOf } = worked) => drawn(selectTree(index, { ...usual, ...request }), nameOf)

test('the best comments of the whole tree are shown, a reply before a worse top-level comment', (t) => {
  t.is(shows({ limit: 5 }), 'A(a1 a2(x y +1[z]) +1[a3]) +4[B C D]')
})

test('with a depth of one, comments with replies have a stub that continues the thread', (t) => {
  t.is(shows({ depth: 1 }), 'A(…) B C(…) D')
})

test('a focus shows only its ancestors and replies', (t) => {
  t.is(shows({ view: { kind: 'focus', row: worked.rowOf('x'), context: 3 } }), 'A(a2(x))')
  t.is(shows({ view: { kind: 'focus', row: worked.rowOf('a2'), context: 0 } }), 'a2(x y z)')
  t.is(shows({ view: { kind: 'focus', row: worked.rowOf('a2'), context: 1 }, limit: 3 }), 'A(a2(x +2[y z]))')
})

test('a stickied comment is first in the whole thread, counts towards the limit, and its replies are not preferred', (t) => {
  t.is(shows({ limit: 5, sticky: worked.rowOf('A') }), 'A(+6[a1 a2 a3]) B C(c1) D')
  t.is(shows({ limit: 2, sticky: worked.rowOf('D') }), 'D A(+6[a1 a2 a3]) +3[B C]')
  t.is(shows({ limit: 1, sticky: worked.rowOf('D') }), 'D +10[A B C]')
  for (const sort of commentSorts) t.regex(shows({ sort, sticky: worked.rowOf('B') }), /^B /, sort)
  t.is(shows({ depth: 1, sticky: worked.rowOf('C') }), 'C(…) A(…) B D')
  t.is(shows({ view: { kind: 'focus', row: worked.rowOf('x'), context: 3 }, sticky: worked.rowOf('A') }), 'A(a2(x))')
})

test('without stubs the other comments are left out', (t) => {
  t.is(shows({ limit: 2, showMore: false }), 'A(a1)')
})

test('morechildren returns comments with their replies, and the others in stubs of their parents', (t) => {
  const rows = ['B', 'C', 'D', 'A'].map(worked.rowOf)
  t.is(shows({ view: { kind: 'children', rows: [...rows, ...rows] }, limit: 3 }), 'A(a1 a2(+3[x y z]) +1[a3]) +4[B C D]')
  t.is(shows({ view: { kind: 'children', rows: ['a1', 'a3', 'c1'].map(worked.rowOf) }, limit: 1 }), 'c1 +2[a1 a3]')
  t.is(shows({ view: { kind: 'children', rows: ['B', 'c1'].map(worked.rowOf) } }), 'B +1[c1]')
  t.is(shows({ view: { kind: 'children', rows: [] } }), '')
})

test('the depth of morechildren counts from the comments requested', (t) => {
  const names = Array.from({ length: 30 }, (_, i) => `c${i}`)
  const chain = thread(Object.fromEntries(names.map((name, i) => [name, i === 0 ? {} : { parent: `c${i - 1}` }])))
  const text = shows({ view: { kind: 'children', rows: [chain.rowOf('c12')] }, limit: 20 }, chain)
  t.true(text.startsWith('c12(c13('))
  t.true(text.includes('c21(…)'))
})

test('a removed or deleted comment with replies stays as a placeholder', (t) => {
  const some = thread({ A: { deleted: true }, B: { removed: true }, b1: { parent: 'B' }, C: {} })
  const isGone = (row: number) => some.index.deleted[row] === 1 || some.index.removed[row] === 1
  t.is(shows({ isGone, sort: 'old' }, some), 'B(b1) C')
  t.is(shows({ isGone, sort: 'old', view: { kind: 'focus', row: some.rowOf('A'), context: 0 } }, some), '')
  t.is(shows({ isGone, sort: 'old', limit: 1 }, some), '+3[B C]', 'a dropped comment used its place')
})

test('the sorts new and old, and ties in others, order by age', (t) => {
  const some = thread({ A: {}, B: {}, C: { score: 2 } })
  t.is(shows({ sort: 'new' }, some), 'C B A')
  t.is(shows({ sort: 'old' }, some), 'A B C')
  t.is(shows({ sort: 'top' }, some), 'C A B')
})

test('random orders the top level by the random numbers given', (t) => {
  const some = thread({ A: {}, B: {}, C: {}, c1: { parent: 'C' } })
  const dealing = (numbers: readonly number[]) => {
    const left = [...numbers]
    return shows({ sort: 'random', random: () => left.shift() ?? 0 }, some)
  }
  t.is(dealing([0, 0.1, 0, 0.2, 0, 0.3]), 'C(c1) B A')
  t.is(dealing([0, 0.3, 0, 0.1, 0, 0.2]), 'B A C(c1)')
})

test('qa shows comments of the author and their replies, distinguished ones, and the ancestors of both', (t) => {
  const some = thread({
    A: {},
    a1: { parent: 'A', author: 'op' },
    a2: { parent: 'a1', author: 'thanks' },
    a3: { parent: 'A', author: 'bystander' },
    b: {},
    b1: { parent: 'b' },
    b2: { parent: 'b1', author: 'op' },
    c: {},
    c1: { parent: 'c' },
    c2: { parent: 'c1', distinguished: true },
    c3: { parent: 'c2' },
  })
  t.is(shows({ sort: 'qa' }, some), 'A(a1(a2) +1[a3]) b(b1(b2)) c(c1(c2(+1[c3])))')
})
