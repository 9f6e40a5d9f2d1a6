// Decision 67.

import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { LinkDocument } from '../../../../projections/links.ts'
import type { Audience } from '../../../domain/audience.ts'
import { canonicalUrl } from '../../../domain/canonical-url.ts'
import { linkOrders } from '../../../domain/link-sorts.ts'
import { type Span, spans, startOfWindow } from '../../../domain/time-windows.ts'
import { parseAddress } from '../../../domain/url.ts'
import type { Anchor, TextSearch } from '../../../ports/documents.ts'
import type { LinkCondition } from '../../../queries/link-conditions.ts'
import {
  findLinks,
  forAudiences,
  inAuthors,
  inSubsites,
  linkFields,
  linkSearch,
  type SearchSort,
  searchSorts,
} from '../../../queries/link-search.ts'
import { byComments, duplicatesOf, type ListedLinks, linksByUrl } from '../../../queries/links.ts'
import type { OrderedSource } from '../../../queries/ordered-source.ts'
import { openReading, type Reading } from '../../../queries/reading.ts'
import { parseSearch, type SearchTree } from '../../../queries/search-query.ts'
import { soughtSubsites } from '../../../queries/subsites.ts'
import { type Context, type ListingReply, type Need, section } from '../../contract/endpoint.ts'
import { describeParam, flag, mapParam, oneOf, rawText, replaceInvalid, searchText } from '../../contract/params.ts'
import type { PageRequest, Viewer } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { selectListedLinks } from '../../needs/listed-links.ts'
import { linkThingShape } from '../../present/link.ts'
import { subsiteShape } from '../../present/subsite.ts'
import { subsiteList, subsiteThings, visible } from '../../things/kinds/subsite.ts'
import type { Listing } from '../../things/listing.ts'
import { isWithoutOver18, obeysOver18 } from '../../things/over18.ts'
import { linkList, selectViewable } from '../../things/shown-things.ts'

/** The most subsites listed before the links. */
const MAX_LEADING_SUBSITES = 3
/** The number of matches counted for facets, and the number of facets. */
const MAX_COUNTED_LINKS = 250
const MAX_FACETS = 20
/** The subsites or authors that the store restricts a search to. More are filtered after it. */
const MAX_PLACES_IN_QUERY = 100

/** The kinds of things that a search covers. */
type SearchKind = 'links' | 'subsites' | 'both'

const parseKind = (type: string): SearchKind => {
  const types = new Set(type.toLowerCase().split(/[\s,]+/))
  if (!types.has('sr')) return 'links'
  return types.has('link') ? 'both' : 'subsites'
}

type SearchParams = {
  readonly q: string
  readonly sort: SearchSort
  readonly t: Span
  readonly syntax: Parameters<typeof parseSearch>[1]
  readonly type: SearchKind
  readonly restrict_sr: boolean
  readonly include_facets: boolean
}
type SearchContext = Context<SearchParams>

/**
 * The links that a restricted search covers: a condition for the store, and a filter for conditions that the store cannot check. `viewable`
 * are its subsites, if it is of subsites. The viewer may view all of these.
 */
type Restriction = {
  readonly within: TextSearch | undefined
  readonly holds: LinkCondition
  readonly viewable: readonly string[] | undefined
}

const restrictionTo = (listed: ListedLinks): Restriction => {
  if (listed.kind === 'all') {
    const except = new Set(listed.except)
    return { within: undefined, holds: ({ subsite }) => !except.has(subsite), viewable: undefined }
  }
  const ids = new Set(listed.ids)
  const restrict = listed.kind === 'subsites' ? inSubsites : inAuthors
  return {
    within: ids.size <= MAX_PLACES_IN_QUERY ? restrict(listed.ids) : undefined,
    holds: ({ subsite, author }) => ids.has(listed.kind === 'subsites' ? subsite : author),
    viewable: listed.kind === 'subsites' && ids.size <= MAX_PLACES_IN_QUERY ? listed.ids : undefined,
  }
}

const unrestricted: Restriction = { within: undefined, holds: () => true, viewable: undefined }

const restriction: Need<Restriction, SearchParams, Viewer> = async (context, name) => {
  const { params, site } = context
  const isRestricted = params.type !== 'subsites' && params.restrict_sr && site.kind !== 'home' && site.kind !== 'front'
  return isRestricted ? E.map(restrictionTo)(await selectListedLinks(context, name)) : E.right(unrestricted)
}

/** The results of a search: links in an order, under the name of that order. */
type SearchResults = {
  readonly source: OrderedSource<LinkDocument>
  readonly keyOn: (link: LinkDocument) => Anchor | Promise<Anchor>
  readonly order: readonly string[]
  readonly conditions: readonly LinkCondition[]
}

/** Returns the links with an address. A query with spaces may be an address or words: it is an address if a link has it. */
const withUrl = async (
  { documents, params: { q, sort } }: SearchContext,
  audiences: readonly Audience[],
): Promise<SearchResults | undefined> => {
  const address = parseAddress(q)
  if (address === undefined) return undefined
  const key = canonicalUrl(address)
  const source = sort === 'comments' ? duplicatesOf(documents, key, audiences) : linksByUrl(documents, key, { audiences })
  if (/\s/.test(q) && (await source.find({ limit: 1 })).length === 0) return undefined
  return { source, keyOn: source.keyOf, order: sort === 'comments' ? byComments : linkOrders.hot, conditions: [] }
}

const digestOf = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\0')).digest('base64')

const withWords = async (
  { documents, config, params: { q, sort, syntax } }: SearchContext,
  wanted: SearchTree,
  { within, viewable }: Restriction,
  { since, audiences }: { readonly since: number | undefined; readonly audiences: readonly Audience[] },
): Promise<SearchResults> => {
  const shown = forAudiences(audiences)
  const where = viewable ? within : within ? { all: [within, shown] } : shown
  const search = await linkSearch(documents, wanted, { within: where, ownHost: new URL(config.publicUrl).hostname })
  const { source, keyOn } = findLinks(documents, search, sort, since, viewable ? { subsites: viewable } : { audiences })
  // the order depends on the words of the search, and so do its anchors
  const order = sort === 'relevance' ? [`relevance ${digestOf(q, syntax)}`] : sort === 'comments' ? byComments : linkOrders[sort]
  return { source, keyOn, order, conditions: search.conditions }
}

const nothingFound: SearchResults = {
  source: { find: async () => [], keyOf: () => [] },
  keyOn: () => [],
  order: ['nothing'],
  conditions: [],
}

/** Returns the listed links that match and that the viewer may view, including hidden links and those voted on. */
const shownTo = (read: Reading, conditions: readonly LinkCondition[], since: number | undefined, withoutOver18: boolean) => {
  const isFound: LinkCondition = (link, subsite) =>
    link.listed &&
    (since === undefined || link.created >= since) &&
    !(withoutOver18 && (link.over18 || subsite.over18)) &&
    conditions.every((holds) => holds(link, subsite))
  return async (links: readonly LinkDocument[]) =>
    (await selectViewable(read, links)).filter((link) => {
      const subsite = read.subsite(link.subsite)
      return subsite !== undefined && isFound(link, subsite)
    })
}

/** Returns the number of matches in each subsite among the first ones, the most frequent first. */
const facetsOf = (read: Reading, found: readonly LinkDocument[]) => {
  const counts = [...Map.groupBy(found, ({ subsite }) => subsite)].map(([id, links]) => ({ id, count: links.length }))
  const most = counts.toSorted((a, b) => b.count - a.count).slice(0, MAX_FACETS)
  return most.map(({ id, count }) => {
    const name = read.subsite(id)?.name ?? ''
    return { name, url: `/s/${name}/`, count }
  })
}

type LeadListing = Pick<Listing<LinkDocument>, 'lead' | 'counted'>

const linksFound = async (context: SearchContext, restriction: Restriction, leading: LeadListing): Promise<ListingReply> => {
  const { params, viewer } = context
  const { q, t, syntax } = params
  const read = openReading(context, viewer)
  const since = startOfWindow('search', t, read.now)
  const audiences = await read.audiences()
  const parsed = parseSearch(q, syntax, linkFields)
  const words = () => (parsed ? withWords(context, parsed, restriction, { since, audiences }) : nothingFound)
  const { source, keyOn, order, conditions } = (await withUrl(context, audiences)) ?? (await words())
  const shown = shownTo(read, [restriction.holds, ...conditions], since, await isWithoutOver18(context))
  return linkList(context, read, {
    ...leading,
    source,
    keyOn,
    order,
    visible: shown,
    extra: async () => ({
      facets: params.include_facets ? { subsites: facetsOf(read, await shown(await source.find({ limit: MAX_COUNTED_LINKS }))) } : {},
    }),
    fleeting: obeysOver18(context),
  })
}

const subsitesFound = (context: SearchContext): ListingReply => {
  const { documents, params } = context
  return subsiteList(context, {
    source: soughtSubsites(documents, params.q),
    order: [`subsites ${digestOf(params.q)}`],
    visible: (links) => visible(context, links),
    extra: async () => ({ facets: {} }),
  })
}

/** Returns the first subsites, which lead the links of the first page and count towards its limit. */
const findLead = async (context: SearchContext): Promise<LeadListing> => {
  const { documents, params, page } = context
  const most = Math.min(MAX_LEADING_SUBSITES, Math.floor(page.limit / 3))
  const subsites = most < 1 ? [] : await soughtSubsites(documents, params.q).find({ limit: 2 * MAX_LEADING_SUBSITES })
  const leading = (await visible(context, subsites)).slice(0, most)
  return { lead: () => subsiteThings(context, leading), counted: leading.length }
}

const isFirst = ({ after, before }: PageRequest): boolean => after === undefined && before === undefined
const isStructured = ({ q, syntax }: SearchParams): boolean => q.includes(':') || syntax === 'cloudsearch'

const facets = {
  facets: shape.recordSchema({
    subsites: shape.optional(
      shape.listOf(shape.recordSchema({ name: shape.text('tea'), url: shape.text('/s/tea/'), count: shape.integer(3) })),
    ),
  }),
}
const linksShape = listingShape(linkThingShape, facets)
const subsiteThingShape = thingShape('t4', subsiteShape)

export const search = section('Listings of links and comments').get('[/s/{sub}]/search', {
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  answers: {
    200: shape.union(linksShape, listingShape(subsiteThingShape, facets), shape.tuple(listingShape(subsiteThingShape), linksShape)),
  },
  summary: 'Search links.',
  notes:
    'All words are required, in title, text or address, or as the name of the author or the subsite. `"a phrase"`, `AND`, `OR`, `NOT`, `-word`, parentheses, and `title:`, `selftext:`, `url:`, `author:`, `subsite:`, `site:`, `self:`, `nsfw:` and `flair:` before a word, a phrase or a parenthesis. A whole URL finds the links with that URL. A query that does not follow this syntax is searched as plain words; an empty query finds nothing. If more than 10,000 links match, only the newest 10,000 are ranked (on servers, 2,000 for a phrase). Of each text of a link, the first 64 places of a word are searched.',
  params: {
    q: mapParam(describeParam(searchText(), 'what to look for: at most 512 characters, and 64 words'), (q) => q.trim()),
    sort: describeParam(
      replaceInvalid(oneOf(...searchSorts), 'relevance' as const),
      'relevance: what holds the words in its title comes first',
    ),
    t: describeParam(replaceInvalid(oneOf(...spans), 'all' as const), 'created within this time'),
    syntax: mapParam(
      describeParam(
        replaceInvalid(oneOf('lucene', 'plain', 'cloudsearch', 'solr'), 'lucene' as const),
        "plain: words only; cloudsearch: `(and title:'x' (or y z) (not w))`",
      ),
      (syntax) => (syntax === 'solr' ? 'lucene' : syntax),
    ),
    type: mapParam(
      describeParam(rawText(), 'link, sr, or both: subsites lead the first page then, unless the search is restricted or names fields'),
      parseKind,
    ),
    restrict_sr: describeParam(flag(), 'only in what the site part of the path stands for'),
    include_facets: describeParam(flag(), 'with the subsites of the first 250 matches, and how many are in each'),
  },
  cache: 'personal',
  needs: { restriction },
  handle: async (context) => {
    const { params, restriction, page } = context
    if (params.type === 'subsites') return subsitesFound(context)
    const isLed = params.type === 'both' && restriction === unrestricted && !isStructured(params) && isFirst(page)
    return linksFound(context, restriction, isLed ? await findLead(context) : {})
  },
})
