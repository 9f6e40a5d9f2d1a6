import { left } from 'fp-ts/lib/Either.js'
import { moderates } from '../../commands/standings.ts'
import { Account } from '../../domain/account.ts'
import { Avoidance, blockSubsite, unblockSubsite } from '../../domain/avoidance.ts'
import { Comment } from '../../domain/comment.ts'
import { block as blockAccount, Contact, MOST_BLOCKED } from '../../domain/contact.ts'
import { type AccountId, kindOf, type SubsiteId } from '../../domain/ids.ts'
import { Message } from '../../domain/message.ts'
import { countBlocked } from '../../queries/contacts.ts'
import { capacityIn, mayView, placeOf } from '../access.ts'
import { type AnyEndpoint, type Context, nothingToDo, type Outcome, section } from '../endpoint.ts'
import { described, raw } from '../params.ts'
import { refuse } from '../refusals.ts'
import type { SignedIn } from '../request.ts'

const { post } = section('Private messages', { scope: 'privatemessages', login: 'user', errors: 'silent' })

type Asking = Context<unknown, SignedIn>
/** The sender of a thing in the own inbox: its author, or the subsite in whose name it was sent. */
type Sender = { readonly account: AccountId } | { readonly subsite: SubsiteId } | undefined

const senderOfMessage = async (context: Asking, id: string): Promise<Sender> => {
  const { load, viewer } = context
  const message = await load(Message, id)
  if (!message || message.author === viewer.account) return undefined
  const { author, subsite, fromSubsite, inboxes, to, modmail } = message
  const isMine = inboxes.includes(viewer.account) || to === viewer.account
  if (fromSubsite && subsite !== null)
    return isMine && !(await moderates(context, { subsite, account: viewer.account })) ? { subsite } : undefined
  const isMail = modmail && subsite !== null && (await capacityIn(context, subsite, 'mail')) === 'moderator'
  return author !== null && (isMail || (isMine && !message.removed)) ? { account: author } : undefined
}

const senderOfComment = async (context: Asking, id: string): Promise<Sender> => {
  const { load, viewer } = context
  const comment = await load(Comment, id)
  const isMine = comment?.notified.some(({ account }) => account === viewer.account) ?? false
  if (!comment || !isMine || comment.deleted || comment.removed) return undefined
  const place = await placeOf(context, comment.subsite)
  return place && (await mayView(context, place)) ? { account: comment.author } : undefined
}

const blockSender = async (context: Asking, other: AccountId): Promise<Outcome> => {
  const { load, run, documents, config, viewer } = context
  const { account } = viewer
  const author = await load(Account, other)
  if (!author || other === account || config.admins.includes(author.name.toLowerCase())) return left(nothingToDo)
  const isBlocked = (await load(Contact, `${account}.${other}`))?.blocked ?? false
  if (!isBlocked && (await countBlocked(documents, account, MOST_BLOCKED)) >= MOST_BLOCKED) return refuse('TOO_MANY_BLOCKED')
  return run(Contact, `${account}.${other}`, blockAccount({ account, other }))
}

const block = post('/api/block', {
  whileSuspended: true,
  accountQuota: 'avoid',
  summary: 'Block the sender of something in your inbox.',
  notes: `Blocks the author of a message or comment, or the subsite in whose name a message was sent; moderators with \`mail\` can also block the author of mail to their subsite. Posts and messages of a blocked account are hidden from your inbox, listings and threads, and you cannot reply to them; the account is not notified. Other fullnames, and admins, are ignored. Blocking more than ${MOST_BLOCKED} accounts is 400. \`/api/unfriend\` with the type \`enemy\` removes the block.`,
  params: { id: described(raw(), 'fullname of a message or comment in your inbox') },
  handle: async (context): Promise<Outcome> => {
    const { params, viewer, run } = context
    const id = params.id.trim().toLowerCase()
    const kind = kindOf(id)
    const sender =
      kind === 'message' ? await senderOfMessage(context, id) : kind === 'comment' ? await senderOfComment(context, id) : undefined
    if (!sender) return left(nothingToDo)
    if ('account' in sender) return blockSender(context, sender.account)
    const between = { account: viewer.account, subsite: sender.subsite }
    return run(Avoidance, `${between.account}.${between.subsite}`, blockSubsite(between))
  },
})

const unblock = post('/api/unblock_subsite', {
  whileSuspended: true,
  aliases: ['/api/unblock_subreddit'],
  summary: 'Unblock a subsite, so that its messages reach you again.',
  notes: 'Anything except a message in the name of a blocked subsite is ignored.',
  params: { id: described(raw(), 'fullname of a message that was written in its name') },
  handle: async ({ params, viewer: { account }, load, run }): Promise<Outcome> => {
    const id = params.id.trim().toLowerCase()
    const message = kindOf(id) === 'message' ? await load(Message, id) : undefined
    if (!message?.fromSubsite || message.subsite === null) return left(nothingToDo)
    const between = { account, subsite: message.subsite }
    return run(Avoidance, `${account}.${message.subsite}`, unblockSubsite(between))
  },
})

export const blockEndpoints: readonly AnyEndpoint[] = [block, unblock]
