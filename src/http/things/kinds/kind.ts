import type { Either } from 'fp-ts/lib/Either.js'
import type { Type } from 'io-ts'
import type { Scope } from '../../../auth/scopes.ts'
import type { Comment } from '../../../domain/comment.ts'
import type { Aggregate, Decide } from '../../../domain/decision.ts'
import type { Distinction } from '../../../domain/distinction.ts'
import type { AnyEvent } from '../../../domain/event.ts'
import type { AccountId, SubsiteId } from '../../../domain/ids.ts'
import type { Votable } from '../../../domain/vote.ts'
import type { Collection, Document } from '../../../ports/documents.ts'
import type { CommandResult } from '../../../runtime/run.ts'
import type { Context, SignedInContext } from '../../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { FeedPresenter } from '../../present/feed-entry.ts'

/* A kind of thing is a row of columns: the acts and reads that things of this kind allow. */

type LoadContext = Pick<Context, 'load'>
type RunContext = Pick<Context, 'run'>
type ActOutcome = Promise<Either<Refusal, CommandResult>>

type Mark = { readonly after: Distinction | null; readonly sticky: boolean }

/** A link, a comment or a message, as the log has it, with the acts that differ between them. */
export type UserText = {
  readonly author: AccountId | null
  readonly deleted: boolean
  /**
   * The subsite whose viewers see it, and whose moderators with `posts` may distinguish their own. Null for a message, which only admins
   * may distinguish.
   */
  readonly subsite: SubsiteId | null
  readonly report: (context: SignedInContext, reason: string) => ActOutcome
  /** Distinguishes it for its author, whose authority has been checked. */
  readonly distinguish: (context: SignedInContext, mark: Mark) => ActOutcome
  /** Erases it for good, by an admin. */
  readonly erase: (context: SignedInContext, reason: string) => ActOutcome
}

/** Distinguishes a thing that cannot be sticky. */
export const distinguishOnly =
  (distinguish: (context: SignedInContext, after: Distinction | null) => ActOutcome): UserText['distinguish'] =>
  async (context, { after, sticky }) =>
    sticky ? refuseRule('BAD_REQUEST', 'sticky') : distinguish(context, after)

/** A link or a comment as the log has it. */
export type Post = Votable & Pick<Comment, 'distinguished'>

/** The decisions of moderators with a permission about a thing. `Remove` and `Act` are their types. */
type Moderation<Remove, Act> = {
  readonly permission: 'posts' | 'mail'
  readonly remove: Remove
  readonly approve: Act
  /** Present for things in queues. */
  readonly ignoreReports?: Act | undefined
  readonly unignoreReports?: Act | undefined
}

/** The acts of authors on their things. An edit of another account's thing is refused; the other acts have no effect on one. */
type AuthorActs = {
  readonly edit: (context: SignedInContext, id: string, text: string) => ActOutcome
  readonly delete: (context: SignedInContext, id: string) => ActOutcome
  /** Sets whether replies to it enter the author's inbox. */
  readonly setReplies: (context: SignedInContext, id: string, on: boolean) => ActOutcome
}

/** The kind of replies, the scope that a token needs to write one, and the freshness of the facts that decide about one. */
export type Replies = { readonly are: 'comment' | 'message'; readonly scope: Scope; readonly facts: 'recent' | 'current' }

/** The sender of a thing in the viewer's inbox: its author, or the subsite in whose name it was sent. */
export type InboxSender = { readonly account: AccountId } | { readonly subsite: SubsiteId }

type InboxAccess = {
  /** Returns the sender; undefined for a thing that is not in the viewer's inbox, or that the viewer wrote. */
  readonly sender: (context: SignedInContext, id: string) => Promise<InboxSender | undefined>
  /** Returns the thing, if the viewer may read it, wherever it is; undefined if it does not exist. */
  readonly read: (context: SignedInContext, id: string) => Promise<Either<Refusal, unknown>>
}

/** The target of a moderation action as it was then: the names of its subsite and the title of its link. */
type ShownTarget = {
  readonly place: string
  readonly id: string
  readonly title: string
  readonly link: string | null
  readonly threadTitle: string
}

type Records = ReadonlyMap<string, object>

type Columns = {
  readonly collection: Collection<Document>
  /**
   * Presents documents as JSON records by fullname, as the viewer may see them. Documents without a record are left out. Kinds that share
   * this are presented together.
   */
  readonly records: (context: Context, documents: readonly Document[]) => Promise<Records>
  readonly feedEntry: FeedPresenter
  /** The acts of its author; absent if there are none. */
  readonly authorActs?: AuthorActs
  /** Absent if it takes no replies. */
  readonly replies?: Replies
  /** Absent if it enters no inbox. */
  readonly inbox?: InboxAccess
  /** Returns its address as the target of a moderation action; absent if it has none. */
  readonly permalink?: (target: ShownTarget) => string | null
  /** Present if `/api/info` finds it by its fullname. */
  readonly lookedUp?: true
}

/** The columns that depend on the state of a thing. */
type StateColumns<State, Event extends AnyEvent> = {
  /** Absent if it cannot be reported, distinguished or erased. */
  readonly text?: (state: State) => UserText
  /** Absent if it cannot be voted on, saved or gilded. */
  readonly post?: (state: State) => Post
  /** Absent if moderators do not decide about it. */
  readonly moderation?: Moderation<(spam: boolean) => Decide<State, Event>, Decide<State, Event>>
}

/** Returns a value from the state of a thing; undefined if the thing does not exist. */
type FromLog<T> = (context: LoadContext, id: string) => Promise<T | undefined>

export type KindOfThing = Columns & {
  /** The subsite of a thing, or a subsite itself. */
  readonly subsite: FromLog<SubsiteId>
  readonly text?: FromLog<UserText> | undefined
  readonly post?: FromLog<Post> | undefined
  readonly moderation?:
    | Moderation<(context: RunContext, id: string, spam: boolean) => ActOutcome, (context: RunContext, id: string) => ActOutcome>
    | undefined
}

/** Makes the row of a kind, whose states only this function knows. */
export const kind = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  { text, post, moderation, ...columns }: Columns & StateColumns<State, Event>,
): KindOfThing => {
  const fromLog =
    <T>(toThing: (state: State, id: string) => T | undefined): FromLog<T> =>
    async ({ load }, id) => {
      const state = await load(aggregate, id)
      return state === undefined ? undefined : toThing(state, id)
    }
  const runDecider =
    (decide: Decide<State, Event>) =>
    ({ run }: RunContext, id: string): ActOutcome =>
      run(aggregate, id, decide)
  return {
    ...columns,
    subsite: fromLog((state, id) => aggregate.subsiteOf?.(id, state) ?? undefined),
    text: text && fromLog(text),
    post: post && fromLog(post),
    moderation: moderation && {
      permission: moderation.permission,
      remove: ({ run }, id, spam) => run(aggregate, id, moderation.remove(spam)),
      approve: runDecider(moderation.approve),
      ignoreReports: moderation.ignoreReports && runDecider(moderation.ignoreReports),
      unignoreReports: moderation.unignoreReports && runDecider(moderation.unignoreReports),
    },
  }
}

/** Presents the documents that are `D`, by their fullnames. Others have no records. */
export const recordsOfThose =
  <D extends Document>(id: Type<string>, present: (context: Context, documents: readonly D[]) => Promise<Records>): Columns['records'] =>
  (context, documents) =>
    present(
      context,
      documents.filter((document): document is D => id.is(document.id)),
    )

/** Returns records in the order of their documents, by fullname. */
export const byFullname = (documents: readonly Document[], records: readonly object[]): Records =>
  new Map(
    documents.flatMap(({ id }, index) => {
      const record = records[index]
      return record ? [[id, record] as const] : []
    }),
  )
