// Decision 23.

import * as E from 'fp-ts/lib/Either.js'
import { type LinkDocument, links } from '../../../projections/links.ts'
import { LinkId } from '../../domain/ids.ts'
import { type Anchor, type DocumentStore, getOne } from '../../ports/documents.ts'
import { estimateBytes } from '../../ports/size.ts'
import type { OrderedSource } from '../../queries/ordered-source.ts'
import { openReading, type Reading } from '../../queries/reading.ts'
import { isLink, type ThingDocument, thingsById } from '../../queries/things.ts'
import type { Context, ListingReply } from '../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import { presentById, presentThings } from './links-and-comments.ts'
import { type Listing, list, type NamedAnchor } from './listing.ts'

/** Finds an anchor among links and comments. The viewer may view it if they may view its subsite. */
export const thingAnchor =
  (documents: DocumentStore, read: Reading, keyOf: (thing: ThingDocument) => Anchor | undefined | Promise<Anchor | undefined>) =>
  async (name: string): Promise<NamedAnchor | undefined> => {
    const thing = (await thingsById(documents, [name])).get(name)
    if (!thing) return undefined
    await read.loadSubsites([thing.subsite])
    return { key: await keyOf(thing), viewable: read.mayView(thing.subsite) }
  }

/** Records that each point at a link or a comment: acts of an account on it, or the reasons why it concerns the moderators. */
export type RecordsOfThings<Item> = {
  readonly source: OrderedSource<Item>
  readonly order: readonly string[]
  readonly thingOf: (record: Item) => string
  /** Returns the key of the record on a thing; undefined if the thing has none in the listing. */
  readonly keyOn: (thing: ThingDocument) => Promise<Anchor | undefined>
  /** Returns the things that the viewer is shown. */
  readonly visible: (read: Reading, things: readonly ThingDocument[]) => Promise<readonly ThingDocument[]>
  /** True to show the category that the viewer saved each thing under. */
  readonly categories?: boolean
  readonly fleeting?: boolean
}

/** Lists the things that records point at, in the order of the records. */
export const listPointed = <Item>(
  context: Context,
  { source, order, thingOf, keyOn, visible, categories = false, fleeting = false }: RecordsOfThings<Item>,
) => {
  const { documents, viewer, page } = context
  const read = openReading(context, viewer)
  const things = new Map<string, ThingDocument>()
  return list<Item>({
    source,
    order,
    fleeting,
    nameOf: thingOf,
    anchor: thingAnchor(documents, read, keyOn),
    visible: async (records) => {
      const found = await thingsById(documents, records.map(thingOf))
      for (const thing of await visible(read, [...found.values()])) things.set(thing.id, thing)
      return records.filter((record) => things.has(thingOf(record)))
    },
    sizeOf: (record) => estimateBytes(things.get(thingOf(record))),
    present: async (records) => {
      const shown = records.flatMap((record) => things.get(thingOf(record)) ?? [])
      const presented = await presentById(context, read, shown, { detailed: page.srDetail, flat: true, categories })
      return shown.flatMap(({ id }) => presented.get(id) ?? [])
    },
  })
}

/** Returns a link that the viewer may see. An unknown one is 404, one in a closed subsite 403. */
export const linkInView = async (
  { documents }: Pick<Context, 'documents'>,
  read: Reading,
  id: string,
): Promise<E.Either<Refusal, LinkDocument>> => {
  const link = await getOne(documents, links, id)
  if (!link) return refuseRule('NOT_FOUND')
  await read.loadSubsites([link.subsite])
  return read.mayView(link.subsite) ? E.right(link) : refuseRule('FORBIDDEN')
}

/** Finds an anchor: a link that exists, even if it was removed or deleted. */
const linkAnchor = (
  documents: DocumentStore,
  read: Reading,
  keyOf: (link: LinkDocument) => Anchor | undefined | Promise<Anchor | undefined>,
) => {
  const anchor = thingAnchor(documents, read, (thing) => (isLink(thing) ? keyOf(thing) : undefined))
  return async (name: string): Promise<NamedAnchor | undefined> => (LinkId.is(name) ? anchor(name) : undefined)
}

/**
 * Returns the things that are not deleted, in subsites that the viewer may view, and not by accounts that the viewer blocks, unless the
 * viewer moderates there. Removed things are included.
 */
export const selectViewable = async <Thing extends ThingDocument>(read: Reading, things: readonly Thing[]): Promise<readonly Thing[]> => {
  await read.loadSubsites(things.map(({ subsite }) => subsite))
  const blocked = await read.blockedAuthors(things.map(({ author }) => author))
  return things.filter(
    ({ subsite, author, deleted }) => !deleted && read.mayView(subsite) && (!blocked.has(author) || read.isModerator(subsite)),
  )
}

/** Tells whether a thing is not removed, or the viewer still sees it, as its author or a moderator. */
export const seesRemoved = (read: Reading, { removed, author, subsite }: ThingDocument): boolean =>
  removed === null || author === read.viewer.account || read.moderates(subsite)

/** Returns the links with one URL that the viewer sees: also hidden ones, and removed ones only as their author or moderator. */
export const linksInView = async (read: Reading, links: readonly LinkDocument[]): Promise<readonly LinkDocument[]> =>
  (await selectViewable(read, links)).filter((link) => seesRemoved(read, link))

/** Makes a listing of links with their order and visibility. `keyOn` returns the key of a link as an anchor, if it is not the usual one. */
export const linkList = (
  context: Context,
  read: Reading,
  {
    keyOn,
    ...listing
  }: Omit<Listing<LinkDocument>, 'nameOf' | 'anchor' | 'present'> & { readonly keyOn?: Parameters<typeof linkAnchor>[2] },
): ListingReply =>
  list({
    ...listing,
    nameOf: ({ id }) => id,
    anchor: linkAnchor(context.documents, read, keyOn ?? listing.source.keyOf),
    present: (items) => presentThings(context, read, items, { detailed: context.page.srDetail }),
  })
