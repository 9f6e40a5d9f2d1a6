import { type GildingDocument, gildings } from '../../projections/gildings.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore, Filter } from '../ports/documents.ts'
import { oneOrIn, type Scope } from './links.ts'
import { found, type Source } from './walk.ts'

/** The gilded things of an account, or those that it gilded, the latest first. */
export const gildingsOf = (documents: DocumentStore, account: AccountId, role: GildingDocument['role']): Source<GildingDocument> =>
  found(documents, gildings, { account, role }, ['-at', '-id'])

const receivedIn = (scope: Scope): Filter => {
  if (scope.kind === 'all') return {}
  return scope.kind === 'subsites' ? { subsite: oneOrIn(scope.ids) } : { account: oneOrIn(scope.ids) }
}

/** The gilded things of a scope, the latest first, removed and deleted ones among them. */
export const gildedIn = (documents: DocumentStore, scope: Scope): Source<GildingDocument> =>
  found(documents, gildings, { ...receivedIn(scope), role: 'received' }, ['-at', '-id'])
