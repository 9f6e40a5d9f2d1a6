import type { Aggregate } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { Command } from './command.ts'
import type { Folds } from './folds.ts'

/** Returns the log's own state of an aggregate, now. Its revision is recorded in `command.seen`. */
export type Load = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  command?: Pick<Command, 'seen'>,
) => Promise<State | undefined>

/** Makes a load of a way to read streams. */
export const makeLoad =
  (read: Folds['readState']): Load =>
  async (aggregate, id, command) => {
    const stream = `${aggregate.category}-${id}`
    const { state, revision } = await read(aggregate, stream)
    if (command && !command.seen.has(stream)) command.seen.set(stream, revision)
    return state
  }
