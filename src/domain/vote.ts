// Decision 2.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, recordCodec } from './event.ts'
import { AccountId, LinkId, SubsiteId, secondPart, ThingId } from './ids.ts'
import { isArchived } from './link.ts'

/** The two marks that a viewer may hold on a thing, independent of each other. */
const Marks = recordCodec('Marks', {
  insightful: field(t.boolean, 'The voter finds it insightful, which adds 2 to its score.', 'party'),
  funny: field(t.boolean, 'The voter finds it funny, which adds 1 to its score.', 'party'),
})
export type Marks = t.TypeOf<typeof Marks>

/** Nothing of a vote is public: scores are hidden for a while, and `before` and `karma` tell the author's own votes from others. */
export const VoteCast = event(
  'VoteCast',
  'A voter changed their marks on a link or comment. Its author holds the insightful mark from the start, without an event.',
  {
    thing: field(ThingId, 'The link or comment voted on.', 'party'),
    link: field(LinkId, 'The link itself, or the one that the comment stands under.', 'party'),
    subsite: field(SubsiteId, 'The subsite of the link or comment.', 'party'),
    author: field(AccountId, 'Who wrote the link or comment.', 'party'),
    voter: field(AccountId, 'Who voted.', 'party', { party: true }),
    before: field(Marks, 'The marks that the voter held.', 'party'),
    after: field(Marks, 'The marks that the voter holds now.', 'party'),
    karma: field(t.boolean, 'Whether the author gains or loses karma by it: not by votes of their own, nor on a sticky comment.', 'party'),
    rank: field(optional(t.number), 'The place in a listing that the client says the thing had; as sent, not checked.', 'party'),
  },
  { by: 'party' },
)
export const voteEvents = [VoteCast] as const
export type VoteEvent = OneOf<typeof voteEvents>

export type Vote = Marks

/** The vote of an account on a thing, on a stream for each pair: `vote-<account>.<thing>`. */
export const Vote: Aggregate<Vote, VoteEvent> = {
  category: 'vote',
  subsiteOf: secondPart,
  on: { VoteCast: (_, { after }) => after },
  decidedByLast: true,
}

/**
 * The directions of a vote: 1 and -1 set the insightful and the funny mark, 11 and -11 clear them. 0 clears both, as clients with a single
 * vote clear theirs.
 */
export const directions = [1, -1, 11, -11, 0] as const
export type Direction = (typeof directions)[number]

/** Tells whether a vote can only clear marks. */
export const takesBack = (direction: Direction): boolean => direction !== 1 && direction !== -1

/** The facts about a link or comment that a vote needs. */
export type Votable = {
  readonly id: ThingId
  readonly link: LinkId
  readonly subsite: SubsiteId
  readonly author: AccountId
  readonly created: number
  readonly deleted: boolean
}

const unmarked: Marks = { insightful: false, funny: false }
/** Every thing is created with its author's insightful mark, which is no event of its own. */
const marksOfAuthor: Marks = { insightful: true, funny: false }

const moves: { readonly [D in Direction]: Partial<Marks> } = {
  1: { insightful: true },
  [-1]: { funny: true },
  11: { insightful: false },
  [-11]: { funny: false },
  0: { insightful: false, funny: false },
}

/** Casts a vote. A direction that does not fit leaves the marks as they are. Votes on own things and on stickied comments move no karma. */
export const castVote =
  (
    thing: Votable | undefined,
    { voter, at, stickied = false }: { readonly voter: AccountId; readonly at: number; readonly stickied?: boolean },
    direction: Direction,
    rank?: number,
  ): Decide<Vote, VoteEvent> =>
  (marks) => {
    if (!thing || thing.deleted) return refuse('NOT_FOUND', 'id')
    if (isArchived(thing.created, at)) return refuse('BAD_REQUEST', 'id')
    const { id, link, subsite, author } = thing
    const before = marks ?? (voter === author ? marksOfAuthor : unmarked)
    const after = { ...before, ...moves[direction] }
    if (after.insightful === before.insightful && after.funny === before.funny) return noEvents
    return decideEvents(
      VoteCast({
        thing: id,
        link,
        subsite,
        author,
        voter,
        before,
        after,
        karma: voter !== author && !stickied,
        ...(rank === undefined ? {} : { rank }),
      }),
    )
  }
