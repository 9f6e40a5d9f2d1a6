import { setTimeout as sleep } from 'node:timers/promises'
import { type EventStore, LOG_START } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryStore } from '../ports/history.ts'
import { createHistoryKey, type HistoryKey, historyKeyIn } from './key.ts'
import { numberEvents } from './numbering.ts'
import { createOrigin, lastOrigin, type Origin } from './origins.ts'
import { proveHistory } from './proving.ts'
import { takeUp } from './taking-up.ts'

export type HistoryPorts = {
  readonly events: Pick<EventStore, 'readAll' | 'read'>
  readonly history: HistoryStore
  readonly keyFile: string
  /** Where the last head is kept, outside of the stores. */
  readonly headFile: string
  readonly publicUrl: string
  readonly clock: () => number
}

/** What keeps the history of a running site. */
export type History = {
  readonly secret: string
  /** Number events and sign heads, in one process at a time, and prove once in each process that the whole log fits what was signed. */
  readonly duty: (signal: AbortSignal) => Promise<void>
  /** Why nothing is numbered or signed any more. */
  readonly stopped: () => Error | undefined
  /** Whether the file of the last head could not be written, and the stores alone have it. */
  readonly isHeadUnkept: () => boolean
}

export type Keeping = {
  readonly alone: boolean
  readonly headIntervalMs: number
  /** Of a fault after which it is tried again. */
  readonly report: (fault: unknown) => void
  /** Said once where the file of the last head cannot be written, and again if it could be in between. */
  readonly unkept: (error: unknown) => void
  /** Called when nothing is numbered or signed any more, because what is stored is not what was signed. */
  readonly stopped: (error: BrokenHistory) => void
  /** Called when the whole log was found to be another than the one that was signed. */
  readonly broken: (error: BrokenHistory) => void
}

/** The log is not the one that was signed. */
export class BrokenHistory extends StoreFault {
  constructor(problem: string) {
    super('damaged', `${problem}. If the log was put back from a copy on purpose: npm run history -- new-origin. If not, it was changed`)
    this.name = 'BrokenHistory'
  }
}

/** Whether what is stored cannot be read as what was stored: no other try would find it whole. */
const isDamage = (error: unknown): error is Error =>
  error instanceof SyntaxError || (error instanceof StoreFault && error.kind === 'damaged')

/** The first origin, made by whichever process comes first. */
const firstOrigin = async ({ history, publicUrl, clock }: HistoryPorts, key: HistoryKey): Promise<Origin> => {
  const there = await lastOrigin(history)
  if (there) return there
  try {
    return await createOrigin(history, key, { number: 1, previous: null, publicUrl, at: clock() })
  } catch (error) {
    const other = await lastOrigin(history)
    if (other) return other
    throw error
  }
}

/** The key; made where there is no history yet and nobody else may have one. Where there is one, a log without a history has lost it. */
const keyIn = async ({ keyFile, history, events }: HistoryPorts, alone: boolean): Promise<HistoryKey> => {
  const there = await historyKeyIn(keyFile)
  const origin = await lastOrigin(history)
  if (there && !origin && (await events.readAll(LOG_START, 1)).length > 0)
    throw new StoreFault(
      'unavailable',
      `there is a log, and the history key ${keyFile}, but no history: put that back, or, if there was none yet, begin it by npm run history -- new-origin`,
    )
  if (there) return there
  if (origin)
    throw new StoreFault(
      'unavailable',
      `the history key ${keyFile} is missing: put it back, or go on without it by npm run history -- new-origin`,
    )
  if (!alone)
    throw new StoreFault(
      'unavailable',
      `HISTORY_KEY_FILE names ${keyFile}, which is missing: make it by npm run history -- key, the same for every process`,
    )
  await createHistoryKey(keyFile)
  const made = await historyKeyIn(keyFile)
  if (!made) throw new StoreFault('unavailable', `the history key ${keyFile} was made, and is missing`)
  return made
}

/**
 * Take the history of a log up where it ended: refuses a log that is known at once not to be the one that was signed. `alone`: no other
 * process has the same log.
 */
export const openHistory = async (ports: HistoryPorts, keeping: Keeping): Promise<History> => {
  const { events, history, keyFile, headFile } = ports
  const { alone, headIntervalMs, report, broken } = keeping
  const key = await keyIn(ports, alone)
  await firstOrigin(ports, key)
  await takeUp({ events, history, headFile }, key).catch((error: unknown) => {
    throw error instanceof StoreFault && error.kind === 'damaged' ? new BrokenHistory(error.message) : error
  })
  let stopped: BrokenHistory | undefined
  const stop = ({ message }: StoreFault) => {
    stopped = new BrokenHistory(message)
    keeping.stopped(stopped)
  }
  let isHeadUnkept = false
  const kept = () => {
    isHeadUnkept = false
  }
  const unkept = (error: unknown) => {
    if (!isHeadUnkept) keeping.unkept(error)
    isHeadUnkept = true
  }
  const current = async () => (await historyKeyIn(keyFile)) ?? key
  const prove = async (signal: AbortSignal): Promise<void> => {
    let began = performance.now()
    /** Half of the time is left to requests. */
    const pace = async () => {
      await sleep(performance.now() - began, undefined, { signal }).catch(() => undefined)
      began = performance.now()
    }
    const { findings } = await proveHistory({ events, history }, key, { pace, signal })
    const [first] = findings
    if (first) broken(new BrokenHistory(`${first.tree}: ${first.problem}`))
  }
  let proving: Promise<void> | undefined
  return {
    secret: key.secret,
    stopped: () => stopped,
    isHeadUnkept: () => isHeadUnkept,
    duty: async (signal) => {
      proving ??= prove(signal)
        .catch((error: unknown) => (isDamage(error) ? broken(new BrokenHistory(error.message)) : report(error)))
        .finally(() => {
          if (signal.aborted) proving = undefined
        })
      await Promise.all([
        numberEvents({ events, history, headFile, key: current, headIntervalMs, report, kept, unkept, stopped: stop }, signal),
        proving,
      ])
    },
  }
}
