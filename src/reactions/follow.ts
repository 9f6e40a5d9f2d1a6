import { either as E } from 'fp-ts'
import type { EventName, Logged } from '../domain/events.ts'
import type { Codec } from '../log/codec.ts'
import type { Position, RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { claims } from './claims.ts'
import { inboxes } from './inboxes.ts'
import { notices } from './notices.ts'
import type { Ports, Reactions } from './reaction.ts'
import { stickies } from './stickies.ts'

/** All that follows from events. An event with several kinds of consequences has them in this order. */
const all: readonly Reactions[] = [claims, stickies, inboxes, notices]

const consequencesOf = <Name extends EventName>(event: Logged<Name>) =>
  all.flatMap(
    (reactions) =>
      (reactions[event.type as Name] as ((event: Logged<Name>) => readonly ((ports: Ports) => Promise<unknown>)[]) | undefined)?.(event) ??
      [],
  )

const known = new Set(all.flatMap((reactions) => Object.keys(reactions)))

/** Whether anything may follow from an event of this type. */
export const hasConsequences = ({ type }: Pick<RecordedEvent, 'type'>): boolean => known.has(type)

export type Follow = (recorded: readonly RecordedEvent[]) => Promise<Position | undefined>

/** Does all that follows from these events and gives the last position it wrote. Throws the fault that kept it from finishing. */
export const following =
  (ports: Ports, { open }: Pick<Codec, 'open'>): Follow =>
  async (recorded) => {
    let last: Position | undefined
    const run: Ports['run'] = async (...args) => {
      const result = await ports.run(...args)
      if (E.isLeft(result) && result.left.code === 'OUTCOME_UNKNOWN') throw new StoreFault('unknown-outcome', 'a consequence timed out')
      const position = E.isRight(result) ? result.right.position : undefined
      if (position !== undefined && (last === undefined || position > last)) last = position
      return result
    }
    for (const event of await open(recorded.filter(hasConsequences)))
      for (const consequence of consequencesOf(event)) await consequence({ ...ports, run })
    return last
  }
