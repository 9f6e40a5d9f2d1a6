import type { CommentDocument } from '../../../projections/comments.ts'
import { base36 } from '../../domain/base36.ts'
import { type CommentIndex, commentId, ROOT_INDEX } from '../../queries/comment-index.ts'
import type { TreeNode } from '../../queries/comment-tree.ts'
import type { ThingSurroundings } from '../../queries/surroundings.ts'
import { type Fragment, SharedFragment } from '../wire/json-writing.ts'
import { commentThing } from './comment.ts'
import { closedListing } from './listing.ts'

/** A selection of a thread, and what it is shown with. */
export type Thread = {
  readonly link: string
  readonly index: CommentIndex
  readonly comments: ReadonlyMap<string, CommentDocument>
  readonly around: ThingSurroundings
  readonly modhash: string | null
  readonly edits: boolean
}

type Stub = Exclude<TreeNode, { readonly kind: 'comment' }>

const stubOf = (node: Stub, { link, index }: Thread): Fragment =>
  new SharedFragment(() => {
    const children = node.kind === 'more' ? node.children.map((row) => base36(index.seq[row] ?? 0)) : []
    const id = children[0] ?? '_'
    const parent = node.parent === ROOT_INDEX ? link : commentId(index, node.parent)
    const count = node.kind === 'more' ? node.count : 0
    return JSON.stringify({ kind: 'more', data: { id, name: `t1_${id}`, parent_id: parent, count, children, depth: node.depth } })
  })

// a large thread names most of its comments on every page, for every viewer the same
const stubs = new WeakMap<Stub, Fragment>()

const stub = (node: Stub, thread: Thread): Fragment => {
  const known = stubs.get(node) ?? stubOf(node, thread)
  stubs.set(node, known)
  return known
}

/** Returns a thread with replies inside what they reply to. */
export const nestReplies = (placed: readonly TreeNode[], thread: Thread): readonly Fragment[] =>
  placed.flatMap((node) => {
    if (node.kind !== 'comment') return [stub(node, thread)]
    const comment = thread.comments.get(commentId(thread.index, node.row))
    if (!comment) return []
    const replies = nestReplies(node.replies, thread)
    const options = {
      depth: node.depth,
      edits: thread.edits,
      ...(replies.length > 0 && { replies: closedListing(replies, thread.modhash) }),
    }
    return commentThing(comment, thread.around, options) ?? []
  })

/** Returns the tree as one list: a comment before its replies, stubs last in each block. */
export const flattenReplies = (placed: readonly TreeNode[], thread: Thread): readonly Fragment[] =>
  placed.flatMap((node) => {
    if (node.kind !== 'comment') return [stub(node, thread)]
    const comment = thread.comments.get(commentId(thread.index, node.row))
    const thing = comment && commentThing(comment, thread.around, { depth: node.depth, edits: thread.edits })
    return [...(thing ? [thing] : []), ...flattenReplies(node.replies, thread)]
  })
