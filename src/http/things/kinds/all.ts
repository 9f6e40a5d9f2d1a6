import { kindOf, prefixes, type ThingKind } from '../../../domain/ids.ts'
import type { Document } from '../../../ports/documents.ts'
import type { Context } from '../../contract/endpoint.ts'
import { accountRowEntry, type FeedPresenter, modActionEntry } from '../../present/feed-entry.ts'
import { accountKind } from './account.ts'
import { commentKind } from './comment.ts'
import type { KindOfThing } from './kind.ts'
import { linkKind } from './link.ts'
import { messageKind } from './message.ts'
import { subsiteKind } from './subsite.ts'

/** The kinds of things. */
const kinds = { link: linkKind, comment: commentKind, message: messageKind, subsite: subsiteKind, account: accountKind } as const

const rows: Readonly<Partial<Record<ThingKind, KindOfThing>>> = kinds

/** Returns a column of the kind of a fullname; undefined if it has none there, or is the fullname of no thing. */
export const column = <Name extends keyof KindOfThing>(id: string, name: Name): KindOfThing[Name] | undefined => {
  const known = kindOf(id)
  return known && rows[known]?.[name]
}

/** Returns the kinds that have a column. */
export const kindsWith = (name: keyof KindOfThing): readonly (keyof typeof kinds)[] =>
  (Object.keys(kinds) as readonly (keyof typeof kinds)[]).filter((known) => kinds[known][name] !== undefined)

/** Returns the documents of things by their fullnames, in that order, each once. Missing things are left out. */
export const documentsNamed = async ({ documents }: Pick<Context, 'documents'>, ids: readonly string[]): Promise<readonly Document[]> => {
  const names = [...new Set(ids)]
  const byCollection = Map.groupBy(names, (id) => column(id, 'collection'))
  const found = await Promise.all(
    Array.from(byCollection, ([collection, named]) => (collection ? documents.getMany(collection, named) : new Map<string, Document>())),
  )
  return names.flatMap((id) => found.flatMap((documents) => documents.get(id) ?? []))
}

/** Presents things of any kinds as JSON records by fullname, as the viewer may see them. */
export const recordsOf = async (context: Context, documents: readonly Document[]): Promise<ReadonlyMap<string, object>> => {
  const byPresenter = Map.groupBy(documents, ({ id }) => column(id, 'records'))
  const records = await Promise.all(
    Array.from(byPresenter, async ([present, documents]) => [...((await present?.(context, documents)) ?? [])]),
  )
  return new Map(records.flat())
}

/** Presents things by their fullnames; null names nothing. */
export const recordsNamed = async (context: Context, ids: readonly (string | null)[]): Promise<ReadonlyMap<string, object>> =>
  recordsOf(
    context,
    await documentsNamed(
      context,
      ids.filter((id) => id !== null),
    ),
  )

const feedPresenters: ReadonlyMap<string, FeedPresenter> = new Map([
  ...kindsWith('feedEntry').map((name) => [prefixes[name], kinds[name].feedEntry] as const),
  ['modaction', modActionEntry] as const,
])

/** Returns the conversion of a record of this kind to a feed entry. Only rows of accounts have no kind. */
export const feedPresenterOf = (name: string | undefined): FeedPresenter => {
  const present = name === undefined ? accountRowEntry : feedPresenters.get(name)
  if (!present) throw new Error(`records of the kind ${name} have no entry in feeds`)
  return present
}
