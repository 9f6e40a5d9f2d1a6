import * as E from 'fp-ts/lib/Either.js'
import { Account } from '../../../domain/account.ts'
import { block as blockAccount, Contact, MAX_BLOCKED_ACCOUNTS } from '../../../domain/friends-and-blocks.ts'
import { type AccountId, MessageId, type SubsiteId } from '../../../domain/ids.ts'
import { Message } from '../../../domain/message.ts'
import { blockSubsite, MuteAndBlock, unblockSubsite } from '../../../domain/mutes-and-blocks.ts'
import { countBlocked } from '../../../queries/blocked-accounts.ts'
import {
  type AnyEndpoint,
  type End,
  type HandlerOutcome,
  type Need,
  nothingToDo,
  type SignedInContext,
  section,
} from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, mapParam, optional, rawText, replaceInvalid } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { accountCalled, andThen } from '../../needs/facts.ts'
import { column } from '../../things/kinds/all.ts'
import type { InboxSender } from '../../things/kinds/kind.ts'

const { post } = section('Private messages', { scope: 'privatemessages', login: 'user', errors: 'silent' })

const inboxThing = (description: string) => mapParam(describeParam(rawText(), description), (id) => id.trim().toLowerCase())

const senderMeant: Need<InboxSender, { readonly id: string }> = async (context) => {
  const { id } = context.params
  const sender = await column(id, 'inbox')?.sender(context, id)
  return sender ? E.right(sender) : E.left(nothingToDo)
}

/** Returns the reason why an account cannot be blocked: nobody can block themselves, admins, or more than so many accounts. */
const whyNotBlocked = async (context: SignedInContext, other: AccountId): Promise<End | undefined> => {
  const { load, documents, config, viewer } = context
  const { account } = viewer
  const author = await load(Account, other)
  if (!author || other === account || config.admins.includes(author.name.toLowerCase())) return nothingToDo
  const isBlocked = (await load(Contact, `${account}.${other}`))?.blocked ?? false
  const isFull = !isBlocked && (await countBlocked(documents, account, MAX_BLOCKED_ACCOUNTS)) >= MAX_BLOCKED_ACCOUNTS
  return isFull ? { code: 'TOO_MANY_BLOCKED', field: null } : undefined
}

/** Returns the account that a client names, by its fullname or its username. */
const accountMeant: Need<InboxSender, { readonly account_id: string | undefined; readonly name: string }> = async (context) => {
  const { account_id: account, name } = context.params
  if (account === undefined) return E.map((named: AccountId) => ({ account: named }))(await accountCalled(context, name.trim(), 'name'))
  const state = await context.load(Account, account)
  return state && !state.deleted ? E.right({ account }) : refuseRule('USER_DOESNT_EXIST', 'account_id')
}

const requireBlockable = <P>(meant: Need<InboxSender, P>) =>
  andThen(meant, async (sender, context) => {
    const refused = 'account' in sender ? await whyNotBlocked(context, sender.account) : undefined
    return refused === undefined ? E.right(sender) : E.left(refused)
  })

const blockSender = ({ viewer: { account }, run }: SignedInContext, sender: InboxSender): Promise<HandlerOutcome> => {
  if ('subsite' in sender) return run(MuteAndBlock, `${account}.${sender.subsite}`, blockSubsite({ account, subsite: sender.subsite }))
  return run(Contact, `${account}.${sender.account}`, blockAccount({ account, other: sender.account }))
}

/** Returns the subsite in whose name a message was sent. */
const subsiteOfMessage: Need<SubsiteId, { readonly id: string }> = async ({ load, params: { id } }) => {
  const message = MessageId.is(id) ? await load(Message, id) : undefined
  return message?.fromSubsite && message.subsite !== null ? E.right(message.subsite) : E.left(nothingToDo)
}

const block = post('/api/block', {
  whileSuspended: true,
  accountQuota: 'avoid',
  summary: 'Block the sender of something in your inbox.',
  notes: `Blocks the author of a message or comment, or the subsite in whose name a message was sent; moderators with \`mail\` can also block the author of mail to their subsite. Posts and messages of a blocked account are hidden from your inbox, listings and threads, and you cannot reply to them; the account is not notified. Other fullnames, and admins, are ignored. Blocking more than ${MAX_BLOCKED_ACCOUNTS} accounts is 400. \`/api/unfriend\` with the type \`enemy\` removes the block.`,
  params: { id: inboxThing('fullname of a message or comment in your inbox') },
  needs: { sender: requireBlockable(senderMeant) },
  handle: (context) => blockSender(context, context.sender),
})

const blockUser = post('/api/block_user', {
  whileSuspended: true,
  accountQuota: 'avoid',
  summary: 'Block an account by its name.',
  notes: 'As `/api/block`, for accounts that are not in your inbox. Yourself and admins are ignored.',
  params: {
    account_id: describeParam(replaceInvalid(optional(fullname('account')), undefined), 'fullname of the account; goes before `name`'),
    name: describeParam(rawText(), 'its username'),
  },
  needs: { sender: requireBlockable(accountMeant) },
  handle: (context) => blockSender(context, context.sender),
})

const unblock = post('/api/unblock_subsite', {
  whileSuspended: true,
  aliases: ['/api/unblock_subreddit'],
  summary: 'Unblock a subsite, so that its messages reach you again.',
  notes: 'Anything except a message in the name of a blocked subsite is ignored.',
  params: { id: inboxThing('fullname of a message that was written in its name') },
  needs: { subsite: subsiteOfMessage },
  handle: ({ subsite, viewer: { account }, run }) => run(MuteAndBlock, `${account}.${subsite}`, unblockSubsite({ account, subsite })),
})

export const blockEndpoints: readonly AnyEndpoint[] = [block, blockUser, unblock]
