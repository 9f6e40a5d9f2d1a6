import { type VoteDocument, voteId, votes } from '../../projections/votes.ts'
import type { AccountId, ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { found, type Source } from './walk.ts'

const FIRST_VOTES = ['-first', 'id']

/** The links that an account has voted on, by the time of the first vote, latest first. */
export const votedBy = (documents: DocumentStore, voter: AccountId, mark: 'insightful' | 'funny'): Source<VoteDocument> =>
  found(documents, votes, { voter, kind: 'link', [mark]: true }, FIRST_VOTES)

/** The votes of an account on some things. */
export const votesOn = (
  documents: DocumentStore,
  voter: AccountId,
  things: readonly ThingId[],
): Promise<ReadonlyMap<ThingId, VoteDocument>> => documents.getPairs(votes, { one: voter, idOf: (thing) => voteId(voter, thing) }, things)
