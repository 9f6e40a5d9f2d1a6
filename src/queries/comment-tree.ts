import TinyQueue from 'tinyqueue'
import { type CommentSort, commentSorts } from '../domain/subsite-settings.ts'
import { type CommentIndex, ROOT_INDEX, repliesOf } from './comment-index.ts'
import { type Ranking, rankingOf, shuffleRanking } from './comment-ranking.ts'

export const isCommentSort = (name: string): name is CommentSort => (commentSorts as readonly string[]).includes(name)

/** A comment in its place, or a stub for comments that are not shown: `more` of them, or a thread that continues on another page. */
export type TreeNode =
  | { readonly kind: 'comment'; readonly row: number; readonly depth: number; readonly replies: readonly TreeNode[] }
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
  /** The sticky comment, if there is one. It counts towards `limit`, and its replies are left out. */
  readonly sticky?: number
  /**
   * Tells whether a comment is deleted, or removed for this viewer: it becomes a placeholder if it has replies, and is left out otherwise.
   */
  readonly isGone: (row: number) => boolean
  /** Returns a number from 0 to less than 1. */
  readonly random: () => number
}

/**
 * The rows that a view begins with, best first; the replies to a row (above a focus only the one on its path), and the number of comments
 * below a row.
 */
type Stage = {
  readonly start: Int32Array
  readonly base: number
  readonly replies: (row: number) => Int32Array
  readonly descendants: (row: number) => number
}

const stageOf = (index: CommentIndex, view: View, { top, better }: Ranking): Stage => {
  const replies = (row: number) => repliesOf(index, row)
  const descendants = (row: number) => index.descendants[row] ?? 0
  if (view.kind === 'whole') return { start: top, base: 0, replies, descendants }
  if (view.kind === 'children') {
    const shallowest = view.rows.reduce((least, row) => Math.min(least, index.depth[row] ?? 0), Number.POSITIVE_INFINITY)
    const start = view.rows.filter((row) => index.depth[row] === shallowest)
    return { start: Int32Array.from(new Set(start)).sort(better), base: shallowest, replies, descendants }
  }
  const path = [view.row]
  for (
    let row = index.parent[view.row] ?? ROOT_INDEX;
    row !== ROOT_INDEX && path.length <= view.context;
    row = index.parent[row] ?? ROOT_INDEX
  )
    path.unshift(row)
  const next = new Map(path.map((row, at) => [row, path[at + 1]]))
  return {
    start: Int32Array.from(path.slice(0, 1)),
    base: index.depth[path[0] ?? view.row] ?? 0,
    replies: (row) => {
      const child = next.get(row)
      return child === undefined ? replies(row) : Int32Array.of(child)
    },
    descendants: (row) => (next.get(row) === undefined ? descendants(row) : path.length - 1 - path.indexOf(row) + descendants(view.row)),
  }
}

type RowChoice = { readonly rows: readonly number[]; readonly left: Int32Array }

/** Repeatedly takes the best candidate of the whole tree; its replies then become candidates. */
const choose = (
  index: CommentIndex,
  { start, base, replies }: Stage,
  { better }: Ranking,
  { limit, depth }: Pick<TreeRequest, 'limit' | 'depth'>,
  sticky: number | undefined,
): RowChoice => {
  const rows: number[] = sticky === undefined ? [] : [sticky]
  const candidates = new TinyQueue<number>([], better)
  let count = 0
  while (rows.length < limit) {
    const first = start[count]
    const reply = candidates.peek()
    const row = first !== undefined && (reply === undefined || better(first, reply) < 0) ? first : reply
    if (row === undefined) break
    if (row === first) count += 1
    else candidates.pop()
    if (row === sticky) continue
    rows.push(row)
    if ((index.depth[row] ?? 0) - base + 1 < depth) for (const below of replies(row)) candidates.push(below)
  }
  const left = start.subarray(count)
  return { rows, left: sticky === undefined ? left : left.filter((row) => row !== sticky) }
}

/**
 * Restricts a thread to questions and answers: top-level comments, comments of the link's author and the replies to them, distinguished
 * comments, and the ancestors of all these.
 */
const questionsAndAnswers = (index: CommentIndex, { rows, left }: RowChoice, linkAuthor: string): RowChoice => {
  const keptRows = new Set<number>()
  for (const row of rows.toReversed()) {
    const parent = index.parent[row] ?? ROOT_INDEX
    const answered = parent !== ROOT_INDEX && index.author[parent] === linkAuthor
    const isWanted = parent === ROOT_INDEX || answered || index.author[row] === linkAuthor || index.distinguished[row] === 1
    if (!keptRows.has(row) && !isWanted) continue
    keptRows.add(row)
    if (parent !== ROOT_INDEX) keptRows.add(parent)
  }
  return { rows: rows.filter((row) => keptRows.has(row)), left }
}

/** Selects the comments of a thread to show and the stubs for the rest. Every comment is shown, in a `more`, or below a stub. */
export const selectTree = (index: CommentIndex, request: TreeRequest): readonly TreeNode[] => {
  const { view, sort, linkAuthor, depth, showMore, isGone: gone } = request
  if (view.kind === 'children' && view.rows.length === 0) return []
  const ranked = rankingOf(index, sort, linkAuthor)
  const ranking = sort === 'random' ? shuffleRanking(index, ranked, request.random) : ranked
  const stage = stageOf(index, view, ranking)
  const { start, base, replies, descendants } = stage
  const all = choose(index, stage, ranking, request, view.kind === 'whole' ? request.sticky : undefined)
  const { rows, left } = sort === 'qa' && view.kind === 'whole' ? questionsAndAnswers(index, all, linkAuthor) : all

  // a whole thread begins with comments without a parent, which are recognized without a set of all of them
  const roots: ReadonlySet<number> = new Set(view.kind === 'whole' ? [] : start)
  const under = new Map<number, number[]>()
  for (const row of rows) {
    const parent = roots.has(row) ? ROOT_INDEX : (index.parent[row] ?? ROOT_INDEX)
    const siblings = under.get(parent)
    if (siblings) siblings.push(row)
    else under.set(parent, [row])
  }
  /** The number of levels above the page; a focus is its top. */
  const above = view.kind === 'focus' ? base : 0
  const depthOf = (row: number) => (row === ROOT_INDEX ? -1 : (index.depth[row] ?? 0) - above)
  const weight = (rows: readonly number[]) => {
    let sum = 0
    for (const row of rows) sum += 1 + descendants(row)
    return sum
  }

  const stub = (row: number, shown: readonly number[]): readonly TreeNode[] => {
    if (!showMore || descendants(row) === 0) return []
    if ((index.depth[row] ?? 0) - base === depth - 1) return [{ kind: 'continue', parent: row, depth: depthOf(row) + 1 }]
    const known = new Set(shown)
    const children = [...replies(row)].filter((reply) => !known.has(reply)).sort(ranking.better)
    const count = descendants(row) - weight(shown)
    return children.length === 0 ? [] : [{ kind: 'more', parent: row, depth: depthOf(row) + 1, children, count }]
  }

  const place = (row: number): readonly TreeNode[] => {
    if (gone(row) && descendants(row) === 0) return []
    const shown = under.get(row) ?? []
    return [{ kind: 'comment', row, depth: depthOf(row), replies: [...shown.flatMap(place), ...stub(row, shown)] }]
  }

  const unshown = (): readonly TreeNode[] => {
    const rest = view.kind === 'children' ? [...left, ...elsewhere(index, view.rows, roots)] : [...left]
    const siblings = view.kind === 'children' ? Map.groupBy(rest, (row) => index.parent[row] ?? ROOT_INDEX) : new Map([[ROOT_INDEX, rest]])
    return [...siblings].flatMap(([parent, children]) =>
      children.length === 0 ? [] : [{ kind: 'more' as const, parent, depth: depthOf(parent) + 1, children, count: weight(children) }],
    )
  }
  return [...(under.get(ROOT_INDEX) ?? []).flatMap(place), ...(showMore ? unshown() : [])]
}

/** Returns the requested comments that are neither at the start nor below it. Each ancestor is visited once for all of them. */
const elsewhere = (index: CommentIndex, rows: readonly number[], roots: ReadonlySet<number>): readonly number[] => {
  // the children of one stub stand at one depth, so that all of them are at the start
  const deeper = rows.filter((row) => !roots.has(row))
  if (deeper.length === 0) return []
  const below = new Map<number, boolean>([[ROOT_INDEX, false]])
  for (const root of roots) below.set(root, true)
  const isBelow = (row: number): boolean => {
    const path: number[] = []
    let above = row
    while (!below.has(above)) {
      path.push(above)
      above = index.parent[above] ?? ROOT_INDEX
    }
    const answer = below.get(above) ?? false
    for (const passed of path) below.set(passed, answer)
    return answer
  }
  return [...new Set(deeper)].filter((row) => !isBelow(row))
}

/** Returns all rows that are shown as comments. */
export const shownRows = (placed: readonly TreeNode[]): readonly number[] =>
  placed.flatMap((node) => (node.kind === 'comment' ? [node.row, ...shownRows(node.replies)] : []))
