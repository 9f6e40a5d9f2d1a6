import { type MessageDocument, messages } from '../../projections/messages.ts'
import type { AccountId, MessageId, SubsiteId } from '../domain/ids.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { findBy, indexed } from '../ports/indexed.ts'
import { fitting, found, type Source, walk } from './walk.ts'

const SENT = indexed(messages, ['author'], ['-seq'])
const MODMAIL = indexed(messages, ['subsite', 'modmail'], ['-seq'])
const UNREAD_MODMAIL = indexed(messages, ['subsite', 'modmail', 'unread'], ['-seq'])
const REPORTED = indexed(messages, ['isReported'], ['-seq'])
/** A conversation, oldest message first. */
export const MESSAGES_OF_CONVERSATION = indexed(messages, ['root'], ['seq'])

/** Messages that an account sent. */
export const sentBy = (documents: DocumentStore, account: AccountId): Source<MessageDocument> => found(documents, SENT, { author: account })

/** The shared mail of the moderators of at least one subsite: all or unread. */
export const modmailOf = (
  documents: DocumentStore,
  subsites: readonly SubsiteId[],
  box: 'inbox' | 'unread' = 'inbox',
): Source<MessageDocument> => {
  const mail = { subsite: { in: subsites }, modmail: true }
  return box === 'unread' ? found(documents, UNREAD_MODMAIL, { ...mail, unread: true }) : found(documents, MODMAIL, mail)
}

/** Whether an account reported a message, which hides it from them. */
export const isReportedBy = ({ reports }: MessageDocument, account: AccountId): boolean =>
  reports.some((report) => report.account === account)

/** Mail that one of the moderators may have to read: by others, neither removed nor hidden by an own report. */
export const isModmailFor =
  (account: AccountId) =>
  (message: MessageDocument): boolean =>
    message.author !== account && !message.removed && !isReportedBy(message, account)

/** Whether moderators of these subsites have unread mail from others. */
export const hasUnreadModmail = async (documents: DocumentStore, subsites: readonly SubsiteId[], account: AccountId): Promise<boolean> => {
  if (subsites.length === 0) return false
  const keep = async (some: readonly MessageDocument[]) => some.filter(isModmailFor(account))
  return (await walk(modmailOf(documents, subsites, 'unread'), 1, undefined, keep)).items.length > 0
}

/** Messages reported to the admins. */
export const reportedOf = (documents: DocumentStore): Source<MessageDocument> => found(documents, REPORTED, { isReported: true })

/** Messages of one conversation that are shown together. */
const MAX_SHOWN_MESSAGES = 500

/** A conversation, oldest message first: its first message, and as many of the newest others as fit on a page. */
export const conversation = async (documents: DocumentStore, root: MessageId): Promise<readonly MessageDocument[]> => {
  const page = { limit: MAX_SHOWN_MESSAGES, before: [Number.MAX_SAFE_INTEGER] }
  const newest = await findBy(documents, MESSAGES_OF_CONVERSATION, { root }, page)
  const shown = fitting(newest.toReversed()).toReversed()
  if (shown[0]?.id === root) return shown
  const first = await getOne(documents, messages, root)
  return first ? [first, ...shown] : shown
}

export const messagesById = async (documents: DocumentStore, ids: readonly MessageId[]): Promise<ReadonlyMap<MessageId, MessageDocument>> =>
  documents.getMany(messages, ids)
