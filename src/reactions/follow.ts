import * as E from 'fp-ts/lib/Either.js'
import type { EventName, Logged } from '../domain/events.ts'
import type { Codec } from '../log/codec.ts'
import { pagesOf } from '../log/pages.ts'
import type { EventStore, Position, RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { accountLife } from './account-life.ts'
import { audiences } from './audiences.ts'
import { bans } from './bans.ts'
import { claims } from './claims.ts'
import { erasures } from './erasures.ts'
import { gold } from './gold.ts'
import { images } from './images.ts'
import { inboxes } from './inboxes.ts'
import { multis } from './multis.ts'
import { notices } from './notices.ts'
import type { Ports, Reactions } from './reaction.ts'
import { stickies } from './stickies.ts'
import { stickyComments } from './sticky-comments.ts'
import { storedResponses } from './stored-responses.ts'

/** All reactions. An event with several kinds of consequences has them in this order. */
const all: readonly Reactions[] = [
  claims,
  accountLife,
  audiences,
  erasures,
  images,
  stickies,
  stickyComments,
  inboxes,
  bans,
  storedResponses,
  multis,
  notices,
  gold,
]

const consequencesOf = <Name extends EventName>(event: Logged<Name>) =>
  all.flatMap(
    (reactions) =>
      (reactions[event.type as Name] as ((event: Logged<Name>) => readonly ((ports: Ports) => Promise<unknown>)[]) | undefined)?.(event) ??
      [],
  )

const known = new Set(all.flatMap((reactions) => Object.keys(reactions)))

/** Whether an event of this type may have consequences. */
export const hasConsequences = ({ type }: Pick<RecordedEvent, 'type'>): boolean => known.has(type)

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))

export type Follow = (recorded: readonly RecordedEvent[]) => Promise<Position | undefined>

export type FollowPorts = Omit<Ports, 'history' | 'positionOf'> & {
  readonly events: Pick<EventStore, 'read'>
  readonly open: Codec['open']
}

/**
 * Carries out all consequences of these events and returns the last position it wrote. A failure does not stop the others; at the end its
 * fault is thrown.
 */
export const following =
  ({ events, open, ...ports }: FollowPorts): Follow =>
  async (recorded) => {
    let last: Position | undefined
    const faults: unknown[] = []
    const history: Ports['history'] = async (stream, from, before) => {
      const earlier: Logged[] = []
      for await (const page of pagesOf(events, stream, from)) {
        earlier.push(...(await open(page.filter(({ position }) => position < before))))
        if (page.some(({ position }) => position >= before)) break
      }
      return earlier
    }
    const run: Ports['run'] = async (...args) => {
      const result = await ports.run(...args)
      if (E.isLeft(result) && result.left.code === 'OUTCOME_UNKNOWN') throw new StoreFault('unknown-outcome', 'a reaction timed out')
      const position = E.isRight(result) ? result.right.position : undefined
      if (position !== undefined && (last === undefined || position > last)) last = position
      return result
    }
    const positionOf: Ports['positionOf'] = async (stream, revision) => (await events.read(stream, revision, 1)).events[0]?.position
    for (const event of await open(recorded.filter(hasConsequences)))
      for (const consequence of consequencesOf(event)) {
        try {
          await consequence({ ...ports, run, history, positionOf })
        } catch (fault) {
          faults.push(fault)
        }
      }
    if (faults.length > 1) throw new AggregateError(faults, faults.map(messageOf).join('; '))
    if (faults.length === 1) throw faults[0]
    return last
  }
