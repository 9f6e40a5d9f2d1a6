import { type MessageDocument, messages } from '../../projections/messages.ts'
import type { AccountId, MessageId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { fitting } from './page-size.ts'
import { found, type Source, walk } from './walk.ts'

const NEWEST_FIRST = ['-seq']

/** What an account wrote. */
export const sentBy = (documents: DocumentStore, account: AccountId): Source<MessageDocument> =>
  found(documents, messages, { author: account }, NEWEST_FIRST)

/** The shared mail of the moderators of some subsites, at least one: all of it, or what is unread. */
export const modmailOf = (
  documents: DocumentStore,
  subsites: readonly SubsiteId[],
  box: 'inbox' | 'unread' = 'inbox',
): Source<MessageDocument> => {
  const mail = { modmail: true, ...(box === 'unread' && { unread: true }) }
  return found(documents, messages, { subsite: { in: subsites }, ...mail }, NEWEST_FIRST)
}

/** Whether some mail of others waits to be read by the moderators of these subsites. */
export const hasUnreadModmail = async (documents: DocumentStore, subsites: readonly SubsiteId[], account: AccountId): Promise<boolean> => {
  if (subsites.length === 0) return false
  const keep = async (some: readonly MessageDocument[]) => some.filter(({ author, removed }) => author !== account && !removed)
  return (await walk(modmailOf(documents, subsites, 'unread'), 1, undefined, keep)).items.length > 0
}

/** What was reported to the admins. */
export const reportedOf = (documents: DocumentStore): Source<MessageDocument> =>
  found(documents, messages, { isReported: true }, NEWEST_FIRST)

/** Messages of one conversation that are shown together. */
const MOST = 500

/** A conversation, oldest message first: how it began, and of a very long one the newest of the rest, as far as they fit on a page. */
export const conversation = async (documents: DocumentStore, root: MessageId): Promise<readonly MessageDocument[]> => {
  const page = { limit: MOST, before: [Number.MAX_SAFE_INTEGER] }
  const newest = await documents.find(messages, { where: { root }, order: ['seq'], page })
  const shown = fitting(newest.toReversed()).toReversed()
  if (shown[0]?.id === root) return shown
  const first = (await documents.getMany(messages, [root])).get(root)
  return first ? [first, ...shown] : shown
}

export const messagesById = async (documents: DocumentStore, ids: readonly MessageId[]): Promise<ReadonlyMap<MessageId, MessageDocument>> =>
  documents.getMany(messages, ids)
