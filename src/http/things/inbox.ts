import { comments } from '../../../projections/comments.ts'
import { type InboxDocument, RECIPIENT_AUDIENCE } from '../../../projections/inbox.ts'
import { links } from '../../../projections/links.ts'
import { voteId, votes } from '../../../projections/votes.ts'
import { CommentId, MessageId } from '../../domain/ids.ts'
import type { Collection, Document } from '../../ports/documents.ts'
import { selectBlocked } from '../../queries/blocked-accounts.ts'
import { audiencesInInbox, type Inbox, unreadCount, unreadEntries } from '../../queries/inbox.ts'
import { messagesById } from '../../queries/messages.ts'
import { openReading } from '../../queries/reading.ts'
import { membershipsOf } from '../../queries/relations.ts'
import { subsitesById } from '../../queries/subsites.ts'
import type { Context, SignedInContext } from '../contract/endpoint.ts'
import { renderAhead } from '../present/markdown.ts'
import { commentNotice, messageThing } from '../present/message.ts'
import { aroundOf, surroundingsOf } from './kinds/message.ts'
import { visible } from './kinds/subsite.ts'

const loadById = async <D extends Document>(
  { documents }: Pick<Context, 'documents'>,
  collection: Collection<D>,
  ids: readonly string[],
) => (ids.length === 0 ? new Map<string, D>() : documents.getMany(collection, [...new Set(ids)]))

/**
 * Leaves out private messages and comments of blocked accounts, except comments where the viewer moderates. Moderator mail stays, since its
 * author may be hidden. Admins see everything.
 */
const withoutBlocked = async (
  { documents, clock, viewer }: SignedInContext,
  entries: readonly InboxDocument[],
): Promise<readonly InboxDocument[]> => {
  if (viewer.admin) return entries
  const personal = entries.filter(({ reason, subsite }) => reason !== 'message' || subsite === null)
  const blocked = await selectBlocked(
    documents,
    viewer.account,
    personal.map(({ from }) => from),
  )
  if (blocked.size === 0) return entries
  const hidden = new Set(personal.filter(({ from }) => from !== null && blocked.has(from)))
  const places = [...new Set(Array.from(hidden, ({ subsite }) => subsite ?? []).flat())]
  const memberships = await membershipsOf(documents, viewer.account, places, clock())
  const moderates = (subsite: string | null) => subsite !== null && memberships.get(subsite)?.permissions !== undefined
  return entries.filter((entry) => !hidden.has(entry) || moderates(entry.subsite))
}

/** Returns the entries that are not hidden by a block, and whose comments the viewer may view. */
export const selectReadable = async (context: SignedInContext, entries: readonly InboxDocument[]): Promise<readonly InboxDocument[]> => {
  const unblocked = await withoutBlocked(context, entries)
  const places = await subsitesById(
    context.documents,
    unblocked.map(({ reason, subsite }) => (reason === 'message' ? null : subsite)),
  )
  const open = new Set((await visible(context, [...places.values()])).map(({ id }) => id))
  return unblocked.filter(({ reason, subsite }) => reason === 'message' || (subsite !== null && open.has(subsite)))
}

/** Returns the viewer's inbox, with comments only of subsites that the viewer may view. Admins see everything. */
export const inboxHere = async (context: SignedInContext): Promise<Inbox> => {
  const { documents, viewer } = context
  const { account } = viewer
  const audiences = viewer.admin ? await audiencesInInbox(documents, account) : await openReading(context, viewer).audiences()
  return { account, audiences: audiences.filter((audience) => audience !== RECIPIENT_AUDIENCE) }
}

const FIRST_ENTRIES_READ = 100
const MAX_ENTRIES_READ = 500

/** Returns the number of unread entries, without those among the newest 500 that the viewer does not see. */
export const unreadMail = async (context: SignedInContext): Promise<number> => {
  const inbox = await inboxHere(context)
  const entries = await unreadEntries(context.documents, inbox, FIRST_ENTRIES_READ)
  if (entries.length < FIRST_ENTRIES_READ) return (await selectReadable(context, entries)).length
  const [all, newest] = await Promise.all([
    unreadCount(context.documents, inbox),
    unreadEntries(context.documents, inbox, MAX_ENTRIES_READ),
  ])
  return all - newest.length + (await selectReadable(context, newest)).length
}

/** Presents inbox entries as records: messages and comments. */
export const inboxThings = async (context: SignedInContext, entries: readonly InboxDocument[]): Promise<readonly object[]> => {
  const viewer = context.viewer.account
  const things = entries.map(({ thing }) => thing)
  const ofComments = things.filter(CommentId.is)
  const [messages, replies, voted] = await Promise.all([
    messagesById(context.documents, things.filter(MessageId.is)),
    loadById(context, comments, ofComments),
    loadById(
      context,
      votes,
      ofComments.map((comment) => voteId(viewer, comment)),
    ),
  ])
  const written = surroundingsOf([...messages.values()])
  const commented = [...replies.values()]
  const [around, threads] = await Promise.all([
    aroundOf(context, viewer, {
      people: [...written.people, ...commented.map(({ author }) => author)],
      places: [...written.places, ...commented.map(({ subsite }) => subsite)],
    }),
    loadById(
      context,
      links,
      commented.map(({ link }) => link),
    ),
  ])
  await renderAhead([...messages.values(), ...commented].map(({ body }) => body))
  return entries.flatMap((entry): readonly object[] => {
    const message = messages.get(entry.thing)
    if (message) return [messageThing(message, entry.new, around)]
    const comment = replies.get(entry.thing)
    const link = comment && threads.get(comment.link)
    const { reason } = entry
    if (!link || reason === 'message') return []
    return [commentNotice({ entry, reason, comment, link, vote: voted.get(voteId(viewer, comment.id)) }, around)]
  })
}
