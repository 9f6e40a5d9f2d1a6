import { setTimeout as sleep } from 'node:timers/promises'
import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { v5 } from 'uuid'
import { type Aggregate, type Decide, refuse } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Codec } from '../log/codec.ts'
import { pagesAfter, pagesOf } from '../log/pages.ts'
import type { AppendResult, EventStore, Expected, Position, ProposedEvent, RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Command } from './command.ts'
import { type Folded, type Folds, folds, type Snapshots } from './folds.ts'
import type { LogWatch } from './log-watch.ts'
import { queues } from './queues.ts'

/** Over every try of a command; after that its outcome is unknown. */
const APPEND_TIMEOUT_MS = 5_000
/** Milliseconds that a command waits for the commands on the same stream that came before it. */
const TURN = 30_000

/** What a command came to. Nothing was recorded, and there is no position, when it was so already. */
export type Outcome<Event extends AnyEvent = AnyEvent> = {
  readonly events: readonly Event[]
  readonly position: Position | undefined
  /** The same events as they stand in the log. */
  readonly recorded: readonly RecordedEvent[]
}

type RunGiving<Extra> = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  decide: Decide<State, Event>,
  command: Command,
) => Promise<Either<Refusal, Pick<Outcome<Event>, 'events' | 'position'> & Extra>>

/** Load, decide, append; decide again when another append came first. The loser of a race gets the domain's own answer. */
export type Run = RunGiving<unknown>

/** The log's own state of an aggregate, now; what was seen is written into `command.seen`. */
export type Load = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  command?: Pick<Command, 'seen'>,
) => Promise<State | undefined>

export type Runner = {
  readonly run: RunGiving<Pick<Outcome, 'recorded'>>
  readonly load: Load
  /** The state at some moment of the last second, which is enough for votes, comments and submissions. Never for an act of authority. */
  readonly loadRecent: Load
}

export type Ports = {
  readonly events: Pick<EventStore, 'append' | 'read' | 'readBackwards'>
  readonly codec: Codec
  /** Where reading the log's tail is a call over the wire: what saves most of them. */
  readonly watch?: Pick<LogWatch, 'isCurrent' | 'isBehind' | 'note'>
  /** Save reading long streams from their beginning. */
  readonly snapshots?: Snapshots
}

const nothingRecorded = { events: [], position: undefined, recorded: [] }

const next = (revision: Expected) => (revision === 'none' ? 0 : revision + 1)

const pause = (tries: number) => sleep((5 + Math.random() * 20) * Math.min(tries, 8))

/** The only place that appends. */
export const runner = ({ events, codec, watch, snapshots }: Ports): Runner => {
  const { tail, recent, remembered, written } = folds({ events, codec, ...(watch && { watch }), ...(snapshots && { snapshots }) })
  const inTurn = queues()

  const propose = (decided: readonly AnyEvent[], stream: string, revision: Expected, command: Command) => {
    const { at, by, id: commandId, correlationId, causationId } = command
    const seen = Object.fromEntries([...command.seen].filter(([other]) => other !== stream))
    const stamp = { at, by, commandId, correlationId, causationId, seen }
    return codec.seal(decided.map((event, i) => ({ ...stamp, id: v5(`${stream}@${next(revision) + i}`, commandId), event })))
  }

  /** An append whose outcome is unknown is repeated with the same ids at the same place, until it is known or time is up. */
  const append = async (stream: string, revision: Expected, proposed: readonly ProposedEvent[], deadline: number) => {
    let uncertain = false
    for (let tries = 1; ; tries++) {
      try {
        return await events.append(stream, revision, proposed)
      } catch (fault) {
        if (!(fault instanceof StoreFault)) throw fault
        uncertain ||= fault.kind === 'unknown-outcome'
        // a store that cannot be reached now says nothing of the try before
        if (!(uncertain && (fault.kind === 'unknown-outcome' || fault.kind === 'unavailable'))) throw fault
        if (performance.now() > deadline) return undefined
        await pause(tries)
      }
    }
  }

  const outcomeOf = <Event extends AnyEvent>(
    decided: readonly Event[],
    stream: string,
    proposed: readonly ProposedEvent[],
    { position, revision }: Extract<AppendResult, { readonly outcome: 'appended' }>,
  ): Outcome<Event> => {
    const first = revision - proposed.length + 1
    return { events: decided, position, recorded: proposed.map((event, i) => ({ ...event, stream, revision: first + i, position })) }
  }

  /** What an earlier try of a retried command wrote to this stream. */
  const earlier = async <Event extends AnyEvent>(stream: string, command: Command): Promise<Outcome<Event> | undefined> => {
    const { id, journal } = command
    const start = journal?.startedAt(stream)
    if (journal && start === undefined) return undefined
    const candidates = journal ? pagesOf(events, stream, next(start ?? 'none')) : pagesAfter(events, stream, command.after)
    const recorded: RecordedEvent[] = []
    for await (const page of candidates) recorded.push(...page.filter(({ meta }) => meta.includes(id)))
    const own = (await codec.open(recorded.sort((a, b) => a.revision - b.revision))).filter(({ meta }) => meta.commandId === id)
    const last = own.at(-1)
    if (last === undefined) return undefined
    return {
      events: own.map(({ type, data }) => ({ type, data })) as readonly AnyEvent[] as readonly Event[],
      position: last.position,
      recorded: recorded.filter((event) => own.some(({ id: ownId }) => ownId === event.id)),
    }
  }

  /** The state to decide on without reading it, as the append finds out whether it was right; where a read is quick, it is read. */
  const guess = <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string): Folded<State> | undefined => {
    if (watch === undefined) return undefined
    const known = remembered(aggregate, stream)
    return watch.isBehind(stream, known.revision) ? undefined : known
  }

  const run: Runner['run'] = (aggregate, id, decide, command) => {
    const stream = `${aggregate.category}-${id}`
    const latest = performance.now() + TURN
    return inTurn(stream, async () => {
      const turn = performance.now()
      const deadline = turn > latest ? turn : turn + APPEND_TIMEOUT_MS
      for (let tries = 1; performance.now() < deadline; tries++) {
        const before = command.retried ? await earlier(stream, command) : undefined
        if (before) return E.right(before as never)
        const guessed = tries === 1 ? guess(aggregate, stream) : undefined
        const { state, revision } = guessed ?? (await tail(aggregate, stream))
        const decision = decide(state)
        const changes = E.isRight(decision) && decision.right.length > 0
        if (guessed && !changes) continue // only what the log says may be a reason to do nothing
        if (E.isLeft(decision)) return decision
        if (decision.right.length === 0) return E.right(nothingRecorded)
        const proposed = await propose(decision.right, stream, revision, command)
        await command.journal?.noteStart(stream, revision)
        const sentAt = performance.now()
        const appended = await append(stream, revision, proposed, deadline)
        if (appended === undefined) break
        if (appended.outcome === 'appended') {
          const outcome = outcomeOf(decision.right, stream, proposed, appended)
          if (watch) {
            watch.note(stream, appended.revision)
            // It stands in the log whatever happens here; who needs it next reads it, and says what is wrong.
            await written(aggregate, { state, revision }, outcome.recorded, sentAt).catch(() => undefined)
          }
          return E.right(outcome)
        }
        if (!guessed) await pause(tries) // another append came first: decide again on the new state
      }
      return refuse('OUTCOME_UNKNOWN')
    })
  }

  const loading =
    (read: Folds['tail']): Load =>
    async (aggregate, id, command) => {
      const stream = `${aggregate.category}-${id}`
      const { state, revision } = await read(aggregate, stream)
      command?.seen.set(stream, revision)
      return state
    }

  return { run, load: loading(tail), loadRecent: loading(recent) }
}
