import { fullname } from '../domain/ids.ts'

/** The fields of a comment that ordering a thread needs, as the index on (link, position) has them. */
export type IndexedComment = {
  readonly seq: number
  readonly parent: number | undefined
  readonly author: string
  readonly ups: number
  readonly downs: number
  readonly length: number
  readonly deleted: boolean
  readonly removed: boolean
  readonly distinguished: boolean
}

/** The parent of top-level comments: the link. */
export const ROOT_INDEX = -1

/**
 * The shape of a thread, compact. Comments are rows, numbered in the order in which they became known, a parent always before its replies.
 * `children[childStart[row + 1]] … ` (`ROOT_INDEX`: the top level) are the replies of a row, oldest first.
 */
export type CommentIndex = {
  readonly size: number
  readonly seq: Float64Array
  readonly parent: Int32Array
  readonly author: readonly string[]
  readonly ups: Int32Array
  readonly downs: Int32Array
  readonly length: Int32Array
  readonly deleted: Uint8Array
  readonly removed: Uint8Array
  readonly distinguished: Uint8Array
  readonly depth: Int32Array
  /** The number of comments below a row, deleted and removed ones included. */
  readonly descendants: Int32Array
  readonly childStart: Int32Array
  readonly children: Int32Array
  /** Increases with every change. */
  readonly version: number
  readonly rowOf: (seq: number) => number | undefined
}

/** Returns the replies of a row, or with `ROOT_INDEX` the top-level comments. */
export const repliesOf = (index: CommentIndex, row: number): Int32Array =>
  index.children.subarray(index.childStart[row + 1], index.childStart[row + 2])

const growArray = <A extends Int32Array | Uint8Array | Float64Array>(array: A, make: (length: number) => A): A => {
  const larger = make(array.length * 2)
  larger.set(array as never)
  return larger
}
const int32 = (length: number) => new Int32Array(length)
const uint8 = (length: number) => new Uint8Array(length)
const float64 = (length: number) => new Float64Array(length)

/** A thread being loaded. Comments may arrive in any order, and again with other votes. `index` is its shape so far. */
export type CommentIndexBuilder = { readonly add: (comment: IndexedComment) => void; readonly index: () => CommentIndex }

export const openCommentIndex = (): CommentIndexBuilder => {
  let size = 0
  let version = 0
  let seq = float64(16)
  let parent = int32(16)
  let ups = int32(16)
  let downs = int32(16)
  let length = int32(16)
  let deleted = uint8(16)
  let removed = uint8(16)
  let distinguished = uint8(16)
  const author: string[] = []
  const names = new Map<string, string>()
  const rows = new Map<number, number>()
  /** Replies that arrived before their parents. */
  const waiting = new Map<number, Map<number, IndexedComment>>()
  let shape: { readonly size: number; readonly arrays: Pick<CommentIndex, 'depth' | 'descendants' | 'childStart' | 'children'> } | undefined
  let current: CommentIndex | undefined

  const attach = (comment: IndexedComment, parentRow: number) => {
    if (size === seq.length) {
      seq = growArray(seq, float64)
      parent = growArray(parent, int32)
      ups = growArray(ups, int32)
      downs = growArray(downs, int32)
      length = growArray(length, int32)
      deleted = growArray(deleted, uint8)
      removed = growArray(removed, uint8)
      distinguished = growArray(distinguished, uint8)
    }
    const row = size
    size += 1
    seq[row] = comment.seq
    parent[row] = parentRow
    const name = names.get(comment.author)
    if (name === undefined) names.set(comment.author, comment.author)
    author.push(name ?? comment.author)
    rows.set(comment.seq, row)
    update(row, comment)
    return row
  }

  /** Attaches a comment, then all replies that waited for it. */
  const attachWithReplies = (first: IndexedComment, parentRow: number) => {
    const ready = [{ comment: first, parentRow }]
    for (let next = ready.pop(); next; next = ready.pop()) {
      const row = attach(next.comment, next.parentRow)
      const replies = waiting.get(next.comment.seq)
      waiting.delete(next.comment.seq)
      for (const reply of replies?.values() ?? []) ready.push({ comment: reply, parentRow: row })
    }
  }

  const update = (row: number, comment: IndexedComment) => {
    ups[row] = comment.ups
    downs[row] = comment.downs
    length[row] = comment.length
    deleted[row] = Number(comment.deleted)
    removed[row] = Number(comment.removed)
    distinguished[row] = Number(comment.distinguished)
  }

  const add = (comment: IndexedComment) => {
    version += 1
    const known = rows.get(comment.seq)
    if (known !== undefined) return update(known, comment)
    const parentRow = comment.parent === undefined ? ROOT_INDEX : rows.get(comment.parent)
    if (parentRow !== undefined) return attachWithReplies(comment, parentRow)
    const siblings = waiting.get(comment.parent ?? ROOT_INDEX) ?? new Map<number, IndexedComment>()
    waiting.set(comment.parent ?? ROOT_INDEX, siblings.set(comment.seq, comment))
  }

  const shapeNow = () => {
    if (shape?.size === size) return shape.arrays
    const depth = int32(size)
    const descendants = int32(size)
    const childStart = int32(size + 2)
    const children = int32(size)
    for (let row = 0; row < size; row += 1) {
      const above = parent[row] ?? ROOT_INDEX
      depth[row] = above === ROOT_INDEX ? 0 : (depth[above] ?? 0) + 1
      childStart[above + 2] = (childStart[above + 2] ?? 0) + 1
    }
    for (let row = 1; row < childStart.length; row += 1) childStart[row] = (childStart[row] ?? 0) + (childStart[row - 1] ?? 0)
    const next = childStart.slice()
    for (let row = 0; row < size; row += 1) {
      const above = (parent[row] ?? ROOT_INDEX) + 1
      const place = next[above] ?? 0
      children[place] = row
      next[above] = place + 1
    }
    for (let row = size - 1; row >= 0; row -= 1) {
      const above = parent[row] ?? ROOT_INDEX
      if (above !== ROOT_INDEX) descendants[above] = (descendants[above] ?? 0) + 1 + (descendants[row] ?? 0)
    }
    shape = { size, arrays: { depth, descendants, childStart, children } }
    return shape.arrays
  }

  const index = (): CommentIndex => {
    if (current?.version === version) return current
    const count = size // comments that are loaded later get rows that this index does not have
    const rowOf = (s: number) => {
      const row = rows.get(s)
      return row !== undefined && row < count ? row : undefined
    }
    current = { size, seq, parent, author, ups, downs, length, deleted, removed, distinguished, ...shapeNow(), version, rowOf }
    return current
  }
  return { add, index }
}

/** The names cached for one thread: more than its pages show, unless all comments of a large thread are requested. */
const MAX_NAMES = 5_000
// the names of comments on a page are needed each time it is shown
const names = new WeakMap<CommentIndex, Map<number, string>>()

/** Returns the fullname of the comment in a row. */
export const commentId = (index: CommentIndex, row: number): string => {
  let known = names.get(index)
  if (!known) {
    known = new Map()
    names.set(index, known)
  }
  const name = known.get(row) ?? fullname('comment', index.seq[row] ?? 0)
  if (known.size < MAX_NAMES) known.set(row, name)
  return name
}
