import { moderates } from '../commands/standings.ts'
import { Comment } from '../domain/comment.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { Message } from '../domain/message.ts'
import { capacityIn, isViewerSuspended, mayView, placeOf } from './access.ts'
import type { Context } from './endpoint.ts'
import type { SignedIn } from './request.ts'

type Asking = Context<unknown, SignedIn>
/** The sender of a thing in the viewer's inbox: its author, or the subsite in whose name it was sent. */
export type Sender = { readonly account: AccountId } | { readonly subsite: SubsiteId }

/** Whether the viewer may answer the mail of a subsite; a suspended moderator may not. */
const handlesMail = async (context: Asking, subsite: SubsiteId): Promise<boolean> =>
  (await capacityIn(context, subsite, 'mail')) === 'moderator' && !(await isViewerSuspended(context))

export const senderOfMessage = async (context: Asking, id: string): Promise<Sender | undefined> => {
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

export const senderOfComment = async (context: Asking, id: string): Promise<Sender | undefined> => {
  const { load, viewer } = context
  const comment = await load(Comment, id)
  const isMine = comment?.notified.some(({ account }) => account === viewer.account) ?? false
  if (!comment || !isMine || comment.deleted || comment.removed) return undefined
  const place = await placeOf(context, comment.subsite)
  return place && (await mayView(context, place)) ? { account: comment.author } : undefined
}
