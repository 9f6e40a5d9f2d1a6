import { type GildingDocument, gildings } from '../../projections/gildings.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { indexed } from '../ports/indexed.ts'
import { type ListedLinks, oneOrIn } from './links.ts'
import { found, type Source } from './walk.ts'

const LATEST_FIRST = ['-at', '-id'] as const
const OF_ACCOUNT = indexed(gildings, ['account', 'role'], LATEST_FIRST)
const IN_SUBSITE = indexed(gildings, ['subsite', 'role'], LATEST_FIRST)
const ANYWHERE = indexed(gildings, ['role'], LATEST_FIRST)

/** The gilded things of an account, or those that it gilded, the latest first. */
export const gildingsOf = (documents: DocumentStore, account: AccountId, role: GildingDocument['role']): Source<GildingDocument> =>
  found(documents, OF_ACCOUNT, { account, role })

/** The gilded things of a listing, the latest first, removed and deleted ones among them. */
export const gildedIn = (documents: DocumentStore, listed: ListedLinks): Source<GildingDocument> => {
  const role = 'received'
  if (listed.kind === 'all') return found(documents, ANYWHERE, { role })
  return listed.kind === 'subsites'
    ? found(documents, IN_SUBSITE, { subsite: oneOrIn(listed.ids), role })
    : found(documents, OF_ACCOUNT, { account: oneOrIn(listed.ids), role })
}
