import { type MessageDocument, messages } from '../../projections/messages.ts'
import type { AccountId, MessageId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { everything } from './everything.ts'
import { found, merged, type Source } from './walk.ts'

const NEWEST_FIRST = ['-seq']
const AT_ONCE = 200

/** What an account wrote. */
export const sentBy = (documents: DocumentStore, account: AccountId): Source<MessageDocument> =>
  found(documents, messages, { author: account }, NEWEST_FIRST)

/** The shared mail of the moderators of some subsites, at least one. */
export const modmailOf = (documents: DocumentStore, subsites: readonly SubsiteId[]): Source<MessageDocument> =>
  merged(
    Array.from({ length: Math.ceil(subsites.length / AT_ONCE) }, (_, n) =>
      found(documents, messages, { subsite: { in: subsites.slice(n * AT_ONCE, (n + 1) * AT_ONCE) }, modmail: true }, NEWEST_FIRST),
    ),
    NEWEST_FIRST,
  )

/** A whole conversation, oldest message first. */
export const conversation = (documents: DocumentStore, root: MessageId): Promise<readonly MessageDocument[]> =>
  everything(documents, messages, { root }, ['seq'])

export const messagesById = async (
  documents: DocumentStore,
  ids: readonly MessageId[],
): Promise<ReadonlyMap<MessageId, MessageDocument>> => (ids.length === 0 ? new Map() : documents.getMany(messages, ids))
