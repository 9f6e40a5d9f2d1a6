import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { EventName, Logged } from '../domain/events.ts'
import { firstCharacters } from '../domain/text.ts'
import type { Codec } from '../log/codec.ts'
import { pagesOf } from '../log/pages.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Vault } from '../ports/vault.ts'
import { allReactions } from './all.ts'
import { MAX_QUEUED_REACTIONS, type QueuedReaction, reactionQueue } from './queue.ts'
import type { Ports } from './reaction.ts'

/** The name of the checkpoint up to which reactions have processed the log. */
export const REACTIONS_CHECKPOINT = 'reactions'
/** How far the checkpoint may lag, in milliseconds, while the events read have no consequences; repeating work changes nothing. */
const CHECKPOINT_LAG_MS = 1_000
/** Milliseconds before reading continues after a fault of the stores. */
const MAX_RESTART_PAUSE_MS = 5_000
/** Milliseconds between two reads of the queue. */
const LOOK_MS = 500
/** Milliseconds between two tries of one event: doubled each time up to this, which is less for faults that pass by themselves. */
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 300_000
const MAX_PASSING_RETRY_MS = 5_000
/** Milliseconds of work after which requests get their turn: most events have no consequences, and none of those waits for a store. */
const SLICE_MS = 5
/** Characters of an error that are stored. */
const MAX_MESSAGE_CHARACTERS = 1_000

const messageOf = (fault: unknown): string =>
  firstCharacters(MAX_MESSAGE_CHARACTERS, fault instanceof Error ? fault.message : String(fault))

const consequencesOf = <Name extends EventName>(event: Logged<Name>) =>
  allReactions.flatMap(
    (reactions) =>
      (reactions[event.type as Name] as ((event: Logged<Name>) => readonly ((ports: Ports) => Promise<unknown>)[]) | undefined)?.(event) ??
      [],
  )

const known = new Set(allReactions.flatMap((reactions) => Object.keys(reactions)))

/** Whether an event of this type may have consequences. */
export const hasConsequences = ({ type }: Pick<RecordedEvent, 'type'>): boolean => known.has(type)

/** Throw what failed, if anything did. */
export const throwAll = (faults: readonly unknown[]): void => {
  if (faults.length > 1) throw new AggregateError(faults, faults.map(messageOf).join('; '))
  if (faults.length === 1) throw faults[0]
}

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
    throwAll(faults)
    return last
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

/** Whether the fault may pass by itself. */
const passes = (fault: unknown) =>
  fault instanceof StoreFault && (fault.kind === 'unavailable' || fault.kind === 'unknown-outcome' || fault.kind === 'full')

const pauseAfter = (tries: number, fault: unknown): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), passes(fault) ? MAX_PASSING_RETRY_MS : MAX_RETRY_MS)

/**
 * Reads the whole log from its checkpoint on and performs the reactions to each event, at least once, until the signal aborts. Several
 * processes may do this at a time. An event whose consequences fail is put into a durable queue and tried again for ever, while those
 * of other events are done.
 */
export const processReactions = async (ports: ProcessPorts, signal: AbortSignal): Promise<void> => {
  const { events, documents, vault, follow, clock, report } = ports
  const queue = reactionQueue(vault)
  /** When each queued event is tried again, as far as this process has tried it. */
  const due = new Map<string, number>()
  let queued = 0
  /** Whether the queue was found to belong to this log. */
  let vouched = false

  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)

  const postpone = async (entry: QueuedReaction, fault: unknown) => {
    report(fault, entry)
    await queue.put({ ...entry, error: messageOf(fault), tries: entry.tries + 1 })
    due.set(entry.id, performance.now() + pauseAfter(entry.tries + 1, fault))
  }

  const react = async (event: RecordedEvent) => {
    try {
      await follow([event])
    } catch (fault) {
      const { id, type, stream, revision, position } = event
      queued += 1
      await postpone({ id, type, stream, revision, position, error: '', tries: 0, since: clock() }, fault)
    }
  }

  const retry = async (entry: QueuedReaction) => {
    try {
      const [event] = (await events.read(entry.stream, entry.revision, 1)).events
      if (event?.id !== entry.id) throw new Error(`the event is no longer at revision ${entry.revision} of ${entry.stream}`)
      await follow([event])
    } catch (fault) {
      await postpone(entry, fault)
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
      await pause(LOOK_MS)
    }
  }

  const roomInQueue = async () => {
    if (queued < MAX_QUEUED_REACTIONS) return
    report(new Error(`${queued} events wait for their reactions; no more are read until some are done`), undefined)
    while (queued >= MAX_QUEUED_REACTIONS && !signal.aborted) await pause(LOOK_MS)
  }

  const readOn = async () => {
    let checkpoint = await documents.checkpoint(REACTIONS_CHECKPOINT)
    // It is there before the first consequence, so that a log with consequences and without it shows that it was removed.
    if (checkpoint === undefined) {
      if ((await documents.write([], { name: REACTIONS_CHECKPOINT, from: undefined, to: LOG_START })) === 'fenced') return
      checkpoint = LOG_START
    }
    let moved = performance.now()
    // A log that ends before the checkpoint was restored from a backup: later work is undone, so all events are processed again.
    const isOtherHistory = checkpoint > (await events.head())
    if (isOtherHistory) await queue.clear()
    vouched = true
    const from = isOtherHistory ? LOG_START : checkpoint
    let began = performance.now()
    for await (const batch of events.subscribe(from, signal)) {
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
      if ((await documents.write([], move)) === 'fenced') return // another process is ahead: go on from where it is
      checkpoint = batch.position
      moved = performance.now()
    }
  }

  const again = async (work: () => Promise<void>) => {
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        await work()
      } catch (fault) {
        if (signal.aborted) return
        report(fault, undefined)
      }
      await pause(Math.min(50 * 2 ** tries, MAX_RESTART_PAUSE_MS))
    }
  }

  await Promise.all([again(readOn), again(retryOn)])
}
