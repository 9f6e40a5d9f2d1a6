import { comments } from '../../../projections/comments.ts'
import { type GildingDocument, gildingId, gildings } from '../../../projections/gildings.ts'
import { links } from '../../../projections/links.ts'
import { type ShelfDocument, shelfId, shelves } from '../../../projections/shelves.ts'
import { type VoteDocument, voteId, votes } from '../../../projections/votes.ts'
import type { Audience } from '../../domain/audience.ts'
import type { AccountId } from '../../domain/ids.ts'
import { linkOrders, type ThingSort } from '../../domain/link-sorts.ts'
import type { Span } from '../../domain/time-windows.ts'
import { type Anchor, type DocumentStore, getOne } from '../../ports/documents.ts'
import { listingIndex } from '../../ports/indexed.ts'
import { audiencesAmong } from '../../queries/audiences.ts'
import { gildingsOf } from '../../queries/gildings.ts'
import { sinceOf } from '../../queries/links.ts'
import type { OrderedSource } from '../../queries/ordered-source.ts'
import { openReading, type Reading } from '../../queries/reading.ts'
import { hiddenBy, listSavedThings, savedCategories } from '../../queries/shelves.ts'
import { subsiteNamed } from '../../queries/subsites.ts'
import { isLink, listPosts, type ThingDocument, thingsById } from '../../queries/things.ts'
import { listVotes } from '../../queries/votes.ts'
import type { Context } from '../contract/endpoint.ts'
import { presentThings } from './links-and-comments.ts'
import { list } from './listing.ts'
import { listPointed, seesRemoved, selectViewable, thingAnchor } from './shown-things.ts'

// The listings of the things that one account posted, voted on, saved, hid and gilded.

/** Returns the things of an account's page that its viewer sees: in viewable subsites; removed comments only for author and moderators. */
const visibleTo = async (read: Reading, things: readonly ThingDocument[]): Promise<readonly ThingDocument[]> =>
  (await selectViewable(read, things)).filter((thing) => isLink(thing) || seesRemoved(read, thing))

/** Leaves out comments that the viewer reported. Hidden links stay on the pages of their authors. */
const withoutHiddenComments = async (read: Reading, things: readonly ThingDocument[]): Promise<readonly ThingDocument[]> => {
  const shelves = await read.shelvesOf(things.flatMap((thing) => (isLink(thing) ? [] : [thing.id])))
  return things.filter((thing) => isLink(thing) || !shelves.get(thing.id)?.hidden)
}

type PostKind = Parameters<typeof listPosts>[2]

const LINKS_BY_AUDIENCE = listingIndex(links, ['author'], ['audience', 'deleted', '-seq'])
const COMMENTS_BY_AUDIENCE = listingIndex(comments, ['author'], ['audience', 'deleted', '-seq'])

/** Returns the audiences of an account's posts that the viewer may see. Admins see all of them. */
const audiencesIn = async (documents: DocumentStore, read: Reading, author: AccountId): Promise<readonly Audience[]> => {
  if (!read.viewer.admin) return read.audiences()
  const where = { author }
  const among = await Promise.all([
    audiencesAmong(documents, LINKS_BY_AUDIENCE, where, [true, -1]),
    audiencesAmong(documents, COMMENTS_BY_AUDIENCE, where, [true, -1]),
  ])
  return [...new Set(among.flat())]
}

export const listPosted = async (context: Context, author: AccountId, kind: PostKind, sort: ThingSort, span: Span) => {
  const { documents, viewer, page } = context
  const read = openReading(context, viewer)
  const since = sinceOf(sort, span, read.now)
  const source = listPosts(documents, author, kind, sort, await audiencesIn(documents, read, author))
  return list({
    source,
    order: linkOrders[sort],
    nameOf: ({ id }) => id,
    anchor: thingAnchor(documents, read, source.keyOf),
    visible: async (things) => {
      const shown = await visibleTo(read, since === undefined ? things : things.filter(({ created }) => created >= since))
      return page.showAll ? shown : withoutHiddenComments(read, shown)
    },
    present: (items) => presentThings(context, read, items, { detailed: page.srDetail, flat: true }),
  })
}

/** A record of an account's action on a thing. */
type ThingRecord = ShelfDocument | VoteDocument | GildingDocument

type ThingRecords<D extends ThingRecord> = {
  readonly source: OrderedSource<D>
  readonly order: readonly string[]
  /** Returns the current record of a thing, if it is in the listing. */
  readonly deedOn: (thing: string) => Promise<D | undefined>
  readonly matches?: (thing: ThingDocument) => boolean
  /** True to show the viewer's save category of each thing. */
  readonly categories?: boolean
}

/** Lists the things of an account's actions, in the order of the actions. */
const doneTo = <D extends ThingRecord>(
  context: Context,
  { source, order, deedOn, matches = () => true, categories = false }: ThingRecords<D>,
) =>
  listPointed<D>(context, {
    source,
    order,
    categories,
    thingOf: ({ thing }) => thing,
    keyOn: async ({ id }) => {
      const deed = await deedOn(id)
      return deed && source.keyOf(deed)
    },
    visible: (read, things) => visibleTo(read, things.filter(matches)),
  })

export const listVoted = (context: Context, owner: AccountId, mark: 'insightful' | 'funny') =>
  doneTo<VoteDocument>(context, {
    source: listVotes(context.documents, owner, mark),
    order: [`votes of ${owner}`],
    deedOn: (thing) => getOne(context.documents, votes, voteId(owner, thing)),
  })

/** Lists the saved or hidden things of an account. */
const listShelved = (
  context: Context,
  owner: AccountId,
  which: 'saved' | 'hidden',
  deeds: Omit<ThingRecords<ShelfDocument>, 'order' | 'deedOn'>,
) =>
  doneTo<ShelfDocument>(context, {
    ...deeds,
    order: [`${which} by ${owner}`],
    deedOn: async (thing) => {
      const shelf = await getOne(context.documents, shelves, shelfId(owner, thing))
      return shelf?.[which] ? shelf : undefined
    },
  })

export const listSaved = async (context: Context, owner: AccountId, category: string, sr: string) => {
  const { documents, viewer } = context
  const subsite = sr === '' ? undefined : ((await subsiteNamed(documents, sr))?.id ?? '')
  return listShelved(context, owner, 'saved', {
    source: listSavedThings(documents, owner, category === '' ? undefined : category.toLowerCase()),
    categories: viewer.account === owner,
    ...(subsite !== undefined && { matches: (thing: ThingDocument) => thing.subsite === subsite }),
  })
}

/** The number of saved things of one category that are looked up at a time, and the most. A category with more of them is shown. */
const SAVED_AT_ONCE = 50
const MAX_SAVED_EXAMINED = 500

const holdsVisible = async ({ documents }: Context, read: Reading, owner: AccountId, category: string): Promise<boolean> => {
  const { find, keyOf } = listSavedThings(documents, owner, category)
  let after: Anchor | undefined
  for (let examined = 0; examined < MAX_SAVED_EXAMINED; examined += SAVED_AT_ONCE) {
    const page = await find({ limit: SAVED_AT_ONCE, ...(after && { after }) })
    const things = await thingsById(
      documents,
      page.map(({ thing }) => thing),
    )
    if ((await visibleTo(read, [...things.values()])).length > 0) return true
    const last = page.at(-1)
    if (page.length < SAVED_AT_ONCE || last === undefined) return false
    after = keyOf(last)
  }
  return true
}

/** Returns the categories of the viewer's saved things, without those of which nothing is shown any more. */
export const shownCategories = async (context: Context, owner: AccountId): Promise<readonly string[]> => {
  const read = openReading(context, context.viewer)
  const shown: string[] = []
  for (const category of await savedCategories(context.documents, owner))
    if (await holdsVisible(context, read, owner, category)) shown.push(category)
  return shown
}

/** Lists the gilded things of an account, or those it gilded, the latest first. */
export const listGilded = (context: Context, owner: AccountId, role: GildingDocument['role']) =>
  doneTo<GildingDocument>(context, {
    source: gildingsOf(context.documents, owner, role),
    order: [`${role} gildings of ${owner}`],
    deedOn: (thing) => getOne(context.documents, gildings, gildingId(role, owner, thing)),
  })

/** Lists the links that an account hid, the latest first. */
export const listHidden = (context: Context, owner: AccountId) =>
  listShelved(context, owner, 'hidden', { source: hiddenBy(context.documents, owner) })
