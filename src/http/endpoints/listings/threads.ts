import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type CommentDocument, comments } from '../../../../projections/comments.ts'
import type { LinkDocument } from '../../../../projections/links.ts'
import { numberOf } from '../../../domain/ids.ts'
import { commentSorts } from '../../../domain/subsite-settings.ts'
import { getOne } from '../../../ports/documents.ts'
import type { CommentIndex } from '../../../queries/comment-index.ts'
import { isCommentSort, type View } from '../../../queries/comment-tree.ts'
import { openReading, type Reading } from '../../../queries/reading.ts'
import { selectThatFits, threadSort } from '../../../queries/threads.ts'
import { type AnyEndpoint, type Context, type HandlerOutcome, type Need, section } from '../../contract/endpoint.ts'
import { fullname, id36, id36s } from '../../contract/name-params.ts'
import {
  describeParam,
  documentChoices,
  flag,
  integer,
  optional,
  rawText,
  replaceInvalid,
  replaceRefusal,
  withDefault,
} from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { Site, Viewer } from '../../contract/request.ts'
import { isFeed } from '../../contract/router.ts'
import { form } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { eitherThing, thingShape } from '../../contract/schemas/things.ts'
import { commentListingShape, commentThingShape, moreShape } from '../../present/comment.ts'
import { linkListingShape } from '../../present/link.ts'
import { renderAhead } from '../../present/markdown.ts'
import { flattenReplies, nestReplies, type Thread } from '../../present/tree.ts'
import { presentThings } from '../../things/links-and-comments.ts'
import { wholeListing } from '../../things/listing.ts'
import { linkInView } from '../../things/shown-things.ts'

export const MAX_TREE_DEPTH = 10
export const MAX_TREE_COMMENTS = 500
/** The bound for moderators and for accounts with gold. */
export const MAX_TREE_COMMENTS_PRIVILEGED = 2500
/** The most children of one call of morechildren. */
export const MAX_MORE_CHILDREN = 20

/** Presents comments with everything that belongs to them. */
const presentComments = async (
  read: Reading,
  link: LinkDocument,
  shown: ReadonlyMap<string, CommentDocument>,
): Promise<Pick<Thread, 'comments' | 'around'>> => {
  await renderAhead([...shown.values()].map(({ body }) => body))
  return { comments: shown, around: await read.loadSurroundings([...shown.values()], [link.id]) }
}

type ThreadParams = {
  readonly article: string
  readonly comment: string | undefined
  readonly context: number
  readonly depth: number | undefined
  readonly limit: number | undefined
  readonly sort: string
  readonly showmore: boolean
  readonly showedits: boolean
  readonly sr_detail: boolean
}

const isElsewhere = (site: Site, link: LinkDocument) => site.kind === 'subsite' && site.subsite.id !== link.subsite

/** Returns the focus of a permalink: a comment of this link. One of another link is refused, an unknown one ignored. */
const viewOf = async (
  { documents }: Context,
  index: CommentIndex,
  link: LinkDocument,
  { comment, context }: ThreadParams,
): Promise<E.Either<Refusal, View>> => {
  if (comment === undefined) return E.right({ kind: 'whole' })
  const row = index.rowOf(numberOf(comment))
  if (row !== undefined) return E.right({ kind: 'focus', row, context })
  const other = await getOne(documents, comments, comment)
  return other && other.link !== link.id ? refuseRule('NOT_FOUND', 'comment') : E.right({ kind: 'whole' })
}

/** Returns the limit of a thread. The viewer's gold is looked up only for more than the usual one. */
const limitOf = async (requested: number | undefined, preferred: number, moderator: boolean, read: Reading): Promise<number> => {
  const limit = requested !== undefined && requested > 0 ? requested : preferred
  if (limit <= MAX_TREE_COMMENTS) return limit
  return Math.min(limit, moderator || (await read.hasGold()) ? MAX_TREE_COMMENTS_PRIVILEGED : MAX_TREE_COMMENTS)
}

const threadPage = async (context: Context, page: ThreadParams): Promise<HandlerOutcome> => {
  const { viewer, site } = context
  const read = openReading(context, viewer)
  const found = await linkInView(context, read, page.article)
  if (E.isLeft(found)) return found
  const link = found.right
  if (isElsewhere(site, link)) return refuseRule('NOT_FOUND')
  const index = await context.commentIndexes(link.id)
  const view = await viewOf(context, index, link, page)
  if (E.isLeft(view)) return view
  const depth = page.depth !== undefined && page.depth > 0 && page.depth < MAX_TREE_DEPTH ? page.depth : MAX_TREE_DEPTH
  const preferences = await context.preferences()
  const limit = await limitOf(page.limit, preferences.num_comments, read.isModerator(link.subsite), read)
  const sort = threadSort(page.sort, link, read, preferences)
  const selection = { view: view.right, sort, limit, depth, showMore: page.showmore && !isFeed(context) }
  const { placed, shown } = await selectThatFits(context.documents, index, link, read, selection)
  const options = { detailed: page.sr_detail, edits: page.showedits }
  const lead = await presentThings(context, read, [link], options)
  const dress = await presentComments(read, link, shown)
  const thread = { link: link.id, index, ...dress, modhash: viewer.modhash, edits: page.showedits }
  // a feed has no threads, and is made of one comment after the other
  const children = isFeed(context) ? flattenReplies(placed, thread) : nestReplies(placed, thread)
  return { ...wholeListing(children), lead, fleeting: sort === 'random' }
}

const notFound = (param: ReturnType<typeof id36>) => replaceRefusal(param, 'NOT_FOUND')
const ifANumber = replaceInvalid(optional(integer({})), undefined)

const thread = section('Listings of links and comments').get('[/s/{sub}]/comments/{article}', {
  otherPaths: ['[/s/{sub}]/comments/{article}/{title}', '[/s/{sub}]/comments/{article}/{title}/{comment}'],
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  rss: true,
  answers: { 200: shape.tuple(linkListingShape, commentListingShape) },
  summary: 'A link and its comments.',
  notes:
    'Two listings: the link, and the best comments of the whole thread with their replies. `more` objects stand for the comments left out; a `more` without children marks a thread that continues on the page of its comment.',
  params: {
    article: describeParam(notFound(id36('link')), 'id of the link'),
    comment: describeParam(
      replaceInvalid(optional(id36('comment')), undefined),
      'id of a comment: only it, its replies and the way to it are shown',
    ),
    context: describeParam(replaceInvalid(integer({ min: 0, max: 8 }), 0), 'how many ancestors of `comment` are shown'),
    depth: describeParam(ifANumber, 'levels of replies; 10 at most'),
    limit: describeParam(
      ifANumber,
      'comments at most (absent: your preference, else 100; at most 500, for moderators and accounts with gold 2,500)',
    ),
    sort: describeParam(
      documentChoices(rawText(), ...commentSorts),
      'absent or unknown: the suggested order, else that of your preferences',
    ),
    showmore: describeParam(flag(true), 'whether `more` objects are wanted'),
    showedits: describeParam(flag(true), 'whether edits are shown'),
    sr_detail: describeParam(flag(), 'with the record of its subsite'),
    title: describeParam(rawText(), 'of no effect'),
  },
  cache: 'personal',
  handle: (context) => threadPage(context, context.params),
})

const commentIds = replaceRefusal(withDefault(id36s({ kind: 'comment', max: 50_000 }), []), 'BAD_REQUEST')

/** Accounts, tokens without an account, and addresses with a running call of `morechildren`. */
const loadingMore = new Set<string>()

const alreadyLoading: Refusal = {
  code: 'TOO_MANY_REQUESTS',
  field: null,
  text: 'one request for more comments at a time: wait for the response to the other one, then send this one again',
  extra: { ratelimit: 1 },
}

/** Admits one call at a time for each of them. */
const oneAtATime: Need<() => void, unknown, Viewer> = ({ viewer, ip }) => {
  const who = viewer.account ?? (viewer.client === undefined ? ip : `client ${viewer.client}`)
  if (loadingMore.has(who)) return E.left(alreadyLoading)
  loadingMore.add(who)
  return E.right(() => loadingMore.delete(who))
}

type MoreCommentsParams = { readonly link_id: string; readonly children: readonly string[]; readonly sort: string }

const moreThings = async (context: Context, { link_id, children, sort }: MoreCommentsParams): Promise<HandlerOutcome> => {
  const { viewer } = context
  const read = openReading(context, viewer)
  const found = await linkInView(context, read, link_id)
  if (E.isLeft(found)) return refuseRule('FORBIDDEN')
  const link = found.right
  const index = await context.commentIndexes(link.id)
  // a stub may name tens of thousands of comments: others get their turn between the steps
  await setImmediate()
  const rows = children.flatMap((child) => index.rowOf(numberOf(child)) ?? [])
  await setImmediate()
  const requested = isCommentSort(sort) ? sort : ''
  const selection = {
    view: { kind: 'children', rows },
    sort: threadSort(requested, link, read, await context.preferences()),
    limit: MAX_MORE_CHILDREN,
    depth: MAX_TREE_DEPTH,
    showMore: true,
  } as const
  const { placed, shown } = await selectThatFits(context.documents, index, link, read, selection)
  const dress = await presentComments(read, link, shown)
  const things = flattenReplies(placed, { link: link.id, index, ...dress, modhash: viewer.modhash, edits: true })
  return { kind: 'form', data: { things } }
}

const moreChildren = section('Links and comments').get('/api/morechildren', {
  alsoMethods: ['POST'],
  scope: 'read',
  login: 'anyone',
  modhash: false,
  idempotency: false,
  errors: 'form',
  answers: { 200: form(shape.recordSchema({ things: shape.listOf(eitherThing(commentThingShape, thingShape('more', moreShape))) })) },
  summary: 'Comments that a `more` object stands for.',
  notes:
    'At most 20, with their replies, as one list in which each reply follows its parent; `more` objects stand for the comments still left out. One call at a time: a second one in parallel is 429 with `Retry-After: 1`.',
  params: {
    link_id: describeParam(replaceRefusal(fullname('link'), 'FORBIDDEN'), 'fullname of the link'),
    children: describeParam(commentIds, 'ids of comments, separated by commas'),
    sort: describeParam(documentChoices(rawText(), ...commentSorts), 'as of the thread'),
    id: describeParam(rawText(), 'of no effect'),
  },
  needs: { release: oneAtATime },
  handle: async (context) => {
    try {
      return await moreThings(context, context.params)
    } finally {
      context.release()
    }
  },
})

export const threadEndpoints: readonly AnyEndpoint[] = [thread, moreChildren]
