// Decision 47.

import { setImmediate } from 'node:timers/promises'
import type { DocumentStore } from '../ports/documents.ts'
import { type EventStore, LOG_START, type Position } from '../ports/event-store.ts'
import { pause } from '../ports/pause.ts'
import { hasConsequences, type ProcessPorts, REACTIONS_CHECKPOINT, SLICE_MS } from './process.ts'
import { MAX_QUEUED_REACTIONS, reactionQueue } from './queue.ts'
import { toFirstFailure } from './retries.ts'

/** The name of the checkpoint of this pass over the log. */
const OWED = 'owed-consequences'
/** The name of the checkpoint that holds the end of this pass. */
const OWED_UNTIL = 'owed-consequences-until'

/** The number of events read at once. */
const PAGE_EVENTS = 200
/** Milliseconds between two tries. */
const RETRY_MS = 2_000

export type OwedPorts = Pick<ProcessPorts, 'vault' | 'follow' | 'clock' | 'report'> & {
  readonly events: Pick<EventStore, 'head' | 'readAll'>
  readonly documents: Pick<DocumentStore, 'checkpoint' | 'write'>
}

/**
 * Carries out, once in the life of a log, consequences that an earlier version lost. Reactions to all events that had been processed by
 * then run again, some events at a time with pauses as long as the work, until the signal aborts. The reactions themselves record what is
 * missing and nothing that is there. A start in between goes on where the last one stopped.
 */
export const carryOutLostConsequences = async (ports: OwedPorts, signal: AbortSignal): Promise<void> => {
  const { events, documents, vault, follow, clock, report } = ports
  const queue = reactionQueue(vault)

  /**
   * Finds the position of the reader of new events when the log was first gone over. That reader carries out the consequences of later
   * events.
   */
  const findEnd = async (): Promise<Position> => {
    const known = await documents.checkpoint(OWED_UNTIL)
    if (known !== undefined) return known
    const end = (await documents.checkpoint(REACTIONS_CHECKPOINT)) ?? LOG_START
    await documents.write([], { name: OWED_UNTIL, from: undefined, to: end })
    return end
  }

  const roomInQueue = async () => {
    while (!signal.aborted && (await queue.list()).length >= MAX_QUEUED_REACTIONS) await pause(RETRY_MS, signal)
  }

  /** Goes over one page. Returns undefined after the last. */
  const goOn = async (after: Position | undefined, end: Position): Promise<Position | undefined> => {
    const page = (await events.readAll(after ?? LOG_START, PAGE_EVENTS)).filter(({ position }) => position <= end)
    let began = performance.now()
    for (const event of page.filter(hasConsequences)) {
      if (signal.aborted) return undefined
      await follow([event]).catch(async (fault) => {
        report(fault, event)
        await roomInQueue()
        await queue.put(toFirstFailure(event, fault, clock()))
      })
      if (performance.now() - began < SLICE_MS) continue
      await setImmediate()
      began = performance.now()
    }
    const to = page.at(-1)?.position ?? end
    if (to !== after && (await documents.write([], { name: OWED, from: after, to })) === 'fenced') return undefined // another process does it
    return to < end ? to : undefined
  }

  const goOver = async () => {
    const end = await findEnd()
    let at = await documents.checkpoint(OWED)
    // a log that ends before was restored from a backup: the reader of new events begins at its start
    if ((at ?? LOG_START) >= end || end > (await events.head())) return
    for (let more = true; more && !signal.aborted; ) {
      const began = performance.now()
      at = await goOn(at, end)
      more = at !== undefined
      await pause(performance.now() - began, signal)
    }
  }

  while (!signal.aborted) {
    try {
      await goOver()
      return
    } catch (fault) {
      if (!signal.aborted) report(fault, undefined)
    }
    await pause(RETRY_MS, signal)
  }
}
