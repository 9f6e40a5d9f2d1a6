import { left } from 'fp-ts/lib/Either.js'
import { Account } from '../../domain/account.ts'
import { Avoidance, blockSubsite, unblockSubsite } from '../../domain/avoidance.ts'
import { block as blockAccount, Contact, MOST_BLOCKED } from '../../domain/contact.ts'
import { type AccountId, kindOf } from '../../domain/ids.ts'
import { Message } from '../../domain/message.ts'
import { countBlocked } from '../../queries/contacts.ts'
import { type AnyEndpoint, type Context, nothingToDo, type Outcome, section } from '../endpoint.ts'
import { senderOf } from '../kinds.ts'
import { described, raw } from '../params.ts'
import { refuse } from '../refusals.ts'
import type { SignedIn } from '../request.ts'

const { post } = section('Private messages', { scope: 'privatemessages', login: 'user', errors: 'silent' })

type Asking = Context<unknown, SignedIn>

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
    const sender = await senderOf(context, id)
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
