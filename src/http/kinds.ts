import { Account } from '../domain/account.ts'
import { approveComment, Comment, removeComment } from '../domain/comment.ts'
import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import { kindOf } from '../domain/ids.ts'
import { approveLink, Link, removeLink } from '../domain/link.ts'
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
}

const moderated = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  remove: (spam: boolean) => Decide<State, Event>,
  approve: Decide<State, Event>,
): Moderated => ({
  remove: ({ run }, id, spam) => run(aggregate, id, remove(spam)),
  approve: ({ run }, id) => run(aggregate, id, approve),
})

const moderatedKinds = {
  link: moderated(Link, removeLink, approveLink),
  comment: moderated(Comment, removeComment, approveComment),
  message: moderated(Message, removeMessage, approveMessage),
} as const

/** What moderators do to links, comments and the mail of moderators; undefined for the fullname of anything else. */
export const moderationOf = (id: string): Moderated | undefined => {
  const kind = kindOf(id)
  return kind !== undefined && kind in moderatedKinds ? moderatedKinds[kind as keyof typeof moderatedKinds] : undefined
}
