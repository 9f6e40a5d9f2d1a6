import { type ShelfDocument, shelfId, shelves } from '../../../projections/shelves.ts'
import { type VoteDocument, voteId, votes } from '../../../projections/votes.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import { accountNamed } from '../../queries/accounts.ts'
import { orderOf, type Sort, type Span, sinceOf, sorts, spans } from '../../queries/links.ts'
import { type Reading, reading } from '../../queries/reading.ts'
import { hiddenBy, savedBy } from '../../queries/shelves.ts'
import { subsiteNamed } from '../../queries/subsites.ts'
import { isLink, postedBy, type ThingDocument } from '../../queries/things.ts'
import { votedBy } from '../../queries/votes.ts'
import type { Source } from '../../queries/walk.ts'
import { type AnyEndpoint, type Context, endpoint, type Reply } from '../endpoint.ts'
import { list, whole } from '../listing.ts'
import { described, lenient, oneOf, raw, withDefault } from '../params.ts'
import { pointedAt, thingAnchor } from '../pointing.ts'
import { noBody } from '../schemas/answers.ts'
import { thingListingShape } from '../schemas/things.ts'
import { presentThings } from '../things.ts'

const places = ['overview', 'submitted', 'comments', 'upvoted', 'downvoted', 'hidden', 'saved', 'gilded'] as const
type Place = (typeof places)[number]
/** Where pages were once. */
const former: Readonly<Record<string, Place>> = { '/user/{username}/liked': 'upvoted', '/user/{username}/disliked': 'downvoted' }

/** What a page of somebody's things shows to its viewer: what is where the reader may look; a removed comment only to those concerned. */
const visibleTo = async (read: Reading, found: readonly ThingDocument[]): Promise<readonly ThingDocument[]> => {
  await read.places(found.map(({ subsite }) => subsite))
  return found.filter((thing) => {
    if (thing.deleted || !read.mayView(thing.subsite)) return false
    return isLink(thing) || thing.removed === null || thing.author === read.reader.account || read.moderates(thing.subsite)
  })
}

/** Comments that the viewer reported are hidden; links that are hidden stay on the pages of their authors. */
const withoutHiddenComments = async (read: Reading, things: readonly ThingDocument[]): Promise<readonly ThingDocument[]> => {
  const shelves = await read.shelved(things.flatMap((thing) => (isLink(thing) ? [] : [thing.id])))
  return things.filter((thing) => isLink(thing) || !shelves.get(thing.id)?.hidden)
}

type What = Parameters<typeof postedBy>[2]

const posted = (context: Context, author: AccountId, what: What, sort: Sort, span: Span) => {
  const { documents, viewer, page } = context
  const read = reading(context, viewer)
  const since = sinceOf(sort, span, read.now)
  const source = postedBy(documents, author, what, sort)
  return list({
    source,
    order: orderOf[sort],
    nameOf: ({ id }) => id,
    anchor: thingAnchor(documents, read, source.keyOf),
    visible: async (found) => {
      const shown = await visibleTo(read, since === undefined ? found : found.filter(({ created }) => created >= since))
      return page.showAll ? shown : withoutHiddenComments(read, shown)
    },
    present: (items) => presentThings(context, read, items, { detailed: page.srDetail, flat: true }),
  })
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
const doneTo = <D extends Deed>(context: Context, { source, order, deedOn, matches = () => true, categories = false }: Deeds<D>) =>
  pointedAt<D>(context, {
    source,
    order,
    categories,
    thingOf: ({ thing }) => thing,
    keyOn: async ({ id }) => {
      const deed = await deedOn(id)
      return deed && source.keyOf(deed)
    },
    visible: (read, things) => visibleTo(read, things.filter(matches)),
  })

const voted = (context: Context, owner: AccountId, mark: 'insightful' | 'funny') =>
  doneTo<VoteDocument>(context, {
    source: votedBy(context.documents, owner, mark),
    order: [`votes of ${owner}`],
    deedOn: async (thing) => (await context.documents.getMany(votes, [voteId(owner, thing)])).get(voteId(owner, thing)),
  })

/** What somebody has on the shelf of things saved, or of things hidden. */
const shelved = (context: Context, owner: AccountId, which: 'saved' | 'hidden', deeds: Omit<Deeds<ShelfDocument>, 'order' | 'deedOn'>) =>
  doneTo<ShelfDocument>(context, {
    ...deeds,
    order: [`${which} by ${owner}`],
    deedOn: async (thing) => {
      const shelf = (await context.documents.getMany(shelves, [shelfId(owner, thing)])).get(shelfId(owner, thing))
      return shelf?.[which] ? shelf : undefined
    },
  })

const saved = async (context: Context, owner: AccountId, category: string, sr: string) => {
  const { documents, viewer } = context
  const subsite = sr === '' ? undefined : ((await subsiteNamed(documents, sr))?.id ?? '')
  return shelved(context, owner, 'saved', {
    source: savedBy(documents, owner, category === '' ? undefined : category.toLowerCase()),
    categories: viewer.account === owner,
    ...(subsite !== undefined && { matches: (thing: ThingDocument) => thing.subsite === subsite }),
  })
}

/** To the one address of a page, with suffix and query as they were. */
const moved = ({ extension, query }: Context, username: string, where: Place): Reply => {
  const search = new URLSearchParams(query).toString()
  const suffix = `${extension ? `.${extension}` : ''}${search && `?${search}`}`
  return { kind: 'redirect', location: `/user/${encodeURIComponent(username)}/${where}${suffix}` }
}

/** Listings that only their owner and admins may read. */
const secret: ReadonlySet<string> = new Set(['upvoted', 'downvoted', 'hidden', 'saved'])

const userPage = endpoint({
  method: 'GET',
  path: '/user/{username}/{where}',
  values: { where: places },
  aliases: ['/user/{username}', '/u/{username}', '/u/{username}/{where}', ...Object.keys(former)],
  scope: 'history',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  section: 'Users',
  answers: { 200: thingListingShape, 302: noBody },
  summary: 'What an account posted, voted on, saved or hid.',
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
  handle: async (context) => {
    const { params, viewer, path, documents } = context
    const { sort, t, show } = params
    const where = former[path] ?? params.where
    const username = params.username.toLowerCase() === 'me' ? viewer.name : params.username
    if (username === undefined) return refuse('USER_REQUIRED')
    if (path.startsWith('/u/') || username !== params.username || where !== params.where) return moved(context, username, where)
    const owner = (await accountNamed(documents, username))?.id
    if (owner === undefined) return refuse('NOT_FOUND')
    const own = viewer.admin || viewer.account === owner
    if (!own && (secret.has(where) || (where === 'gilded' && show === 'given'))) return refuse('FORBIDDEN')
    switch (where) {
      case 'overview':
        return posted(context, owner, 'both', sort, t)
      case 'submitted':
        return posted(context, owner, 'links', sort, t)
      case 'comments':
        return posted(context, owner, 'comments', sort, t)
      case 'upvoted':
        return voted(context, owner, 'insightful')
      case 'downvoted':
        return voted(context, owner, 'funny')
      case 'hidden':
        return shelved(context, owner, 'hidden', { source: hiddenBy(documents, owner) })
      case 'saved':
        return viewer.account === owner ? saved(context, owner, params.category, params.sr) : saved(context, owner, '', '')
      case 'gilded':
        return whole([])
    }
  },
})

export const userPageEndpoints: readonly AnyEndpoint[] = [userPage]
