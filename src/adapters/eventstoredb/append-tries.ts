import { setTimeout as pause } from 'node:timers/promises'
import type { Append, AppendResult, Position, ProposedEvent } from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import type { ClientHandle, ClientSession } from './client-handle.ts'
import { classify, type Failure, mustReplaceClient } from './failures.ts'
import type { TryOutcome } from './own-calls/append-message.ts'
import { pauseBefore, type Timings } from './timings.ts'

/** One finished try. `before` is the log's head just before it, if that can distinguish its success from an earlier one. */
type FinishedTry = { readonly outcome: TryOutcome; readonly session: ClientSession; readonly before: Position | undefined }

const APPEND_DEADLINE_MS = 60_000 // see client.ts; the timers here limit the time of an append
const IMMEDIATE_FAILURE_MS = 500

type TryParts = {
  readonly link: ClientHandle
  readonly timings: Timings
  readonly accept: (
    append: Append,
    position: Position | undefined,
    revision: number,
    before: Position | undefined,
    deadline: number,
  ) => Promise<AppendResult>
  readonly findStanding: (append: Append, deadline: number) => Promise<AppendResult | undefined>
}

/** Explains a deadline that is exceeded at once. It is sent as a time of day, so the clocks differ. */
const explainDeadline = (failure: Failure, took: number): Failure =>
  failure.kind === 'indeterminate' && 'type' in failure.error && failure.error.type === 'deadline-exceeded' && took < IMMEDIATE_FAILURE_MS
    ? { ...failure, error: new Error(`its clock is more than ${APPEND_DEADLINE_MS / 1_000} s ahead of ours`, { cause: failure.error }) }
    : failure

/** Makes one try. Never rejects, and never settles while the server is silent. `events` are in their stored form. */
export const tryOnce = async (
  { append }: ClientSession,
  { stream, expected }: Append,
  events: readonly ProposedEvent[],
): Promise<TryOutcome> => {
  const began = Date.now()
  try {
    const outcome = await append({ stream, expected, events }, began + APPEND_DEADLINE_MS)
    return outcome.kind === 'success' ? outcome : explainDeadline(outcome, Date.now() - began)
  } catch (thrown) {
    return classify(thrown)
  }
}

/** Returns the first try that ends within so many milliseconds, or undefined. */
const awaitFirst = async (open: Iterable<Promise<FinishedTry>>, milliseconds: number): Promise<FinishedTry | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const elapsed = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds), undefined)
  })
  return Promise.race([...open, elapsed]).finally(() => clearTimeout(timer))
}

/** Returns the error of a result that no further try can change. */
const finalError = ({ kind, error }: Exclude<Failure, { kind: 'conflict' }>, stream: string, isInDoubt: boolean): Error | undefined => {
  switch (kind) {
    case 'too-large':
      return new StoreFault('too-large', 'the append is over the limit of the server', { cause: error })
    case 'deleted':
      return new StoreFault('damaged', `${stream} was deleted on the server; streams must never be deleted`, { cause: error })
    case 'invalid':
    case 'absent':
      return new TypeError(`the event store rejected the append to ${stream}`, { cause: error })
    case 'refused':
      return new StoreFault(
        isInDoubt ? 'unknown-outcome' : 'unavailable',
        `the event store denies writing: ${error.message || 'access denied'}`,
        { cause: error },
      )
    default:
      return undefined
  }
}

/**
 * Tries an append until its outcome is certain or its time is over. Each try has the same ids and the same revision, so the server writes
 * them once. While an earlier try is in flight, the server does not answer a further one for some seconds. So the responses of earlier
 * tries still count, and the first try that ends decides.
 */
export const openTries = ({ link, timings, accept, findStanding }: TryParts) => {
  return async (append: Append, data: readonly ProposedEvent[], headBefore: () => Position | undefined): Promise<AppendResult> => {
    const { stream } = append
    const deadline = Date.now() + timings.call
    const open = new Set<Promise<FinishedTry>>()
    /** True if an earlier try may have been written. */
    let isInDoubt = false
    let lastError = new Error('no answer from the server')

    const toUnresolvedFault = (cause: Error): StoreFault =>
      isInDoubt
        ? new StoreFault('unknown-outcome', `the append to ${stream} may or may not have been written: ${cause.message}`, { cause })
        : new StoreFault('unavailable', `the append to ${stream} was not written: ${cause.message}`, { cause })

    const begin = async (before: Position | undefined): Promise<ClientSession> => {
      const session = await link.session().catch((error: Error) => {
        throw toUnresolvedFault(error)
      })
      const running: Promise<FinishedTry> = tryOnce(session, append, data).then((outcome) => {
        open.delete(running)
        if (outcome.kind !== 'unsent') session.heard = Date.now()
        return { outcome, session, before }
      })
      open.add(running)
      return session
    }

    /** Returns the result that a finished try decides; undefined if a further try is needed. Throws if none can help. */
    const resultOf = async ({ outcome, session, before }: FinishedTry): Promise<AppendResult | undefined> => {
      if (outcome.kind === 'success') return accept(append, outcome.position, outcome.revision, before, deadline)
      if (outcome.kind === 'conflict') {
        const earlier = isInDoubt ? await findStanding(append, deadline) : undefined
        return earlier ?? { outcome: 'conflict', actual: outcome.actual }
      }
      const fault = finalError(outcome, stream, isInDoubt)
      if (fault) throw fault
      lastError = outcome.error
      if (mustReplaceClient(lastError)) link.replace(session, lastError.message)
      isInDoubt ||= outcome.kind === 'indeterminate'
      return undefined
    }

    for (let count = 1; ; count++) {
      const began = Date.now()
      const session = await begin(count === 1 ? headBefore() : undefined)
      do {
        const ended = await awaitFirst(open, Math.min(began + timings.silence, deadline) - Date.now())
        if (!ended) {
          isInDoubt = true
          if (session.heard < began) link.replace(session, 'an append was not answered')
          break
        }
        const result = await resultOf(ended)
        if (result) return result
      } while (open.size > 0)
      const wait = open.size > 0 ? 0 : pauseBefore(timings, count)
      if (Date.now() + wait >= deadline) throw toUnresolvedFault(lastError)
      await pause(wait)
    }
  }
}
