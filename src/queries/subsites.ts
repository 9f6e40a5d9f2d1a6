import { type SubsiteDocument, subsites } from '../../projections/subsites.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { findBy, listingIndex, searchOrder, selectBy } from '../ports/indexed.ts'
import { inMemorySource, listBy, listSearched, type OrderedSource } from './ordered-source.ts'

export const subsitesById = (
  documents: DocumentStore,
  ids: readonly (SubsiteId | null)[],
): Promise<ReadonlyMap<SubsiteId, SubsiteDocument>> => documents.getMany(subsites, [...new Set(ids.filter((id) => id !== null))])

const BY_NAME = listingIndex(subsites, ['lower'], ['id'])

/** Returns the subsite of a name, in any case. */
export const subsiteNamed = async (documents: DocumentStore, name: string): Promise<SubsiteDocument | undefined> => {
  const [subsite] = await findBy(documents, BY_NAME, { lower: name.toLowerCase() }, { limit: 1 })
  return subsite
}

const NAMES_PER_READ = 200

/** Returns the subsites of many names, without unknown ones. */
export const subsitesNamed = async (documents: DocumentStore, names: readonly string[]): Promise<readonly SubsiteDocument[]> => {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))].slice(0, NAMES_PER_READ)
  return findBy(documents, BY_NAME, { lower: { in: lower } }, { limit: NAMES_PER_READ })
}

const ALPHABETIC = listingIndex(subsites, [], ['lower', 'id'])
const MAX_SUBSITES_READ = 1000

/** Returns subsites whose names have this prefix, in any case. If there are very many, it returns the alphabetically first. */
export const subsitesBeginning = (documents: DocumentStore, prefix: string): Promise<readonly SubsiteDocument[]> => {
  const lower = prefix.toLowerCase()
  return findBy(documents, ALPHABETIC, { lower: { gte: lower, lt: `${lower}\u{10ffff}` } }, { limit: MAX_SUBSITES_READ })
}

const BIGGEST_FIRST = ['-subscribers', '-seq'] as const
const POPULAR = listingIndex(subsites, [], BIGGEST_FIRST)
const NEWEST = listingIndex(subsites, [], ['-seq'])
const OF_A_TYPE = listingIndex(subsites, ['type'], BIGGEST_FIRST)
const BY_ALLOW_TOP = listingIndex(subsites, ['allowTop'], BIGGEST_FIRST)
const LISTED_OF_A_TYPE = listingIndex(subsites, ['type', 'allowTop', 'over18'], BIGGEST_FIRST, ['id'])
const SEARCH_ORDER = searchOrder(subsites, 'top')

/** Returns at most so many ids of public subsites that may be listed, the biggest first. */
export const biggestPublic = async (documents: DocumentStore, over18: boolean, most: number): Promise<readonly SubsiteId[]> =>
  (await selectBy(documents, LISTED_OF_A_TYPE, { type: 'public', allowTop: true, over18 }, { limit: most })).map(({ id }) => id)

/** Lists subsites that have these words in name, title or description, the biggest first. */
export const soughtSubsites = (documents: DocumentStore, terms: string): OrderedSource<SubsiteDocument> =>
  listSearched(documents, subsites, { terms, where: {}, order: SEARCH_ORDER })

type Defaults = { readonly config: { readonly defaultSubsites: readonly string[] }; readonly documents: DocumentStore }

/** Returns the subsites that a viewer without subscriptions sees. */
export const defaultSubsites = async ({ config, documents }: Defaults): Promise<readonly SubsiteDocument[]> =>
  (await subsitesNamed(documents, config.defaultSubsites)).filter(({ allowTop }) => allowTop)

/** The public lists of subsites. */
export const directories = ['popular', 'new', 'gold', 'default', 'notall'] as const
export type Directory = (typeof directories)[number]

export const directoryOf = async (app: Defaults, where: Directory): Promise<OrderedSource<SubsiteDocument>> => {
  const { documents } = app
  switch (where) {
    case 'popular':
      return listBy(documents, POPULAR, {})
    case 'new':
      return listBy(documents, NEWEST, {})
    case 'gold':
      return listBy(documents, OF_A_TYPE, { type: 'gold_only' })
    case 'notall':
      return listBy(documents, BY_ALLOW_TOP, { allowTop: false })
    case 'default':
      return inMemorySource(await defaultSubsites(app), BIGGEST_FIRST)
  }
}

const SUBSITES_PER_READ = 500

/** Yields the ids of all subsites, the newest first, some at a time. */
export async function* allSubsites(documents: DocumentStore): AsyncGenerator<readonly SubsiteId[]> {
  for (let last: number | undefined; ; ) {
    const page = await findBy(documents, NEWEST, {}, { limit: SUBSITES_PER_READ, ...(last !== undefined && { after: [last] }) })
    yield page.map(({ id }) => id)
    last = page.at(-1)?.seq
    if (page.length < SUBSITES_PER_READ) return
  }
}

/** Lists the subsites of an account, in an order. */
export const inOrder = (subsites: readonly SubsiteDocument[], order: 'name' | 'size'): OrderedSource<SubsiteDocument> =>
  inMemorySource(subsites, order === 'name' ? ['lower', 'id'] : BIGGEST_FIRST)
