import { type VoteDocument, voteId, votes } from '../../projections/votes.ts'
import type { AccountId, ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { listingIndex } from '../ports/indexed.ts'
import { listBy, type OrderedSource } from './ordered-source.ts'

const INSIGHTFUL = listingIndex(votes, ['voter', 'kind', 'insightful'], ['-first', 'id'])
const FUNNY = listingIndex(votes, ['voter', 'kind', 'funny'], ['-first', 'id'])

/** Lists the links or comments that an account has voted on, by the time of the first vote, latest first. */
export const listVotes = (
  documents: DocumentStore,
  voter: AccountId,
  mark: 'insightful' | 'funny',
  kind: VoteDocument['kind'] = 'link',
): OrderedSource<VoteDocument> =>
  mark === 'insightful'
    ? listBy(documents, INSIGHTFUL, { voter, kind, insightful: true })
    : listBy(documents, FUNNY, { voter, kind, funny: true })

/** Returns the votes of an account on some things. */
export const votesOn = (
  documents: DocumentStore,
  voter: AccountId,
  things: readonly ThingId[],
): Promise<ReadonlyMap<ThingId, VoteDocument>> => documents.getPairs(votes, { one: voter, idOf: (thing) => voteId(voter, thing) }, things)
