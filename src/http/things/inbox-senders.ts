import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { moderates } from '../../commands/standings.ts'
import { Comment } from '../../domain/comment.ts'
import type { AccountId, MessageId, SubsiteId } from '../../domain/ids.ts'
import { Message, mayRead } from '../../domain/message.ts'
import { Moderators } from '../../domain/moderators.ts'
import type { Context } from '../contract/endpoint.ts'
import { type Refusal, refuse } from '../contract/refusals.ts'
import type { SignedIn } from '../contract/request.ts'
import { capacityIn, isViewerSuspended, mayViewSubsite } from './access.ts'

type Asking = Context<unknown, SignedIn>
/** The sender of a thing in the viewer's inbox: its author, or the subsite in whose name it was sent. */
export type Sender = { readonly account: AccountId } | { readonly subsite: SubsiteId }

/** What inboxes know of things of one kind. */
export type Received = {
  /** Undefined: not in the viewer's inbox, or their own. */
  readonly sender: (context: Asking, id: string) => Promise<Sender | undefined>
  /** The thing, if the viewer may read it, wherever it is; undefined if it does not exist. */
  readonly read: (context: Asking, id: string) => Promise<Either<Refusal, unknown>>
}

/** Whether the viewer may answer the mail of a subsite; a suspended moderator may not. */
const handlesMail = async (context: Asking, subsite: SubsiteId): Promise<boolean> =>
  (await capacityIn(context, subsite, 'mail')) === 'moderator' && !(await isViewerSuspended(context))

const senderOfMessage = async (context: Asking, id: string): Promise<Sender | undefined> => {
  const { load, viewer } = context
  const message = await load(Message, id)
  if (!message || message.author === viewer.account) return undefined
  const { author, subsite, fromSubsite, inboxes, to, modmail } = message
  const isMine = inboxes.includes(viewer.account) || to === viewer.account
  if (fromSubsite && subsite !== null)
    return isMine && !(await moderates(context, { subsite, account: viewer.account })) ? { subsite } : undefined
  const isMail = modmail && subsite !== null && (await handlesMail(context, subsite))
  return author !== null && (isMail || (isMine && !message.removed)) ? { account: author } : undefined
}

const senderOfComment = async (context: Asking, id: string): Promise<Sender | undefined> => {
  const { load, viewer } = context
  const comment = await load(Comment, id)
  const isMine = comment?.notified.some(({ account }) => account === viewer.account) ?? false
  if (!comment || !isMine || comment.deleted || comment.removed) return undefined
  return (await mayViewSubsite(context, comment.subsite)) ? { account: comment.author } : undefined
}

/** The first message of a message's conversation; undefined if it does not exist, 403 for non-participants and for suspended moderators and admins. */
export const rootFor = async (context: Asking, id: MessageId): Promise<Either<Refusal, Message | undefined>> => {
  const { load, viewer } = context
  const { account } = viewer
  const acts = !(await isViewerSuspended(context))
  const message = await load(Message, id)
  const root = message && (await load(Message, message.root))
  if (!message || !root) return E.right(undefined)
  const moderators = message.subsite === null || !acts ? undefined : await load(Moderators, message.subsite)
  return mayRead(message, root, { account, admin: viewer.admin, moderators }) ? E.right(root) : refuse('FORBIDDEN')
}

export const receivedMessages: Received = { sender: senderOfMessage, read: rootFor }

export const receivedComments: Received = {
  sender: senderOfComment,
  read: async (context, id) => {
    const comment = await context.load(Comment, id)
    return !comment || (await mayViewSubsite(context, comment.subsite)) ? E.right(comment) : refuse('FORBIDDEN')
  },
}
