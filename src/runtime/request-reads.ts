// Decision 133.

import type { Aggregate } from '../domain/decision.ts'
import type { AnyEvent } from '../domain/event.ts'
import type { Folds, StreamState } from './folds.ts'
import { type Load, makeLoad } from './load.ts'
import type { LogWatch } from './log-watch.ts'

/** The time for which a request uses a state that it read. It may have waited for its turn since. */
const STATES_VALID_MS = 1_000

/** Ends an attempt to answer a request that rested on an outdated guess. */
class OutdatedGuess extends Error {}

/**
 * The states that one request reads. Each stream is read once. While a request only looks, `load` guesses: it returns the state that this
 * process knew last and reads the stream meanwhile, so that all streams are read at the same time. Whatever changes something waits for
 * these reads first (`settle`), as does the response.
 */
export type RequestReads = {
  readonly load: Load
  /** Returns a state that may be a second old, without a read if there is one. */
  readonly loadRecent: Load
  /** Waits until every guess is confirmed by the log, and ends guessing. Fails if one was outdated: then the request is to be attempted again. */
  readonly settle: () => Promise<void>
  /** Drops the states that were read. They may be the reason why a command was refused. */
  readonly renew: () => void
  /** Tells, once the reads are done, whether an attempt rested on an outdated guess. */
  readonly wereOutdated: () => Promise<boolean>
  /** Returns the reads of another attempt, or of the next part of the request. They share what was read. */
  readonly next: (mayGuess: boolean) => RequestReads
}

type Read = {
  readonly outcome: Promise<StreamState<unknown>>
  readonly guess: StreamState<unknown> | undefined
  readonly readAt: number
  /** Undefined while it is read. */
  state: StreamState<unknown> | undefined
}

type ReadPorts = Pick<Folds, 'readState' | 'recallState' | 'recallCurrentState'> & { readonly watch?: Pick<LogWatch, 'isBehind'> }

/** Opens the reads of requests. */
export const openRequestReads = ({
  readState,
  recallState,
  recallCurrentState,
  watch,
}: ReadPorts): ((mayGuess: boolean) => RequestReads) => {
  const open = (reads: Map<string, Read>, mayGuess: boolean): RequestReads => {
    const guesses: Read[] = []
    let isGuessing = mayGuess
    let settling: Promise<void> | undefined

    const isUsable = (stream: string, { state, readAt }: Read): boolean =>
      state === undefined || (performance.now() - readAt < STATES_VALID_MS && watch?.isBehind(stream, state.revision) !== true)

    const begin = <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string): Read => {
      const last = isGuessing ? recallState(stream) : undefined
      const guess = last && watch?.isBehind(stream, last.revision) !== true ? last : undefined
      const read: Read = { outcome: readState(aggregate, stream), guess, readAt: performance.now(), state: undefined }
      reads.set(stream, read)
      if (guess) guesses.push(read)
      read.outcome.then(
        (state) => {
          read.state = state
        },
        // callers that wait for the read get its fault; the next caller reads again
        () => reads.get(stream) === read && reads.delete(stream),
      )
      return read
    }

    const stateOf = async <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, stream: string) => {
      const before = reads.get(stream)
      const read = before && isUsable(stream, before) ? before : begin(aggregate, stream)
      return (read.state ?? (isGuessing ? read.guess : undefined) ?? (await read.outcome)) as StreamState<State>
    }

    const confirm = async () => {
      const outcomes = await Promise.all(guesses.map(({ outcome }) => outcome))
      if (outcomes.some(({ revision }, n) => revision !== guesses[n]?.guess?.revision)) throw new OutdatedGuess()
    }

    const settle = () => {
      isGuessing = false
      settling ??= confirm()
      return settling
    }

    return {
      load: makeLoad(stateOf),
      loadRecent: makeLoad(
        async (aggregate, stream) => (reads.has(stream) ? undefined : recallCurrentState(stream)) ?? stateOf(aggregate, stream),
      ),
      settle,
      renew: () => reads.clear(),
      wereOutdated: () =>
        settle().then(
          () => false,
          (fault) => fault instanceof OutdatedGuess,
        ),
      next: (again) => open(reads, again),
    }
  }
  return (mayGuess) => open(new Map(), mayGuess)
}

/** Answers a request by guesses; if one was outdated, again by the states of the log. */
export const answerConfirmed = async <Answer>(reads: RequestReads, answer: (reads: RequestReads) => Promise<Answer>): Promise<Answer> => {
  try {
    const answered = await answer(reads)
    await reads.settle()
    return answered
  } catch (fault) {
    if (!(await reads.wereOutdated())) throw fault
    return answer(reads.next(false))
  }
}
