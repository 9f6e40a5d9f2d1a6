import type { Command } from '../commands/command.ts'
import type { Load, Run } from '../commands/run.ts'
import type { Aggregate, Decide } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { EventName, Logged } from '../domain/events.ts'
import type { Position } from '../ports/event-store.ts'

export type Ports = {
  readonly run: Run
  readonly load: Load
  /** Whether an account took part in a subsite before a position: only those who did are told of their bans. */
  readonly hasParticipated: (account: string, subsite: string, before: Position) => Promise<boolean>
}

/** A further command that follows from an event. */
export type Consequence = (ports: Ports) => Promise<unknown>

/**
 * What follows from an event elsewhere, in order. Made at least once, perhaps by several processes at a time: commands are
 * `followUp`s of the event, so that doing it again changes nothing.
 */
export type Reactions = { readonly [Name in EventName]?: (event: Logged<Name>) => readonly Consequence[] }

/** The consequence of one command. What the domain refuses (or has already) does not follow. */
export const command =
  <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, id: string, decide: Decide<State, Event>, by: Command): Consequence =>
  ({ run }) =>
    run(aggregate, id, decide, by)
