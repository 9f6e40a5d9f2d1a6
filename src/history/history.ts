import { type EventStore, LOG_START } from '../ports/event-store.ts'
import { type FaultKind, isDamage, StoreFault } from '../ports/faults.ts'
import type { HistoryStore } from '../ports/history.ts'
import { pause } from '../ports/pause.ts'
import type { Witness } from './cosignature.ts'
import { createHistoryKey, type HistoryKey, historyKeyIn } from './key.ts'
import { numberEvents } from './numbering.ts'
import { createOrigin, lastOrigin, type Origin, refuseUnsigned } from './origins.ts'
import { proveHistory } from './prove-history.ts'
import { resumeNumbering } from './resume-numbering.ts'
import { witnessHeads } from './witnesses.ts'

export type HistoryPorts = {
  readonly events: Pick<EventStore, 'readAll' | 'read'>
  readonly history: HistoryStore
  readonly keyFile: string
  /** The file of the last head, outside of the stores. */
  readonly headFile: string
  readonly publicUrl: string
  readonly clock: () => number
}

/** A proof of the whole log that found no difference: when it ended, and how many events and entries signed heads cover. */
export type Proved = { readonly at: number; readonly events: number; readonly entries: number }

/** The history of a running site. */
export type History = {
  readonly secret: string
  /**
   * Numbers events and signs heads, in one process at a time. Proves in each process that the whole log fits the signed heads: at once, and
   * then each night.
   */
  readonly duty: (signal: AbortSignal) => Promise<void>
  /** Returns the last proof that this process has finished. */
  readonly proved: () => Proved | undefined
  /** Returns the fault that stopped numbering and signing, if any. */
  readonly stopped: () => Error | undefined
  /** Returns the witnesses that did not cosign the last head that was sent to them, and why. */
  readonly unseenBy: () => readonly (readonly [witness: Witness, reason: string])[]
  /** Tells whether the file of the last head could not be written, so that only the stores have it. */
  readonly isHeadUnwritten: () => boolean
}

export type Keeping = {
  readonly alone: boolean
  readonly headIntervalMs: number
  /** The witnesses that are asked to cosign each head of the log. */
  readonly witnesses: readonly Witness[]
  /** Called once if a witness does not cosign a head, and again if it did in between. */
  readonly onUnseen: (witness: Witness, reason: string) => void
  /** Returns the time at which the whole log is proved again, after a proof that ended at this one. */
  readonly nextProof: (now: number) => number
  /** Called for a fault. The work is tried again afterwards. */
  readonly report: (fault: unknown) => void
  /** Called once if the file of the last head cannot be written, and again if it could be in between. */
  readonly onHeadUnwritten: (error: unknown) => void
  /** Called when numbering and signing stop, because the stored data is not what was signed. */
  readonly onStop: (error: BrokenHistory) => void
  /** Called when the whole log differs from the one that was signed. */
  readonly onBreak: (error: BrokenHistory) => void
}

/** The share of one core's time that a proof takes: the first proof, and those of later nights. */
const FIRST_SHARE = 0.5
const NIGHTLY_SHARE = 0.1

/** Thrown if the log is not the one that was signed, or its file is damaged. The message says what to do. */
export class BrokenHistory extends StoreFault {
  constructor({ message, kind }: { readonly message: string; readonly kind?: FaultKind }) {
    const advice = '. If the log was put back from a copy on purpose: npx rostra history new-origin. If not, it was changed'
    super('damaged', kind === 'corrupt' ? message : `${message}${advice}`)
    this.name = 'BrokenHistory'
  }
}

/** Tells whether stored data is damaged, so that another try would fail, too. */
const isUnreadable = (error: unknown): error is Error => error instanceof SyntaxError || isDamage(error)

/** Returns the present origin. Makes the first one, unless another process has made it. */
const ensureOrigin = async ({ history, publicUrl, clock }: HistoryPorts, key: HistoryKey): Promise<Origin> => {
  const origin = await lastOrigin(history)
  if (origin) return origin
  try {
    return await createOrigin(history, key, { number: 1, previous: null, publicUrl, at: clock() })
  } catch (error) {
    const other = await lastOrigin(history)
    if (other) return other
    throw error
  }
}

/**
 * Returns the key. If there is none, makes one, unless there is a history already or another process may have one. Refuses a log that has a
 * key but no history.
 */
const openHistoryKey = async ({ keyFile, history, events }: HistoryPorts, alone: boolean): Promise<HistoryKey> => {
  const stored = await historyKeyIn(keyFile)
  const origin = await lastOrigin(history)
  if (stored && !origin && (await events.readAll(LOG_START, 1)).length > 0)
    throw new StoreFault(
      'unavailable',
      `there is a log, and the history key ${keyFile}, but no history: restore it, or, if there never was one, begin it with npx rostra history new-origin`,
    )
  if (stored) return stored
  if (origin)
    throw new StoreFault(
      'unavailable',
      `the history key ${keyFile} is missing: restore it, or begin a new history with npx rostra history new-origin`,
    )
  if (!alone)
    throw new StoreFault(
      'unavailable',
      `HISTORY_KEY_FILE names ${keyFile}, which is missing: make it by npx rostra history key, the same for every process`,
    )
  await createHistoryKey(keyFile)
  const created = await historyKeyIn(keyFile)
  if (!created) throw new StoreFault('unavailable', `the history key ${keyFile} was created, but cannot be read`)
  return created
}

/**
 * Takes up the history of a log where it ended. Refuses a log that visibly is not the one that was signed. `alone` means that no other
 * process has the same log.
 */
export const openHistory = async (ports: HistoryPorts, keeping: Keeping): Promise<History> => {
  const { events, history, keyFile, headFile, clock } = ports
  const { alone, headIntervalMs, nextProof, report, onBreak, witnesses } = keeping
  const key = await openHistoryKey(ports, alone)
  refuseUnsigned(await ensureOrigin(ports, key))
  await resumeNumbering({ events, history, headFile }, key).catch((error: unknown) => {
    throw isDamage(error) ? new BrokenHistory(error) : error
  })
  let stopped: BrokenHistory | undefined
  const stop = (fault: StoreFault) => {
    stopped = new BrokenHistory(fault)
    keeping.onStop(stopped)
  }
  let isHeadUnwritten = false
  const noteHeadWritten = () => {
    isHeadUnwritten = false
  }
  const noteHeadUnwritten = (error: unknown) => {
    if (!isHeadUnwritten) keeping.onHeadUnwritten(error)
    isHeadUnwritten = true
  }
  const unseenBy = new Map<Witness, string>()
  const noteUnseen = (witness: Witness, reason: string) => {
    if (!unseenBy.has(witness)) keeping.onUnseen(witness, reason)
    unseenBy.set(witness, reason)
  }
  const noteSeen = (witness: Witness) => void unseenBy.delete(witness)
  const readCurrentKey = async () => (await historyKeyIn(keyFile)) ?? key
  let proved: Proved | undefined
  /** The time of the next proof. */
  let due = 0
  /** Proves the whole log. Leaves the rest of the time to requests. */
  const prove = async (signal: AbortSignal, share: number): Promise<void> => {
    let began = performance.now()
    const pace = async () => {
      await pause((performance.now() - began) * (1 / share - 1), signal)
      began = performance.now()
    }
    const { findings, ...covered } = await proveHistory({ events, history }, key, { pace, signal })
    const [first] = findings
    if (first) throw new StoreFault('damaged', `${first.tree}: ${first.problem}`)
    if (!signal.aborted) proved = { at: clock(), events: covered.events, entries: covered.entries }
  }
  /** Proves the log at once and then each night, until a proof finds a difference. */
  const proveOn = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await pause(Math.max(0, due - clock()), signal)
      if (signal.aborted) return
      try {
        await prove(signal, due === 0 ? FIRST_SHARE : NIGHTLY_SHARE)
      } catch (error) {
        if (isUnreadable(error)) return onBreak(new BrokenHistory(error))
        report(error)
      }
      if (!signal.aborted) due = nextProof(clock())
    }
  }
  return {
    secret: key.secret,
    stopped: () => stopped,
    isHeadUnwritten: () => isHeadUnwritten,
    proved: () => proved,
    unseenBy: () => [...unseenBy],
    duty: async (signal) => {
      await Promise.all([
        numberEvents(
          {
            events,
            history,
            headFile,
            key: readCurrentKey,
            clock,
            headIntervalMs,
            report,
            onHeadWritten: noteHeadWritten,
            onHeadUnwritten: noteHeadUnwritten,
            onStop: stop,
          },
          signal,
        ),
        proveOn(signal),
        witnessHeads({ history, witnesses, key: readCurrentKey, clock, onUnseen: noteUnseen, onSeen: noteSeen }, signal, report),
      ])
    },
  }
}
