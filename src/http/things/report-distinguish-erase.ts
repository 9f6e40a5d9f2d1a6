import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { moderates } from '../../commands/standings.ts'
import { Comment } from '../../domain/comment.ts'
import { distinguishComment, eraseComment } from '../../domain/comment-moderation.ts'
import type { Distinction } from '../../domain/distinction.ts'
import type { AccountId, SubsiteId } from '../../domain/ids.ts'
import { Link } from '../../domain/link.ts'
import { distinguishLink, eraseLink } from '../../domain/link-moderation.ts'
import { distinguishMessage, eraseMessage, Message } from '../../domain/message.ts'
import { Report, type ReportEvent, reportMessage, reportThing } from '../../domain/report.ts'
import { putAway, Shelf } from '../../domain/shelf.ts'
import { isModerator } from '../../domain/standing.ts'
import { StickyComment, type StickyCommentEvent, stickyComment, unstickyComment } from '../../domain/sticky-comment.ts'
import type { Recorded } from '../../runtime/run.ts'
import type { Context } from '../contract/endpoint.ts'
import { type Refusal, refuse } from '../contract/refusals.ts'
import type { SignedIn } from '../contract/request.ts'
import { isViewerSuspended, standingIn } from './access.ts'

type Acting = Context<unknown, SignedIn>
type Outcome = Promise<Either<Refusal, Recorded>>
type Mark = { readonly after: Distinction | null; readonly sticky: boolean }

/** What somebody wrote, as the log has it, with the acts that differ between links, comments and messages. */
export type Written = {
  readonly author: AccountId | null
  readonly deleted: boolean
  /** Whose viewers see it, and whose moderators with `posts` may distinguish their own; null: a message, which only admins may. */
  readonly subsite: SubsiteId | null
  readonly report: (context: Acting, reason: string) => Outcome
  /** By its author, whose authority has been checked. */
  readonly distinguish: (context: Acting, mark: Mark) => Outcome
  /** By an admin, for good. */
  readonly erase: (context: Acting, reason: string) => Outcome
}

/** A post is hidden from its reporter, even if the report does not count or is refused, unless they moderate it. */
const reportPost = async (context: Acting, post: Link | Comment, reason: string): Outcome => {
  const { run, viewer } = context
  const { account, admin } = viewer
  const standing = await standingIn(context, post.subsite)
  const moderator = isModerator(standing)
  const stream = `${account}.${post.id}`
  if (!moderator && !admin) {
    const hidden = await run(Shelf, stream, putAway({ account, thing: post.id, subsite: post.subsite }))
    if (E.isLeft(hidden)) return hidden
  }
  if (await isViewerSuspended(context)) return refuse('IN_TIMEOUT')
  return run<Report, ReportEvent>(Report, stream, reportThing({ account, moderator, banned: standing.banned }, post, reason))
}

/** Sticky a comment, or unsticky it. */
const lead = async ({ run, load }: Acting, { id, link }: Comment, sticky: boolean): Outcome => {
  const state = await load(StickyComment, link)
  const comment = await load(Comment, id)
  const former = state?.stickied?.target.id
  if (!comment) return refuse('NOT_FOUND', 'id')
  if (!sticky) return run(StickyComment, link, unstickyComment(comment, 'asked'))
  return run<StickyComment, StickyCommentEvent>(
    StickyComment,
    link,
    stickyComment(comment, former === undefined || former === id ? undefined : await load(Comment, former)),
  )
}

const markComment = async (context: Acting, comment: Comment, { after, sticky }: Mark): Outcome => {
  const { run, load, viewer } = context
  const thread = await load(Link, comment.link)
  if (!thread) return refuse('NOT_FOUND', 'id')
  const distinguished = await run(Comment, comment.id, distinguishComment(viewer.account, thread, { after, sticky }))
  if (E.isLeft(distinguished)) return distinguished
  const isRecorded = distinguished.right.position !== undefined
  const led = await lead(context, comment, sticky && after !== null)
  // the comment was removed or deleted since it was distinguished: a request that recorded something is not refused
  if (E.isLeft(led)) return isRecorded && led.left.code === 'COMMENT_NOT_STICKYABLE' ? distinguished : led
  return led.right.position === undefined ? distinguished : led
}

const notSticky =
  (mark: (context: Acting, after: Distinction | null) => Outcome): Written['distinguish'] =>
  async (context, { after, sticky }) =>
    sticky ? refuse('BAD_REQUEST', 'sticky') : mark(context, after)

export const writtenLink = (link: Link): Written => ({
  ...link,
  report: (context, reason) => reportPost(context, link, reason),
  distinguish: notSticky(({ run, viewer }, after) => run(Link, link.id, distinguishLink(viewer.account, after))),
  erase: ({ run }, reason) => run(Link, link.id, eraseLink(reason)),
})

export const writtenComment = (comment: Comment): Written => ({
  ...comment,
  report: (context, reason) => reportPost(context, comment, reason),
  distinguish: (context, mark) => markComment(context, comment, mark),
  erase: ({ run }, reason) => run(Comment, comment.id, eraseComment(reason)),
})

/** Its recipient's copy may be deleted; the message itself is not. */
export const writtenMessage = (message: Message): Written => ({
  author: message.author,
  deleted: false,
  subsite: null,
  report: async (context, reason) => {
    if (await isViewerSuspended(context)) return refuse('IN_TIMEOUT')
    const { account } = context.viewer
    const moderator = message.subsite !== null && (await moderates(context, { subsite: message.subsite, account }))
    const stream = `${account}.${message.message}`
    return context.run<Report, ReportEvent>(Report, stream, reportMessage({ account, moderator }, message, reason))
  },
  distinguish: notSticky(({ run, viewer }, after) => run(Message, message.message, distinguishMessage(viewer.account, after))),
  erase: ({ run }, reason) => run(Message, message.message, eraseMessage(reason)),
})
