import { isLinkId } from '../src/domain/ids.ts'
import type { Marks } from '../src/domain/vote.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/** The votes of one account on one thing; the document stays when both are taken back. */
export type VoteDocument = Document &
  Marks & {
    readonly voter: string
    readonly thing: string
    readonly kind: 'link' | 'comment'
    /** The time of the voter's first vote on the thing. */
    readonly first: number
  }

export const votes = collection<VoteDocument>({
  name: 'votes',
  version: 1,
  indexes: [{ fields: ['voter', 'kind', 'insightful', '-first', 'id'] }, { fields: ['voter', 'kind', 'funny', '-first', 'id'] }],
})

export const voteId = (voter: string, thing: string): string => `${voter}.${thing}`

const setMarks = (voter: string, thing: string, { insightful, funny }: Marks, at: number): Touch<VoteDocument> => {
  const id = voteId(voter, thing)
  const kind = isLinkId(thing) ? 'link' : 'comment'
  return { id, change: (vote) => ({ id, voter, thing, kind, insightful, funny, first: vote ? vote.first : at }) }
}

const ownMarks: Marks = { insightful: true, funny: false }

export const votesProjection: Projection<VoteDocument> = {
  collection: votes,
  on: {
    LinkSubmitted: ({ data, at }) => [setMarks(data.author, data.link, ownMarks, at)],
    CommentPosted: ({ data, at }) => [setMarks(data.author, data.comment, ownMarks, at)],
    VoteCast: ({ data, at }) => [setMarks(data.voter, data.thing, data.after, at)],
  },
}
