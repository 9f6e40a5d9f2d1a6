import { type GildingDocument, gildings } from '../../projections/gildings.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { found, type Source } from './walk.ts'

/** The gilded things of an account, or those that it gilded, the latest first. */
export const gildingsOf = (documents: DocumentStore, account: AccountId, role: GildingDocument['role']): Source<GildingDocument> =>
  found(documents, gildings, { account, role }, ['-at', '-id'])
