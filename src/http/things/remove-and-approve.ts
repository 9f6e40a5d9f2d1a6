import type { Aggregate, Decide } from '../../domain/decision.ts'
import type { AnyEvent } from '../../domain/event.ts'
import type { Context } from '../contract/endpoint.ts'

type Running = Pick<Context, 'run'>
type Outcome = ReturnType<Context['run']>

/** The actions of moderators on one kind of thing. */
export type Moderated = {
  readonly permission: 'posts' | 'mail'
  readonly remove: (context: Running, id: string, spam: boolean) => Outcome
  readonly approve: (context: Running, id: string) => Outcome
  /** Actions on things in queues. */
  readonly ignoreReports?: (context: Running, id: string) => Outcome
  readonly unignoreReports?: (context: Running, id: string) => Outcome
}

type Decisions<State, Event extends AnyEvent> = {
  readonly permission: Moderated['permission']
  readonly remove: (spam: boolean) => Decide<State, Event>
  readonly approve: Decide<State, Event>
  readonly ignoreReports?: Decide<State, Event>
  readonly unignoreReports?: Decide<State, Event>
}

export const moderated = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  { permission, remove, approve, ignoreReports, unignoreReports }: Decisions<State, Event>,
): Moderated => ({
  permission,
  remove: ({ run }, id, spam) => run(aggregate, id, remove(spam)),
  approve: ({ run }, id) => run(aggregate, id, approve),
  ...(ignoreReports && { ignoreReports: ({ run }, id) => run(aggregate, id, ignoreReports) }),
  ...(unignoreReports && { unignoreReports: ({ run }, id) => run(aggregate, id, unignoreReports) }),
})
