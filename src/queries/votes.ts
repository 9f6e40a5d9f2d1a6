import { type VoteDocument, votes } from '../../projections/votes.ts'
import type { AccountId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { found, type Source } from './walk.ts'

const FIRST_VOTES = ['-first', 'id']

/** The links that an account has voted on, by the time of the first vote, latest first. */
export const votedBy = (documents: DocumentStore, voter: AccountId, mark: 'insightful' | 'funny'): Source<VoteDocument> =>
  found(documents, votes, { voter, kind: 'link', [mark]: true }, FIRST_VOTES)
