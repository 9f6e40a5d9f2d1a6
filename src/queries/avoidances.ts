import { type AvoidanceDocument, avoidanceId, avoidances } from '../../projections/avoidances.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { countBy, indexed } from '../ports/indexed.ts'
import { found, type Source } from './walk.ts'

const MUTED = indexed(avoidances, ['account', 'muted'], ['-mutedAt', '-id'])

/** The subsites that an account muted, the newest mute first. */
export const mutedBy = (documents: DocumentStore, account: AccountId): Source<AvoidanceDocument> =>
  found(documents, MUTED, { account, muted: true })

/** How many subsites an account muted, counting no further than `most`. */
export const countMuted = (documents: DocumentStore, account: AccountId, most: number): Promise<number> =>
  countBy(documents, MUTED, { account, muted: true }, most)

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
