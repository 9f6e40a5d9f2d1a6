import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type CommentDocument, comments } from '../../projections/comments.ts'
import { numberOf } from '../domain/ids.ts'
import { cacheBounds, setGrown } from '../ports/cache-bounds.ts'
import type { Anchor, DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import { type Freshness, INTEREST_MS } from '../ports/freshness.ts'
import { listingIndex, selectBy } from '../ports/indexed.ts'
import { type CommentIndex, type CommentIndexBuilder, openCommentIndex } from './comment-index.ts'

/** The order of changes. It continues by both fields, since one event can change any number of a thread's comments. */
const BY_CHANGE = listingIndex(
  comments,
  ['link'],
  ['$position', 'id'],
  ['seq', 'parent', 'author', 'ups', 'downs', 'length', 'deleted', 'isRemoved', 'distinguished', '$position', 'id'],
)
const toCommentKey = ({ $position, id }: { readonly $position: Position; readonly id: string }): Anchor => [$position, id]

/** The rows read at a time, so that a big thread does not delay other requests. */
const SLICE_ROWS = 500
/**
 * The cost of a thread: bytes of each comment, further bytes of each comment that pages show, up to so many, and bytes of the thread
 * itself.
 */
const COMMENT_BYTES = 150
const SHOWN_BYTES = 300
const MAX_SHOWN_COMMENTS = 5_000
const THREAD_BYTES = 2_000

type Thread = {
  readonly growing: CommentIndexBuilder
  /** The last change that is loaded. */
  upTo: Anchor | undefined
  generation: number | undefined
  filling: Promise<void> | undefined
}

/** The shapes of threads. A bounded number of them is kept, and each is brought up to date from where it was left. */
export type CommentIndexes = (link: string) => Promise<CommentIndex>

type CommentRow = Pick<
  CommentDocument,
  'seq' | 'parent' | 'author' | 'ups' | 'downs' | 'length' | 'deleted' | 'isRemoved' | 'distinguished'
>

const add = ({ growing: { add: addComment } }: Thread, row: CommentRow): void =>
  addComment({
    seq: row.seq,
    parent: row.parent === null ? undefined : numberOf(row.parent),
    author: row.author,
    ups: row.ups,
    downs: row.downs,
    length: row.length,
    deleted: row.deleted,
    removed: row.isRemoved,
    distinguished: row.distinguished !== null,
  })

type CommentIndexPorts = { readonly documents: DocumentStore; readonly freshness: Freshness }

export const commentIndexes = ({ documents, freshness }: CommentIndexPorts, most: number = cacheBounds.threads): CommentIndexes => {
  const threads = new LRUCache<string, Thread>({ maxSize: most })
  let askedAt = Number.NEGATIVE_INFINITY
  freshness.attend?.({
    holds: () => false,
    follows: (collection) => collection === comments.name && performance.now() - askedAt < INTEREST_MS,
  })

  const fill = async (link: string, thread: Thread) => {
    thread.generation = freshness.generation(comments.name)
    // documents beyond this may be there already while earlier ones are still being written elsewhere
    const settled = freshness.position()
    let after = thread.upTo
    for (;;) {
      const rows = await selectBy(documents, BY_CHANGE, { link }, { limit: SLICE_ROWS, ...(after && { after }) })
      for (const row of rows) add(thread, row)
      const last = rows.at(-1)
      if (last) {
        after = toCommentKey(last)
        thread.upTo = last.$position > settled ? toCommentKey({ $position: settled, id: '' }) : after
      }
      if (rows.length < SLICE_ROWS) return
      await setImmediate()
    }
  }

  /** Takes in the changes since the last look. Returns false if only the store can tell. */
  const follow = (link: string, thread: Thread): boolean => {
    const current = freshness.generation(comments.name)
    if (thread.generation === undefined || current === undefined) return false
    const changed = thread.generation === current ? [] : freshness.changes(comments.name, thread.generation)
    if (!changed || changed.some(({ known }) => known === 'nothing')) return false
    for (const { document } of changed) {
      const comment = document() as CommentDocument | undefined
      if (comment?.link === link) add(thread, comment)
    }
    thread.generation = current
    return true
  }

  const refresh = async (link: string, thread: Thread): Promise<void> => {
    // waits, since a fill that began before this request may have missed its sender's last write
    await thread.filling?.catch(() => undefined)
    if (thread.filling) return refresh(link, thread)
    if (follow(link, thread)) return
    thread.filling = fill(link, thread).finally(() => {
      thread.filling = undefined
    })
    try {
      await thread.filling
    } catch (fault) {
      thread.generation = undefined
      throw fault
    }
  }

  return async (link) => {
    askedAt = performance.now()
    const thread = threads.get(link) ?? { growing: openCommentIndex(), upTo: undefined, generation: undefined, filling: undefined }
    if (!threads.has(link)) threads.set(link, thread, { size: THREAD_BYTES })
    await refresh(link, thread)
    const index = thread.growing.index()
    const size = THREAD_BYTES + COMMENT_BYTES * index.size + SHOWN_BYTES * Math.min(index.size, MAX_SHOWN_COMMENTS)
    setGrown(threads, link, thread, { size })
    return index
  }
}
