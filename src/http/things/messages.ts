import { comments } from '../../../projections/comments.ts'
import { type InboxDocument, RECIPIENT } from '../../../projections/inbox.ts'
import { links } from '../../../projections/links.ts'
import type { MessageDocument } from '../../../projections/messages.ts'
import { voteId, votes } from '../../../projections/votes.ts'
import { type AccountId, CommentId, MessageId } from '../../domain/ids.ts'
import type { Collection, Document } from '../../ports/documents.ts'
import { namesOf } from '../../queries/accounts.ts'
import { avoidancesOf } from '../../queries/avoidances.ts'
import { blockedAmong } from '../../queries/contacts.ts'
import { audiencesInInbox, entriesOf, type Own as Inbox, unreadCount, unreadEntries } from '../../queries/inbox.ts'
import { messagesById } from '../../queries/messages.ts'
import { reading } from '../../queries/reading.ts'
import { membershipsOf } from '../../queries/relations.ts'
import { subsitesById } from '../../queries/subsites.ts'
import type { Context } from '../contract/endpoint.ts'
import type { SignedIn } from '../contract/request.ts'
import { renderAhead } from '../present/markdown.ts'
import { type Around, commentNotice, messageThing } from '../present/message.ts'
import { visible } from './subsites.ts'

type Reading = Pick<Context, 'documents' | 'clock'>
/** The messages of a logged-in viewer. */
type Own = Context<unknown, SignedIn>

const many = async <D extends Document>({ documents }: Reading, collection: Collection<D>, ids: readonly string[]) =>
  ids.length === 0 ? new Map<string, D>() : documents.getMany(collection, [...new Set(ids)])

type Mentioned = { readonly people: readonly (AccountId | null)[]; readonly places: readonly (string | null)[] }

const aroundOf = async (context: Own, viewer: AccountId, { people, places }: Mentioned): Promise<Around> => {
  const subsites = await subsitesById(context.documents, places)
  const [names, memberships] = await Promise.all([
    namesOf(context.documents, [viewer, ...people]),
    subsites.size === 0 ? undefined : membershipsOf(context.documents, viewer, [...subsites.keys()], context.clock()),
  ])
  const moderated = new Set(Array.from(memberships ?? []).flatMap(([id, { permissions }]) => (permissions === undefined ? [] : [id])))
  const [{ collapse_read_messages: collapsesRead }, blocked, avoided] = await Promise.all([
    context.preferences(),
    context.viewer.admin ? new Set<string>() : blockedAmong(context.documents, viewer, people),
    avoidancesOf(context.documents, viewer, [...subsites.keys()]),
  ])
  const blockedSubsites = new Set([...subsites.keys()].filter((id) => avoided.get(id)?.blocked && !moderated.has(id)))
  return { viewer, names, subsites, moderated, collapsesRead, blocked, blockedSubsites }
}

const mentionedIn = (messages: readonly MessageDocument[]): Mentioned => ({
  people: messages.flatMap(({ author, to }) => [author, to]),
  places: messages.map(({ subsite }) => subsite),
})

/** Whether it is unread: by the viewer, if it is in their inbox; else, for a moderator of its subsite, by all its moderators. */
const isUnread = (message: MessageDocument, entries: ReadonlyMap<string, InboxDocument>, { moderated }: Around): boolean =>
  entries.get(message.id)?.new ?? (message.unread && message.subsite !== null && moderated.has(message.subsite))

/** Messages as separate records. */
export const messageThings = async (
  context: Own,
  messages: readonly MessageDocument[],
): Promise<readonly ReturnType<typeof messageThing>[]> => {
  const { account } = context.viewer
  const [around, entries] = await Promise.all([
    aroundOf(context, account, mentionedIn(messages)),
    entriesOf(
      context.documents,
      account,
      messages.map(({ id }) => id),
    ),
  ])
  await renderAhead(messages.map(({ body }) => body))
  return messages.map((message) => messageThing(message, isUnread(message, entries, around), around))
}

/** A conversation as one record: its first message, with the others as replies. */
export const threadThing = async (context: Own, [first, ...rest]: readonly MessageDocument[]): Promise<object | undefined> => {
  if (!first) return undefined
  const all = [first, ...rest]
  const { viewer } = context
  const [around, entries, children] = await Promise.all([
    aroundOf(context, viewer.account, mentionedIn(all)),
    entriesOf(context.documents, viewer.account, [first.id]),
    messageThings(context, rest),
    renderAhead([first.body]),
  ])
  const listing = { kind: 'Listing', data: { modhash: viewer.modhash, children, after: null, before: null } }
  return messageThing(first, isUnread(first, entries, around), around, rest.length === 0 ? '' : listing)
}

/**
 * Private messages and comments of blocked accounts are hidden, except comments where the viewer moderates. Moderator mail
 * is shown, since its author may be hidden. Admins see everything.
 */
const withoutBlocked = async ({ documents, clock, viewer }: Own, entries: readonly InboxDocument[]): Promise<readonly InboxDocument[]> => {
  if (viewer.admin) return entries
  const personal = entries.filter(({ reason, subsite }) => reason !== 'message' || subsite === null)
  const blocked = await blockedAmong(
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

/** The entries that are not hidden by a block, and whose comments the viewer may view. */
export const readable = async (context: Own, entries: readonly InboxDocument[]): Promise<readonly InboxDocument[]> => {
  const unblocked = await withoutBlocked(context, entries)
  const places = await subsitesById(
    context.documents,
    unblocked.map(({ reason, subsite }) => (reason === 'message' ? null : subsite)),
  )
  const open = new Set((await visible(context, [...places.values()])).map(({ id }) => id))
  return unblocked.filter(({ reason, subsite }) => reason === 'message' || (subsite !== null && open.has(subsite)))
}

/** The viewer's inbox: of comments, those in subsites that the viewer may view. Admins see everything. */
export const inboxHere = async (context: Own): Promise<Inbox> => {
  const { documents, viewer } = context
  const { account } = viewer
  const audiences = viewer.admin ? await audiencesInInbox(documents, account) : await reading(context, viewer).audiences()
  return { account, audiences: audiences.filter((audience) => audience !== RECIPIENT) }
}

const USUALLY_LOOKED_AT = 100
const MOST_LOOKED_AT = 500

/** The number of unread entries, without those among the newest 500 that the viewer does not see. */
export const unreadMail = async (context: Own): Promise<number> => {
  const own = await inboxHere(context)
  const entries = await unreadEntries(context.documents, own, USUALLY_LOOKED_AT)
  if (entries.length < USUALLY_LOOKED_AT) return (await readable(context, entries)).length
  const [all, newest] = await Promise.all([unreadCount(context.documents, own), unreadEntries(context.documents, own, MOST_LOOKED_AT)])
  return all - newest.length + (await readable(context, newest)).length
}

/** Inbox entries as records: messages and comments. */
export const inboxThings = async (context: Own, entries: readonly InboxDocument[]): Promise<readonly object[]> => {
  const viewer = context.viewer.account
  const things = entries.map(({ thing }) => thing)
  const ofComments = things.filter(CommentId.is)
  const [messages, replies, voted] = await Promise.all([
    messagesById(context.documents, things.filter(MessageId.is)),
    many(context, comments, ofComments),
    many(
      context,
      votes,
      ofComments.map((comment) => voteId(viewer, comment)),
    ),
  ])
  const written = mentionedIn([...messages.values()])
  const commented = [...replies.values()]
  const [around, threads] = await Promise.all([
    aroundOf(context, viewer, {
      people: [...written.people, ...commented.map(({ author }) => author)],
      places: [...written.places, ...commented.map(({ subsite }) => subsite)],
    }),
    many(
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
