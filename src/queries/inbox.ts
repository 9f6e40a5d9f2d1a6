import { type InboxDocument, inbox, inboxId } from '../../projections/inbox.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { found, type Source } from './walk.ts'

const NEWEST_FIRST = ['-seq']

/** The listings of an inbox: everything, unread, or one kind of entry. */
export const compartments = {
  inbox: {},
  unread: { new: true },
  messages: { reason: 'message' },
  comments: { reason: 'comment_reply' },
  selfreply: { reason: 'post_reply' },
  mentions: { reason: 'mention' },
} as const
export type Compartment = keyof typeof compartments

export const inboxOf = (documents: DocumentStore, account: AccountId, compartment: Compartment): Source<InboxDocument> =>
  found(documents, inbox, { account, withdrawn: false, ...compartments[compartment] }, NEWEST_FIRST)

/** The entries that some things have in an account's inbox. */
export const entriesOf = async (
  documents: DocumentStore,
  account: AccountId,
  things: readonly string[],
): Promise<ReadonlyMap<string, InboxDocument>> => {
  if (things.length === 0) return new Map()
  const entries = await documents.getMany(
    inbox,
    things.map((thing) => inboxId(account, thing)),
  )
  return new Map(Array.from(entries.values(), (entry) => [entry.thing, entry]))
}

const MOST_COUNTED = 10_000

/** How many entries are unread, counting no further than ten thousand. */
export const unreadCount = (documents: DocumentStore, account: AccountId): Promise<number> =>
  documents.count(inbox, { account, withdrawn: false, new: true }, MOST_COUNTED)

/** The unread entries, newest first, at most ten thousand. */
export const unreadEntries = (documents: DocumentStore, account: AccountId, limit = MOST_COUNTED): Promise<readonly InboxDocument[]> =>
  documents.find(inbox, { where: { account, withdrawn: false, new: true }, order: NEWEST_FIRST, page: { limit } })
