import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { Envelope } from '../src/domain/event.ts'
import { fullname, numberOf } from '../src/domain/ids.ts'
import { castVote, type Direction, type Marks, type VoteEvent } from '../src/domain/vote.ts'
import type { Codec, StampedEvent } from '../src/log/codec.ts'
import type { ExpectedRevision, ProposedEvent } from '../src/ports/event-store.ts'

/** One vote on its way to the log. */
export type VoteAppend = {
  readonly voter: string
  readonly thing: string
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly event: ProposedEvent
}

const VOTERS = 16
const MOVES: readonly Direction[] = [1, -1, 11, -11]
/** An offset from the ids of existing accounts. */
const ID_OFFSET = 1_000_000

type Stand = { readonly marks: Marks; readonly revision: number }

/** Votes that are ready to be sent, to be sent in this order. */
export type VoteSupply = {
  /** Makes votes until so many are ready, and returns those that are. */
  readonly fill: (count: number) => Promise<readonly VoteAppend[]>
  readonly next: () => VoteAppend
}

/**
 * Votes like those that the service has written, of which one on each thing is given: on the same things and in the same order (one voter
 * over all things with one move, then the next voter, then all with the next move), of the same size. The voters are accounts that have
 * never voted.
 */
export const votesLike = (models: readonly Envelope<VoteEvent>[], { seal }: Pick<Codec, 'seal'>): VoteSupply => {
  const highest = Math.max(...models.map(({ data }) => numberOf(data.voter)))
  const stands = new Map<string, Stand>()
  let cast = 0
  let ready: readonly VoteAppend[] = []
  let taken = 0

  const decide = () => {
    const model = models[cast % models.length]
    if (!model) throw new Error('there is no vote to go by')
    const turn = Math.floor(cast / models.length)
    const voter = fullname('account', highest + ID_OFFSET + (turn % VOTERS))
    const direction = MOVES[Math.floor(turn / VOTERS) % MOVES.length] ?? 1
    cast += 1
    const { thing, link, subsite, author } = model.data
    const stream = `vote-${voter}.${thing}`
    const stand = stands.get(stream)
    const at = Date.now()
    const decided = castVote({ id: thing, link, subsite, author, created: at, deleted: false }, { voter, at }, direction)(stand?.marks)
    const [event] = E.isRight(decided) ? decided.right : []
    if (!event) throw new Error(`a vote on ${thing} changes nothing`)
    stands.set(stream, { marks: event.data.after, revision: (stand?.revision ?? -1) + 1 })
    const id = randomUUID()
    const stamped: StampedEvent = {
      id: randomUUID(),
      event,
      at,
      by: { account: voter, as: 'user' },
      commandId: id,
      correlationId: id,
      causationId: id,
      seen: model.meta.seen,
    }
    const expected: ExpectedRevision = stand?.revision ?? 'none'
    return { voter, thing, stream, expected, stamped }
  }

  const make = async (count: number): Promise<readonly VoteAppend[]> => {
    const decided = Array.from({ length: count }, decide)
    const sealed = await seal(decided.map(({ stamped }) => stamped))
    return decided.flatMap(({ stamped: _, ...about }, i) => {
      const event = sealed[i]
      return event ? [{ ...about, event }] : []
    })
  }

  return {
    fill: async (count) => {
      const unsent = ready.slice(taken)
      ready = [...unsent, ...(await make(Math.max(0, count - unsent.length)))]
      taken = 0
      return ready
    },
    next: () => {
      const vote = ready[taken]
      if (!vote) throw new Error('more votes than were made ready')
      taken += 1
      return vote
    },
  }
}
