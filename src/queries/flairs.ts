import { type FlairDocument, flairId, flairs } from '../../projections/flairs.ts'
import type { Flair } from '../domain/flair.ts'
import type { AccountId, SubsiteId, ThingId } from '../domain/ids.ts'
import { type DocumentStore, getOne, type PageBounds } from '../ports/documents.ts'
import { findBy, listingIndex } from '../ports/indexed.ts'

const IN_SUBSITE = listingIndex(flairs, ['subsite', 'listed'], ['seq'])

/** Returns the accounts with flair in a subsite, in the order of their numbers; anchors are such numbers. */
export const flairsIn = (documents: DocumentStore, subsite: SubsiteId, page: PageBounds): Promise<readonly FlairDocument[]> =>
  findBy(documents, IN_SUBSITE, { subsite, listed: true }, page)

export const flairIn = (documents: DocumentStore, subsite: SubsiteId, account: AccountId): Promise<FlairDocument | undefined> =>
  getOne(documents, flairs, flairId(subsite, account))

type PostedThing = { readonly id: ThingId; readonly subsite: SubsiteId; readonly author: AccountId }

/** Returns the flair of authors who have one and show it, by the things that they wrote. */
export const flairsOf = async (documents: DocumentStore, things: readonly PostedThing[]): Promise<ReadonlyMap<ThingId, Flair>> => {
  const ids = things.map(({ subsite, author }) => flairId(subsite, author))
  const found = await documents.getMany(flairs, ids)
  const flairOf = new Map<ThingId, Flair>()
  for (const [index, id] of found.size === 0 ? [] : ids.entries()) {
    const flair = found.get(id)
    const thing = things[index]
    if (thing && flair?.shown && flair.listed) flairOf.set(thing.id, flair)
  }
  return flairOf
}
