import { type SubsiteDocument, subsites } from '../../projections/subsites.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { findBy, indexed, searchOrder, selectBy } from '../ports/indexed.ts'
import { found, inMemorySource, type Source, searched } from './walk.ts'

export const subsitesById = (
  documents: DocumentStore,
  ids: readonly (SubsiteId | null)[],
): Promise<ReadonlyMap<SubsiteId, SubsiteDocument>> => documents.getMany(subsites, [...new Set(ids.filter((id) => id !== null))])

const BY_NAME = indexed(subsites, ['lower'], ['id'])

/** The subsite of a name, in any case. */
export const subsiteNamed = async (documents: DocumentStore, name: string): Promise<SubsiteDocument | undefined> => {
  const [subsite] = await findBy(documents, BY_NAME, { lower: name.toLowerCase() }, { limit: 1 })
  return subsite
}

const NAMES_PER_READ = 200

/** The subsites of many names; unknown ones are left out. */
export const subsitesNamed = async (documents: DocumentStore, names: readonly string[]): Promise<readonly SubsiteDocument[]> => {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))].slice(0, NAMES_PER_READ)
  return findBy(documents, BY_NAME, { lower: { in: lower } }, { limit: NAMES_PER_READ })
}

const ALPHABETIC = indexed(subsites, [], ['lower', 'id'])
const MAX_SUBSITES_READ = 1000

/** Names with this prefix, in any case; if there are very many, the alphabetically first. */
export const subsitesBeginning = (documents: DocumentStore, prefix: string): Promise<readonly SubsiteDocument[]> => {
  const lower = prefix.toLowerCase()
  return findBy(documents, ALPHABETIC, { lower: { gte: lower, lt: `${lower}\u{10ffff}` } }, { limit: MAX_SUBSITES_READ })
}

const BIGGEST_FIRST = ['-subscribers', '-seq'] as const
const POPULAR = indexed(subsites, [], BIGGEST_FIRST)
const NEWEST = indexed(subsites, [], ['-seq'])
const OF_A_TYPE = indexed(subsites, ['type'], BIGGEST_FIRST)
const BY_ALLOW_TOP = indexed(subsites, ['allowTop'], BIGGEST_FIRST)
const LISTED_OF_A_TYPE = indexed(subsites, ['type', 'allowTop', 'over18'], BIGGEST_FIRST, ['id'])
const SEARCH_ORDER = searchOrder(subsites, 'top')

/** At most so many ids of public subsites that may be listed, the biggest first. */
export const biggestPublic = async (documents: DocumentStore, over18: boolean, most: number): Promise<readonly SubsiteId[]> =>
  (await selectBy(documents, LISTED_OF_A_TYPE, { type: 'public', allowTop: true, over18 }, { limit: most })).map(({ id }) => id)

/** Subsites that hold these words in name, title or description, the biggest first. */
export const soughtSubsites = (documents: DocumentStore, terms: string): Source<SubsiteDocument> =>
  searched(documents, subsites, { terms, where: {}, order: SEARCH_ORDER })

type Defaults = { readonly config: { readonly defaultSubsites: readonly string[] }; readonly documents: DocumentStore }

/** The subsites that a viewer without subscriptions sees. */
export const defaultSubsites = async ({ config, documents }: Defaults): Promise<readonly SubsiteDocument[]> =>
  (await subsitesNamed(documents, config.defaultSubsites)).filter(({ allowTop }) => allowTop)

/** The public lists of subsites. */
export const directories = ['popular', 'new', 'gold', 'default', 'notall'] as const
export type Directory = (typeof directories)[number]

export const directoryOf = async (app: Defaults, where: Directory): Promise<Source<SubsiteDocument>> => {
  const { documents } = app
  switch (where) {
    case 'popular':
      return found(documents, POPULAR, {})
    case 'new':
      return found(documents, NEWEST, {})
    case 'gold':
      return found(documents, OF_A_TYPE, { type: 'gold_only' })
    case 'notall':
      return found(documents, BY_ALLOW_TOP, { allowTop: false })
    case 'default':
      return inMemorySource(await defaultSubsites(app), BIGGEST_FIRST)
  }
}

const SUBSITES_PER_READ = 500

/** The ids of all subsites, the newest first, some at a time. */
export async function* allSubsites(documents: DocumentStore): AsyncGenerator<readonly SubsiteId[]> {
  for (let last: number | undefined; ; ) {
    const page = await findBy(documents, NEWEST, {}, { limit: SUBSITES_PER_READ, ...(last !== undefined && { after: [last] }) })
    yield page.map(({ id }) => id)
    last = page.at(-1)?.seq
    if (page.length < SUBSITES_PER_READ) return
  }
}

/** The subsites of an account, in the order of the list. */
export const inOrder = (some: readonly SubsiteDocument[], order: 'name' | 'size'): Source<SubsiteDocument> =>
  inMemorySource(some, order === 'name' ? ['lower', 'id'] : BIGGEST_FIRST)
