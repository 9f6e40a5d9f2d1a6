import { fullname, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { accountsById, accountsNamed } from './accounts.ts'
import type { SearchTree } from './search-query.ts'
import { subsitesNamed } from './subsites.ts'

export type Leaf = Extract<SearchTree, { readonly text: string }>
/**
 * Returns ids of accounts and subsites, by names or by ids as they were typed. Deleted accounts are found by neither: their posts have no
 * author any more.
 */
export type NameLookups = Readonly<Record<'author' | 'authorId' | 'subsite' | 'subsiteId', (text: string) => string | undefined>>

export const leavesOf = (search: SearchTree): readonly Leaf[] => {
  if ('text' in search) return [search]
  return 'not' in search ? leavesOf(search.not) : ('all' in search ? search.all : search.any).flatMap(leavesOf)
}

/** Returns the bare name of `u/ann`, `/s/tea/` or `tea`. */
const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^\/?[usr]\//, '')
    .replace(/\/$/, '')

/** Looks up the accounts and subsites that a search names, once each. */
export const lookUpNames = async (documents: DocumentStore, search: SearchTree): Promise<NameLookups> => {
  const namesFor = (field: string) =>
    leavesOf(search).flatMap((leaf) => (leaf.field === undefined || leaf.field === field ? [bare(leaf.text)] : []))
  const idsFor = (field: string) => leavesOf(search).flatMap((leaf) => (leaf.field === field ? [leaf.text.toLowerCase()] : []))
  const [authors, places, byId] = await Promise.all([
    accountsNamed(documents, namesFor('author')),
    subsitesNamed(documents, namesFor('subsite')),
    accountsById(documents, idsFor('authorId')),
  ])
  const authorOf = new Map(authors.map(({ lower, id }) => [lower, id]))
  const subsiteOf = new Map(places.map(({ lower, id }) => [lower, id]))
  const exists = (id: string) => byId.get(id)?.deleted === false
  return {
    author: (name) => authorOf.get(bare(name)),
    authorId: (text) => (exists(text.toLowerCase()) ? text.toLowerCase() : undefined),
    subsite: (name) => subsiteOf.get(bare(name)),
    subsiteId: (text) => {
      if (/^\d{1,15}$/.test(text)) return fullname('subsite', Number(text))
      return SubsiteId.is(text.toLowerCase()) ? text.toLowerCase() : undefined
    },
  }
}
