import { accounts } from '../../../projections/accounts.ts'
import { comments } from '../../../projections/comments.ts'
import { links } from '../../../projections/links.ts'
import { messages } from '../../../projections/messages.ts'
import { subsites } from '../../../projections/subsites.ts'
import type { Scope } from '../../auth/scopes.ts'
import { Account } from '../../domain/account.ts'
import { Comment } from '../../domain/comment.ts'
import { commentModeration } from '../../domain/comment-moderation.ts'
import type { Aggregate } from '../../domain/decision.ts'
import type { AnyEvent } from '../../domain/event.ts'
import { kindOf, prefixes, type SubsiteId } from '../../domain/ids.ts'
import { Link } from '../../domain/link.ts'
import { linkModeration } from '../../domain/link-moderation.ts'
import { approveMessage, Message, removeMessage } from '../../domain/message.ts'
import { Subsite } from '../../domain/subsite.ts'
import type { Votable } from '../../domain/vote.ts'
import type { Collection, Document } from '../../ports/documents.ts'
import { reading } from '../../queries/reading.ts'
import type { ThingDocument } from '../../queries/things.ts'
import { type Context, isSignedIn } from '../contract/endpoint.ts'
import {
  accountEntry,
  accountRowEntry,
  commentEntry,
  type FeedPresenter,
  linkEntry,
  messageEntry,
  modActionEntry,
  subsiteEntry,
} from '../present/feed-entry.ts'
import { commentPermalink, linkPermalink } from '../present/permalink.ts'
import { accountThings } from './accounts.ts'
import { type Authored, ownComments, ownLinks } from './edit-and-delete.ts'
import { type Received, receivedComments, receivedMessages } from './inbox-senders.ts'
import { presentById } from './links-and-comments.ts'
import { messageThings } from './messages.ts'
import { type Moderated, moderated } from './remove-and-approve.ts'
import { type Written, writtenComment, writtenLink, writtenMessage } from './report-distinguish-erase.ts'
import { subsiteThings } from './subsites.ts'

/** A link or a comment as the log has it. */
export type Post = Votable & Pick<Comment, 'distinguished'>

/** The kind of replies, the scope that a token needs to write one, and how current the facts must be that decide about one. */
type Replies = { readonly are: 'comment' | 'message'; readonly scope: Scope; readonly facts: 'recent' | 'current' }
const comment: Replies = { are: 'comment', scope: 'submit', facts: 'recent' }
// current, since a moderator may just have lost the permission to reply
const message: Replies = { are: 'message', scope: 'privatemessages', facts: 'current' }

/** Some things of one kind as JSON records by fullname, as the viewer may see them; what has no record is left out. */
type JsonPresenter<D extends Document> = (context: Context, documents: readonly D[]) => Promise<ReadonlyMap<string, unknown>>

/** The differences between kinds of things: `D`, their documents. */
type KindOfThing<State, D extends Document> = {
  readonly aggregate: Aggregate<State, never>
  readonly collection: Collection<D>
  readonly json: JsonPresenter<D>
  /** The thing as somebody wrote it; absent: it cannot be reported or distinguished. */
  readonly written?: (state: State) => Written
  /** The thing as a post; absent: it cannot be voted on, saved or gilded. */
  readonly post?: (state: State) => Post
  readonly moderation?: Moderated
  readonly authored?: Authored
  /** Its replies; absent: it takes none. */
  readonly replies?: Replies
  /** Absent: it enters no inbox. */
  readonly received?: Received
  /** Its address as the target of a moderation action; absent: it has none. */
  readonly permalink?: (target: Target) => string | null
  readonly feedEntry: FeedPresenter
  /** Whether `/api/info` finds it by its fullname; absent: it does not. */
  readonly lookedUp?: true
}

/** A target as it was at the moderation action: the names of its subsite and the title of its link. */
type Target = {
  readonly place: string
  readonly id: string
  readonly title: string
  readonly link: string | null
  readonly threadTitle: string
}

const kind = <State, Event extends AnyEvent, D extends Document>(
  aggregate: Aggregate<State, Event>,
  rest: Omit<KindOfThing<State, D>, 'aggregate'>,
): Omit<KindOfThing<State, D>, 'aggregate'> & { readonly aggregate: Aggregate<State, Event> } => ({ aggregate, ...rest })

/** Links and comments are presented together. */
const thingRecords = (context: Context, found: readonly ThingDocument[]) => presentById(context, reading(context, context.viewer), found)

/** Makes a presenter of a function that returns the records in the order of the documents. */
const inOrder =
  <D extends Document>(present: (context: Context, documents: readonly D[]) => Promise<readonly unknown[]>): JsonPresenter<D> =>
  async (context, documents) => {
    const records = await present(context, documents)
    return new Map(documents.flatMap(({ id }, index) => (records[index] === undefined ? [] : [[id, records[index]]])))
  }

const kinds = {
  link: kind(Link, {
    collection: links,
    json: thingRecords,
    written: writtenLink,
    post: (link) => ({ ...link, link: link.id }),
    authored: ownLinks,
    replies: comment,
    moderation: moderated(Link, { permission: 'posts', ...linkModeration }),
    permalink: ({ place, id, title }) => linkPermalink(place, id, title),
    feedEntry: linkEntry,
    lookedUp: true,
  }),
  comment: kind(Comment, {
    collection: comments,
    json: thingRecords,
    written: writtenComment,
    post: (comment) => comment,
    authored: ownComments,
    replies: comment,
    received: receivedComments,
    moderation: moderated(Comment, { permission: 'posts', ...commentModeration }),
    permalink: ({ place, id, link, threadTitle }) => (link === null ? null : commentPermalink(place, link, threadTitle, id)),
    feedEntry: commentEntry,
    lookedUp: true,
  }),
  message: kind(Message, {
    collection: messages,
    json: inOrder((context, found) => (isSignedIn(context) ? messageThings(context, found) : Promise.resolve([]))),
    written: writtenMessage,
    replies: message,
    received: receivedMessages,
    moderation: moderated(Message, { permission: 'mail', remove: removeMessage, approve: approveMessage }),
    feedEntry: messageEntry,
  }),
  subsite: kind(Subsite, { collection: subsites, json: inOrder(subsiteThings), feedEntry: subsiteEntry, lookedUp: true }),
  account: kind(Account, { collection: accounts, json: accountThings, feedEntry: accountEntry }),
} as const

export type Kind = keyof typeof kinds
export type StateOf<K extends Kind> = (typeof kinds)[K]['aggregate'] extends Aggregate<infer State, infer _> ? State : never

/** The kind of a fullname; undefined if it is not one of these. */
const knownKind = (id: string): KindOfThing<unknown, Document> | undefined => {
  const name = kindOf(id)
  return name !== undefined && name in kinds ? (kinds[name as Kind] as unknown as KindOfThing<unknown, Document>) : undefined
}

/** The state of a fullname's thing, from the log; undefined if it does not exist. */
export const stateNamed = async ({ load }: Pick<Context, 'load'>, id: string): Promise<unknown> => {
  const known = knownKind(id)
  return known && load(known.aggregate, id)
}

const having = (column: keyof KindOfThing<unknown, Document>): readonly Kind[] =>
  (Object.keys(kinds) as readonly Kind[]).filter((name) => column in kinds[name])

/** Links, comments and messages. */
export const writtenKinds = having('written')
/** Links and comments. */
export const postKinds = having('post')
/** Links, comments and messages, of which only moderator mail is moderated. */
export const moderatedKinds = having('moderation')
/** Things that enter inboxes. */
export const inboxKinds = having('received')

/** Whether a fullname is that of a link, a comment or a message. */
export const isWritten = (id: string): boolean => knownKind(id)?.written !== undefined

/** Whether a fullname is that of a thing that `/api/info` finds. */
export const isLookedUp = (id: string): boolean => knownKind(id)?.lookedUp === true

/** Whether a fullname is that of a link or a comment. */
export const isPost = (id: string): boolean => knownKind(id)?.post !== undefined

/** The link, comment or message of a fullname, from the log; undefined if it does not exist. */
export const writtenOf = async (context: Pick<Context, 'load'>, id: string): Promise<Written | undefined> => {
  const state = await stateNamed(context, id)
  return state === undefined ? undefined : knownKind(id)?.written?.(state)
}

/** The link or comment of a fullname, from the log; undefined if it does not exist. */
export const postOf = async (context: Pick<Context, 'load'>, id: string): Promise<Post | undefined> => {
  const state = isPost(id) ? await stateNamed(context, id) : undefined
  return state === undefined ? undefined : knownKind(id)?.post?.(state)
}

/** The subsite of a thing, or of a subsite's own fullname; undefined if it does not exist or has none. */
export const subsiteOf = async (context: Pick<Context, 'load'>, id: string): Promise<SubsiteId | undefined> => {
  const state = await stateNamed(context, id)
  return state === undefined ? undefined : (knownKind(id)?.aggregate.subsiteOf?.(id, state) ?? undefined)
}

/** The documents of things by their fullnames, in that order, each once; what does not exist is left out. */
export const documentsNamed = async ({ documents }: Pick<Context, 'documents'>, ids: readonly string[]): Promise<readonly Document[]> => {
  const names = [...new Set(ids)]
  const byCollection = Map.groupBy(names, (id) => knownKind(id)?.collection)
  const found = await Promise.all(
    Array.from(byCollection, ([collection, named]) => (collection ? documents.getMany(collection, named) : new Map<string, Document>())),
  )
  return names.flatMap((id) => found.flatMap((some) => some.get(id) ?? []))
}

/** Things of any kinds as JSON records by fullname, as the viewer may see them. */
export const recordsOf = async (context: Context, documents: readonly Document[]): Promise<ReadonlyMap<string, unknown>> => {
  const byPresenter = Map.groupBy(documents, ({ id }) => knownKind(id)?.json)
  const records = await Promise.all(Array.from(byPresenter, async ([json, some]) => [...((await json?.(context, some)) ?? [])]))
  return new Map(records.flat())
}

/** The same by their fullnames; null names nothing. */
export const recordsNamed = async (context: Context, ids: readonly (string | null)[]): Promise<ReadonlyMap<string, unknown>> =>
  recordsOf(
    context,
    await documentsNamed(
      context,
      ids.filter((id) => id !== null),
    ),
  )

/** The moderation actions of links, comments and moderator mail; undefined for other fullnames. */
export const moderationOf = (id: string): Moderated | undefined => knownKind(id)?.moderation

/** The replies to a thing; undefined if it takes none. */
export const repliesTo = (id: string): Replies | undefined => knownKind(id)?.replies

/** What inboxes know of a thing; undefined if it enters none. */
export const receivedOf = (id: string): Received | undefined => knownKind(id)?.received

/** What authors may do with their links and comments; undefined for other fullnames. */
export const authoredOf = (id: string): Authored | undefined => knownKind(id)?.authored

/** The address of a moderation action's target; null if it has none. */
export const permalinkOf = (target: Target): string | null => knownKind(target.id)?.permalink?.(target) ?? null

const feedPresenters: ReadonlyMap<string, FeedPresenter> = new Map([
  ...Object.entries(kinds).map(([name, { feedEntry }]) => [prefixes[name as Kind], feedEntry] as const),
  ['modaction', modActionEntry] as const,
])

/** How a record of this kind becomes a feed entry; only rows of accounts have no kind. */
export const feedPresenterOf = (name: string | undefined): FeedPresenter => {
  const present = name === undefined ? accountRowEntry : feedPresenters.get(name)
  if (!present) throw new Error(`records of the kind ${name} have no entry in feeds`)
  return present
}
