import { setImmediate } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { positionAtMost } from '../domain/event.ts'
import type { EventName, Logged, Stored } from '../domain/events.ts'
import { Vote } from '../domain/vote.ts'
import type { Codec } from '../log/codec.ts'
import { pagesOf } from '../log/pages.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { type EventStore, type LeftOut, LOG_START, type Position, type RecordedEvent, type StoredEvent } from '../ports/event-store.ts'
import { messageOf, StoreFault } from '../ports/faults.ts'
import { pause } from '../ports/pause.ts'
import type { Vault } from '../ports/vault.ts'
import type { Runner } from '../runtime/run.ts'
import { allReactions } from './all.ts'
import { MAX_QUEUED_REACTIONS, type QueuedReaction, reactionQueue } from './queue.ts'
import type { Ports } from './reaction.ts'
import { readQueued, toFirstFailure, toFurtherFailure } from './retries.ts'

/** The name of the checkpoint up to which reactions have processed the log. */
export const REACTIONS_CHECKPOINT = 'reactions'
/** The time by which the checkpoint may lag while the events read have no consequences. Repeating work changes nothing. */
const CHECKPOINT_LAG_MS = 1_000
/** Milliseconds before reading continues after a fault of the stores. */
const MAX_RESTART_PAUSE_MS = 5_000
/** Milliseconds between two reads of the queue. */
const QUEUE_POLL_INTERVAL_MS = 500
/** Milliseconds between two tries of one event: doubled each time up to this, which is less for faults that pass by themselves. */
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 300_000
const MAX_PASSING_RETRY_MS = 5_000
/** Milliseconds of work after which requests get their turn: most events have no consequences, and none of those waits for a store. */
export const SLICE_MS = 5
const consequencesOf = <Name extends EventName>(event: Stored<Name>) =>
  allReactions.flatMap(
    (reactions) =>
      (reactions[event.type as Name] as ((event: Stored<Name>) => readonly ((ports: Ports) => Promise<unknown>)[]) | undefined)?.(event) ??
      [],
  )

const known = new Set(allReactions.flatMap((reactions) => Object.keys(reactions)))

/** Tells whether an event of this type may have consequences. */
export const hasConsequences = ({ type }: Pick<RecordedEvent, 'type'>): boolean => known.has(type)

/** The most frequent events without reactions, which the server leaves out. */
const WITHOUT_CONSEQUENCES: LeftOut = { types: Object.keys(Vote.on).filter((type) => !known.has(type)) }

/** Throws the faults, if there are any. */
export const throwAll = (faults: readonly unknown[]): void => {
  if (faults.length > 1) throw new AggregateError(faults, faults.map(messageOf).join('; '))
  if (faults.length === 1) throw faults[0]
}

/** The result of following events. */
export type Followed = {
  /** The last position that a consequence wrote. */
  readonly position: Position | undefined
  /** The events that consequences recorded and that may have consequences themselves. */
  readonly recorded: readonly StoredEvent[]
  /** True if every consequence recorded something. Otherwise one of them had nothing to do, or overlooked it. */
  readonly isWhole: boolean
}

export type Follow = (events: readonly StoredEvent[]) => Promise<Followed>

export type FollowPorts = Omit<Ports, 'run' | 'loadSince' | 'historyBefore' | 'isBefore'> &
  Pick<Runner, 'run' | 'loadReached'> & {
    readonly events: Pick<EventStore, 'read'>
    readonly open: Codec['open']
  }

/**
 * Tells whether an event came before a cause. Within a stream, revisions tell. Otherwise the end of the cause's append does: no event of
 * another stream is between the events of an append.
 */
const comesBefore = (cause: Stored, { stream, revision, position }: Pick<RecordedEvent, 'stream' | 'revision' | 'position'>): boolean =>
  stream === cause.stream ? revision < cause.revision : position < positionAtMost(cause)

/**
 * Carries out all consequences of these events, and returns the result. A failure does not stop the others; at the end its fault is thrown.
 */
export const carryOut =
  ({ events, open, ...ports }: FollowPorts): Follow =>
  async (stored) => {
    let last: Position | undefined
    let isWhole = true
    const recorded: StoredEvent[] = []
    const faults: unknown[] = []
    const historyBefore: Ports['historyBefore'] = async (cause, stream, from = 0) => {
      const earlier: Logged[] = []
      for await (const page of pagesOf(events, stream, from)) {
        const before = page.filter((event) => comesBefore(cause, event))
        earlier.push(...(await open(before)))
        if (before.length < page.length) break
      }
      return earlier
    }
    const isBefore: Ports['isBefore'] = async (cause, stream, revision) => {
      const [event] = (await events.read(stream, revision, 1)).events
      return event !== undefined && comesBefore(cause, event)
    }
    const loadSince: Ports['loadSince'] = (cause) => ports.loadReached(positionAtMost(cause))
    const run: Ports['run'] = async (...args) => {
      const result = await ports.run(...args)
      if (E.isLeft(result) && result.left.code === 'OUTCOME_UNKNOWN') throw new StoreFault('unknown-outcome', 'a reaction timed out')
      if (E.isLeft(result) || result.right.position === undefined) return result
      const { position } = result.right
      if (last === undefined || position > last) last = position
      recorded.push(...result.right.recorded)
      return result
    }
    for (const event of await open(stored.filter(hasConsequences)))
      for (const consequence of consequencesOf(event)) {
        const before = recorded.length
        try {
          await consequence({ ...ports, run, loadSince, historyBefore, isBefore })
        } catch (fault) {
          faults.push(fault)
        }
        isWhole &&= recorded.length > before
      }
    throwAll(faults)
    return { position: last, recorded: recorded.filter(hasConsequences), isWhole }
  }

export type ProcessPorts = {
  readonly events: Pick<EventStore, 'subscribe' | 'head' | 'read'>
  readonly documents: Pick<DocumentStore, 'checkpoint' | 'write'>
  readonly vault: Pick<Vault, 'list' | 'put' | 'delete' | 'deleteAll'>
  readonly follow: Follow
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called for every fault, with the event that it concerns. */
  readonly report: (fault: unknown, event: Pick<RecordedEvent, 'id' | 'type'> | undefined) => void
}

/** Tells whether the fault may pass by itself. */
const passes = (fault: unknown) =>
  fault instanceof StoreFault && (fault.kind === 'unavailable' || fault.kind === 'unknown-outcome' || fault.kind === 'full')

const pauseAfter = (tries: number, fault: unknown): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), passes(fault) ? MAX_PASSING_RETRY_MS : MAX_RETRY_MS)

/**
 * Reads the whole log from its checkpoint on and performs the reactions to each event, at least once, until the signal aborts. Several
 * processes may do this at a time. An event whose consequences fail is put into a durable queue and tried again for ever, while those of
 * other events are done.
 */
export const processReactions = async (ports: ProcessPorts, signal: AbortSignal): Promise<void> => {
  const { events, documents, vault, follow, clock, report } = ports
  const queue = reactionQueue(vault)
  /** The time of each queued event's next try, if this process has tried it. */
  const due = new Map<string, number>()
  let queued = 0
  /** True once the queue was found to belong to this log. */
  let vouched = false

  const postpone = async (failed: QueuedReaction, fault: unknown) => {
    report(fault, failed)
    await queue.put(failed)
    due.set(failed.id, performance.now() + pauseAfter(failed.tries, fault))
  }

  const react = async (event: RecordedEvent) => {
    try {
      await follow([event])
    } catch (fault) {
      queued += 1
      await postpone(toFirstFailure(event, fault, clock()), fault)
    }
  }

  const retry = async (entry: QueuedReaction) => {
    try {
      await follow([await readQueued(events, entry)])
    } catch (fault) {
      await postpone(toFurtherFailure(entry, fault), fault)
      return
    }
    await queue.remove(entry)
    due.delete(entry.id)
  }

  const retryOn = async () => {
    while (!signal.aborted) {
      const waiting = vouched ? await queue.list() : []
      queued = waiting.length
      for (const entry of waiting) {
        if (signal.aborted) return
        if ((due.get(entry.id) ?? 0) <= performance.now()) await retry(entry)
      }
      await pause(QUEUE_POLL_INTERVAL_MS, signal)
    }
  }

  const roomInQueue = async () => {
    if (queued < MAX_QUEUED_REACTIONS) return
    report(new Error(`${queued} events wait for their reactions; no more are read until some are done`), undefined)
    while (queued >= MAX_QUEUED_REACTIONS && !signal.aborted) await pause(QUEUE_POLL_INTERVAL_MS, signal)
  }

  const readOn = async () => {
    let checkpoint = await documents.checkpoint(REACTIONS_CHECKPOINT)
    // The checkpoint is there before the first consequence, so that a log with consequences and without it shows that it was removed.
    if (checkpoint === undefined) {
      if ((await documents.write([], { name: REACTIONS_CHECKPOINT, from: undefined, to: LOG_START })) === 'fenced') return
      checkpoint = LOG_START
    }
    let moved = performance.now()
    // A log that ends before the checkpoint was restored from a backup. Later work is undone, so all events are processed again.
    const isOtherHistory = checkpoint > (await events.head())
    if (isOtherHistory) await queue.clear()
    vouched = true
    const from = isOtherHistory ? LOG_START : checkpoint
    let began = performance.now()
    for await (const batch of events.subscribe(from, signal, WITHOUT_CONSEQUENCES)) {
      const causes = batch.events.filter(hasConsequences)
      for (const event of causes) {
        await roomInQueue()
        if (signal.aborted) return
        await react(event)
        if (performance.now() - began < SLICE_MS) continue
        await setImmediate()
        began = performance.now()
      }
      if (signal.aborted) return
      if (causes.length === 0 && performance.now() - moved < CHECKPOINT_LAG_MS) continue
      const move = { name: REACTIONS_CHECKPOINT, from: checkpoint, to: batch.position }
      if (batch.position === checkpoint) continue
      if ((await documents.write([], move)) === 'fenced') return // another process is ahead: go on from its position
      checkpoint = batch.position
      moved = performance.now()
    }
  }

  const repeat = async (work: () => Promise<void>) => {
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        await work()
      } catch (fault) {
        if (signal.aborted) return
        report(fault, undefined)
      }
      await pause(Math.min(50 * 2 ** tries, MAX_RESTART_PAUSE_MS), signal)
    }
  }

  await Promise.all([repeat(readOn), repeat(retryOn)])
}
