import { setImmediate } from 'node:timers/promises'
import { type CommentDocument, comments } from '../../projections/comments.ts'
import type { LinkDocument } from '../../projections/links.ts'
import { type CommentId, numberOf } from '../domain/ids.ts'
import type { Preferences } from '../domain/preferences.ts'
import type { CommentSort } from '../domain/subsite-settings.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { estimateBytes } from '../ports/size.ts'
import { type CommentIndex, commentId } from './comment-index.ts'
import { rankingOf } from './comment-ranking.ts'
import { isCommentSort, selectTree, shownRows, type TreeNode, type View } from './comment-tree.ts'
import { MAX_DOCUMENT_PAGE_BYTES } from './ordered-source.ts'
import type { Reading } from './reading.ts'

/**
 * Returns the requested sort. Otherwise it is the suggestion of the link or its subsite, unless that is qa and the viewer is the author, or
 * the viewer ignores suggestions. Otherwise it is the viewer's preference. In contest mode it is random, except for moderators, for whom
 * the suggestion is ignored then.
 */
export const threadSort = (requested: string, link: LinkDocument, read: Reading, preferences: Preferences): CommentSort => {
  const { default_comment_sort: preferred, ignore_suggested_sort } = preferences
  if (link.contestMode && !read.moderates(link.subsite)) return 'random'
  if (requested !== '') return isCommentSort(requested) ? requested : preferred
  if (link.contestMode || ignore_suggested_sort) return preferred
  const suggested = link.suggestedSort || (read.subsite(link.subsite)?.settings.suggested_comment_sort ?? '')
  if (!isCommentSort(suggested) || (suggested === 'qa' && link.author === read.viewer.account)) return preferred
  return suggested
}

/** Tells whether a comment is deleted, or removed for this viewer. */
const goneFor = (index: CommentIndex, { subsite }: LinkDocument, { viewer, moderates }: Reading) => {
  const privileged = moderates(subsite)
  return (row: number): boolean => {
    if (index.deleted[row] === 1) return true
    return index.removed[row] === 1 && !privileged && index.author[row] !== viewer.account
  }
}

/** Returns the stickied comment of a link, unless this process has not loaded it yet. */
const stickyOf = (index: CommentIndex, { stickyComment }: LinkDocument): { readonly sticky?: number } => {
  const row = stickyComment === undefined ? undefined : index.rowOf(numberOf(stickyComment))
  return row === undefined ? {} : { sticky: row }
}

export type Selection = {
  readonly view: View
  readonly sort: CommentSort
  readonly limit: number
  readonly depth: number
  readonly showMore: boolean
}

/** The comments of a page, each in its place, and their names. */
type Shape = { readonly placed: readonly TreeNode[]; readonly ids: readonly CommentId[] }

const shapeOf = (index: CommentIndex, placed: readonly TreeNode[]): Shape => ({
  placed,
  ids: shownRows(placed).map((row) => commentId(index, row)),
})

const select = (index: CommentIndex, link: LinkDocument, read: Reading, selection: Selection): Shape =>
  shapeOf(
    index,
    selectTree(index, {
      ...selection,
      ...stickyOf(index, link),
      linkAuthor: link.author,
      isGone: goneFor(index, link, read),
      random: Math.random,
    }),
  )

/** Shapes cached for one thread. */
const MAX_SHAPES_PER_THREAD = 2
// a popular thread is read far more often than it changes
const shapes = new WeakMap<CommentIndex, Map<string, Shape>>()

/** Selects the comments of a thread, once for all viewers who are shown the same. */
const selectOnce = (index: CommentIndex, link: LinkDocument, read: Reading, selection: Selection): Shape => {
  const { view, sort, limit, depth, showMore } = selection
  if (view.kind !== 'whole' || sort === 'random' || index.removed.includes(1)) return select(index, link, read, selection)
  const known = shapes.get(index) ?? new Map<string, Shape>()
  shapes.set(index, known)
  const key = [sort, limit, depth, showMore, link.author, link.stickyComment].join(' ')
  const shape = known.get(key) ?? select(index, link, read, selection)
  if (known.size >= MAX_SHAPES_PER_THREAD && !known.has(key)) known.clear()
  known.set(key, shape)
  return shape
}

/** Leaves out the comments of authors whom the viewer blocks, and all replies below them; moderators see all. `more` does not name them. */
const withoutBlocked = async (index: CommentIndex, link: LinkDocument, read: Reading, shape: Shape): Promise<Shape> => {
  if (read.isModerator(link.subsite)) return shape
  const blocked = await read.blockedAuthors(shownRows(shape.placed).map((row) => index.author[row] ?? ''))
  if (blocked.size === 0) return shape
  const dropBlocked = (nodes: readonly TreeNode[]): readonly TreeNode[] =>
    nodes.flatMap((one): readonly TreeNode[] => {
      if (one.kind !== 'comment') return [one]
      return blocked.has(index.author[one.row] ?? '') ? [] : [{ ...one, replies: dropBlocked(one.replies) }]
    })
  return shapeOf(index, dropBlocked(shape.placed))
}

type ShownThread = { readonly placed: readonly TreeNode[]; readonly shown: ReadonlyMap<string, CommentDocument> }

/** The number of comments from which on shaping, ranking and selecting each take a turn of the event loop: some 20 ms for 60,000. */
const LARGE_THREAD_COMMENTS = 20_000
const letOthers = async ({ size }: CommentIndex): Promise<void> => {
  if (size >= LARGE_THREAD_COMMENTS) await setImmediate()
}

/** Selects as many of the best comments as are wanted or fit on one page. `more` objects stand for the others. */
export const selectThatFits = async (
  documents: DocumentStore,
  index: CommentIndex,
  link: LinkDocument,
  read: Reading,
  selection: Selection,
): Promise<ShownThread> => {
  await letOthers(index)
  rankingOf(index, selection.sort, link.author)
  await letOthers(index)
  const selected = selectOnce(index, link, read, selection)
  await letOthers(index)
  const { placed, ids } = await withoutBlocked(index, link, read, selected)
  const shown = await documents.getMany(comments, ids)
  let bytes = 0
  for (const comment of shown.values()) bytes += estimateBytes(comment)
  const limit = Math.min(ids.length - 1, Math.ceil((ids.length * MAX_DOCUMENT_PAGE_BYTES) / bytes))
  // shows the ancestors of a focused comment whatever the limit
  if (bytes <= MAX_DOCUMENT_PAGE_BYTES || limit < 1 || limit >= selection.limit) return { placed, shown }
  return selectThatFits(documents, index, link, read, { ...selection, limit })
}
