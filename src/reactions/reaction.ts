import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { EventName, Logged } from '../domain/events.ts'
import { madeBy, type Origin, type Which } from '../domain/origin.ts'
import type { Position } from '../ports/event-store.ts'
import type { Command } from '../runtime/command.ts'
import type { Load, Run } from '../runtime/run.ts'

export type Ports = {
  readonly run: Run
  readonly load: Load
  /** Forget the kept answers of repeated requests that hold the text of a thing. */
  readonly forgetAnswers: (thing: string) => Promise<void>
  /** The events of a stream from a revision on, as far as they stand before a position of the log. */
  readonly history: (stream: string, from: number, before: Position) => Promise<readonly Logged[]>
  /** Where an event of a stream stands in the log; undefined where there is none. */
  readonly positionOf: (stream: string, revision: number) => Promise<Position | undefined>
  /** Whether an account had taken part in a subsite before a position: only those who had are told of their bans. */
  readonly hadParticipated: (account: string, subsite: string, before: Position) => Promise<boolean>
}

/** A further command that follows from an event. */
export type Consequence = (ports: Ports) => Promise<unknown>

/**
 * What follows from an event elsewhere. Carried out at least once, perhaps by several processes at a time, at any time later, and from
 * the first event on when a log was imported. So each consequence must be bound to its cause: it depends on what stood in the log
 * before the event and concerns nothing that came after it. Commands are `followUp`s of the event. Then doing it again changes nothing.
 */
export type Reactions = { readonly [Name in EventName]?: (event: Logged<Name>) => readonly Consequence[] }

/** The consequence of one command. What the domain refuses (or has already) does not follow. */
export const command =
  <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, id: string, decide: Decide<State, Event>, by: Command): Consequence =>
  ({ run }) =>
    run(aggregate, id, decide, by)

/**
 * What was recorded on another stream after a decision had looked at it and before its event: what the decision would have heeded, had
 * it been first. Nothing where the decision did not look.
 */
export const unseenBy = async ({ history }: Pick<Ports, 'history'>, event: Logged, stream: string): Promise<readonly Logged[]> => {
  const seen = event.meta.seen[stream]
  return seen === undefined ? [] : history(stream, seen === 'none' ? 0 : seen + 1, event.position)
}

/**
 * Means something in the state of a stream only if it was there when an event was recorded: a consequence of that event concerns nothing
 * else, however late it is carried out. What comes into the state from now on is later anyway.
 */
export const ifThereBefore = async (
  { positionOf }: Pick<Ports, 'positionOf'>,
  event: Pick<Logged, 'position'>,
  stream: string,
  origin: Origin | undefined,
): Promise<Which> => {
  const position = origin && (await positionOf(stream, origin.revision))
  return origin && position !== undefined && position < event.position ? madeBy(origin) : () => false
}
