import TinyQueue from 'tinyqueue'
import { confidence, funRank, qaRank, scoreOf } from '../domain/ranking.ts'
import { type CommentSort, commentSorts } from '../domain/subsite-settings.ts'
import { ROOT, repliesOf, type Skeleton } from './comment-index.ts'

export const isCommentSort = (name: string): name is CommentSort => (commentSorts as readonly string[]).includes(name)

/** A comment where it stands, or what stands for comments that are not shown: `more` of them, or a thread that continues elsewhere. */
export type Placed =
  | { readonly kind: 'comment'; readonly row: number; readonly depth: number; readonly replies: readonly Placed[] }
  | { readonly kind: 'more'; readonly parent: number; readonly depth: number; readonly children: readonly number[]; readonly count: number }
  | { readonly kind: 'continue'; readonly parent: number; readonly depth: number }

/** The whole thread; one comment below at most `context` of its ancestors; or the comments that a `more` stood for. */
export type View =
  | { readonly kind: 'whole' }
  | { readonly kind: 'focus'; readonly row: number; readonly context: number }
  | { readonly kind: 'children'; readonly rows: readonly number[] }

export type TreeRequest = {
  readonly view: View
  readonly sort: CommentSort
  readonly linkAuthor: string
  readonly limit: number
  readonly depth: number
  readonly showMore: boolean
  /** Deleted, or removed for this viewer: a placeholder while replies hang on it, else nothing. */
  readonly gone: (row: number) => boolean
  /** In [0, 1). */
  readonly random: () => number
}

type Ranking = { readonly values: Float64Array; readonly better: (a: number, b: number) => number; readonly top: Int32Array }

const rankOf = (skeleton: Skeleton, sort: CommentSort, linkAuthor: string): ((row: number) => number) => {
  const tally = (row: number) => ({ ups: skeleton.ups[row] ?? 0, downs: skeleton.downs[row] ?? 0, length: skeleton.length[row] ?? 0 })
  switch (sort) {
    case 'new':
      return (row) => skeleton.seq[row] ?? 0
    case 'old':
      return (row) => -(skeleton.seq[row] ?? 0)
    case 'top':
      return (row) => scoreOf(tally(row))
    case 'insightful':
      return (row) => skeleton.ups[row] ?? 0
    case 'fun':
      return (row) => funRank(tally(row))
    case 'confidence':
    case 'random':
      return (row) => confidence(tally(row))
    case 'qa': {
      const answers = bestAnswers(skeleton, linkAuthor)
      return (row) => {
        const answer = answers.get(row)
        return qaRank(tally(row), answer === undefined ? undefined : tally(answer), skeleton.author[row] === linkAuthor)
      }
    }
  }
}

/** The direct reply of the link's author with the highest confidence, by what it replies to. */
const bestAnswers = (skeleton: Skeleton, linkAuthor: string): ReadonlyMap<number, number> => {
  const best = new Map<number, number>()
  const confidenceOf = (row: number) => confidence({ ups: skeleton.ups[row] ?? 0, downs: skeleton.downs[row] ?? 0 })
  for (let row = 0; row < skeleton.size; row += 1) {
    const parent = skeleton.parent[row] ?? ROOT
    if (parent === ROOT || skeleton.author[row] !== linkAuthor) continue
    const known = best.get(parent)
    if (known === undefined || confidenceOf(row) > confidenceOf(known)) best.set(parent, row)
  }
  return best
}

/** Higher values first; of equals, the lower tie. */
const rankingBy = (skeleton: Skeleton, values: Float64Array, ties: Float64Array): Ranking => {
  const better = (a: number, b: number) => (values[b] ?? 0) - (values[a] ?? 0) || (ties[a] ?? 0) - (ties[b] ?? 0)
  return { values, better, top: repliesOf(skeleton, ROOT).slice().sort(better) }
}

// a popular thread is read far more often than it changes
const rankings = new WeakMap<Skeleton, Map<string, Ranking>>()

const rankingOf = (skeleton: Skeleton, sort: CommentSort, linkAuthor: string): Ranking => {
  const known = rankings.get(skeleton) ?? new Map<string, Ranking>()
  rankings.set(skeleton, known)
  const remembered = known.get(sort)
  if (remembered) return remembered
  const rank = rankOf(skeleton, sort, linkAuthor)
  const values = Float64Array.from({ length: skeleton.size }, (_, row) => rank(row))
  const ranking = rankingBy(skeleton, values, skeleton.seq)
  known.set(sort, ranking)
  return ranking
}

/** Top-level comments trade their values at random; replies keep theirs. */
const shuffled = (skeleton: Skeleton, { values }: Ranking, random: () => number): Ranking => {
  const dealt = values.slice()
  const ties = skeleton.seq.slice()
  const top = repliesOf(skeleton, ROOT)
  for (let i = top.length - 1; i >= 0; i -= 1) {
    const a = top[i] ?? 0
    const b = top[Math.floor(random() * (i + 1))] ?? 0
    const value = dealt[a] ?? 0
    dealt[a] = dealt[b] ?? 0
    dealt[b] = value
    ties[a] = random()
  }
  return rankingBy(skeleton, dealt, ties)
}

/** Where a view begins, best first; its replies (pruned to the path above a focus) and how many comments are below a row. */
type Stage = {
  readonly start: Int32Array
  readonly base: number
  readonly replies: (row: number) => Int32Array
  readonly descendants: (row: number) => number
}

const stageOf = (skeleton: Skeleton, view: View, { top, better }: Ranking): Stage => {
  const replies = (row: number) => repliesOf(skeleton, row)
  const descendants = (row: number) => skeleton.descendants[row] ?? 0
  if (view.kind === 'whole') return { start: top, base: 0, replies, descendants }
  if (view.kind === 'children') {
    const shallowest = view.rows.reduce((least, row) => Math.min(least, skeleton.depth[row] ?? 0), Number.POSITIVE_INFINITY)
    const start = view.rows.filter((row) => skeleton.depth[row] === shallowest)
    return { start: Int32Array.from(new Set(start)).sort(better), base: shallowest, replies, descendants }
  }
  const path = [view.row]
  for (let row = skeleton.parent[view.row] ?? ROOT; row !== ROOT && path.length <= view.context; row = skeleton.parent[row] ?? ROOT)
    path.unshift(row)
  const next = new Map(path.map((row, index) => [row, path[index + 1]]))
  return {
    start: Int32Array.from(path.slice(0, 1)),
    base: skeleton.depth[path[0] ?? view.row] ?? 0,
    replies: (row) => {
      const child = next.get(row)
      return child === undefined ? replies(row) : Int32Array.of(child)
    },
    descendants: (row) => (next.get(row) === undefined ? descendants(row) : path.length - 1 - path.indexOf(row) + descendants(view.row)),
  }
}

type Chosen = { readonly rows: readonly number[]; readonly left: Int32Array }

/** Repeatedly the best candidate of the whole tree; only then its replies are candidates too. */
const choose = (skeleton: Skeleton, { start, base, replies }: Stage, { better }: Ranking, limit: number, depth: number): Chosen => {
  const rows: number[] = []
  const candidates = new TinyQueue<number>([], better)
  let taken = 0
  while (rows.length < limit) {
    const first = start[taken]
    const reply = candidates.peek()
    const row = first !== undefined && (reply === undefined || better(first, reply) < 0) ? first : reply
    if (row === undefined) break
    if (row === first) taken += 1
    else candidates.pop()
    rows.push(row)
    if ((skeleton.depth[row] ?? 0) - base + 1 < depth) for (const below of replies(row)) candidates.push(below)
  }
  return { rows, left: start.subarray(taken) }
}

/** Questions and answers: top-level comments, what the link's author wrote and was told, and what that hangs on. */
const questionsAndAnswers = (skeleton: Skeleton, { rows, left }: Chosen, linkAuthor: string): Chosen => {
  const kept = new Set<number>()
  for (const row of rows.toReversed()) {
    const parent = skeleton.parent[row] ?? ROOT
    const answered = parent !== ROOT && skeleton.author[parent] === linkAuthor
    if (!kept.has(row) && parent !== ROOT && skeleton.author[row] !== linkAuthor && !answered) continue
    kept.add(row)
    if (parent !== ROOT) kept.add(parent)
  }
  return { rows: rows.filter((row) => kept.has(row)), left }
}

/** Selects what of a thread is shown, and what stands for the rest: every comment is shown, in a `more`, or behind one thread that continues. */
export const selectTree = (skeleton: Skeleton, request: TreeRequest): readonly Placed[] => {
  const { view, sort, linkAuthor, limit, depth, showMore, gone } = request
  if (view.kind === 'children' && view.rows.length === 0) return []
  const ranked = rankingOf(skeleton, sort, linkAuthor)
  const ranking = sort === 'random' ? shuffled(skeleton, ranked, request.random) : ranked
  const stage = stageOf(skeleton, view, ranking)
  const { start, base, replies, descendants } = stage
  const all = choose(skeleton, stage, ranking, limit, depth)
  const { rows, left } = sort === 'qa' && view.kind === 'whole' ? questionsAndAnswers(skeleton, all, linkAuthor) : all

  // the whole begins with what hangs on nothing, which is told without a set of them all
  const roots: ReadonlySet<number> = new Set(view.kind === 'whole' ? [] : start)
  const under = new Map<number, number[]>()
  for (const row of rows) {
    const parent = roots.has(row) ? ROOT : (skeleton.parent[row] ?? ROOT)
    const siblings = under.get(parent)
    if (siblings) siblings.push(row)
    else under.set(parent, [row])
  }
  /** Levels above the page: a focus is its top. */
  const above = view.kind === 'focus' ? base : 0
  const depthOf = (row: number) => (row === ROOT ? -1 : (skeleton.depth[row] ?? 0) - above)
  const weight = (some: readonly number[]) => {
    let sum = 0
    for (const row of some) sum += 1 + descendants(row)
    return sum
  }

  const stub = (row: number, shown: readonly number[]): readonly Placed[] => {
    if (!showMore || descendants(row) === 0) return []
    if ((skeleton.depth[row] ?? 0) - base === depth - 1) return [{ kind: 'continue', parent: row, depth: depthOf(row) + 1 }]
    const known = new Set(shown)
    const children = [...replies(row)].filter((reply) => !known.has(reply)).sort(ranking.better)
    const count = descendants(row) - weight(shown)
    return children.length === 0 ? [] : [{ kind: 'more', parent: row, depth: depthOf(row) + 1, children, count }]
  }

  const place = (row: number): readonly Placed[] => {
    if (gone(row) && descendants(row) === 0) return []
    const shown = under.get(row) ?? []
    return [{ kind: 'comment', row, depth: depthOf(row), replies: [...shown.flatMap(place), ...stub(row, shown)] }]
  }

  const unshown = (): readonly Placed[] => {
    const rest = view.kind === 'children' ? [...left, ...elsewhere(skeleton, view.rows, roots)] : [...left]
    const siblings = view.kind === 'children' ? Map.groupBy(rest, (row) => skeleton.parent[row] ?? ROOT) : new Map([[ROOT, rest]])
    return [...siblings].flatMap(([parent, children]) =>
      children.length === 0 ? [] : [{ kind: 'more' as const, parent, depth: depthOf(parent) + 1, children, count: weight(children) }],
    )
  }
  return [...(under.get(ROOT) ?? []).flatMap(place), ...(showMore ? unshown() : [])]
}

/** Comments that were asked for and stand neither at the start nor below it; each comment on the way up is looked at once for all. */
const elsewhere = (skeleton: Skeleton, asked: readonly number[], roots: ReadonlySet<number>): readonly number[] => {
  const below = new Map<number, boolean>([[ROOT, false]])
  for (const root of roots) below.set(root, true)
  const isBelow = (row: number): boolean => {
    const path: number[] = []
    let above = row
    while (!below.has(above)) {
      path.push(above)
      above = skeleton.parent[above] ?? ROOT
    }
    const answer = below.get(above) ?? false
    for (const passed of path) below.set(passed, answer)
    return answer
  }
  return [...new Set(asked)].filter((row) => !isBelow(row))
}
