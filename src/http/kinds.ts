import { Account } from '../domain/account.ts'
import { approveComment, Comment, ignoreCommentReports, removeComment, unignoreCommentReports } from '../domain/comment.ts'
import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import { kindOf } from '../domain/ids.ts'
import { approveLink, ignoreLinkReports, Link, removeLink, unignoreLinkReports } from '../domain/link.ts'
import { approveMessage, Message, removeMessage } from '../domain/message.ts'
import { Subsite } from '../domain/subsite.ts'
import type { Context } from './endpoint.ts'

/** The aggregates that fullnames name. */
export const aggregates = { link: Link, comment: Comment, account: Account, subsite: Subsite, message: Message } as const
export type Kind = keyof typeof aggregates
export type StateOf<K extends Kind> = (typeof aggregates)[K] extends Aggregate<infer State, infer _> ? State : never

type Running = Pick<Context, 'run'>
type Outcome = ReturnType<Context['run']>

/** What moderators do to a thing of one kind. */
type Moderated = {
  readonly remove: (context: Running, id: string, spam: boolean) => Outcome
  readonly approve: (context: Running, id: string) => Outcome
  /** Of what stands in queues. */
  readonly ignoreReports?: (context: Running, id: string) => Outcome
  readonly unignoreReports?: (context: Running, id: string) => Outcome
}

type Decisions<State, Event extends AnyEvent> = {
  readonly remove: (spam: boolean) => Decide<State, Event>
  readonly approve: Decide<State, Event>
  readonly ignoreReports?: Decide<State, Event>
  readonly unignoreReports?: Decide<State, Event>
}

const moderated = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  { remove, approve, ignoreReports, unignoreReports }: Decisions<State, Event>,
): Moderated => ({
  remove: ({ run }, id, spam) => run(aggregate, id, remove(spam)),
  approve: ({ run }, id) => run(aggregate, id, approve),
  ...(ignoreReports && { ignoreReports: ({ run }, id) => run(aggregate, id, ignoreReports) }),
  ...(unignoreReports && { unignoreReports: ({ run }, id) => run(aggregate, id, unignoreReports) }),
})

const moderatedKinds = {
  link: moderated(Link, {
    remove: removeLink,
    approve: approveLink,
    ignoreReports: ignoreLinkReports,
    unignoreReports: unignoreLinkReports,
  }),
  comment: moderated(Comment, {
    remove: removeComment,
    approve: approveComment,
    ignoreReports: ignoreCommentReports,
    unignoreReports: unignoreCommentReports,
  }),
  message: moderated(Message, { remove: removeMessage, approve: approveMessage }),
} as const

/** What moderators do to links, comments and the mail of moderators; undefined for the fullname of anything else. */
export const moderationOf = (id: string): Moderated | undefined => {
  const kind = kindOf(id)
  return kind !== undefined && kind in moderatedKinds ? moderatedKinds[kind as keyof typeof moderatedKinds] : undefined
}
