import { type GildingDocument, gildings } from '../../projections/gildings.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { type ListedLinks, oneOrIn } from './links.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'

const LATEST_FIRST = ['-at', '-id'] as const
const OF_ACCOUNT = listingIndex(gildings, ['account', 'role'], LATEST_FIRST)
const IN_SUBSITE = listingIndex(gildings, ['subsite', 'role'], LATEST_FIRST)
const ANYWHERE = listingIndex(gildings, ['role'], LATEST_FIRST)

/** Lists the gilded things of an account, or those that it gilded, the latest first. */
export const gildingsOf = (documents: DocumentStore, account: AccountId, role: GildingDocument['role']): OrderedSource<GildingDocument> =>
  listBy(documents, OF_ACCOUNT, { account, role })

/** Lists the gilded things of a listing, the latest first, including removed and deleted ones. */
export const listGilded = (documents: DocumentStore, listed: ListedLinks): OrderedSource<GildingDocument> => {
  const role = 'received'
  if (listed.kind === 'all') return listBy(documents, ANYWHERE, { role })
  return listed.kind === 'subsites'
    ? listBy(documents, IN_SUBSITE, { subsite: oneOrIn(listed.ids), role })
    : listBy(documents, OF_ACCOUNT, { account: oneOrIn(listed.ids), role })
}
