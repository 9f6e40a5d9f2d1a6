// Decision 15.

import * as E from 'fp-ts/lib/Either.js'
import type { InboxDocument } from '../../../../projections/inbox.ts'
import { type MessageDocument, messages } from '../../../../projections/messages.ts'
import { moderates } from '../../../commands/standings.ts'
import { type AccountId, MessageId, type SubsiteId } from '../../../domain/ids.ts'
import { approveMessage, distinguishMessage, eraseMessage, Message, mayRead, removeMessage } from '../../../domain/message.ts'
import { Moderators } from '../../../domain/moderators.ts'
import { Report, type ReportEvent, reportMessage } from '../../../domain/report.ts'
import { namesOf } from '../../../queries/accounts.ts'
import { selectBlocked } from '../../../queries/blocked-accounts.ts'
import { entriesOf } from '../../../queries/inbox.ts'
import { mutesAndBlocksOf } from '../../../queries/mutes-and-blocks.ts'
import { membershipsOf } from '../../../queries/relations.ts'
import { subsitesById } from '../../../queries/subsites.ts'
import { isSignedIn, type SignedInContext } from '../../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { messageEntry } from '../../present/feed-entry.ts'
import { closedListing } from '../../present/listing.ts'
import { renderAhead } from '../../present/markdown.ts'
import { type MessageSurroundings, messageThing } from '../../present/message.ts'
import { capacityIn, isViewerSuspended } from '../access.ts'
import { byFullname, distinguishOnly, type InboxSender, kind, recordsOfThose } from './kind.ts'

/** The accounts and subsites that messages name. */
type Surroundings = { readonly people: readonly (AccountId | null)[]; readonly places: readonly (string | null)[] }

export const aroundOf = async (
  context: SignedInContext,
  viewer: AccountId,
  { people, places }: Surroundings,
): Promise<MessageSurroundings> => {
  const subsites = await subsitesById(context.documents, places)
  const [names, memberships] = await Promise.all([
    namesOf(context.documents, [viewer, ...people]),
    subsites.size === 0 ? undefined : membershipsOf(context.documents, viewer, [...subsites.keys()], context.clock()),
  ])
  const moderated = new Set(Array.from(memberships ?? []).flatMap(([id, { permissions }]) => (permissions === undefined ? [] : [id])))
  const [{ collapse_read_messages: collapsesRead }, blocked, avoided] = await Promise.all([
    context.preferences(),
    context.viewer.admin ? new Set<string>() : selectBlocked(context.documents, viewer, people),
    mutesAndBlocksOf(context.documents, viewer, [...subsites.keys()]),
  ])
  const blockedSubsites = new Set([...subsites.keys()].filter((id) => avoided.get(id)?.blocked && !moderated.has(id)))
  return { viewer, names, subsites, moderated, collapsesRead, blocked, blockedSubsites }
}

export const surroundingsOf = (messages: readonly MessageDocument[]): Surroundings => ({
  people: messages.flatMap(({ author, to }) => [author, to]),
  places: messages.map(({ subsite }) => subsite),
})

/**
 * Tells whether a message is unread: by the viewer, if it is in their inbox; otherwise, for a moderator of its subsite, by all its
 * moderators.
 */
const isUnread = (message: MessageDocument, entries: ReadonlyMap<string, InboxDocument>, { moderated }: MessageSurroundings): boolean =>
  entries.get(message.id)?.new ?? (message.unread && message.subsite !== null && moderated.has(message.subsite))

/** Presents messages as separate records. */
export const messageThings = async (
  context: SignedInContext,
  messages: readonly MessageDocument[],
): Promise<readonly ReturnType<typeof messageThing>[]> => {
  const { account } = context.viewer
  const [around, entries] = await Promise.all([
    aroundOf(context, account, surroundingsOf(messages)),
    entriesOf(
      context.documents,
      account,
      messages.map(({ id }) => id),
    ),
  ])
  await renderAhead(messages.map(({ body }) => body))
  return messages.map((message) => messageThing(message, isUnread(message, entries, around), around))
}

/** Presents a conversation as one record: its first message, with the others as replies. */
export const threadThing = async (context: SignedInContext, [first, ...rest]: readonly MessageDocument[]): Promise<object | undefined> => {
  if (!first) return undefined
  const all = [first, ...rest]
  const { viewer } = context
  const [around, entries, children] = await Promise.all([
    aroundOf(context, viewer.account, surroundingsOf(all)),
    entriesOf(context.documents, viewer.account, [first.id]),
    messageThings(context, rest),
    renderAhead([first.body]),
  ])
  return messageThing(first, isUnread(first, entries, around), around, rest.length === 0 ? '' : closedListing(children, viewer.modhash))
}

/**
 * Returns the first message of a message's conversation; undefined if it does not exist, 403 for non-participants and for suspended
 * moderators and admins.
 */
export const rootFor = async (context: SignedInContext, id: MessageId): Promise<E.Either<Refusal, Message | undefined>> => {
  const { load, viewer } = context
  const { account } = viewer
  const acts = !(await isViewerSuspended(context))
  const message = await load(Message, id)
  const root = message && (await load(Message, message.root))
  if (!message || !root) return E.right(undefined)
  const moderators = message.subsite === null || !acts ? undefined : await load(Moderators, message.subsite)
  return mayRead(message, root, { account, admin: viewer.admin, moderators }) ? E.right(root) : refuseRule('FORBIDDEN')
}

/** Tells whether the viewer may answer the mail of a subsite. A suspended moderator may not. */
const handlesMail = async (context: SignedInContext, subsite: SubsiteId): Promise<boolean> =>
  (await capacityIn(context, subsite, 'mail')) === 'moderator' && !(await isViewerSuspended(context))

const senderOf = async (context: SignedInContext, id: string): Promise<InboxSender | undefined> => {
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

const report = async (context: SignedInContext, message: Message, reason: string) => {
  if (await isViewerSuspended(context)) return refuseRule('IN_TIMEOUT')
  const { account } = context.viewer
  const moderator = message.subsite !== null && (await moderates(context, { subsite: message.subsite, account }))
  const stream = `${account}.${message.message}`
  return context.run<Report, ReportEvent>(Report, stream, reportMessage({ account, moderator }, message, reason))
}

export const messageKind = kind(Message, {
  collection: messages,
  records: recordsOfThose<MessageDocument>(MessageId, async (context, messages) =>
    isSignedIn(context) ? byFullname(messages, await messageThings(context, messages)) : new Map(),
  ),
  feedEntry: messageEntry,
  text: (message) => ({
    author: message.author,
    // its recipient deletes a copy, not the message
    deleted: false,
    subsite: null,
    report: (context, reason) => report(context, message, reason),
    distinguish: distinguishOnly(({ run, viewer }, after) => run(Message, message.message, distinguishMessage(viewer.account, after))),
    erase: ({ run }, reason) => run(Message, message.message, eraseMessage(reason)),
  }),
  moderation: { permission: 'mail', remove: removeMessage, approve: approveMessage },
  // current, since a moderator may just have lost the permission to reply
  replies: { are: 'message', scope: 'privatemessages', facts: 'current' },
  inbox: { sender: senderOf, read: rootFor },
})
