import { type SubsiteDocument, subsites } from '../../projections/subsites.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { inMemorySource } from './in-memory-source.ts'
import { found, type Source, searched } from './walk.ts'

export const subsitesById = (
  documents: DocumentStore,
  ids: readonly (SubsiteId | null)[],
): Promise<ReadonlyMap<SubsiteId, SubsiteDocument>> => documents.getMany(subsites, [...new Set(ids.filter((id) => id !== null))])

/** The subsite of a name, in any case. */
export const subsiteNamed = async (documents: DocumentStore, name: string): Promise<SubsiteDocument | undefined> => {
  const [subsite] = await documents.find(subsites, { where: { lower: name.toLowerCase() }, order: ['id'], page: { limit: 1 } })
  return subsite
}

const NAMES = 200

/** The subsites of many names; unknown ones are left out. */
export const subsitesNamed = async (documents: DocumentStore, names: readonly string[]): Promise<readonly SubsiteDocument[]> => {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))].slice(0, NAMES)
  return documents.find(subsites, { where: { lower: { in: lower } }, order: ['id'], page: { limit: NAMES } })
}

const MOST_BEGINNING = 1000

/** Names with this prefix, in any case; if there are very many, the alphabetically first. */
export const subsitesBeginning = (documents: DocumentStore, prefix: string): Promise<readonly SubsiteDocument[]> => {
  const lower = prefix.toLowerCase()
  return documents.find(subsites, {
    where: { lower: { gte: lower, lt: `${lower}\u{10ffff}` } },
    order: ['lower', 'id'],
    page: { limit: MOST_BEGINNING },
  })
}

const BIGGEST_FIRST = ['-subscribers', '-seq']
const NEWEST_FIRST = ['-seq']

/** At most so many ids of public subsites that may be listed, the biggest first. */
export const biggestPublic = async (documents: DocumentStore, over18: boolean, most: number): Promise<readonly SubsiteId[]> => {
  const query = { where: { type: 'public', allowTop: true, over18 }, order: BIGGEST_FIRST, page: { limit: most } }
  return (await documents.select<{ readonly id: SubsiteId }>(subsites, query, ['id'])).map(({ id }) => id)
}

/** Subsites that hold these words in name, title or description, the biggest first. */
export const soughtSubsites = (documents: DocumentStore, terms: string): Source<SubsiteDocument> =>
  searched(documents, subsites, { terms, where: {}, order: 'top' })

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
      return found(documents, subsites, {}, BIGGEST_FIRST)
    case 'new':
      return found(documents, subsites, {}, NEWEST_FIRST)
    case 'gold':
      return found(documents, subsites, { type: 'gold_only' }, BIGGEST_FIRST)
    case 'notall':
      return found(documents, subsites, { allowTop: false }, BIGGEST_FIRST)
    case 'default':
      return inMemorySource(await defaultSubsites(app), BIGGEST_FIRST)
  }
}

/** The subsites of an account, in the order of the list. */
export const inOrder = (some: readonly SubsiteDocument[], order: 'name' | 'size'): Source<SubsiteDocument> =>
  inMemorySource(some, order === 'name' ? ['lower', 'id'] : BIGGEST_FIRST)
