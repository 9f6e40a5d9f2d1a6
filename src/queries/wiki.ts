import { accounts } from '../../projections/accounts.ts'
import { type WikiPageDocument, wikiPages } from '../../projections/wiki-pages.ts'
import { type WikiRevisionDocument, wikiRevisions } from '../../projections/wiki-revisions.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { DAY } from '../domain/time.ts'
import { wikiPageId } from '../domain/wiki-page.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import type { Freshness } from '../ports/freshness.ts'
import { countBy, findBy, inLogOrder, listingIndex, selectBy } from '../ports/indexed.ts'
import { karmaOf } from './karma.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'

/** The most pages of one wiki. */
export const MAX_WIKI_PAGES_PER_SUBSITE = 2_000
/** The most pages including those with settings but without text, which only this limits. */
const MAX_PAGE_DOCUMENTS = 2 * MAX_WIKI_PAGES_PER_SUBSITE
const PAGES_PER_READ = 1_000

const PAGES = listingIndex(wikiPages, ['subsite'], ['id'], ['id', 'page', 'permlevel', 'listed', 'current'])

export type ListedPage = Pick<WikiPageDocument, (typeof PAGES.selected)[number]>

/** Returns the pages of a wiki by name. */
export const pagesOf = async (documents: DocumentStore, subsite: SubsiteId): Promise<readonly ListedPage[]> => {
  const all: ListedPage[] = []
  for (let after: string | undefined; all.length < MAX_PAGE_DOCUMENTS; after = all.at(-1)?.id) {
    const page = { limit: PAGES_PER_READ, ...(after !== undefined && { after: [after] }) }
    const pages = await selectBy(documents, PAGES, { subsite }, page)
    all.push(...pages)
    if (pages.length < PAGES_PER_READ) break
  }
  return all
}

export const isWikiFull = async (documents: DocumentStore, subsite: SubsiteId): Promise<boolean> =>
  (await countBy(documents, PAGES, { subsite }, MAX_WIKI_PAGES_PER_SUBSITE)) >= MAX_WIKI_PAGES_PER_SUBSITE

/** Returns pages of any wikis, by subsite and name. */
export const pagesById = async (
  documents: DocumentStore,
  pages: readonly { readonly subsite: SubsiteId; readonly page: string }[],
): Promise<(subsite: SubsiteId, page: string) => WikiPageDocument | undefined> => {
  const known = await documents.getMany(wikiPages, [...new Set(pages.map(wikiPageId))])
  return (subsite, page) => known.get(wikiPageId({ subsite, page }))
}

/** Returns pages of one wiki, by their names. */
export const pagesNamed = async (
  documents: DocumentStore,
  subsite: SubsiteId,
  pages: readonly string[],
): Promise<ReadonlyMap<string, WikiPageDocument>> => {
  const known = await documents.getMany(wikiPages, [...new Set(pages.map((page) => wikiPageId({ subsite, page })))])
  return new Map([...known.values()].map((document) => [document.page, document]))
}

export const revisionNamed = (documents: DocumentStore, id: string): Promise<WikiRevisionDocument | undefined> =>
  getOne(documents, wikiRevisions, id)

/** The indexes of the revisions of a page and of an author in the order of the log, and of all those of a subsite by time. */
const OF_PAGE = inLogOrder(wikiRevisions, ['subsite', 'page'], ['-position', '-id'])
export const REVISIONS_OF_AUTHOR = inLogOrder(wikiRevisions, ['author'], ['-position', '-id'])({})
const BY_TIME = listingIndex(wikiRevisions, ['subsite'], ['-date', '-position', '-id'])

type Read = { readonly documents: DocumentStore; readonly freshness: Pick<Freshness, 'settled'> }

/** Lists the revisions of one page, without gaps also for clients that follow them. */
export const revisionsOf = ({ documents, freshness }: Read, subsite: SubsiteId, page: string): OrderedSource<WikiRevisionDocument> =>
  listBy(documents, OF_PAGE(freshness), { subsite, page })

/** Returns the last revision of a page up to a position of the log. */
export const revisionAsOf = async (
  documents: DocumentStore,
  subsite: SubsiteId,
  page: string,
  upTo: Position,
): Promise<WikiRevisionDocument | undefined> =>
  (await findBy(documents, OF_PAGE({}), { subsite, page, position: { lte: upTo } }, { limit: 1 }))[0]

/** Lists the revisions of all pages since a time. */
export const revisionsSince = (documents: DocumentStore, subsite: SubsiteId, since: number): OrderedSource<WikiRevisionDocument> =>
  listBy(documents, BY_TIME, { subsite, date: { gte: since } })

/** Returns the karma that wiki limits apply to: the higher of link and comment karma, in the subsite or everywhere. */
export const readWikiKarma = async (documents: DocumentStore, account: AccountId, subsite: SubsiteId | undefined, now: number) => {
  const [document, { link, comment }] = await Promise.all([getOne(documents, accounts, account), karmaOf(documents, account, subsite)])
  return { karma: Math.max(link, comment), days: document ? Math.floor((now - document.created) / DAY) : 0 }
}
