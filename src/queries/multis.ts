import { type MultiDocument, multis } from '../../projections/multis.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { descriptionOf, type MultiId, multiId, type OtherMultis } from '../domain/multi.ts'
import type { FilterName } from '../domain/multi-path.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { readAll } from './read-all.ts'

/** Finds the multis of an account, or its filters, by name. */
export const MULTIS_OF_ACCOUNT = listingIndex(multis, ['account', 'kind'], ['name', 'id'])

export const multiAt = (documents: DocumentStore, id: MultiId): Promise<MultiDocument | undefined> => getOne(documents, multis, multiId(id))

/** Returns the multis of an account, by name; their number is bounded. */
export const multisOf = (documents: DocumentStore, account: AccountId): Promise<readonly MultiDocument[]> =>
  readAll(documents, MULTIS_OF_ACCOUNT, { account, kind: 'm' })

/** Returns the counts that an account's limits apply to, without one of its multis. `pending` are names that may not be shown yet. */
export const otherMultis = async (documents: DocumentStore, id: MultiId, pending: readonly string[] = []): Promise<OtherMultis> => {
  const others = id.kind === 'm' ? (await multisOf(documents, id.account)).filter(({ name }) => name !== id.name) : []
  const names = new Set([...others.map(({ name }) => name), ...pending.filter((name) => name !== id.name)])
  return { count: names.size, described: others.reduce((sum, multi) => sum + descriptionOf(multi).length, 0) }
}

/** Returns the subsites that an account leaves out of a feed. */
export const readFilter = async (
  documents: DocumentStore,
  account: AccountId | undefined,
  feed: FilterName,
): Promise<readonly SubsiteId[]> => {
  const filter = account === undefined ? undefined : await multiAt(documents, { account, kind: 'f', name: feed })
  return filter?.subsites ?? []
}
