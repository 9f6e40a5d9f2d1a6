import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { type CommentDocument, comments } from '../../../projections/comments.ts'
import { type LinkDocument, links } from '../../../projections/links.ts'
import { refuse } from '../../domain/decision.ts'
import { numberOf } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { CommentSort } from '../../domain/subsite-settings.ts'
import { bytesOf } from '../../ports/size.ts'
import type { Skeleton } from '../../queries/comment-index.ts'
import { MOST_PAGE_BYTES } from '../../queries/page-size.ts'
import { type Reading, reading } from '../../queries/reading.ts'
import { isCommentSort, type Placed, selectTree, type View } from '../../queries/tree.ts'
import { type AnyEndpoint, type Context, endpoint, type Need, type Outcome, type Site, type Viewer } from '../endpoint.ts'
import { described, flag, fullname, id36, id36s, integer, lenient, optional, raw, refusing, withDefault } from '../params.ts'
import { closedListing } from '../present/listing.ts'
import { renderAhead } from '../present/markdown.ts'
import { commentId, flattened, nested, shownRows, type Thread } from '../present/tree.ts'
import { form } from '../schemas/answers.ts'
import * as shape from '../schemas/schema.ts'
import { commentListingShape, commentThingShape, linkListingShape, moreShape, thingShape } from '../schemas/things.ts'
import { presentThings } from '../things.ts'

const DEPTH = 10
const COMMENTS = 100
const MOST = 500
const MOST_FOR_MODERATORS = 2500
/** Of one call of morechildren. */
const MORE = 20

/** A link that the viewer may see: unknown is 404, in a closed subsite 403. */
const linkInView = async (app: Context, read: Reading, id: string): Promise<Either<Refusal, LinkDocument>> => {
  const link = (await app.documents.getMany(links, [id])).get(id)
  if (!link) return refuse('NOT_FOUND')
  await read.places([link.subsite])
  return read.mayView(link.subsite) ? E.right(link) : refuse('FORBIDDEN')
}

/** The sort asked for; else the one that the subsite suggests, unless that is qa and the reader the one who is asked; else `top`. */
const sortOf = (asked: string, link: LinkDocument, read: Reading): CommentSort => {
  if (asked !== '') return isCommentSort(asked) ? asked : 'top'
  const suggested = read.subsite(link.subsite)?.settings.suggested_comment_sort ?? ''
  if (!isCommentSort(suggested) || (suggested === 'qa' && link.author === read.reader.account)) return 'top'
  return suggested
}

/** Deleted, or removed for this reader. */
const goneFor = (skeleton: Skeleton, { subsite }: LinkDocument, { reader, moderates }: Reading) => {
  const privileged = moderates(subsite)
  return (row: number): boolean => {
    if (skeleton.deleted[row] === 1) return true
    return skeleton.removed[row] === 1 && !privileged && skeleton.author[row] !== reader.account
  }
}

type Selection = {
  readonly view: View
  readonly sort: CommentSort
  readonly limit: number
  readonly depth: number
  readonly showMore: boolean
}

const select = (skeleton: Skeleton, link: LinkDocument, read: Reading, selection: Selection): readonly Placed[] =>
  selectTree(skeleton, { ...selection, linkAuthor: link.author, gone: goneFor(skeleton, link, read), random: Math.random })

type Selected = { readonly placed: readonly Placed[]; readonly shown: ReadonlyMap<string, CommentDocument> }

/** As many of the best comments as the selection wants, or as fit on one page; `more` objects stand for the others. */
const selectThatFits = async (
  app: Context,
  skeleton: Skeleton,
  link: LinkDocument,
  read: Reading,
  selection: Selection,
): Promise<Selected> => {
  const placed = select(skeleton, link, read, selection)
  const ids = shownRows(placed).map((row) => commentId(skeleton, row))
  const shown = await app.documents.getMany(comments, ids)
  let bytes = 0
  for (const comment of shown.values()) bytes += bytesOf(comment)
  const limit = Math.min(ids.length - 1, Math.ceil((ids.length * MOST_PAGE_BYTES) / bytes))
  // the way to a comment is shown whatever the limit
  if (bytes <= MOST_PAGE_BYTES || limit < 1 || limit >= selection.limit) return { placed, shown }
  return selectThatFits(app, skeleton, link, read, { ...selection, limit })
}

/** Comments with all they are presented with. */
const dressed = async (
  read: Reading,
  link: LinkDocument,
  shown: ReadonlyMap<string, CommentDocument>,
): Promise<Pick<Thread, 'comments' | 'around'>> => {
  await renderAhead([...shown.values()].map(({ body }) => body))
  return { comments: shown, around: await read.around([...shown.values()], [link.id]) }
}

type Page = {
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

/** The focus of a permalink: a comment of this link; of another link it is refused, unknown it is passed over. */
const viewOf = async (app: Context, skeleton: Skeleton, link: LinkDocument, { comment, context }: Page): Promise<Either<Refusal, View>> => {
  if (comment === undefined) return E.right({ kind: 'whole' })
  const row = skeleton.rowOf(numberOf(comment))
  if (row !== undefined) return E.right({ kind: 'focus', row, context })
  const other = (await app.documents.getMany(comments, [comment])).get(comment)
  return other && other.link !== link.id ? refuse('NOT_FOUND') : E.right({ kind: 'whole' })
}

const limitOf = (asked: number | undefined, moderator: boolean): number => {
  const limit = asked !== undefined && asked > 0 ? asked : COMMENTS
  return Math.min(limit, moderator ? MOST_FOR_MODERATORS : MOST)
}

const threadPage = async (app: Context, page: Page): Promise<Outcome> => {
  const { viewer, site } = app
  const read = reading(app, viewer)
  const found = await linkInView(app, read, page.article)
  if (E.isLeft(found)) return found
  const link = found.right
  if (isElsewhere(site, link)) return refuse('NOT_FOUND')
  const skeleton = await app.skeletons(link.id)
  const view = await viewOf(app, skeleton, link, page)
  if (E.isLeft(view)) return view
  const depth = page.depth !== undefined && page.depth > 0 && page.depth < DEPTH ? page.depth : DEPTH
  const limit = limitOf(page.limit, read.isModerator(link.subsite))
  const sort = sortOf(page.sort, link, read)
  const selection = { view: view.right, sort, limit, depth, showMore: page.showmore }
  const { placed, shown } = await selectThatFits(app, skeleton, link, read, selection)
  const options = { detailed: page.sr_detail, withRatio: true, edits: page.showedits }
  const [thing] = await presentThings(app, read, [link], options)
  const dress = await dressed(read, link, shown)
  const thread = { link: link.id, skeleton, ...dress, modhash: viewer.modhash, edits: page.showedits }
  const body = [closedListing([thing], viewer.modhash), closedListing(nested(placed, thread), viewer.modhash)]
  return { kind: 'json', body, fleeting: sort === 'random' }
}

const notFound = (param: ReturnType<typeof id36>) => refusing(param, 'NOT_FOUND')
const ifANumber = lenient(optional(integer({})), undefined)

const thread = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/comments/{article}',
  aliases: ['[/s/{sub}]/comments/{article}/{title}', '[/s/{sub}]/comments/{article}/{title}/{comment}'],
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  rss: true,
  section: 'Listings of links and comments',
  answers: { 200: shape.pair(linkListingShape, commentListingShape) },
  summary: 'A link and its comments.',
  notes:
    'Two listings: the link, and the best comments of the whole thread with their replies. What is left out stands in `more` objects; a `more` without children marks a thread that continues on the page of its comment.',
  params: {
    article: described(notFound(id36('link')), 'id of the link'),
    comment: described(lenient(optional(id36('comment')), undefined), 'id of a comment: only it, its replies and the way to it are shown'),
    context: described(lenient(integer({ min: 0, max: 8 }), 0), 'how many ancestors of `comment` are shown'),
    depth: described(ifANumber, 'levels of replies; 10 at most'),
    limit: described(ifANumber, 'comments at most (100; no more than 500, for moderators 2,500)'),
    sort: described(raw(), 'confidence, top, new, insightful, fun, old, random or qa'),
    showmore: described(flag(true), 'whether `more` objects are wanted'),
    showedits: described(flag(true), 'whether edits are shown'),
    sr_detail: described(flag(), 'with the record of its subsite'),
    title: described(raw(), 'of no effect'),
  },
  cache: 'personal',
  handle: (context) => threadPage(context, context.params),
})

const commentIds = refusing(withDefault(id36s({ kind: 'comment', max: 50_000 }), []), 'BAD_REQUEST')

/** One call at a time for one account, one token without an account, or one address. */
const oneAtATime: Need<() => void, unknown, Viewer> = ({ loadingMore, viewer, ip }) => {
  const who = viewer.account ?? (viewer.client === undefined ? ip : `client ${viewer.client}`)
  if (loadingMore.has(who)) return refuse('TOO_MANY_REQUESTS')
  loadingMore.add(who)
  return E.right(() => loadingMore.delete(who))
}

type Wanted = { readonly link_id: string; readonly children: readonly string[]; readonly sort: string }

const moreThings = async (app: Context, { link_id, children, sort }: Wanted): Promise<Outcome> => {
  const { viewer } = app
  const read = reading(app, viewer)
  const found = await linkInView(app, read, link_id)
  if (E.isLeft(found)) return refuse('FORBIDDEN')
  const link = found.right
  const skeleton = await app.skeletons(link.id)
  const rows = children.flatMap((child) => skeleton.rowOf(numberOf(child)) ?? [])
  const asked = isCommentSort(sort) ? sort : ''
  const selection = {
    view: { kind: 'children', rows },
    sort: sortOf(asked, link, read),
    limit: MORE,
    depth: DEPTH,
    showMore: true,
  } as const
  const { placed, shown } = await selectThatFits(app, skeleton, link, read, selection)
  const dress = await dressed(read, link, shown)
  const things = flattened(placed, { link: link.id, skeleton, ...dress, modhash: viewer.modhash, edits: true })
  return { kind: 'form', data: { things } }
}

const moreChildren = endpoint({
  method: 'GET',
  path: '/api/morechildren',
  alsoMethods: ['POST'],
  scope: 'read',
  login: 'anyone',
  modhash: false,
  idempotency: false,
  errors: 'form',
  json: true,
  section: 'Links and comments',
  answers: { 200: form(shape.record({ things: shape.listOf(shape.either(commentThingShape, thingShape('more', moreShape))) })) },
  summary: 'Comments that a `more` object stands for.',
  notes:
    'At most 20, with their replies, as one list in which everything follows what it replies to; what is still left out comes as `more` objects. One call at a time; a second one meanwhile is 429.',
  params: {
    link_id: described(refusing(fullname('link'), 'FORBIDDEN'), 'fullname of the link'),
    children: described(commentIds, 'ids of comments, separated by commas'),
    sort: described(raw(), 'as of the thread'),
    id: described(raw(), 'of no effect'),
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
