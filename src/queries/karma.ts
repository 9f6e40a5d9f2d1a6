import { partIds } from '../../projections/engine/partitions.ts'
import { EVERYWHERE, type Karma, karma, karmaId } from '../../projections/karma.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { readAll } from './read-all.ts'

const OF_ACCOUNT = listingIndex(karma, ['account'], ['id'])
/** The accounts of which all parts are read in one call. */
const ACCOUNTS_PER_READ = 60

export const noKarma: Karma = { link: 0, comment: 0 }

const sum = (one: Karma = noKarma, other: Karma = noKarma): Karma => ({ link: one.link + other.link, comment: one.comment + other.comment })

/** Returns an account's karma in each subsite where it was ever changed. */
export const karmaBySubsite = async (documents: DocumentStore, account: AccountId): Promise<ReadonlyMap<SubsiteId, Karma>> => {
  const earned = new Map<SubsiteId, Karma>()
  for (const part of await readAll(documents, OF_ACCOUNT, { account }))
    if (part.subsite !== EVERYWHERE) earned.set(part.subsite, sum(earned.get(part.subsite), part))
  return earned
}

/** Returns the karma of some ids, each the sum of its parts. */
const sumParts = async (documents: Pick<DocumentStore, 'getMany'>, ids: readonly string[]): Promise<readonly Karma[]> => {
  const parts = ids.map(partIds)
  const known = await documents.getMany(karma, parts.flat())
  return parts.map((idsOfPart) => idsOfPart.reduce((total, id) => sum(total, known.get(id)), noKarma))
}

/** Returns the karma of accounts in all subsites. */
export const karmaOfAccounts = async (
  documents: Pick<DocumentStore, 'getMany'>,
  accounts: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, Karma>> => {
  const totals = new Map<AccountId, Karma>()
  for (let from = 0; from < accounts.length; from += ACCOUNTS_PER_READ) {
    const slice = accounts.slice(from, from + ACCOUNTS_PER_READ)
    const found = await sumParts(
      documents,
      slice.map((account) => karmaId(account, EVERYWHERE)),
    )
    slice.forEach((account, n) => {
      totals.set(account, found[n] ?? noKarma)
    })
  }
  return totals
}

/** Returns the karma of an account in a subsite, or in all. */
export const karmaOf = async (documents: DocumentStore, account: AccountId, subsite: SubsiteId = EVERYWHERE): Promise<Karma> =>
  (await sumParts(documents, [karmaId(account, subsite)]))[0] ?? noKarma

/** Returns karma of one kind in a subsite. If it is zero there but positive elsewhere, it is 1. */
export const karmaIn = async (documents: DocumentStore, account: AccountId, subsite: SubsiteId, kind: keyof Karma): Promise<number> => {
  const [inSubsite = noKarma, total = noKarma] = await sumParts(documents, [karmaId(account, subsite), karmaId(account, EVERYWHERE)])
  return inSubsite[kind] || Math.min(1, total[kind])
}
