import { type InboxDocument, inbox, inboxId, RECIPIENT_AUDIENCE } from '../../projections/inbox.ts'
import type { Audience } from '../domain/audience.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { countBy, findBy, listingIndex } from '../ports/indexed.ts'
import { audiencesAmong } from './audiences.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'

const EVERYTHING = listingIndex(inbox, ['account', 'audience', 'withdrawn'], ['-seq'])
const UNREAD = listingIndex(inbox, ['account', 'audience', 'withdrawn', 'new'], ['-seq'])
const OF_A_REASON = listingIndex(inbox, ['account', 'audience', 'withdrawn', 'reason'], ['-seq'])
const BY_AUDIENCE = listingIndex(inbox, ['account'], ['audience', 'withdrawn', '-seq'])

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

/** An inbox, with the audiences of those comments in it that the account may view. */
export type Inbox = { readonly account: AccountId; readonly audiences: readonly Audience[] }

const entriesIn = ({ account, audiences }: Inbox) => ({ account, audience: { in: [RECIPIENT_AUDIENCE, ...audiences] }, withdrawn: false })

export const inboxOf = (documents: DocumentStore, inbox: Inbox, compartment: Compartment): OrderedSource<InboxDocument> => {
  const entries = entriesIn(inbox)
  const kind = compartments[compartment]
  if ('reason' in kind) return listBy(documents, OF_A_REASON, { ...entries, ...kind })
  return 'new' in kind ? listBy(documents, UNREAD, { ...entries, ...kind }) : listBy(documents, EVERYTHING, entries)
}

/** Returns the audiences of everything in an inbox. */
export const audiencesInInbox = (documents: DocumentStore, account: AccountId): Promise<readonly Audience[]> =>
  audiencesAmong(documents, BY_AUDIENCE, { account }, [true, -1])

/** Returns the entries that some things have in an account's inbox. */
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

const MAX_COUNTED_ENTRIES = 10_000

/** Counts the unread entries, no further than ten thousand. */
export const unreadCount = async (documents: DocumentStore, { account, audiences }: Inbox): Promise<number> => {
  const where = { account, withdrawn: false, new: true }
  const counts = await Promise.all(
    [RECIPIENT_AUDIENCE, ...audiences].map((audience) => countBy(documents, UNREAD, { ...where, audience }, MAX_COUNTED_ENTRIES)),
  )
  return Math.min(
    counts.reduce((sum, count) => sum + count, 0),
    MAX_COUNTED_ENTRIES,
  )
}

/** Returns the unread entries, newest first, at most ten thousand. */
export const unreadEntries = (documents: DocumentStore, inbox: Inbox, limit = MAX_COUNTED_ENTRIES): Promise<readonly InboxDocument[]> =>
  findBy(documents, UNREAD, { ...entriesIn(inbox), new: true }, { limit })
