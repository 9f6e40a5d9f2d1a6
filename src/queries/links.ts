// Decision 26.

import { type LinkDocument, links } from '../../projections/links.ts'
import type { Audience } from '../domain/audience.ts'
import { labelsOf, lastLabels } from '../domain/canonical-url.ts'
import { isRanking, type LinkSort, linkOrders, linkSorts, type Ranking, rankings } from '../domain/link-sorts.ts'
import { bucketsOf } from '../domain/ranking.ts'
import { DAY, HOUR } from '../domain/time.ts'
import { type Span, startOfWindow } from '../domain/time-windows.ts'
import type { Anchor, Condition, DocumentStore, Filter } from '../ports/documents.ts'
import { type ListingIndex, listingIndex, type Where } from '../ports/indexed.ts'
import { compareKeysBy } from '../ports/orders.ts'
import { listBy, mergeSources, type OrderedSource } from './ordered-source.ts'

/** Builds a value from the order of each of some sorts. */
export const perSort = <By extends LinkSort, T>(
  sorts: readonly By[],
  make: (order: (typeof linkOrders)[By]) => T,
): Readonly<Record<By, T>> => Object.fromEntries(sorts.map((sort) => [sort, make(linkOrders[sort])])) as Readonly<Record<By, T>>

/** Returns the start of the window of a listing; undefined if it is unbounded. */
export const sinceOf = (sort: LinkSort, span: Span, now: number): number | undefined =>
  isRanking(sort) ? startOfWindow('listing', span, now) : undefined

/** The set of links that a listing shows. */
export type ListedLinks =
  | { readonly kind: 'all'; readonly except: readonly string[] }
  | { readonly kind: 'subsites'; readonly ids: readonly string[] }
  /** The links of these authors, in any subsite. */
  | { readonly kind: 'authors'; readonly ids: readonly string[] }

/** Merges several stretches of one order, one for each audience. */
export const overAudiences = <Item extends { readonly id: string }>(
  audiences: readonly Audience[],
  order: readonly string[],
  sourceFor: (audience: Audience) => OrderedSource<Item>,
): OrderedSource<Item> => mergeSources(audiences.map(sourceFor), order)

export const oneOrIn = (ids: readonly string[]) => (ids.length === 1 && ids[0] !== undefined ? ids[0] : { in: ids })

const IN_SUBSITE = perSort(linkSorts, (order) => listingIndex(links, ['subsite', 'listed'], order))
const FOR_AUDIENCE = perSort(linkSorts, (order) => listingIndex(links, ['audience', 'listed'], order))
const IN_DOMAIN_OF_2_LABELS = perSort(linkSorts, (order) => listingIndex(links, ['domain2', 'audience', 'listed'], order))
const IN_DOMAIN_OF_3_LABELS = perSort(linkSorts, (order) => listingIndex(links, ['domain3', 'audience', 'listed'], order))
export const LINKS_OF_AUTHOR = perSort(linkSorts, (order) => listingIndex(links, ['author', 'audience', 'deleted'], order))
/** Finds an author's links for any audience, newest first. */
export const ALL_LINKS_OF_AUTHOR = listingIndex(links, ['author', 'deleted'], linkOrders.new)

type Bucket = 'hour' | 'day' | 'month'

/** Finds the links created in some buckets, of some subsites or for some audiences, in the order of a ranking. */
const createdIn = <const Place extends 'subsite' | 'audience', const Name extends Bucket>(place: Place, bucket: Name) => {
  type Within = Place | 'listed' | Name
  const by = perSort(rankings, (order): ListingIndex<LinkDocument, Within> => listingIndex(links, [place, 'listed', bucket], order))
  return (documents: DocumentStore, sort: Ranking, where: Condition, created: Condition) =>
    listBy(documents, by[sort], { [place]: where, listed: true, [bucket]: created } as Where<LinkDocument, Within>)
}

const bucketsOfPlace = (place: 'subsite' | 'audience') => ({
  hour: createdIn(place, 'hour'),
  day: createdIn(place, 'day'),
  month: createdIn(place, 'month'),
})
const CREATED_IN = { subsite: bucketsOfPlace('subsite'), audience: bucketsOfPlace('audience') }

const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Returns the creation buckets that a window touches. One query takes all of the finest. */
const bucketsSince = (
  since: number,
  now: number,
  grain: (span: number) => Bucket,
): { readonly name: Bucket; readonly values: readonly number[] } => {
  const name = grain(now - since)
  return { name, values: range(bucketsOf(since)[name], bucketsOf(now)[name]) }
}

const fine = (span: number): Bucket => (span <= 7 * DAY ? 'hour' : span <= 180 * DAY ? 'day' : 'month')
/** Returns a coarse bucket. A query with a condition on subsites cannot also have one on several buckets, so each bucket is a query. */
const bucketOf = (span: number): Bucket => (span <= HOUR ? 'hour' : span <= 7 * DAY ? 'day' : 'month')

/**
 * Lists links in the order of a sort, as old as a window allows (the bucket at its start may contain older ones). Removed and deleted ones
 * are left out; for `authors` only deleted ones. Named subsites have been checked; other links must be for these audiences.
 */
export const listRankedLinks = (
  documents: DocumentStore,
  listed: ListedLinks,
  sort: LinkSort,
  audiences: readonly Audience[],
  window?: { readonly since: number; readonly now: number },
): OrderedSource<LinkDocument> => {
  const order = linkOrders[sort]
  if (listed.kind === 'authors') {
    const where = { author: oneOrIn(listed.ids), deleted: false }
    return overAudiences(audiences, order, (audience) => listBy(documents, LINKS_OF_AUTHOR[sort], { ...where, audience }))
  }
  const [place, where] =
    listed.kind === 'subsites' ? (['subsite', oneOrIn(listed.ids)] as const) : (['audience', oneOrIn(audiences)] as const)
  if (!window || !isRanking(sort))
    return place === 'subsite'
      ? listBy(documents, IN_SUBSITE[sort], { subsite: where, listed: true })
      : listBy(documents, FOR_AUDIENCE[sort], { audience: where, listed: true })
  if (typeof where !== 'object') {
    const { name, values } = bucketsSince(window.since, window.now, fine)
    return CREATED_IN[place][name](documents, sort, where, { in: values })
  }
  const { name, values } = bucketsSince(window.since, window.now, bucketOf)
  return mergeSources(
    values.map((value) => CREATED_IN[place][name](documents, sort, where, value)),
    order,
  )
}

/**
 * Lists the links to a host, as `domainOf` names it, and to its subdomains, in the order of a sort, without removed and deleted ones.
 * For a host of more than three labels it lists all links to hosts with the same last three, which the caller examines.
 */
export const linksTo = (
  documents: DocumentStore,
  host: string,
  sort: LinkSort,
  audiences: readonly Audience[],
): OrderedSource<LinkDocument> => {
  const where = { audience: oneOrIn(audiences), listed: true }
  return labelsOf(host).length <= 2
    ? listBy(documents, IN_DOMAIN_OF_2_LABELS[sort], { ...where, domain2: host })
    : listBy(documents, IN_DOMAIN_OF_3_LABELS[sort], { ...where, domain3: lastLabels(host, 3) })
}

const HOTTEST_WITH_URL = listingIndex(links, ['urlKey', 'audience', 'deleted'], linkOrders.hot)
const HOTTEST_WITH_URL_IN_SUBSITE = listingIndex(links, ['subsite', 'urlKey', 'deleted'], linkOrders.hot)

/** The places where links with one URL are looked for: everything for these audiences, or some subsites. */
export type LinkPlaces = { readonly audiences: readonly Audience[] } | { readonly subsites: readonly string[] }

/** Returns the filter of the listed links of some places, which have an index for each sort. */
export const filterListed = (where: LinkPlaces): Filter =>
  'subsites' in where ? { subsite: oneOrIn(where.subsites), listed: true } : { audience: oneOrIn(where.audiences), listed: true }

/** Lists links with the same canonical URL that are not deleted, hottest first, including removed ones. */
export const linksByUrl = (documents: DocumentStore, urlKey: string, where: LinkPlaces): OrderedSource<LinkDocument> => {
  const filter = { urlKey, deleted: false }
  return 'subsites' in where
    ? listBy(documents, HOTTEST_WITH_URL_IN_SUBSITE, { ...filter, subsite: oneOrIn(where.subsites) })
    : listBy(documents, HOTTEST_WITH_URL, { ...filter, audience: oneOrIn(where.audiences) })
}

/** The order of links with one URL: those with most comments first. */
export const byComments = ['-comments', '-seq'] as const
const DISCUSSED_WITH_URL = listingIndex(links, ['urlKey', 'audience', 'deleted'], byComments)

/** Lists links with the same canonical URL that are not deleted, most comments first, including removed ones. */
export const duplicatesOf = (documents: DocumentStore, urlKey: string, audiences: readonly Audience[]): OrderedSource<LinkDocument> =>
  listBy(documents, DISCUSSED_WITH_URL, { urlKey, audience: oneOrIn(audiences), deleted: false })

/** Lists the stickied links `head` first, in this order, and then the others. */
export const putFirst = (head: readonly LinkDocument[], rest: OrderedSource<LinkDocument>): OrderedSource<LinkDocument> => {
  const places = new Map(head.map((link, index) => [link.id, index]))
  const HEAD = 'head'
  // stickies may come and go between two pages: one that is still there is found by its id; if one went, the next has its place
  const placeOf = ([, place, id]: Anchor): number => places.get(String(id)) ?? Number(place) - 0.5
  const restOf = async (page: Parameters<typeof rest.find>[0]) => {
    const found = (await rest.find({ ...page, limit: page.limit + head.length })).filter(({ id }) => !places.has(id))
    return page.before ? found.slice(-page.limit) : found.slice(0, page.limit)
  }
  return {
    keyOf: (link) => {
      const place = places.get(link.id)
      return place === undefined ? rest.keyOf(link) : [HEAD, place, link.id]
    },
    find: async (page) => {
      const { limit, after, before } = page
      if (before?.[0] === HEAD) return head.slice(0, Math.ceil(placeOf(before))).slice(-limit)
      if (before) {
        const found = await restOf({ limit, before })
        return [...head, ...found].slice(-limit)
      }
      if (after && after[0] !== HEAD) return restOf({ limit, after })
      const leading = head.slice(after ? Math.ceil(placeOf(after) + 0.5) : 0).slice(0, limit)
      return leading.length === limit ? leading : [...leading, ...(await restOf({ limit: limit - leading.length }))]
    },
  }
}

const FIRST_READ_LINKS = 25
const MAX_READ_ROUNDS = 20

/** Adds the links of `author` that the spam filter removed, each at its rank in `rest`. Only their author sees them. */
export const withOwnFiltered = (
  documents: DocumentStore,
  author: string,
  rest: OrderedSource<LinkDocument>,
  { sort, audiences }: { readonly sort: LinkSort; readonly audiences: readonly Audience[] },
  belongs: (link: LinkDocument) => boolean,
): OrderedSource<LinkDocument> => {
  const order = linkOrders[sort]
  const compare = compareKeysBy(order)
  const links = listBy(documents, LINKS_OF_AUTHOR[sort], { author, audience: oneOrIn(audiences), deleted: false })
  return {
    keyOf: rest.keyOf,
    find: async (page) => {
      const others = await rest.find(page)
      const backwards = page.before !== undefined
      const furthest = backwards ? others[0] : others.at(-1)
      const isFull = others.length === page.limit
      const isBeyondPage = (link: LinkDocument) =>
        isFull && furthest !== undefined && compare(links.keyOf(link), rest.keyOf(furthest)) * (backwards ? -1 : 1) > 0
      const mine: LinkDocument[] = []
      let next: Partial<typeof page> = page
      for (let round = 0; round < MAX_READ_ROUNDS; round += 1) {
        const limit = round === 0 ? FIRST_READ_LINKS : 100
        const examined = await links.find({ ...next, limit })
        mine.push(...examined.filter((link) => link.removed?.auto && !isBeyondPage(link) && belongs(link)))
        const last = backwards ? examined[0] : examined.at(-1)
        if (last === undefined || examined.length < limit || isBeyondPage(last)) break
        next = backwards ? { before: links.keyOf(last) } : { after: links.keyOf(last) }
      }
      if (mine.length === 0) return others
      const items = new Map([...others, ...mine].map((link) => [link.id, link]))
      const all = [...items.values()].sort((a, b) => compare(links.keyOf(a), links.keyOf(b)))
      return backwards ? all.slice(-page.limit) : all.slice(0, page.limit)
    },
  }
}
