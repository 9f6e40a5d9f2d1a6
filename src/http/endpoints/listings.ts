import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { accounts } from '../../../projections/accounts.ts'
import { contacts } from '../../../projections/contacts.ts'
import { type LinkDocument, links } from '../../../projections/links.ts'
import { relations } from '../../../projections/relations.ts'
import { shelves } from '../../../projections/shelves.ts'
import { stickies } from '../../../projections/stickies.ts'
import { subscriptions } from '../../../projections/subscriptions.ts'
import { subsites } from '../../../projections/subsites.ts'
import { votes } from '../../../projections/votes.ts'
import type { App } from '../../app.ts'
import { kindOf } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { Anchor } from '../../ports/documents.ts'
import { ledBy, orderOf, rankedLinks, type Scope, type Sort, type Span, sinceOf, spans, withOwnFiltered } from '../../queries/links.ts'
import { type Reading, reading } from '../../queries/reading.ts'
import type { Source } from '../../queries/walk.ts'
import { type AnyEndpoint, endpoint, type Reply, type Request, type Site } from '../endpoint.ts'
import { cookieOf } from '../incoming.ts'
import { pageHeaders, welcomePage } from '../pages.ts'
import { turnPage } from '../paging.ts'
import { described, isTrue, lenient, oneOf } from '../params.ts'
import { prefersHtml } from '../representation.ts'
import { scopeOf } from '../scope.ts'
import { presentThings } from '../things.ts'

type Asked = Pick<Request<unknown>, 'site' | 'viewer' | 'page' | 'query' | 'headers'>

/** An anchor is a link that exists, whatever became of it; one in a subsite that the viewer may not see is refused. */
export const linkAnchor =
  ({ documents }: App, read: Reading, keyOf: (link: LinkDocument) => Anchor | undefined) =>
  async (name: string): Promise<Either<Refusal, Anchor | undefined>> => {
    if (kindOf(name) !== 'link') return E.right(undefined)
    const link = (await documents.getMany(links, [name])).get(name)
    if (!link) return E.right(undefined)
    await read.places([link.subsite])
    return read.mayView(link.subsite) ? E.right(keyOf(link)) : E.left({ code: 'FORBIDDEN', field: null })
  }

/** Somebody without an account may see what is for adults, as a cookie says. */
const isAdult = ({ viewer: { via }, headers: { cookie } }: Asked): boolean =>
  via === 'anonymous' && typeof cookie === 'string' && cookieOf(cookie, 'over18') === '1'

type Filters = {
  readonly scope: Scope
  readonly since: number | undefined
  /** Of everybody's subsites: without those that keep out of it. */
  readonly general: boolean
  readonly showHidden: boolean
  readonly withoutOver18: boolean
}

/** Which of some links a listing shows to its reader, in their order. */
const shownIn = (read: Reading, { scope, since, general, showHidden, withoutOver18 }: Filters) => {
  const except = new Set(scope.kind === 'all' ? scope.except : [])
  return async (found: readonly LinkDocument[]): Promise<readonly LinkDocument[]> => {
    await read.places(found.map(({ subsite }) => subsite))
    const shelves = showHidden ? new Map<string, never>() : await read.shelved(found.map(({ id }) => id))
    return found.filter((link) => {
      const subsite = read.subsite(link.subsite)
      if (!subsite || !read.mayView(link.subsite) || link.deleted || except.has(link.subsite)) return false
      if (link.removed && !(link.removed.auto && link.author === read.reader.account)) return false
      if (since !== undefined && link.created < since) return false
      if (general && !subsite.allowTop) return false
      if (withoutOver18 && (link.over18 || subsite.over18)) return false
      return !shelves.get(link.id)?.hidden
    })
  }
}

const stickiedIn = async ({ documents }: App, subsite: string): Promise<readonly LinkDocument[]> => {
  const ids = (await documents.getMany(stickies, [subsite])).get(subsite)?.links ?? []
  if (ids.length === 0) return []
  const stickied = await documents.getMany(links, ids)
  return ids.flatMap((id) => stickied.get(id) ?? [])
}

const listLinks = async (asked: Asked, app: App, sort: Sort, span: Span): Promise<Either<Refusal, Reply>> => {
  const { site, viewer, page, query } = asked
  const scope = await scopeOf(app, site, viewer)
  if (E.isLeft(scope)) return scope
  const read = reading(app, viewer)
  // friends are read like a diary, whatever the sort
  const by = scope.right.kind === 'authors' ? 'new' : sort
  const since = sinceOf(by, span, read.now)
  const obeysOver18 = isTrue(query.obey_over18 ?? '')
  const keep = shownIn(read, {
    scope: scope.right,
    since,
    general: scope.right.kind === 'all' && by !== 'new',
    showHidden: page.showAll,
    withoutOver18: obeysOver18 && !isAdult(asked),
  })
  const ranked = rankedLinks(app.documents, scope.right, by, since === undefined ? undefined : { since, now: read.now })
  const listing = {
    source: await led(app, asked, by, own(app, scope.right, viewer.account, by, ranked)),
    order: isLed(site, by) ? [`hot in ${site.subsite.id}`] : orderOf[by],
    nameOf: ({ id }: LinkDocument) => id,
    keep,
  }
  const turned = await turnPage(app, asked, { ...listing, anchor: linkAnchor(app, read, listing.source.keyOf) })
  if (E.isLeft(turned)) return turned
  const { items, after, before } = turned.right
  const children = await presentThings(app, read, items, { detailed: page.srDetail })
  // what comes of a cookie is nobody else's
  return E.right({ kind: 'listing', children, after, before, fleeting: obeysOver18 })
}

const own = ({ documents }: App, scope: Scope, account: string | undefined, sort: Sort, ranked: Source<LinkDocument>) => {
  if (account === undefined || scope.kind === 'authors') return ranked
  const places = scope.kind === 'subsites' ? new Set(scope.ids) : undefined
  return withOwnFiltered(documents, account, ranked, sort, ({ subsite }) => places?.has(subsite) ?? true)
}

/** The stickied links lead the hot page of their subsite, under keys that mean something only there. */
const isLed = (site: Site, sort: Sort): site is Extract<Site, { readonly kind: 'subsite' }> => sort === 'hot' && site.kind === 'subsite'

const led = async (app: App, { site }: Asked, sort: Sort, ranked: Source<LinkDocument>): Promise<Source<LinkDocument>> =>
  isLed(site, sort) ? ledBy(await stickiedIn(app, site.subsite.id), ranked) : ranked

const common = {
  method: 'GET',
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  section: 'Listings of links and comments',
  cachedOn: [links.name, subsites.name, accounts.name, stickies.name],
  personalOn: [votes.name, shelves.name, subscriptions.name, relations.name, contacts.name],
} as const

const sites =
  'Without a subsite: the front page. `/s/all`, `/s/a+b`, `/s/subscribed`, `/s/mod`, `/s/contrib` and `/s/friends` stand for several.'

export const hot = endpoint({
  ...common,
  path: '[/s/{sub}]/hot',
  aliases: ['/s/{sub}'],
  summary: 'Links by a mixture of votes and youth; the stickied ones of a subsite lead.',
  notes: sites,
  params: {},
  handle: (request, app) => listLinks(request, app, 'hot', 'all'),
})

const home = endpoint({
  ...common,
  path: '/',
  section: 'Additions',
  summary: 'The front page, as `/hot` lists it; for browsers a page with links to what there is.',
  params: {},
  handle: (request, app) =>
    request.extension === undefined && prefersHtml(request.headers.accept)
      ? E.right({ kind: 'text', type: 'text/html; charset=UTF-8', body: welcomePage, headers: pageHeaders })
      : listLinks(request, app, 'hot', 'all'),
})

export const newest = endpoint({
  ...common,
  path: '[/s/{sub}]/new',
  summary: 'Links, newest first.',
  notes: sites,
  params: {},
  handle: (request, app) => listLinks(request, app, 'new', 'all'),
})

export const ranking = endpoint({
  ...common,
  path: '[/s/{sub}]/{sort}',
  values: { sort: ['top', 'insightful', 'fun'] },
  summary: 'Links by score, by insightful or by funny votes.',
  notes: sites,
  params: {
    sort: oneOf('top', 'insightful', 'fun'),
    t: described(lenient(oneOf(...spans), 'all' as const), 'created within this time'),
  },
  handle: (request, app) => listLinks(request, app, request.params.sort, request.params.t),
})

export const listingEndpoints: readonly AnyEndpoint[] = [hot, home, newest, ranking]
