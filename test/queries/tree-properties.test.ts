import test from 'ava'
import { commentSorts } from '../../src/domain/subsite-settings.ts'
import { type CommentIndex, ROOT_INDEX } from '../../src/queries/comment-index.ts'
import { selectTree, type TreeNode } from '../../src/queries/comment-tree.ts'
import fc from '../support/properties.ts'
import { thread, usual } from '../support/sketched-thread.ts'

const below = (index: CommentIndex, row: number): readonly number[] => [
  row,
  ...Array.from({ length: index.size }, (_, r) => r)
    .filter((r) => index.parent[r] === row)
    .flatMap((r) => below(index, r)),
]

/** A comment to lead the thread, if one does. */
const topLevel = (index: CommentIndex, which: number | null): { readonly sticky?: number } => {
  if (which === null) return {}
  const top = Array.from({ length: index.size }, (_, row) => row).filter((row) => index.parent[row] === ROOT_INDEX)
  const sticky = top[which % top.length]
  return sticky === undefined ? {} : { sticky }
}

test('every comment is shown, left out as deleted, or in exactly one stub, and counts add up', (t) => {
  const node = fc.record({
    up: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    score: fc.nat(5),
    gone: fc.boolean(),
    op: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(node, { minLength: 1, maxLength: 40 }),
      fc.record({
        sort: fc.constantFrom(...commentSorts),
        limit: fc.integer({ min: 1, max: 45 }),
        depth: fc.integer({ min: 1, max: 6 }),
        seed: fc.nat(1000),
        leading: fc.option(fc.nat(40)),
      }),
      (nodes, { sort, limit, depth, seed, leading }) => {
        const sketch = Object.fromEntries(
          nodes.map(({ up, score, gone, op }, i) => {
            const parent = Math.floor(up * (i + 1)) - 1
            return [`c${i}`, { ...(parent >= 0 && { parent: `c${parent}` }), score, deleted: gone, author: op ? 'op' : 'other' }]
          }),
        )
        const { index } = thread(sketch)
        const gone = (row: number) => index.deleted[row] === 1
        const random = () => ((seed * 7919) % 1000) / 1000
        const sticky = topLevel(index, leading)
        const placed = selectTree(index, { ...usual, sort, limit, depth, isGone: gone, random, ...sticky })
        const { sticky: lead } = { sticky: undefined, ...sticky }
        if (lead !== undefined && !(gone(lead) && index.descendants[lead] === 0)) t.like(placed[0], { kind: 'comment', row: lead })
        const met: number[] = []
        const stubbed: number[] = []
        const visit = (some: readonly TreeNode[], parent: number, level: number) => {
          for (const [at, one] of some.entries()) {
            if (one.kind === 'comment') {
              t.is(index.parent[one.row], parent)
              t.is(one.depth, level)
              t.true(level < depth)
              met.push(one.row)
              visit(one.replies, one.row, level + 1)
              continue
            }
            t.is(one.parent, parent)
            t.is(at, some.length - 1, 'a stub stands last')
            const hidden = one.kind === 'more' ? one.children.flatMap((row) => below(index, row)) : below(index, one.parent).slice(1)
            t.true(hidden.length > 0)
            if (one.kind === 'more') t.is(one.count, hidden.length)
            stubbed.push(...hidden)
          }
        }
        visit(placed, ROOT_INDEX, 0)
        t.true(met.length <= limit)
        const all = [...met, ...stubbed]
        t.is(new Set(all).size, all.length, 'nothing stands twice')
        for (let row = 0; row < index.size; row += 1) {
          if (!all.includes(row)) t.true(gone(row) && index.descendants[row] === 0, 'only what is gone and unanswered is nowhere')
        }
      },
    ),
    { numRuns: 300 },
  )
})

type Shown = readonly [row: number, replies: readonly Shown[]]

test('following every stub gives the whole tree in the order of the sort', (t) => {
  const node = fc.record({
    up: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    score: fc.nat(5),
    gone: fc.nat(3),
    op: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(node, { minLength: 1, maxLength: 60 }),
      fc.record({
        sort: fc.constantFrom(...commentSorts),
        limit: fc.integer({ min: 1, max: 20 }),
        depth: fc.integer({ min: 1, max: 6 }),
        leading: fc.option(fc.nat(60)),
      }),
      (nodes, { sort, limit, depth, leading }) => {
        const sketch = Object.fromEntries(
          nodes.map(({ up, score, gone, op }, i) => {
            // deep ones among them, so that threads continue elsewhere
            const parent = i - 1 - Math.floor(up ** 4 * (i + 1))
            return [`c${i}`, { ...(parent >= 0 && { parent: `c${parent}` }), score, deleted: gone === 0, author: op ? 'op' : 'other' }]
          }),
        )
        const { index } = thread(sketch)
        const request = { ...usual, ...topLevel(index, leading), sort, gone: (row: number) => index.deleted[row] === 1 }
        /** Returns the comments that a stub stands for, or the page of the comment where the thread continues. */
        const followed = (one: Exclude<TreeNode, { readonly kind: 'comment' }>): readonly Shown[] => {
          if (one.kind === 'more') return resolved(selectTree(index, { ...request, view: { kind: 'children', rows: one.children }, limit }))
          const [page] = resolved(selectTree(index, { ...request, view: { kind: 'focus', row: one.parent, context: 0 }, limit }))
          return page?.[1] ?? []
        }
        const resolved = (placed: readonly TreeNode[]): readonly Shown[] =>
          placed.flatMap((one) => (one.kind === 'comment' ? [[one.row, resolved(one.replies)] as const] : followed(one)))
        const whole = resolved(selectTree(index, { ...request, limit: nodes.length, depth: nodes.length + 1 }))
        const pieced = resolved(selectTree(index, { ...request, limit, depth }))
        const rows = (some: readonly Shown[]): readonly number[] => some.flatMap(([row, replies]) => [row, ...rows(replies)])
        // questions and answers and a random order put first what others would not
        if (sort === 'qa' || sort === 'random') t.deepEqual(rows(pieced).toSorted(), rows(whole).toSorted())
        else t.deepEqual(pieced, whole)
      },
    ),
    { numRuns: 200 },
  )
})
