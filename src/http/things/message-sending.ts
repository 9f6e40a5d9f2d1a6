// Decision 91.

import * as E from 'fp-ts/lib/Either.js'
import { isBlocking } from '../../commands/blocks.ts'
import { moderates } from '../../commands/standings.ts'
import { type AccountId, fullname, type MessageId, type SubsiteId } from '../../domain/ids.ts'
import { Message } from '../../domain/message.ts'
import { capacityForSubsite, correspondentOf, replyToMessage, type Sender } from '../../domain/message-sending.ts'
import { Moderators } from '../../domain/moderators.ts'
import { isMuted, Relation } from '../../domain/relation.ts'
import { asWritten } from '../../queries/log-fallback.ts'
import { hadParticipated } from '../../queries/participation.ts'
import type { Context, HandlerOutcome, SignedInContext } from '../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import { recordsNamed } from './kinds/all.ts'

const isMutedIn = async ({ load, clock }: SignedInContext, subsite: SubsiteId, account: AccountId) =>
  isMuted(await load(Relation, `${subsite}.${account}`), clock())

/**
 * Returns the recipients among some who block the viewer and have no part in the subsite, if there is one: they neither moderate it nor
 * ever took part by an act of theirs.
 */
const blockersAmong = async (
  context: SignedInContext,
  subsite: SubsiteId | null,
  recipients: readonly AccountId[],
): Promise<readonly AccountId[]> => {
  const { documents, viewer } = context
  const heard = async (account: AccountId) =>
    !(await isBlocking(context, account, viewer.account)) ||
    (subsite !== null && ((await moderates(context, { subsite, account })) || (await hadParticipated(documents, account, subsite))))
  const are = await Promise.all(recipients.map(heard))
  return recipients.filter((_, n) => !are[n])
}

/** Returns the viewer as the author of a message to some accounts, with the subsite it concerns, if any. */
export const asSender = async (
  context: SignedInContext,
  subsite: SubsiteId | null,
  recipients: readonly (AccountId | null)[],
): Promise<Sender> => {
  const { load, viewer, command } = context
  const others = recipients.flatMap((account) => (account === null || account === viewer.account ? [] : [account]))
  const isAnyMuted = async (accounts: readonly AccountId[]) =>
    subsite !== null && (await Promise.all(accounts.map((account) => isMutedIn(context, subsite, account)))).includes(true)
  return {
    message: fullname('message', command.mint),
    author: viewer.account,
    admin: viewer.admin,
    moderators: subsite === null ? undefined : await load(Moderators, subsite),
    authorIsMuted: await isAnyMuted([viewer.account]),
    recipientIsMuted: await isAnyMuted(others),
    blockers: await blockersAmong(context, subsite, others),
  }
}

/**
 * Makes the request act for the subsite from now on, if its moderators allow it. These are the moderators in `sender`, which the decision
 * sees, too.
 */
export const actForSubsite = (context: SignedInContext, sender: Sender): void => {
  const capacity = capacityForSubsite(sender)
  if (capacity !== undefined) context.actAs(capacity)
}

/**
 * Makes the request act in the capacity that lets the viewer write in a conversation: the correspondent of moderators and the people of a
 * private message as users, moderators in the name of their subsite, admins elsewhere as such.
 */
const actInConversation = (context: SignedInContext, { author, to, subsite, fromSubsite }: Message, sender: Sender): void => {
  const { account, admin } = context.viewer
  if (subsite === null) {
    if (admin && author !== account && to !== account) context.actAs('admin')
  } else if (correspondentOf({ author, to, fromSubsite }) !== account) actForSubsite(context, sender)
}

/** A message that is answered, and the first one of its conversation. */
export type Conversation = { readonly parent: Message; readonly root: Message }

export const conversationOf = async ({ load }: Pick<Context, 'load'>, message: MessageId): Promise<E.Either<Refusal, Conversation>> => {
  const parent = await load(Message, message)
  const root = parent && (await load(Message, parent.root))
  return parent && root ? E.right({ parent, root }) : refuseRule('FORBIDDEN')
}

/** Answers a message: `/api/comment` with a message as its parent. The new message is the form's one thing. */
export const replyIn = async (context: SignedInContext, { parent, root }: Conversation, body: string): Promise<HandlerOutcome> => {
  const { run, viewer } = context
  const sender = await asSender(context, parent.subsite, [root.author, root.to])
  actInConversation(context, root, sender)
  const author = parent.fromSubsite ? null : parent.author
  const blocksParentAuthor = author !== null && (await isBlocking(context, viewer.account, author))
  const recorded = await run(Message, sender.message, replyToMessage({ ...sender, blocksParentAuthor }, { parent, root }, body))
  if (E.isLeft(recorded)) return recorded
  const records = await recordsNamed(asWritten(context, recorded.right.written), [sender.message])
  return { kind: 'form', data: { things: [...records.values()] } }
}
