// Decision 64.

import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Aggregate, type Decide, refuse } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import { decisionAbout } from '../domain/mod-actions.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Codec } from '../log/codec.ts'
import { pagesAfter, pagesOf } from '../log/pages.ts'
import type {
  AppendedEvent,
  AppendResult,
  EventStore,
  ExpectedRevision,
  Position,
  ProposedEvent,
  RecordedEvent,
  StoredEvent,
} from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { pause } from '../ports/pause.ts'
import { queues } from '../ports/queues.ts'
import type { Command } from './command.ts'
import { derivedUuid } from './derived-uuid.ts'
import { absent, folds, type Snapshots, type StreamState } from './folds.ts'
import { type Load, makeLoad } from './load.ts'
import type { LogWatch } from './log-watch.ts'
import { openRequestReads, type RequestReads } from './request-reads.ts'

/** The time for all tries of a command. After that its outcome is unknown. */
const APPEND_TIMEOUT_MS = 5_000
/** The time for which a command waits for earlier commands on the same stream. */
const TURN_WAIT_MS = 30_000

/** The result of a command. If nothing had to change, nothing was recorded and there is no position. */
export type RunOutcome<Event extends AnyEvent = AnyEvent> = {
  readonly events: readonly Event[]
  readonly position: Position | undefined
  /** The recorded events as they are stored in the log, without a position of their own if they were just appended. */
  readonly recorded: readonly StoredEvent[]
  /** The recorded events in the domain's form, if they were opened already. */
  readonly opened?: readonly Stored[]
}

export type CommandResult<Event extends AnyEvent = AnyEvent> = Pick<RunOutcome<Event>, 'events' | 'position'> & {
  /** The events as a reader has them, if they were appended just now and no reaction recorded anything. */
  readonly written?: { readonly events: readonly Stored[]; readonly position: Position }
}

type RunGiving<Extra> = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  decide: Decide<State, Event>,
  command: Command,
) => Promise<E.Either<Refusal, CommandResult<Event> & Extra>>

/** Loads, decides and appends, and decides again if another append came first. A command that lost a race gets the domain's own result. */
export type Run = RunGiving<unknown>

export type Runner = {
  readonly run: RunGiving<Pick<RunOutcome, 'recorded' | 'opened'>>
  readonly load: Load
  /**
   * Returns the state at some moment of the last second. That is enough for votes, comments and submissions, but never for checks of
   * authority.
   */
  readonly loadRecent: Load
  /** Returns a state at or after a position of the log, without a read if the watch has received the log up to there. */
  readonly loadReached: (position: Position) => Load
  /** Opens the reads of a request. With `mayGuess` they begin with what this process knew last. */
  readonly openReads: (mayGuess: boolean) => RequestReads
  /** Drops the cached states of streams. */
  readonly forget: () => void
}

export type Ports = {
  readonly events: Pick<EventStore, 'append' | 'read' | 'readBackwards' | 'head'>
  readonly codec: Codec
  /** Tells which cached states are current, so that most reads of a stream's tail are not needed. */
  readonly watch?: Pick<LogWatch, 'isCurrent' | 'isBehind' | 'isCurrentAt' | 'note'>
  /** Reads snapshots, so that long streams are not read from their beginning. */
  readonly snapshots?: Snapshots
}

const nothingRecorded = { events: [], position: undefined, recorded: [] }

const next = (revision: ExpectedRevision) => (revision === 'none' ? 0 : revision + 1)

const backOff = (tries: number) => sleep((5 + Math.random() * 20) * Math.min(tries, 8))

/** Runs commands. No other code appends. */
export const runner = ({ events, codec, watch, snapshots }: Ports): Runner => {
  const states = folds({ events, codec, ...(watch && { watch }), ...(snapshots && { snapshots }) })
  const { readState, readRecentState, readStateAt, recallState, addWritten, forgetStates } = states
  const inTurn = queues()

  const propose = (decided: readonly AnyEvent[], stream: string, revision: ExpectedRevision, command: Command) => {
    const { at, id: commandId, correlationId, causationId } = command
    const seen = Object.fromEntries([...command.seen].filter(([other]) => other !== stream))
    const stamp = { at, commandId, correlationId, causationId, seen }
    return codec.seal(
      decided.map((event, i) => {
        const { by = command.by } = event
        return { ...stamp, by, id: derivedUuid(`${stream}@${next(revision) + i}`, commandId), event }
      }),
    )
  }

  /**
   * Appends events. An append with unknown outcome is repeated with the same ids at the same place, until the outcome is known or time is
   * up.
   */
  const append = async (stream: string, revision: ExpectedRevision, proposed: readonly ProposedEvent[], deadline: number) => {
    let uncertain = false
    for (let tries = 1; ; tries++) {
      try {
        return await events.append(stream, revision, proposed)
      } catch (fault) {
        if (!(fault instanceof StoreFault)) throw fault
        uncertain ||= fault.kind === 'unknown-outcome'
        // an unreachable store says nothing about the outcome of the previous try
        if (!(uncertain && (fault.kind === 'unknown-outcome' || fault.kind === 'unavailable'))) throw fault
        if (performance.now() > deadline) return undefined
        await backOff(tries)
      }
    }
  }

  const outcomeOf = <Event extends AnyEvent>(
    decided: readonly Event[],
    stream: string,
    proposed: readonly ProposedEvent[],
    { position, revision }: Extract<AppendResult, { readonly outcome: 'appended' }>,
  ): RunOutcome<Event> & { readonly recorded: readonly AppendedEvent[] } => {
    const first = revision - proposed.length + 1
    return {
      events: decided,
      position,
      recorded: proposed.map((event, i) => codec.toAppended(event, { stream, revision: first + i, positionAtMost: position })),
    }
  }

  /** Returns the events that an earlier try of a retried command wrote to this stream. */
  const earlier = async <Event extends AnyEvent>(stream: string, command: Command): Promise<RunOutcome<Event> | undefined> => {
    const { id, journal } = command
    const start = journal?.startedAt(stream)
    if (journal && start === undefined) return undefined
    const candidates = journal ? pagesOf(events, stream, next(start ?? 'none')) : pagesAfter(events, stream, command.after)
    const recorded: RecordedEvent[] = []
    for await (const page of candidates) recorded.push(...page.filter(({ meta }) => meta.includes(id)))
    const recordedEvents = (await codec.open(recorded.sort((a, b) => a.revision - b.revision))).filter(({ meta }) => meta.commandId === id)
    const last = recordedEvents.at(-1)
    if (last === undefined) return undefined
    return {
      events: recordedEvents.map(({ type, data }) => ({ type, data })) as readonly AnyEvent[] as readonly Event[],
      position: last.position,
      recorded: recorded.filter((event) => recordedEvents.some(({ id: ownId }) => ownId === event.id)),
      opened: recordedEvents,
    }
  }

  /**
   * Returns the refusal of an act that comes too late: somebody decided about the same thing after its actor saw it. Those who act with
   * authority learn who and what. An actor cannot have seen a position that the log has not reached.
   */
  const refuseIfDecided = async (stream: string, { expected, by }: Command): Promise<Refusal | undefined> => {
    if (expected === undefined) return undefined
    const field = 'expected_position'
    for await (const page of pagesAfter(events, stream, expected.position)) {
      const acts = (await codec.open(page)).filter((event) => event.by.as !== 'user' && decisionAbout(expected.thing, event) !== undefined)
      const [latest] = acts.toSorted((a, b) => b.revision - a.revision)
      if (!latest) continue
      const { at, position } = latest
      const named = { decision: { action: decisionAbout(expected.thing, latest), by: latest.by.account, at, position } }
      return { code: 'DECIDED_MEANWHILE', field, ...(by.as !== 'user' && { extra: named }) }
    }
    return expected.position > (await events.head()) ? { code: 'BAD_REQUEST', field } : undefined
  }

  /** Returns the cached state to decide on, since the append fails if it is not current. Without a watch the state is read. */
  const guess = (stream: string): StreamState<never> | undefined => {
    if (watch === undefined) return undefined
    const known = recallState(stream) ?? absent
    return watch.isBehind(stream, known.revision) ? undefined : known
  }

  const run: Runner['run'] = (aggregate, id, decide, command) => {
    const stream = `${aggregate.category}-${id}`
    const latest = performance.now() + TURN_WAIT_MS
    return inTurn(stream, async () => {
      const turn = performance.now()
      const deadline = turn > latest ? turn : turn + APPEND_TIMEOUT_MS
      for (let tries = 1; performance.now() < deadline; tries++) {
        const before = command.retried ? await earlier(stream, command) : undefined
        if (before) return E.right(before as never)
        const guessed = tries === 1 ? guess(stream) : undefined
        const { state, revision } = guessed ?? (await readState(aggregate, stream))
        const late = await refuseIfDecided(stream, command)
        if (late) return E.left(late)
        const decision = decide(state)
        const changes = E.isRight(decision) && decision.right.length > 0
        if (guessed && !changes) continue // only the log itself may be a reason to do nothing
        if (E.isLeft(decision)) return decision
        if (decision.right.length === 0) return E.right(nothingRecorded)
        const proposed = await propose(decision.right, stream, revision, command)
        await command.journal?.noteStart(stream, revision)
        const sentAt = performance.now()
        const appended = await append(stream, revision, proposed, deadline)
        if (appended === undefined) break
        if (appended.outcome === 'appended') {
          const outcome = outcomeOf(decision.right, stream, proposed, appended)
          if (!watch) return E.right(outcome)
          watch.note(stream, appended.revision)
          // the events are in the log whatever happens here; the next read of the stream reports the error
          const opened = await addWritten(aggregate, { state, revision }, outcome.recorded, sentAt).catch(() => undefined)
          return E.right(opened ? { ...outcome, opened } : outcome)
        }
        if (!guessed) await backOff(tries) // another append came first: decide again on the new state
      }
      return refuse('OUTCOME_UNKNOWN')
    })
  }

  return {
    run,
    load: makeLoad(readState),
    loadRecent: makeLoad(readRecentState),
    loadReached: (position) => makeLoad(readStateAt(position)),
    openReads: openRequestReads({ ...states, ...(watch && { watch }) }),
    forget: forgetStates,
  }
}

/** The time for which a response waits for the read models to show its events. */
export const PROJECTION_WAIT_MS = 1_000

export type AwaitProjection = {
  /** Runs the reactions to these events. Returns the events that they recorded, and the position of the last. */
  readonly follow: (
    events: readonly StoredEvent[],
  ) => Promise<{ readonly position: Position | undefined; readonly recorded: readonly StoredEvent[] }>
  /** `shown` are the events to be shown, if no others are. */
  readonly waitUntilProjected: (position: Position, ms: number, shown?: readonly Stored[]) => Promise<boolean>
  /** Called for faults after the append. They never turn a success into an error. */
  readonly report: (fault: unknown) => void
}

const later = (a: Position, b: Position | undefined): Position => (b !== undefined && b > a ? b : a)

/**
 * Wraps a runner for requests. Before the response, reactions to the events and to their consequences have run, and the read models show
 * all of it. A reaction that works in slices has done its first slice by then. This only does them early: the processes for reactions and
 * projections do both even if this process ends.
 */
export const awaitProjection = (runner: Runner, { follow, waitUntilProjected, report }: AwaitProjection): Runner => {
  /** Follows until a deadline. Returns undefined if time is up before; the work goes on. */
  const followUntil = async (events: readonly StoredEvent[], deadline: number) => {
    const following = follow(events).catch(report)
    const timer = new AbortController()
    const ended = pause(Math.max(0, deadline - performance.now()), timer.signal)
    const followed = await Promise.race([following, ended])
    timer.abort()
    return followed ?? undefined
  }

  return {
    ...runner,
    run: async (aggregate, id, decide, command) => {
      const result = await runner.run(aggregate, id, decide, command)
      if (E.isLeft(result) || result.right.position === undefined) return result
      const { recorded, opened } = result.right
      let position = result.right.position
      let written: CommandResult['written']
      try {
        const followed = await follow(recorded)
        if (followed.position === undefined && !command.retried) written = opened && { events: opened, position }
        position = later(position, followed.position)
        const deadline = performance.now() + PROJECTION_WAIT_MS
        if (followed.recorded.length > 0) position = later(position, (await followUntil(followed.recorded, deadline))?.position)
        const waitMs = Math.max(0, deadline - performance.now())
        await (followed.position === undefined ? waitUntilProjected(position, waitMs, opened) : waitUntilProjected(position, waitMs))
      } catch (fault) {
        report(fault)
      }
      return E.right({ ...result.right, position, ...(written && { written }) })
    },
  }
}
