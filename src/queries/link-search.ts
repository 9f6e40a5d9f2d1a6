// Decision 66.

import { type LinkDocument, links } from '../../projections/links.ts'
import type { Audience } from '../domain/audience.ts'
import { hostNamed } from '../domain/canonical-url.ts'
import { parseAddress } from '../domain/url.ts'
import type { Anchor, DocumentStore, Filter, PageBounds, TextSearch } from '../ports/documents.ts'
import { searchOrder } from '../ports/indexed.ts'
import { soughtWords } from '../ports/search-words.ts'
import { flagOf, type LinkCondition, rangeOf, requireHost, toCondition } from './link-conditions.ts'
import { filterListed, type LinkPlaces } from './links.ts'
import { type Leaf, leavesOf, lookUpNames, type NameLookups } from './names-in-search.ts'
import { listSearched, type OrderedSource } from './ordered-source.ts'
import type { FieldNames, SearchTree } from './search-query.ts'

/** The fields of link searches, by name. */
export const linkFields: FieldNames = new Map(
  Object.entries({
    title: 'title',
    selftext: 'text',
    text: 'text',
    url: 'url',
    author: 'author',
    subsite: 'subsite',
    subreddit: 'subsite',
    sr: 'subsite',
    site: 'site',
    self: 'self',
    is_self: 'self',
    nsfw: 'nsfw',
    over18: 'nsfw',
    over_18: 'nsfw',
    flair: 'flair',
    flair_text: 'flairText',
    flair_css_class: 'flairCss',
    author_fullname: 'authorId',
    sr_id: 'subsiteId',
    fullname: 'fullname',
    timestamp: 'timestamp',
    ups: 'ups',
    downs: 'downs',
    num_comments: 'comments',
  }),
)

const isSelf = (value: boolean): TextSearch => ({ words: String(value), fields: ['isSelf'] })
const everything: TextSearch = { any: [isSelf(true), isSelf(false)] }
const never: TextSearch = { words: 'never', fields: ['isSelf'] }

/** Searches a boolean field. A value that is neither yes nor no matches nothing. */
const searchFlag = (field: string, text: string): TextSearch => {
  const value = flagOf(text)
  return value === undefined ? never : { words: String(value), fields: [field] }
}

/** The texts that words without a field are looked for in. */
const FLAIR = ['flairText', 'flairCss']
const TEXTS = ['title', 'text', 'url', 'domain', ...FLAIR]

const searchAllFields = (text: string, { author, subsite }: NameLookups): TextSearch => {
  const [by, at] = [author(text), subsite(text)]
  const search: TextSearch = { words: text, fields: TEXTS }
  if (by === undefined && at === undefined) return search
  return { any: [search, ...(by === undefined ? [] : [inAuthors([by])]), ...(at === undefined ? [] : [inSubsites([at])])] }
}

const toLeafSearch = ({ text, field }: Leaf, named: NameLookups, ownHost: string): TextSearch => {
  switch (field) {
    case undefined:
      return searchAllFields(text, named)
    case 'author':
    case 'authorId': {
      const author = named[field](text)
      return author === undefined ? never : inAuthors([author])
    }
    case 'subsite':
    case 'subsiteId': {
      const subsite = named[field](text)
      return subsite === undefined ? never : inSubsites([subsite])
    }
    case 'site': {
      const host = hostNamed(text)
      if (host === '') return never
      return host === ownHost ? isSelf(true) : { words: host, fields: ['domain'] }
    }
    case 'url':
      return { words: parseAddress(text) ?? text, fields: ['url'] }
    case 'flair':
      return { words: text, fields: FLAIR }
    case 'self':
      return searchFlag('isSelf', text)
    case 'nsfw':
      return searchFlag('over18', text)
    case 'fullname':
    case 'timestamp':
    case 'ups':
    case 'downs':
    case 'comments':
      return never // these fields are in no text and can only be required of every link
    default:
      return { words: text, fields: [field] }
  }
}

/** Requires one of these authors. */
export const inAuthors = (ids: readonly string[]): TextSearch => ({ any: ids.map((words) => ({ words, fields: ['author'] })) })
/** Requires one of these audiences. */
export const forAudiences = (audiences: readonly Audience[]): TextSearch => ({
  any: audiences.map((words) => ({ words, fields: ['audience'] })),
})
/** Requires one of these subsites. */
export const inSubsites = (ids: readonly string[]): TextSearch => ({ any: ids.map((words) => ({ words, fields: ['subsite'] })) })

/** Converts a search. A negation needs a search that it narrows: without one, it narrows all links. */
const toTextSearch = (search: SearchTree, leaf: (leaf: Leaf) => TextSearch): TextSearch => {
  if ('text' in search) return leaf(search)
  if ('any' in search) return { any: search.any.map((part) => toTextSearch(part, leaf)) }
  const parts = 'all' in search ? search.all : [search]
  const all = parts.flatMap((part) => ('not' in part ? [] : [toTextSearch(part, leaf)]))
  const except = parts.flatMap((part) => ('not' in part ? [toTextSearch(part.not, leaf)] : []))
  return { all: all.length === 0 ? [everything] : all, except }
}

/** `created` are the first and the last second in which a matching link was made. */
type LinkRequirements = {
  readonly wanted: readonly SearchTree[]
  readonly conditions: readonly LinkCondition[]
  readonly created: readonly [number, number]
}

/** Returns the conditions on every link, however deep in parentheses they stand. */
const toRequired = (search: SearchTree): readonly SearchTree[] => {
  if ('all' in search) return search.all.flatMap(toRequired)
  if (!('not' in search)) return [search]
  if ('not' in search.not) return toRequired(search.not.not)
  return 'any' in search.not ? search.not.any.flatMap((not) => toRequired({ not })) : [search]
}

/**
 * Splits a search into conditions on every link, on texts or fields. An over-18 subsite marks all its links over-18, which their texts do
 * not say.
 */
const toRequirements = (search: SearchTree, ownHost: string): LinkRequirements => {
  const conditions: LinkCondition[] = []
  let created: readonly [number, number] = [0, Number.POSITIVE_INFINITY]
  const texts = toRequired(search).filter((part) => {
    const leaf = 'not' in part ? part.not : part
    if (!('text' in leaf)) return true
    const condition = toCondition(leaf.field, leaf.text, leaf !== part)
    if (condition) {
      conditions.push(condition)
      const range = leaf.field === 'timestamp' && leaf === part ? rangeOf(leaf.text) : undefined
      if (range) created = [Math.max(created[0], range[0]), Math.min(created[1], range[1])]
      return false
    }
    if (leaf.field === 'site' && leaf === part && hostNamed(leaf.text) !== ownHost) conditions.push(requireHost(leaf.text))
    return true
  })
  return { wanted: texts, conditions, created }
}

/** A parsed search: `sought` in all texts, `titled` in titles alone, and the conditions that no text tells. */
export type LinkSearch = Omit<LinkRequirements, 'wanted'> & { readonly sought: TextSearch; readonly titled: TextSearch | undefined }

/** Parses a search. `within` restricts it to some links. `ownHost` is the host of self-posts, for `site:`. */
export const linkSearch = async (
  documents: DocumentStore,
  tree: SearchTree,
  { within, ownHost }: { readonly within: TextSearch | undefined; readonly ownHost: string },
): Promise<LinkSearch> => {
  const named = await lookUpNames(documents, tree)
  const { wanted, ...fields } = toRequirements(tree, ownHost)
  const required: SearchTree = { all: wanted }
  const leaf = (one: Leaf) => toLeafSearch(one, named, ownHost)
  const all = wanted.length === 0 ? everything : toTextSearch(required, leaf)
  // a search without a word finds nothing, even with `within`
  const sought = within && soughtWords(all) !== undefined ? { all: [all, within] } : all
  if (leavesOf(required).every(({ field }) => field !== undefined)) return { sought, titled: undefined, ...fields }
  const titled = toTextSearch(required, (one) => (one.field === undefined ? { words: one.text, fields: ['title'] } : leaf(one)))
  return { sought, titled, ...fields }
}

export const searchSorts = ['relevance', 'hot', 'top', 'new', 'comments'] as const
export type SearchSort = (typeof searchSorts)[number]

export const searchOrders = Object.fromEntries(
  searchSorts.map((sort) => [sort, searchOrder(links, sort === 'relevance' ? 'hot' : sort)]),
) as Readonly<Record<SearchSort, string>>

/** An anchor after every key. */
const END = [Number.NEGATIVE_INFINITY, 0]

/** Links in an order, and the key of any link in it. */
type RankedLinks = { readonly source: OrderedSource<LinkDocument>; readonly keyOn: (link: LinkDocument) => Promise<Anchor> }

/** Joins two sources of one order, one after the other. Keys begin with 0 for the first and 1 for the second. */
const joinSources = (first: OrderedSource<LinkDocument>, second: OrderedSource<LinkDocument>): RankedLinks => {
  const leading = new Set<string>()
  const findLeading = async (page: PageBounds) => {
    const found = page.limit < 1 ? [] : await first.find(page)
    for (const { id } of found) leading.add(id)
    return found
  }
  const keyOf = (link: LinkDocument): Anchor => [leading.has(link.id) ? 0 : 1, ...first.keyOf(link)]
  return {
    // a page that starts just before the link starts with it exactly if the link is in the first source
    keyOn: async (link) => {
      await findLeading({ limit: 1, after: [link.hot, link.seq + 1] })
      return keyOf(link)
    },
    source: {
      keyOf,
      find: async ({ limit, after, before }) => {
        if (before) {
          const key = before.slice(1)
          if (before[0] === 0) return findLeading({ limit, before: key })
          const found = await second.find({ limit, before: key })
          return [...(await findLeading({ limit: limit - found.length, before: END })), ...found]
        }
        if (after?.[0] === 1) return second.find({ limit, after: after.slice(1) })
        const found = await findLeading({ limit, ...(after && { after: after.slice(1) }) })
        return found.length === limit ? found : [...found, ...(await second.find({ limit: limit - found.length }))]
      },
    },
  }
}

/**
 * Returns the links that a search finds. By relevance, links with all the words in their titles come first, then the others, both by heat.
 * So a write moves only its own link; the word statistics of a search engine would also move others.
 */
export const findLinks = (
  documents: DocumentStore,
  { sought, titled, created: [first, last] }: LinkSearch,
  sort: SearchSort,
  since = 0,
  places?: LinkPlaces,
): RankedLinks => {
  const from = Math.max(since, first * 1000)
  const to = (last + 1) * 1000
  const where: Filter =
    from === 0 && to === Number.POSITIVE_INFINITY ? {} : { created: { gte: from, ...(Number.isFinite(to) && { lt: to }) } }
  // no index has the links of some places in the order of their comments
  const among = places && sort !== 'comments' ? filterListed(places) : undefined
  const search = (terms: TextSearch) => listSearched(documents, links, { terms, where, order: searchOrders[sort], ...(among && { among }) })
  if (sort === 'relevance' && titled !== undefined)
    return joinSources(search({ all: [sought, titled] }), search({ all: [sought], except: [titled] }))
  const source = search(sought)
  return { source, keyOn: async (link) => source.keyOf(link) }
}
