import * as E from 'fp-ts/lib/Either.js'
import { comments } from '../../../../projections/comments.ts'
import { findMentioned } from '../../../commands/mentions.ts'
import { type Audience, audienceOf } from '../../../domain/audience.ts'
import { Comment, deleteComment, editComment, setCommentReplies } from '../../../domain/comment.ts'
import type { SubsiteId } from '../../../domain/ids.ts'
import { Link } from '../../../domain/link.ts'
import { StickyComment, type StickyCommentEvent, stickyComment, unstickyComment } from '../../../domain/sticky-comment.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { commentModeration, distinguishComment, eraseComment } from '../../../domain/thing-moderation.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { commentEntry } from '../../present/feed-entry.ts'
import { accountsLinkedBy } from '../../present/markdown.ts'
import { commentPermalink } from '../../present/permalink.ts'
import { mayViewSubsite } from '../access.ts'
import { postRecords, repliesToPosts, reportPost } from '../links-and-comments.ts'
import { type KindOfThing, kind, type UserText } from './kind.ts'

type Distinguish = UserText['distinguish']
type DistinguishContext = Parameters<Distinguish>[0]

/** Stickies a comment, or unstickies it. */
const setSticky = async ({ run, load }: DistinguishContext, { id, link }: Comment, sticky: boolean): ReturnType<Distinguish> => {
  const state = await load(StickyComment, link)
  const comment = await load(Comment, id)
  const former = state?.stickied?.target.id
  if (!comment) return refuseRule('NOT_FOUND', 'id')
  if (!sticky) return run(StickyComment, link, unstickyComment(comment, 'asked'))
  return run<StickyComment, StickyCommentEvent>(
    StickyComment,
    link,
    stickyComment(comment, former === undefined || former === id ? undefined : await load(Comment, former)),
  )
}

/** Returns the audience of an inbox entry that an act on a comment makes. */
const audienceNow = async ({ load }: Pick<DistinguishContext, 'load'>, id: SubsiteId): Promise<Audience> => {
  const subsite = await load(Subsite, id)
  return subsite ? audienceOf(id, subsite.settings) : 'everybody'
}

const distinguish =
  (comment: Comment): Distinguish =>
  async (context, { after, sticky }) => {
    const { run, load, viewer } = context
    const thread = await load(Link, comment.link)
    if (!thread) return refuseRule('NOT_FOUND', 'id')
    const audience = await audienceNow(context, comment.subsite)
    const distinguished = await run(Comment, comment.id, distinguishComment(viewer.account, thread, { after, sticky, audience }))
    if (E.isLeft(distinguished)) return distinguished
    const isRecorded = distinguished.right.position !== undefined
    const stickied = await setSticky(context, comment, sticky && after !== null)
    // the comment was removed, deleted or replaced since it was distinguished: a request that recorded something is not refused
    const isLate = E.isLeft(stickied) && ['COMMENT_NOT_STICKYABLE', 'DECIDED_MEANWHILE'].includes(stickied.left.code)
    if (E.isLeft(stickied)) return isRecorded && isLate ? distinguished : stickied
    return stickied.right.position === undefined ? distinguished : stickied
  }

const authorActs: KindOfThing['authorActs'] = {
  edit: async (context, id, text) => {
    const { load, run, viewer } = context
    const before = await load(Comment, id)
    const subsite = before?.author === viewer.account ? await load(Subsite, before.subsite) : undefined
    const mentioned = subsite ? await findMentioned(context, await accountsLinkedBy(text), subsite, viewer) : []
    const audience = subsite ? audienceOf(subsite.id, subsite.settings) : 'everybody'
    return run(Comment, id, editComment({ account: viewer.account, mentioned, audience }, text))
  },
  delete: ({ run, viewer }, id) => run(Comment, id, deleteComment(viewer.account)),
  setReplies: ({ run, viewer }, id, on) => run(Comment, id, setCommentReplies(viewer.account, on)),
}

const inbox: KindOfThing['inbox'] = {
  sender: async (context, id) => {
    const { load, viewer } = context
    const comment = await load(Comment, id)
    const isMine = comment?.notified.some(({ account }) => account === viewer.account) ?? false
    if (!comment || !isMine || comment.deleted || comment.removed) return undefined
    return (await mayViewSubsite(context, comment.subsite)) ? { account: comment.author } : undefined
  },
  read: async (context, id) => {
    const comment = await context.load(Comment, id)
    return !comment || (await mayViewSubsite(context, comment.subsite)) ? E.right(comment) : refuseRule('FORBIDDEN')
  },
}

export const commentKind = kind(Comment, {
  collection: comments,
  records: postRecords,
  feedEntry: commentEntry,
  text: (comment) => ({
    ...comment,
    report: (context, reason) => reportPost(context, comment, reason),
    distinguish: distinguish(comment),
    erase: ({ run }, reason) => run(Comment, comment.id, eraseComment(reason)),
  }),
  post: (comment) => comment,
  moderation: { permission: 'posts', ...commentModeration },
  authorActs,
  replies: repliesToPosts,
  inbox,
  permalink: ({ place, id, link, threadTitle }) => (link === null ? null : commentPermalink(place, link, threadTitle, id)),
  lookedUp: true,
})
