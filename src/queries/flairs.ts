import { type FlairDocument, flairId, flairs } from '../../projections/flairs.ts'
import type { Flair } from '../domain/flair.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore, Page } from '../ports/documents.ts'

/** Accounts with flair in a subsite, in the order of their numbers; anchors are such numbers. */
export const flairsIn = (documents: DocumentStore, subsite: SubsiteId, page: Page): Promise<readonly FlairDocument[]> =>
  documents.find(flairs, { where: { subsite, listed: true }, order: ['seq'], page })

export const flairIn = async (documents: DocumentStore, subsite: SubsiteId, account: AccountId): Promise<FlairDocument | undefined> => {
  const id = flairId(subsite, account)
  return (await documents.getMany(flairs, [id])).get(id)
}

type Written = { readonly subsite: SubsiteId; readonly author: AccountId }

/** The flair of authors beside what they wrote, where they have one and show it. */
export const flairsOf = async (
  documents: DocumentStore,
  things: readonly Written[],
): Promise<(subsite: SubsiteId, author: AccountId) => Flair | undefined> => {
  const found = await documents.getMany(flairs, [...new Set(things.map(({ subsite, author }) => flairId(subsite, author)))])
  return (subsite, author) => {
    const flair = found.get(flairId(subsite, author))
    return flair?.shown && flair.listed ? flair : undefined
  }
}
