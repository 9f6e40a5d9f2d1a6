import test from 'ava'
import { castVote, type Direction, directions, type Marks, Vote, VoteCast } from '../../src/domain/vote.ts'
import fc from '../support/properties.ts'
import { NOW, specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Vote)
const DAY = 86_400_000
const thing = { id: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_ann', created: NOW, deleted: false }
const bob = { voter: 't2_bob', at: NOW }
const ann = { voter: 't2_ann', at: NOW }

const none: Marks = { insightful: false, funny: false }
const insightful: Marks = { insightful: true, funny: false }
const funny: Marks = { insightful: false, funny: true }
const both: Marks = { insightful: true, funny: true }

const cast = (before: Marks, after: Marks, voter = 't2_bob') => {
  const { id, link, subsite, author } = thing
  return VoteCast({ thing: id, link, subsite, author, voter, before, after, karma: voter !== author })
}

/** State before, direction, state after; where they are the same the vote is ignored. */
const table: readonly (readonly [string, Marks, Direction, Marks])[] = [
  ['none', none, 1, insightful],
  ['none', none, -1, funny],
  ['none', none, 11, none],
  ['none', none, -11, none],
  ['none', none, 0, none],
  ['insightful', insightful, 1, insightful],
  ['insightful', insightful, -1, both],
  ['insightful', insightful, 11, none],
  ['insightful', insightful, -11, insightful],
  ['insightful', insightful, 0, none],
  ['funny', funny, 1, both],
  ['funny', funny, -1, funny],
  ['funny', funny, 11, funny],
  ['funny', funny, -11, none],
  ['funny', funny, 0, none],
  ['both', both, 1, both],
  ['both', both, -1, both],
  ['both', both, 11, funny],
  ['both', both, -11, insightful],
  ['both', both, 0, none],
]
for (const [name, before, direction, after] of table) {
  const history = before === none ? [] : [cast(none, before)]
  const outcome = given(...history).when(castVote(thing, bob, direction))
  test(
    `with ${name} held, ${direction} ${before === after ? 'is ignored' : 'takes effect'}`,
    before === after ? outcome.recordsNothing : outcome.records(cast(before, after)),
  )
}

test('an author holds insightful on their own thing from the beginning', given().when(castVote(thing, ann, 1)).recordsNothing)
test(
  'an author can take back insightful on their own thing, without karma',
  given()
    .when(castVote(thing, ann, 11))
    .records(cast(insightful, none, 't2_ann')),
)
test(
  'an author can add funny on their own thing, without karma',
  given()
    .when(castVote(thing, ann, -1))
    .records(cast(insightful, both, 't2_ann')),
)
test(
  'an author can restore insightful on their own thing',
  given(cast(insightful, none, 't2_ann'))
    .when(castVote(thing, ann, 1))
    .records(cast(none, insightful, 't2_ann')),
)
test(
  'a thing that does not exist takes no votes',
  given()
    .when(castVote(undefined, bob, 1))
    .refuses('NOT_FOUND', 'id'),
)
test(
  'a deleted thing takes no votes',
  given()
    .when(castVote({ ...thing, deleted: true }, bob, 1))
    .refuses('NOT_FOUND', 'id'),
)
test(
  'a thing older than 180 days takes no votes',
  given()
    .when(castVote(thing, { ...bob, at: NOW + 180 * DAY }, 1))
    .refuses('BAD_REQUEST', 'id'),
)
test(
  'the rank is recorded as it was sent',
  given()
    .when(castVote(thing, bob, 1, 7))
    .records(VoteCast({ ...cast(none, insightful).data, rank: 7 })),
)

test('after any history a repeated vote records at most one event, and the last votes count', (t) => {
  const direction = fc.constantFrom(...directions)
  const walk = fc.array(direction, { maxLength: 12 })
  fc.assert(
    fc.property(walk, direction, fc.constantFrom(bob, ann), (before, last, who) => {
      let events: readonly ReturnType<typeof VoteCast>[] = []
      const vote = (d: Direction) => {
        const decision = castVote(thing, who, d)(stateAfter(Vote, events))
        if (decision._tag === 'Left') throw new Error('a vote on a live thing was refused')
        events = [...events, ...decision.right]
        return decision.right.length
      }
      before.forEach(vote)
      vote(last)
      const repeated = vote(last)
      const marks = stateAfter(Vote, events) ?? (who === ann ? insightful : none)
      const expected: { insightful: boolean; funny: boolean } = { ...(who === ann ? insightful : none) }
      for (const d of [...before, last]) {
        if (d === 1 || d === 11 || d === 0) expected.insightful = d === 1
        if (d === -1 || d === -11 || d === 0) expected.funny = d === -1
      }
      return repeated === 0 && marks.insightful === expected.insightful && marks.funny === expected.funny
    }),
  )
  t.pass()
})
