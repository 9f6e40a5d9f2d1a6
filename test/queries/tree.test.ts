import test from 'ava'
import { commentSorts } from '../../src/domain/subsite-settings.ts'
import { growing, ROOT, type Skeleton } from '../../src/queries/comment-index.ts'
import { type Placed, selectTree, type TreeRequest } from '../../src/queries/tree.ts'
import fc from '../support/properties.ts'

type Sketch = {
  readonly parent?: string
  readonly score?: number
  readonly author?: string
  readonly deleted?: boolean
  readonly removed?: boolean
}

const thread = (comments: Readonly<Record<string, Sketch>>) => {
  const names = Object.keys(comments)
  const { add, skeleton } = growing()
  for (const [name, { parent, score = 1, author = 'someone', deleted = false, removed = false }] of Object.entries(comments)) {
    add({
      seq: names.indexOf(name),
      parent: parent === undefined ? undefined : names.indexOf(parent),
      author,
      ups: 0,
      downs: score,
      length: 10,
      deleted,
      removed,
    })
  }
  const rowOf = (name: string) => skeleton().rowOf(names.indexOf(name)) ?? Number.NaN
  return { skeleton: skeleton(), rowOf, nameOf: (row: number) => names[skeleton().seq[row] ?? 0] ?? '?' }
}

const usual: TreeRequest = {
  view: { kind: 'whole' },
  sort: 'top',
  linkAuthor: 'op',
  limit: 100,
  depth: 10,
  showMore: true,
  gone: () => false,
  random: () => 0.5,
}

/** `A(a1 a2(x)) +2[B C]`: replies in round brackets, stubs with their count and children, `…` for a thread that continues. */
const drawn = (placed: readonly Placed[], nameOf: (row: number) => string): string =>
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
const shows = (request: Partial<TreeRequest>, { skeleton, nameOf } = worked) =>
  drawn(selectTree(skeleton, { ...usual, ...request }), nameOf)

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
  const gone = (row: number) => some.skeleton.deleted[row] === 1 || some.skeleton.removed[row] === 1
  t.is(shows({ gone, sort: 'old' }, some), 'B(b1) C')
  t.is(shows({ gone, sort: 'old', view: { kind: 'focus', row: some.rowOf('A'), context: 0 } }, some), '')
  t.is(shows({ gone, sort: 'old', limit: 1 }, some), '+3[B C]', 'a dropped comment used its place')
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

test('qa shows comments of the author, those they reply to, and their ancestors', (t) => {
  const some = thread({
    A: {},
    a1: { parent: 'A', author: 'op' },
    a2: { parent: 'a1', author: 'thanks' },
    a3: { parent: 'A', author: 'bystander' },
    b: {},
    b1: { parent: 'b' },
    b2: { parent: 'b1', author: 'op' },
  })
  t.is(shows({ sort: 'qa' }, some), 'A(a1(a2) +1[a3]) b(b1(b2))')
})

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

const below = (skeleton: Skeleton, row: number): readonly number[] => [
  row,
  ...Array.from({ length: skeleton.size }, (_, r) => r)
    .filter((r) => skeleton.parent[r] === row)
    .flatMap((r) => below(skeleton, r)),
]

/** A comment to lead the thread, if one does. */
const topLevel = (skeleton: Skeleton, which: number | null): { readonly sticky?: number } => {
  if (which === null) return {}
  const top = Array.from({ length: skeleton.size }, (_, row) => row).filter((row) => skeleton.parent[row] === ROOT)
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
        const { skeleton } = thread(sketch)
        const gone = (row: number) => skeleton.deleted[row] === 1
        const random = () => ((seed * 7919) % 1000) / 1000
        const sticky = topLevel(skeleton, leading)
        const placed = selectTree(skeleton, { ...usual, sort, limit, depth, gone, random, ...sticky })
        const { sticky: lead } = { sticky: undefined, ...sticky }
        if (lead !== undefined && !(gone(lead) && skeleton.descendants[lead] === 0)) t.like(placed[0], { kind: 'comment', row: lead })
        const met: number[] = []
        const stubbed: number[] = []
        const visit = (some: readonly Placed[], parent: number, level: number) => {
          for (const [index, one] of some.entries()) {
            if (one.kind === 'comment') {
              t.is(skeleton.parent[one.row], parent)
              t.is(one.depth, level)
              t.true(level < depth)
              met.push(one.row)
              visit(one.replies, one.row, level + 1)
              continue
            }
            t.is(one.parent, parent)
            t.is(index, some.length - 1, 'a stub stands last')
            const hidden = one.kind === 'more' ? one.children.flatMap((row) => below(skeleton, row)) : below(skeleton, one.parent).slice(1)
            t.true(hidden.length > 0)
            if (one.kind === 'more') t.is(one.count, hidden.length)
            stubbed.push(...hidden)
          }
        }
        visit(placed, ROOT, 0)
        t.true(met.length <= limit)
        const all = [...met, ...stubbed]
        t.is(new Set(all).size, all.length, 'nothing stands twice')
        for (let row = 0; row < skeleton.size; row += 1) {
          if (!all.includes(row)) t.true(gone(row) && skeleton.descendants[row] === 0, 'only what is gone and unanswered is nowhere')
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
        const { skeleton } = thread(sketch)
        const request = { ...usual, ...topLevel(skeleton, leading), sort, gone: (row: number) => skeleton.deleted[row] === 1 }
        /** What stands for a stub: what it names, or the page of the comment where the thread continues. */
        const followed = (one: Exclude<Placed, { readonly kind: 'comment' }>): readonly Shown[] => {
          if (one.kind === 'more')
            return resolved(selectTree(skeleton, { ...request, view: { kind: 'children', rows: one.children }, limit }))
          const [page] = resolved(selectTree(skeleton, { ...request, view: { kind: 'focus', row: one.parent, context: 0 }, limit }))
          return page?.[1] ?? []
        }
        const resolved = (placed: readonly Placed[]): readonly Shown[] =>
          placed.flatMap((one) => (one.kind === 'comment' ? [[one.row, resolved(one.replies)] as const] : followed(one)))
        const whole = resolved(selectTree(skeleton, { ...request, limit: nodes.length, depth: nodes.length + 1 }))
        const pieced = resolved(selectTree(skeleton, { ...request, limit, depth }))
        const rows = (some: readonly Shown[]): readonly number[] => some.flatMap(([row, replies]) => [row, ...rows(replies)])
        // questions and answers and a random order put first what others would not
        if (sort === 'qa' || sort === 'random') t.deepEqual(rows(pieced).toSorted(), rows(whole).toSorted())
        else t.deepEqual(pieced, whole)
      },
    ),
    { numRuns: 200 },
  )
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
