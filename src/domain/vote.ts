import * as t from 'io-ts'
import type { Aggregate } from './decision.ts'
import { type EventOf, event, optional, record } from './event.ts'
import { AccountId, LinkId, SubsiteId, ThingId } from './ids.ts'

/** The two marks a viewer may hold on a thing, each on its own. */
const Marks = record('Marks', { insightful: t.boolean, funny: t.boolean })
export type Marks = t.TypeOf<typeof Marks>

/** One event for each effective change. `karma`: whether the thing's author gains or loses by it. `rank`: as the client sent it. */
export const VoteCast = event('VoteCast', {
  thing: ThingId,
  link: LinkId,
  subsite: SubsiteId,
  author: AccountId,
  voter: AccountId,
  before: Marks,
  after: Marks,
  karma: t.boolean,
  rank: optional(t.number),
})
export type VoteEvent = EventOf<typeof VoteCast>

export type Vote = Marks

/** One stream for each voter and thing: `vote-<account>.<thing>`. */
export const Vote: Aggregate<Vote, VoteEvent> = {
  category: 'vote',
  on: { VoteCast: (_, { after }) => after },
}
