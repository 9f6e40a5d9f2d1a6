import { type MuteAndBlockDocument, muteAndBlockId, mutesAndBlocks } from '../../projections/mutes-and-blocks.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { countBy, listingIndex } from '../ports/indexed.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'

const MUTED = listingIndex(mutesAndBlocks, ['account', 'muted'], ['-mutedAt', '-id'])

/** Lists the subsites that an account muted, the newest mute first. */
export const listMuted = (documents: DocumentStore, account: AccountId): OrderedSource<MuteAndBlockDocument> =>
  listBy(documents, MUTED, { account, muted: true })

/** Counts the subsites that an account muted, no further than `most`. */
export const countMuted = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  countBy(documents, MUTED, { account, muted: true }, most)

/** Returns the account's mutes and blocks of some subsites. */
export const mutesAndBlocksOf = (
  documents: DocumentStore,
  account: AccountId,
  subsites: readonly SubsiteId[],
): Promise<ReadonlyMap<SubsiteId, MuteAndBlockDocument>> =>
  documents.getPairs(mutesAndBlocks, { one: account, idOf: (subsite) => muteAndBlockId(account, subsite) }, subsites)

/** Returns the subsites among some that the account muted. */
export const selectMuted = async (
  documents: DocumentStore,
  account: AccountId,
  subsites: readonly SubsiteId[],
): Promise<ReadonlySet<SubsiteId>> => {
  const avoided = await mutesAndBlocksOf(documents, account, subsites)
  return new Set(Array.from(avoided.values()).flatMap(({ subsite, muted }) => (muted ? [subsite] : [])))
}
