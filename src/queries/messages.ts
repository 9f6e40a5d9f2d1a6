// Decision 43.

import { type MessageDocument, messages } from '../../projections/messages.ts'
import type { AccountId, MessageId, SubsiteId } from '../domain/ids.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { findBy, listingIndex } from '../ports/indexed.ts'
import { listBy, type OrderedSource, selectFitting, walk } from './ordered-source.ts'

const SENT = listingIndex(messages, ['author'], ['-seq'])
const MODMAIL = listingIndex(messages, ['subsite', 'modmail'], ['-seq'])
const UNREAD_MODMAIL = listingIndex(messages, ['subsite', 'modmail', 'unread'], ['-seq'])
const REPORTED = listingIndex(messages, ['isReported'], ['-seq'])
/** Finds the messages of a conversation, oldest first. */
export const MESSAGES_OF_CONVERSATION = listingIndex(messages, ['root'], ['seq'])

/** Lists the messages that an account sent. */
export const sentBy = (documents: DocumentStore, account: AccountId): OrderedSource<MessageDocument> =>
  listBy(documents, SENT, { author: account })

/** Lists the shared mail of the moderators of at least one subsite: all or unread. */
export const modmailOf = (
  documents: DocumentStore,
  subsites: readonly SubsiteId[],
  box: 'inbox' | 'unread' = 'inbox',
): OrderedSource<MessageDocument> => {
  const mail = { subsite: { in: subsites }, modmail: true }
  return box === 'unread' ? listBy(documents, UNREAD_MODMAIL, { ...mail, unread: true }) : listBy(documents, MODMAIL, mail)
}

/** Tells whether an account reported a message, which hides it from them. */
export const isReportedBy = ({ reports }: MessageDocument, account: AccountId): boolean =>
  reports.some((report) => report.account === account)

/** Tells whether one of the moderators may have to read a mail: it is by somebody else, not removed, and not hidden by their own report. */
export const isModmailFor =
  (account: AccountId) =>
  (message: MessageDocument): boolean =>
    message.author !== account && !message.removed && !isReportedBy(message, account)

/** Tells whether moderators of these subsites have unread mail from others. */
export const hasUnreadModmail = async (documents: DocumentStore, subsites: readonly SubsiteId[], account: AccountId): Promise<boolean> => {
  if (subsites.length === 0) return false
  const keep = async (messages: readonly MessageDocument[]) => messages.filter(isModmailFor(account))
  return (await walk(modmailOf(documents, subsites, 'unread'), 1, undefined, keep)).items.length > 0
}

/** Lists the messages reported to the admins. */
export const listReported = (documents: DocumentStore): OrderedSource<MessageDocument> => listBy(documents, REPORTED, { isReported: true })

/** The most messages of one conversation that are shown together. */
const MAX_SHOWN_MESSAGES = 500

/** Returns a conversation, oldest message first: its first message, and as many of the newest others as fit on a page. */
export const conversation = async (documents: DocumentStore, root: MessageId): Promise<readonly MessageDocument[]> => {
  const page = { limit: MAX_SHOWN_MESSAGES, before: [Number.MAX_SAFE_INTEGER] }
  const newest = await findBy(documents, MESSAGES_OF_CONVERSATION, { root }, page)
  const shown = selectFitting(newest.toReversed()).toReversed()
  if (shown[0]?.id === root) return shown
  const first = await getOne(documents, messages, root)
  return first ? [first, ...shown] : shown
}

export const messagesById = async (documents: DocumentStore, ids: readonly MessageId[]): Promise<ReadonlyMap<MessageId, MessageDocument>> =>
  documents.getMany(messages, ids)
