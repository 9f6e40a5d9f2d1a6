import { accounts } from '../../projections/accounts.ts'
import { comments } from '../../projections/comments.ts'
import { links } from '../../projections/links.ts'
import { messages } from '../../projections/messages.ts'
import { subsites } from '../../projections/subsites.ts'
import { Account } from '../domain/account.ts'
import { Comment, deleteComment, setCommentReplies } from '../domain/comment.ts'
import { approveComment, ignoreCommentReports, removeComment, unignoreCommentReports } from '../domain/comment-moderation.ts'
import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import { type AccountId, kindOf, prefixes, type SubsiteId } from '../domain/ids.ts'
import { deleteLink, Link } from '../domain/link.ts'
import { approveLink, ignoreLinkReports, removeLink, setLinkReplies, unignoreLinkReports } from '../domain/link-moderation.ts'
import { approveMessage, Message, removeMessage } from '../domain/message.ts'
import { Subsite } from '../domain/subsite.ts'
import type { Votable } from '../domain/vote.ts'
import type { Collection, Document } from '../ports/documents.ts'
import { reading } from '../queries/reading.ts'
import type { ThingDocument } from '../queries/things.ts'
import { accountThings } from './account-things.ts'
import type { Context } from './endpoint.ts'
import { messageThings } from './mail.ts'
import {
  accountEntry,
  commentEntry,
  type FeedPresenter,
  linkEntry,
  messageEntry,
  modActionEntry,
  subsiteEntry,
} from './present/feed-entry.ts'
import { commentPermalink, linkPermalink } from './present/permalink.ts'
import type { SignedIn } from './request.ts'
import { presentById } from './things.ts'
import { subsiteThings } from './viewed.ts'

type Running = Pick<Context, 'run'>
type Outcome = ReturnType<Context['run']>

/** The actions of moderators on one kind of thing. */
type Moderated = {
  readonly permission: 'posts' | 'mail'
  readonly remove: (context: Running, id: string, spam: boolean) => Outcome
  readonly approve: (context: Running, id: string) => Outcome
  /** Actions on things in queues. */
  readonly ignoreReports?: (context: Running, id: string) => Outcome
  readonly unignoreReports?: (context: Running, id: string) => Outcome
}

/** The actions of authors on one kind of thing; without effect on other accounts' things. */
type Authored = {
  readonly delete: (context: Running, id: string, account: AccountId) => Outcome
  /** Whether replies to it enter the author's inbox. */
  readonly setReplies: (context: Running, id: string, account: AccountId, on: boolean) => Outcome
}

type Decisions<State, Event extends AnyEvent> = {
  readonly permission: Moderated['permission']
  readonly remove: (spam: boolean) => Decide<State, Event>
  readonly approve: Decide<State, Event>
  readonly ignoreReports?: Decide<State, Event>
  readonly unignoreReports?: Decide<State, Event>
}

const moderated = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  { permission, remove, approve, ignoreReports, unignoreReports }: Decisions<State, Event>,
): Moderated => ({
  permission,
  remove: ({ run }, id, spam) => run(aggregate, id, remove(spam)),
  approve: ({ run }, id) => run(aggregate, id, approve),
  ...(ignoreReports && { ignoreReports: ({ run }, id) => run(aggregate, id, ignoreReports) }),
  ...(unignoreReports && { unignoreReports: ({ run }, id) => run(aggregate, id, unignoreReports) }),
})

/** A link or a comment as the log has it. */
export type Post = Votable & Pick<Comment, 'distinguished'>

/** Some things of one kind as JSON records by fullname, as the viewer may see them; what has no record is left out. */
type JsonPresenter<D extends Document> = (context: Context, documents: readonly D[]) => Promise<ReadonlyMap<string, unknown>>

/** The differences between kinds of things: `D`, their documents. */
type KindOfThing<State, D extends Document> = {
  readonly aggregate: Aggregate<State, never>
  readonly collection: Collection<D>
  readonly json: JsonPresenter<D>
  /** The subsite of a thing, if it has one. */
  readonly subsiteOf: (state: State) => SubsiteId | null
  /** The thing as a post; absent: it cannot be voted on, saved, reported or gilded. */
  readonly post?: (state: State) => Post
  readonly moderation?: Moderated
  readonly authored?: Authored
  /** Its address as the target of a moderation action; absent: it has none. */
  readonly permalink?: (target: Target) => string | null
  readonly feedEntry: FeedPresenter
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

/** As such a presenter: one whose records are in the order of the documents. */
const inOrder =
  <D extends Document>(present: (context: Context, documents: readonly D[]) => Promise<readonly unknown[]>): JsonPresenter<D> =>
  async (context, documents) => {
    const records = await present(context, documents)
    return new Map(documents.flatMap(({ id }, index) => (records[index] === undefined ? [] : [[id, records[index]]])))
  }

const isSignedIn = (context: Context): context is Context<unknown, SignedIn> => context.viewer.account !== undefined

const kinds = {
  link: kind(Link, {
    collection: links,
    json: thingRecords,
    subsiteOf: ({ subsite }) => subsite,
    post: (link) => ({ ...link, link: link.id }),
    authored: {
      delete: ({ run }, id, account) => run(Link, id, deleteLink(account)),
      setReplies: ({ run }, id, account, on) => run(Link, id, setLinkReplies(account, on)),
    },
    moderation: moderated(Link, {
      permission: 'posts',
      remove: removeLink,
      approve: approveLink,
      ignoreReports: ignoreLinkReports,
      unignoreReports: unignoreLinkReports,
    }),
    permalink: ({ place, id, title }) => linkPermalink(place, id, title),
    feedEntry: linkEntry,
  }),
  comment: kind(Comment, {
    collection: comments,
    json: thingRecords,
    subsiteOf: ({ subsite }) => subsite,
    post: (comment) => comment,
    authored: {
      delete: ({ run }, id, account) => run(Comment, id, deleteComment(account)),
      setReplies: ({ run }, id, account, on) => run(Comment, id, setCommentReplies(account, on)),
    },
    moderation: moderated(Comment, {
      permission: 'posts',
      remove: removeComment,
      approve: approveComment,
      ignoreReports: ignoreCommentReports,
      unignoreReports: unignoreCommentReports,
    }),
    permalink: ({ place, id, link, threadTitle }) => (link === null ? null : commentPermalink(place, link, threadTitle, id)),
    feedEntry: commentEntry,
  }),
  message: kind(Message, {
    collection: messages,
    json: inOrder((context, found) => (isSignedIn(context) ? messageThings(context, found) : Promise.resolve([]))),
    subsiteOf: ({ subsite }) => subsite,
    moderation: moderated(Message, { permission: 'mail', remove: removeMessage, approve: approveMessage }),
    feedEntry: messageEntry,
  }),
  subsite: kind(Subsite, { collection: subsites, json: inOrder(subsiteThings), subsiteOf: ({ id }) => id, feedEntry: subsiteEntry }),
  account: kind(Account, { collection: accounts, json: accountThings, subsiteOf: () => null, feedEntry: accountEntry }),
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

/** Whether a fullname is one of links or comments. */
export const isPost = (id: string): boolean => knownKind(id)?.post !== undefined

/** The link or comment of a fullname, from the log; undefined if it does not exist. */
export const postOf = async (context: Pick<Context, 'load'>, id: string): Promise<Post | undefined> => {
  const state = isPost(id) ? await stateNamed(context, id) : undefined
  return state === undefined ? undefined : knownKind(id)?.post?.(state)
}

/** The subsite of a thing, or of a subsite's own fullname; undefined if it does not exist or has none. */
export const subsiteOf = async (context: Pick<Context, 'load'>, id: string): Promise<SubsiteId | undefined> => {
  const state = await stateNamed(context, id)
  return state === undefined ? undefined : (knownKind(id)?.subsiteOf(state) ?? undefined)
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

/** What authors may do with their links and comments; undefined for other fullnames. */
export const authoredOf = (id: string): Authored | undefined => knownKind(id)?.authored

/** The address of a moderation action's target; null if it has none. */
export const permalinkOf = (target: Target): string | null => knownKind(target.id)?.permalink?.(target) ?? null

const feedPresenters: ReadonlyMap<string, FeedPresenter> = new Map([
  ...Object.entries(kinds).map(([name, { feedEntry }]) => [prefixes[name as Kind], feedEntry] as const),
  ['modaction', modActionEntry] as const,
])

/** A record of this kind as a feed entry. */
export const feedPresenterOf = (name: string): FeedPresenter => feedPresenters.get(name) ?? accountEntry
