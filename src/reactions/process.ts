import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentStore } from '../ports/documents.ts'
import { type EventStore, type RecordedEvent, START } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { type Follow, hasConsequences } from './follow.ts'

/** Names the checkpoint of how far the log has been read for what follows from it. */
export const REACTIONS = 'reactions'
/** How far the checkpoint may lag, in milliseconds, while nothing follows from what is read; what is done twice changes nothing. */
const LAG = 1_000
const MAX_TRIES = 5
const MAX_PAUSE = 5_000

export type ProcessPorts = {
  readonly events: Pick<EventStore, 'subscribe' | 'head'>
  readonly documents: Pick<DocumentStore, 'checkpoint' | 'write'>
  readonly follow: Follow
  /** Told of every fault, and which event it concerns. */
  readonly report: (fault: unknown, event: RecordedEvent | undefined) => void
}

/** Whether waiting helps. */
const passes = (fault: unknown) =>
  fault instanceof StoreFault && (fault.kind === 'unavailable' || fault.kind === 'unknown-outcome' || fault.kind === 'full')

/**
 * Reads the whole log from its checkpoint on and does what follows from each event, at least once, until the signal aborts. Several
 * processes may do this at a time. An event whose consequences fail for another reason than an unreachable store is given up after
 * some tries, loudly.
 */
export const processReactions = async (ports: ProcessPorts, signal: AbortSignal): Promise<void> => {
  const { events, documents, follow, report } = ports

  const pause = (tries: number) => sleep(Math.min(50 * 2 ** tries, MAX_PAUSE), undefined, { signal }).catch(() => undefined)

  const react = async (event: RecordedEvent) => {
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        await follow([event])
        return
      } catch (fault) {
        report(fault, event)
        if (tries >= MAX_TRIES && !passes(fault)) return
        await pause(tries)
      }
    }
  }

  const readOn = async () => {
    let checkpoint = await documents.checkpoint(REACTIONS)
    let moved = performance.now()
    // A log that ends before the checkpoint was restored from a backup: what was done since is undone, so all is looked at again.
    const from = checkpoint !== undefined && checkpoint <= (await events.head()) ? checkpoint : START
    for await (const batch of events.subscribe(from, signal)) {
      const causes = batch.events.filter(hasConsequences)
      for (const event of causes) await react(event)
      if (signal.aborted) return
      if (causes.length === 0 && performance.now() - moved < LAG) continue
      const move = { name: REACTIONS, from: checkpoint, to: batch.position }
      if (batch.position === checkpoint) continue
      if ((await documents.write([], move)) === 'fenced') return // another process is ahead: go on from where it is
      checkpoint = batch.position
      moved = performance.now()
    }
  }

  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await readOn()
    } catch (fault) {
      if (signal.aborted) return
      report(fault, undefined)
    }
    await pause(tries)
  }
}
