import { type AvoidanceDocument, avoidanceId, avoidances } from '../../projections/avoidances.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { found, type Source } from './walk.ts'

/** The subsites that an account muted, the newest mute first. */
export const mutedBy = (documents: DocumentStore, account: AccountId): Source<AvoidanceDocument> =>
  found(documents, avoidances, { account, muted: true }, ['-mutedAt', '-id'])

/** How many subsites an account muted, counting no further than `most`. */
export const countMuted = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  documents.count(avoidances, { account, muted: true }, most)

/** The account's mutes and blocks of some subsites. */
export const avoidancesOf = (
  documents: DocumentStore,
  account: AccountId,
  subsites: readonly SubsiteId[],
): Promise<ReadonlyMap<SubsiteId, AvoidanceDocument>> =>
  documents.getPairs(avoidances, { one: account, idOf: (subsite) => avoidanceId(account, subsite) }, subsites)

/** Those of some subsites that the account muted. */
export const mutedAmong = async (
  documents: DocumentStore,
  account: AccountId,
  subsites: readonly SubsiteId[],
): Promise<ReadonlySet<SubsiteId>> => {
  const avoided = await avoidancesOf(documents, account, subsites)
  return new Set(Array.from(avoided.values()).flatMap(({ subsite, muted }) => (muted ? [subsite] : [])))
}
