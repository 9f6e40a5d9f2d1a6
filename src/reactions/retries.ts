import { firstCharacters } from '../domain/text-limits.ts'
import type { EventStore, RecordedEvent, StoredEvent } from '../ports/event-store.ts'
import { messageOf } from '../ports/faults.ts'
import { type QueuedReaction, reactionQueue } from './queue.ts'

/** The most characters of an error that are stored. */
const MAX_MESSAGE_CHARACTERS = 1_000

/** Returns the queue entry of an event whose consequences have failed once. */
export const toFirstFailure = ({ id, type, stream, revision, position }: RecordedEvent, fault: unknown, since: number): QueuedReaction => ({
  id,
  type,
  stream,
  revision,
  position,
  error: firstCharacters(MAX_MESSAGE_CHARACTERS, messageOf(fault)),
  tries: 1,
  since,
})

export const readQueued = async (events: Pick<EventStore, 'read'>, { id, stream, revision }: QueuedReaction): Promise<RecordedEvent> => {
  const [event] = (await events.read(stream, revision, 1)).events
  if (event?.id !== id) throw new Error(`the event is no longer at revision ${revision} of ${stream}`)
  return event
}

/** Returns the entry of an event after another try that failed. */
export const toFurtherFailure = (entry: QueuedReaction, fault: unknown): QueuedReaction => ({
  ...entry,
  error: firstCharacters(MAX_MESSAGE_CHARACTERS, messageOf(fault)),
  tries: entry.tries + 1,
})

/** The most queued events that are tried on demand, and the time for that. */
const MAX_RETRIED = 100
const MAX_RETRY_WORK_MS = 5_000

type RetryPorts = {
  readonly events: Pick<EventStore, 'read'>
  readonly vault: Parameters<typeof reactionQueue>[0]
  readonly follow: (events: readonly StoredEvent[]) => Promise<unknown>
}
type Retried = { readonly done: number; readonly left: number }

/** Tries the oldest queued events again, without waiting for their next try. Returns how many are done, and how many still wait. */
export const retryQueued = async ({ events, vault, follow }: RetryPorts): Promise<Retried> => {
  const queue = reactionQueue(vault)
  const until = performance.now() + MAX_RETRY_WORK_MS
  let count = 0
  for (const entry of (await queue.list()).slice(0, MAX_RETRIED)) {
    if (performance.now() > until) break
    try {
      await follow([await readQueued(events, entry)])
    } catch (fault) {
      await queue.put(toFurtherFailure(entry, fault))
      continue
    }
    await queue.remove(entry)
    count += 1
  }
  return { done: count, left: (await queue.list()).length }
}

/** Returns a function that runs one `retryQueued` at a time. Calls during a run share its outcome. */
export const openRetries = (ports: RetryPorts): (() => Promise<Retried>) => {
  let working: Promise<Retried> | undefined
  return () => {
    working ??= retryQueued(ports).finally(() => {
      working = undefined
    })
    return working
  }
}
