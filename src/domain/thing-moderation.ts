// Decisions 28 and 32.

import { type Audience, toRecordedAudience } from './audience.ts'
import {
  accountsOf,
  type Comment,
  CommentApproved,
  CommentDistinguished,
  CommentErased,
  type CommentEvent,
  CommentRemoved,
  CommentReportsIgnored,
  CommentReportsUnignored,
  type Notified,
  toCommentTarget,
} from './comment.ts'
import { type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import type { Distinction } from './distinction.ts'
import type { AnyEvent } from './event.ts'
import type { AccountId, SubsiteId } from './ids.ts'
import {
  isArchived,
  type Link,
  LinkApproved,
  LinkDistinguished,
  LinkErased,
  type LinkEvent,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkUnlocked,
  toLinkTarget,
} from './link.ts'
import { linkOptions } from './link-options.ts'
import type { ModeratedThing } from './moderated-thing.ts'
import { mayLead } from './sticky-comment.ts'
import type { Target } from './target.ts'

type TargetData = { readonly subsite: SubsiteId; readonly target: Target }

/** The differences between links and comments under moderation: their events, and the content of a verdict on them. */
type ModerationRules<State, Verdict, Event> = {
  readonly targetOf: (state: State) => Target
  readonly verdictOn: (state: State) => Verdict
  readonly makeRemoved: (data: Verdict & { readonly spam: boolean }) => Event
  readonly makeApproved: (data: Verdict) => Event
  readonly makeReportsIgnored: (data: TargetData) => Event
  readonly makeReportsUnignored: (data: TargetData) => Event
}

/**
 * Returns the decisions of moderators on one kind of thing. Each removal and each approval is an event, even if the thing was removed or
 * approved already.
 */
const decisionsOn = <State extends ModeratedThing, Verdict, Event extends AnyEvent>(kind: ModerationRules<State, Verdict, Event>) => {
  const { targetOf, verdictOn } = kind
  const decideOnThing =
    (act: (state: State) => Event | undefined): Decide<State, Event> =>
    (state) => {
      if (!state) return refuse('FORBIDDEN')
      const event = state.deleted ? undefined : act(state)
      return event ? decideEvents(event) : noEvents
    }
  const decideIgnoring = (ignores: boolean, act: (data: TargetData) => Event) =>
    decideOnThing((state) => (state.ignoresReports === ignores ? undefined : act({ subsite: state.subsite, target: targetOf(state) })))
  return {
    remove: (spam: boolean) => decideOnThing((state) => kind.makeRemoved({ ...verdictOn(state), spam })),
    approve: decideOnThing((state) => kind.makeApproved(verdictOn(state))),
    ignoreReports: decideIgnoring(true, kind.makeReportsIgnored),
    unignoreReports: decideIgnoring(false, kind.makeReportsUnignored),
  }
}

/** Erases a thing once, also a removed or deleted one. */
const eraseOnce =
  <State extends Pick<ModeratedThing, 'erased'>, Event extends AnyEvent>(act: (state: State) => Event): Decide<State, Event> =>
  (state) => {
    if (!state) return refuse('NOT_FOUND', 'id')
    return state.erased ? noEvents : decideEvents(act(state))
  }

type DistinctionChange = { readonly before: Distinction | null; readonly after: Distinction | null }

/** Distinguishes a thing for its author. The permission to do so has been checked. */
const distinguishOwn =
  <State extends ModeratedThing, Event extends AnyEvent>(
    account: AccountId,
    after: Distinction | null,
    act: (state: State, change: DistinctionChange) => Event,
  ): Decide<State, Event> =>
  (state) => {
    if (!state || state.deleted) return refuse('NOT_FOUND', 'id')
    if (state.author !== account) return refuse('FORBIDDEN')
    const { distinguished: before } = state
    return before === after ? noEvents : decideEvents(act(state, { before, after }))
  }

const verdictOnLink = (link: Link) => ({ subsite: link.subsite, target: toLinkTarget(link), before: link.removed })

export const linkModeration = decisionsOn<Link, ReturnType<typeof verdictOnLink>, LinkEvent>({
  targetOf: toLinkTarget,
  verdictOn: verdictOnLink,
  makeRemoved: LinkRemoved,
  makeApproved: LinkApproved,
  makeReportsIgnored: LinkReportsIgnored,
  makeReportsUnignored: LinkReportsUnignored,
})
export const {
  remove: removeLink,
  approve: approveLink,
  ignoreReports: ignoreLinkReports,
  unignoreReports: unignoreLinkReports,
} = linkModeration

export const { markNsfw, setContestMode, suggestSort, setLinkReplies } = linkOptions<Link>(toLinkTarget)

export const distinguishLink = (account: AccountId, after: Distinction | null): Decide<Link, LinkEvent> =>
  distinguishOwn(account, after, (link, change) => LinkDistinguished({ subsite: link.subsite, target: toLinkTarget(link), ...change }))

export const eraseLink = (reason: string): Decide<Link, LinkEvent> =>
  eraseOnce(({ subsite, id, author }) => LinkErased({ subsite, target: { id, author }, reason }))

const switchLock =
  (locked: boolean, act: typeof LinkLocked | typeof LinkUnlocked) =>
  (at: number): Decide<Link, LinkEvent> =>
  (link) => {
    if (!link) return refuse('FORBIDDEN')
    if (isArchived(link.created, at)) return refuse('BAD_REQUEST', 'id')
    if (link.locked === locked) return noEvents // repeating it is no error and records nothing
    return decideEvents<LinkEvent>(act({ subsite: link.subsite, target: toLinkTarget(link) }))
  }

/**
 * Locks a link against new comments, which `parentRefusal` in `comment-posting.ts` refuses. Existing ones can still be voted on, edited and
 * deleted.
 */
export const lockLink = switchLock(true, LinkLocked)
export const unlockLink = switchLock(false, LinkUnlocked)

const verdictOnComment = (comment: Comment) => ({
  subsite: comment.subsite,
  target: toCommentTarget(comment),
  link: comment.link,
  before: comment.removed,
  notified: accountsOf(comment.notified),
})

export const commentModeration = decisionsOn<Comment, ReturnType<typeof verdictOnComment>, CommentEvent>({
  targetOf: toCommentTarget,
  verdictOn: verdictOnComment,
  makeRemoved: CommentRemoved,
  makeApproved: CommentApproved,
  makeReportsIgnored: CommentReportsIgnored,
  makeReportsUnignored: CommentReportsUnignored,
})
export const {
  remove: removeComment,
  approve: approveComment,
  ignoreReports: ignoreCommentReports,
  unignoreReports: unignoreCommentReports,
} = commentModeration

export const eraseComment = (reason: string): Decide<Comment, CommentEvent> =>
  eraseOnce(({ subsite, id, author, link }) => CommentErased({ subsite, target: { id, author, link }, reason }))

/**
 * Returns the inbox that a comment enters when it is distinguished: that of the link's author, for the first top-level distinction, unless
 * the comment entered it when it was posted.
 */
const toFirstNotified = (comment: Comment, thread: Pick<Link, 'deleted'>): Notified => {
  const { linkAuthor, author, parent, wasDistinguished, notified } = comment
  const isTold = linkAuthor === author || notified.some(({ account }) => account === linkAuthor)
  return wasDistinguished || parent !== null || isTold || thread.deleted ? [] : [{ account: linkAuthor, reason: 'post_reply' }]
}

/**
 * Distinguishes a comment. With `sticky`, the same request stickies it next, so a comment that cannot be sticky is refused before anything
 * is recorded.
 */
export const distinguishComment =
  (
    account: AccountId,
    thread: Pick<Link, 'deleted'>,
    {
      after,
      sticky = false,
      audience = 'everybody',
    }: { readonly after: Distinction | null; readonly sticky?: boolean; readonly audience?: Audience },
  ): Decide<Comment, CommentEvent> =>
  (state) => {
    if (state && !state.deleted && sticky && !mayLead(state)) return refuse('COMMENT_NOT_STICKYABLE', 'sticky')
    return distinguishOwn<Comment, CommentEvent>(account, after, (comment, change) => {
      const { subsite, removed } = comment
      const notified = toFirstNotified(comment, thread)
      const recorded = notified.length > 0 && toRecordedAudience(audience)
      return CommentDistinguished({ subsite, target: toCommentTarget(comment), ...change, notified, removed, ...recorded })
    })(state)
  }
