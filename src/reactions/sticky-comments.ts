// Decision 88.

import { Comment } from '../domain/comment.ts'
import { type Actor, SERVICE } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import { madeBy, type OriginTest } from '../domain/origin.ts'
import { StickyComment, unstickyComment } from '../domain/sticky-comment.ts'
import { followUp } from '../runtime/command.ts'
import { ifThereBefore, type Ports, type Reactions, unseenBy } from './reaction.ts'

/** The events that unsticky a comment: it is removed, deleted, or no longer distinguished. */
type StickyEnd = Stored<'CommentRemoved' | 'CommentDeleted' | 'CommentDistinguished'>

const reasons = { CommentRemoved: 'removed', CommentDeleted: 'deleted', CommentDistinguished: 'asked' } as const

const commentOf = (event: StickyEnd): string => (event.type === 'CommentDeleted' ? event.data.comment : event.data.target.id)

/** Unstickies the comment, as an act of the moderator; without an actor if its author deleted it. */
const leave = async ({ run, load }: Ports, cause: StickyEnd, which: OriginTest, key: string) => {
  const comment = await load(Comment, commentOf(cause))
  const by: Actor = cause.type === 'CommentDeleted' ? SERVICE : cause.by
  return comment && run(StickyComment, comment.link, unstickyComment(comment, reasons[cause.type], which), followUp(cause, key, by))
}

const leaveIfThere = async (ports: Ports, cause: StickyEnd) => {
  const id = commentOf(cause)
  const link = (await ports.load(Comment, id))?.link
  const stickied = link === undefined ? undefined : (await ports.load(StickyComment, link))?.stickied
  if (stickied?.target.id !== id) return
  await leave(ports, cause, await ifThereBefore(ports, cause, `${StickyComment.category}-${link}`, stickied.origin), 'unsticky')
}

/** Returns the event that keeps a comment from being sticky, if the last ones of its history do. */
const stateOf = (history: readonly Stored[]): StickyEnd | undefined => {
  const verdict = history.findLast(({ type }) => type === 'CommentRemoved' || type === 'CommentDeleted' || type === 'CommentApproved')
  if (verdict?.type === 'CommentRemoved' || verdict?.type === 'CommentDeleted') return verdict
  const latest = history.findLast((event) => event.type === 'CommentDistinguished')
  return latest?.type === 'CommentDistinguished' && latest.data.after === null ? latest : undefined
}

/** A comment that is removed, deleted or no longer distinguished is unstickied. */
export const stickyComments: Reactions = {
  CommentRemoved: (event) => [(ports) => leaveIfThere(ports, event)],
  CommentDeleted: (event) => [(ports) => leaveIfThere(ports, event)],
  CommentDistinguished: (event) => (event.data.after === null ? [(ports) => leaveIfThere(ports, event)] : []),
  // One of these may have come between the decision to sticky the comment and this event.
  CommentStickied: (event) => [
    async (ports) => {
      const cause = stateOf(await unseenBy(ports, event, `${Comment.category}-${event.data.target.id}`))
      return cause && leave(ports, cause, madeBy(event), `unsticky ${event.id}`)
    },
  ],
}
