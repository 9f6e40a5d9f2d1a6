import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { type ShelfDocument, shelfId, shelves } from '../../../projections/shelves.ts'
import { type VoteDocument, voteId, votes } from '../../../projections/votes.ts'
import type { App } from '../../app.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { Anchor } from '../../ports/documents.ts'
import { accountNamed } from '../../queries/accounts.ts'
import { orderOf, type Sort, type Span, sinceOf, sorts, spans } from '../../queries/links.ts'
import { type Reading, reading } from '../../queries/reading.ts'
import { hiddenBy, savedBy } from '../../queries/shelves.ts'
import { subsiteNamed } from '../../queries/subsites.ts'
import { isLink, postedBy, type ThingDocument, thingsById } from '../../queries/things.ts'
import { votedBy } from '../../queries/votes.ts'
import type { Source } from '../../queries/walk.ts'
import { type AnyEndpoint, endpoint, type Reply, type Request } from '../endpoint.ts'
import { turnPage } from '../paging.ts'
import { described, lenient, oneOf, raw, withDefault } from '../params.ts'
import { presentById, presentThings } from '../things.ts'

const places = ['overview', 'submitted', 'comments', 'upvoted', 'downvoted', 'hidden', 'saved', 'gilded'] as const
type Place = (typeof places)[number]
/** Where pages were once. */
const former: Readonly<Record<string, Place>> = { '/user/{username}/liked': 'upvoted', '/user/{username}/disliked': 'downvoted' }

type Asked = Pick<Request<unknown>, 'viewer' | 'page'>

/** What a page of somebody's things shows to its reader: what is where the reader may look; a removed comment only to those concerned. */
const visibleTo = async (read: Reading, found: readonly ThingDocument[]): Promise<readonly ThingDocument[]> => {
  await read.places(found.map(({ subsite }) => subsite))
  return found.filter((thing) => {
    if (thing.deleted || !read.mayView(thing.subsite)) return false
    return isLink(thing) || thing.removed === null || thing.author === read.reader.account || read.moderates(thing.subsite)
  })
}

/** An anchor among somebody's things: one in a subsite that the reader may not see is refused. */
const anchorIn =
  (app: App, read: Reading, keyOf: (thing: ThingDocument) => Anchor | undefined | Promise<Anchor | undefined>) =>
  async (name: string): Promise<Either<Refusal, Anchor | undefined>> => {
    const thing = (await thingsById(app.documents, [name])).get(name)
    if (!thing) return E.right(undefined)
    await read.places([thing.subsite])
    return read.mayView(thing.subsite) ? E.right(await keyOf(thing)) : refuse('FORBIDDEN')
  }

type What = Parameters<typeof postedBy>[2]

const posted = async (app: App, asked: Asked, author: AccountId, what: What, sort: Sort, span: Span): Promise<Either<Refusal, Reply>> => {
  const read = reading(app, asked.viewer)
  const since = sinceOf(sort, span, read.now)
  const source = postedBy(app.documents, author, what, sort)
  const turned = await turnPage(app, asked, {
    source,
    order: orderOf[sort],
    nameOf: ({ id }) => id,
    anchor: anchorIn(app, read, source.keyOf),
    keep: (found) => visibleTo(read, since === undefined ? found : found.filter(({ created }) => created >= since)),
  })
  if (E.isLeft(turned)) return turned
  const { items, after, before } = turned.right
  const children = await presentThings(app, read, items, { detailed: asked.page.srDetail, flat: true })
  return E.right({ kind: 'listing', children, after, before })
}

/** A record of what somebody did with a thing. */
type Deed = ShelfDocument | VoteDocument

type Deeds<D extends Deed> = {
  readonly source: Source<D>
  readonly order: readonly string[]
  /** The current record of a thing, while it is in the listing. */
  readonly deedOn: (thing: string) => Promise<D | undefined>
  readonly matches?: (thing: ThingDocument) => boolean
  /** With the category that the reader saved each thing under. */
  readonly categories?: boolean
}

/** The things that somebody's deeds were done to, in the order of the deeds. */
const doneTo = async <D extends Deed>(
  app: App,
  asked: Asked,
  { source, order, deedOn, matches = () => true, categories = false }: Deeds<D>,
): Promise<Either<Refusal, Reply>> => {
  const read = reading(app, asked.viewer)
  const things = new Map<string, ThingDocument>()
  const keep = async (deeds: readonly D[]) => {
    const found = await thingsById(
      app.documents,
      deeds.map(({ thing }) => thing),
    )
    for (const thing of await visibleTo(read, [...found.values()].filter(matches))) things.set(thing.id, thing)
    return deeds.filter(({ thing }) => things.has(thing))
  }
  const keyOf = async ({ id }: ThingDocument) => {
    const deed = await deedOn(id)
    return deed && source.keyOf(deed)
  }
  const turned = await turnPage(app, asked, { source, order, nameOf: ({ thing }) => thing, anchor: anchorIn(app, read, keyOf), keep })
  if (E.isLeft(turned)) return turned
  const { items, after, before } = turned.right
  const documents = items.flatMap(({ thing }) => things.get(thing) ?? [])
  const presented = await presentById(app, read, documents, { detailed: asked.page.srDetail, flat: true, categories })
  return E.right({ kind: 'listing', children: documents.flatMap(({ id }) => presented.get(id) ?? []), after, before })
}

const voted = (app: App, asked: Asked, owner: AccountId, mark: 'insightful' | 'funny') =>
  doneTo(app, asked, {
    source: votedBy(app.documents, owner, mark),
    order: [`votes of ${owner}`],
    deedOn: async (thing) => (await app.documents.getMany(votes, [voteId(owner, thing)])).get(voteId(owner, thing)),
  })

const shelfOf = async (app: App, owner: AccountId, thing: string) =>
  (await app.documents.getMany(shelves, [shelfId(owner, thing)])).get(shelfId(owner, thing))

const hidden = (app: App, asked: Asked, owner: AccountId) =>
  doneTo(app, asked, {
    source: hiddenBy(app.documents, owner),
    order: [`hidden by ${owner}`],
    deedOn: async (thing) => {
      const shelf = await shelfOf(app, owner, thing)
      return shelf?.hidden ? shelf : undefined
    },
  })

type SavedFilter = { readonly category: string; readonly sr: string }

const saved = async (app: App, asked: Asked, owner: AccountId, { category, sr }: SavedFilter) => {
  const subsite = sr === '' ? undefined : ((await subsiteNamed(app.documents, sr))?.id ?? '')
  return doneTo(app, asked, {
    source: savedBy(app.documents, owner, category === '' ? undefined : category.toLowerCase()),
    order: [`saved by ${owner}`],
    categories: asked.viewer.account === owner,
    deedOn: async (thing) => {
      const shelf = await shelfOf(app, owner, thing)
      return shelf?.saved ? shelf : undefined
    },
    ...(subsite !== undefined && { matches: (thing: ThingDocument) => thing.subsite === subsite }),
  })
}

const nothingYet: Reply = { kind: 'listing', children: [], after: null, before: null }

/** To the one address of a page, with suffix and query as they were. */
const moved = ({ extension, query }: Pick<Request<unknown>, 'extension' | 'query'>, username: string, where: Place): Reply => {
  const search = new URLSearchParams(query).toString()
  const suffix = `${extension ? `.${extension}` : ''}${search && `?${search}`}`
  return { kind: 'redirect', location: `/user/${encodeURIComponent(username)}/${where}${suffix}` }
}

/** Listings that only their owner and admins may read. */
const secret: ReadonlySet<string> = new Set(['upvoted', 'downvoted', 'hidden', 'saved'])

export const userPage = endpoint({
  method: 'GET',
  path: '/user/{username}/{where}',
  values: { where: places },
  aliases: ['/user/{username}', '/u/{username}', '/u/{username}/{where}', ...Object.keys(former)],
  scope: 'history',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  section: 'Users',
  answers: [200, 302],
  summary: 'What somebody posted, voted on, saved or hid.',
  notes:
    '`upvoted`, `downvoted`, `hidden` and `saved` are for their owner. `gilded` is empty while nothing can be gilded. `me` stands for the caller. `/u/…`, `liked` and `disliked` lead to the addresses here.',
  params: {
    username: described(raw(), 'whose'),
    where: withDefault(oneOf(...places), 'overview' as const),
    sort: described(lenient(oneOf(...sorts), 'new' as const), 'of what was posted'),
    t: described(lenient(oneOf(...spans), 'all' as const), 'created within this time, for top, insightful and fun'),
    category: described(raw(), 'of saved things, for their owner'),
    sr: described(raw(), 'name of a subsite: of saved things, for their owner'),
    show: described(raw(), '`given`, with `gilded`: what the owner gilded'),
  },
  handle: async (request, app) => {
    const { params, viewer, path } = request
    const { sort, t, show } = params
    const where = former[path] ?? params.where
    const username = params.username.toLowerCase() === 'me' ? viewer.name : params.username
    if (username === undefined) return refuse('USER_REQUIRED')
    if (path.startsWith('/u/') || username !== params.username || where !== params.where) return E.right(moved(request, username, where))
    const owner = await accountNamed(app.documents, username)
    if (!owner) return refuse('NOT_FOUND')
    const own = viewer.admin || viewer.account === owner.id
    if (!own && (secret.has(where) || (where === 'gilded' && show === 'given'))) return refuse('FORBIDDEN')
    switch (where) {
      case 'overview':
        return posted(app, request, owner.id, 'both', sort, t)
      case 'submitted':
        return posted(app, request, owner.id, 'links', sort, t)
      case 'comments':
        return posted(app, request, owner.id, 'comments', sort, t)
      case 'upvoted':
        return voted(app, request, owner.id, 'insightful')
      case 'downvoted':
        return voted(app, request, owner.id, 'funny')
      case 'hidden':
        return hidden(app, request, owner.id)
      case 'saved':
        return saved(app, request, owner.id, viewer.account === owner.id ? params : { category: '', sr: '' })
      case 'gilded':
        return E.right(nothingYet)
    }
  },
})

export const userPageEndpoints: readonly AnyEndpoint[] = [userPage]
