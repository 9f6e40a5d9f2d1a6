import { comments } from '../../projections/comments.ts'
import type { InboxDocument } from '../../projections/inbox.ts'
import { links } from '../../projections/links.ts'
import type { MessageDocument } from '../../projections/messages.ts'
import { voteId, votes } from '../../projections/votes.ts'
import { type AccountId, kindOf } from '../domain/ids.ts'
import type { Collection, Document } from '../ports/documents.ts'
import { namesOf } from '../queries/accounts.ts'
import { entriesOf, unreadCount, unreadEntries } from '../queries/inbox.ts'
import { messagesById } from '../queries/messages.ts'
import { membershipsOf } from '../queries/relations.ts'
import { subsitesById } from '../queries/subsites.ts'
import type { Context, SignedIn } from './endpoint.ts'
import { renderAhead } from './present/markdown.ts'
import { type Around, commentNotice, messageThing } from './present/message.ts'
import { visible } from './viewed.ts'

type Reading = Pick<Context, 'documents' | 'clock'>
/** What a logged-in viewer reads. */
type Own = Context<unknown, SignedIn>

const many = async <D extends Document>({ documents }: Reading, collection: Collection<D>, ids: readonly string[]) =>
  ids.length === 0 ? new Map<string, D>() : documents.getMany(collection, [...new Set(ids)])

type Mentioned = { readonly people: readonly (AccountId | null)[]; readonly places: readonly (string | null)[] }

const aroundOf = async (app: Reading, viewer: AccountId, { people, places }: Mentioned): Promise<Around> => {
  const subsites = await subsitesById(app.documents, places)
  const [names, memberships] = await Promise.all([
    namesOf(app.documents, [viewer, ...people]),
    subsites.size === 0 ? undefined : membershipsOf(app.documents, viewer, [...subsites.keys()], app.clock()),
  ])
  const moderated = new Set(Array.from(memberships ?? []).flatMap(([id, { permissions }]) => (permissions === undefined ? [] : [id])))
  return { viewer, names, subsites, moderated }
}

const mentionedIn = (messages: readonly MessageDocument[]): Mentioned => ({
  people: messages.flatMap(({ author, to }) => [author, to]),
  places: messages.map(({ subsite }) => subsite),
})

/** By the viewer, in whose inbox it is, or else by the moderators together, of whom the viewer is one. */
const isUnread = (message: MessageDocument, entries: ReadonlyMap<string, InboxDocument>, { moderated }: Around): boolean =>
  entries.get(message.id)?.new ?? (message.unread && message.subsite !== null && moderated.has(message.subsite))

/** Messages as records, each on its own. */
export const messageThings = async (
  app: Own,
  messages: readonly MessageDocument[],
): Promise<readonly ReturnType<typeof messageThing>[]> => {
  const { account } = app.viewer
  const [around, entries] = await Promise.all([
    aroundOf(app, account, mentionedIn(messages)),
    entriesOf(
      app.documents,
      account,
      messages.map(({ id }) => id),
    ),
  ])
  await renderAhead(messages.map(({ body }) => body))
  return messages.map((message) => messageThing(message, isUnread(message, entries, around), around))
}

/** A conversation as one record: its first message, the others as the replies to it. */
export const threadThing = async (app: Own, [first, ...rest]: readonly MessageDocument[]): Promise<object | undefined> => {
  if (!first) return undefined
  const all = [first, ...rest]
  const { viewer } = app
  const [around, entries, children] = await Promise.all([
    aroundOf(app, viewer.account, mentionedIn(all)),
    entriesOf(app.documents, viewer.account, [first.id]),
    messageThings(app, rest),
    renderAhead([first.body]),
  ])
  const listing = { kind: 'Listing', data: { modhash: viewer.modhash, children, after: null, before: null } }
  return messageThing(first, isUnread(first, entries, around), around, rest.length === 0 ? '' : listing)
}

/** Of some entries, those whose comments stand where the viewer may read. */
export const readable = async (app: Context, entries: readonly InboxDocument[]): Promise<readonly InboxDocument[]> => {
  const places = await subsitesById(
    app.documents,
    entries.map(({ reason, subsite }) => (reason === 'message' ? null : subsite)),
  )
  const open = new Set((await visible(app, [...places.values()])).map(({ id }) => id))
  return entries.filter(({ reason, subsite }) => reason === 'message' || (subsite !== null && open.has(subsite)))
}

const MOST_LOOKED_AT = 100

/** How many entries wait to be read, those not counted that the viewer may not read; of very many, also those. */
export const unreadMail = async (app: Own): Promise<number> => {
  const { account } = app.viewer
  const entries = await unreadEntries(app.documents, account, MOST_LOOKED_AT)
  return entries.length < MOST_LOOKED_AT ? (await readable(app, entries)).length : unreadCount(app.documents, account)
}

/** Entries of an inbox as records: messages, and comments that concern its owner. */
export const inboxThings = async (app: Own, entries: readonly InboxDocument[]): Promise<readonly object[]> => {
  const viewer = app.viewer.account
  const things = entries.map(({ thing }) => thing)
  const ofComments = things.filter((thing) => kindOf(thing) === 'comment')
  const [messages, replies, voted] = await Promise.all([
    messagesById(
      app.documents,
      things.filter((thing) => kindOf(thing) === 'message'),
    ),
    many(app, comments, ofComments),
    many(
      app,
      votes,
      ofComments.map((comment) => voteId(viewer, comment)),
    ),
  ])
  const written = mentionedIn([...messages.values()])
  const commented = [...replies.values()]
  const [around, threads] = await Promise.all([
    aroundOf(app, viewer, {
      people: [...written.people, ...commented.map(({ author }) => author)],
      places: [...written.places, ...commented.map(({ subsite }) => subsite)],
    }),
    many(
      app,
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
