import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Follower, Followers, StreamPart } from '../contract/followers.ts'
import type { Refusal } from '../contract/refusals.ts'
import { HEARTBEAT, STREAM_OPENING } from '../wire/event-stream.ts'

/** The most streams of one account and app, or of one address without a token; of one address; and of a process. Each takes some 50 KiB. */
const MAX_STREAMS_PER_CALLER = 20
const MAX_STREAMS_PER_ADDRESS = 100
export const MAX_STREAMS = 6_000

/** The time between two looks whether something happened, one for all followers. */
const POLL_INTERVAL_MS = 1_000
/** The time after which a follower without news gets a heartbeat, and its rights are checked again. */
const HEARTBEAT_MS = 15_000
/** The number of followers that read at the same time. The others wait for their turn. */
const MAX_LOOKS_AT_ONCE = 4
/**
 * The longest pause after the look of a follower that catches up. The pause lasts as long as the look, so that half of the time is left for
 * requests.
 */
const MAX_PAUSE_MS = 100
/** The time of looks after which other work gets its turn: many of them wait for nothing. */
const SLICE_MS = 10

type Sleeper = { readonly due: number; readonly wake: () => void }

type Options = {
  /** Returns a text that changes whenever something may have happened that a follower learns of. */
  readonly state: () => Promise<string>
  readonly report: (fault: unknown) => void
}

const tooMany: Refusal = {
  code: 'TOO_MANY_AT_ONCE',
  field: null,
  text: `You follow ${MAX_STREAMS_PER_CALLER} streams already, or ${MAX_STREAMS_PER_ADDRESS} from this address: end one first.`,
  extra: { ratelimit: 60 },
}
const full: Refusal = {
  code: 'UNAVAILABLE',
  field: null,
  text: 'As many clients as this process can serve follow it: ask again later, or read pages without Accept: text/event-stream.',
  extra: { ratelimit: 60 },
}

/** Runs a few at a time, in the order in which they ask, with pauses for other work. */
const lanes = (most: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  let resumedAt = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      if (performance.now() - resumedAt > SLICE_MS) {
        await setImmediate()
        resumedAt = performance.now()
      }
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

export const openFollowers = ({ state, report }: Options): Followers & { readonly close: () => void } => {
  const counts = new Map<string, number>()
  const sleepers = new Set<Sleeper>()
  const inTurn = lanes(MAX_LOOKS_AT_ONCE)
  /** Readers of old events, perhaps of all of them, take turns. */
  const oneByOne = lanes(1)
  let streams = 0
  let isClosed = false
  let known: string | undefined
  /** Grows when something may have happened, so that no follower misses it that was just looking. */
  let news = 0
  let timer: NodeJS.Timeout | undefined

  const pauseAfter = (look: () => Promise<StreamPart>) => async (): Promise<StreamPart> => {
    const began = performance.now()
    const found = await look()
    await pause(Math.min(performance.now() - began, MAX_PAUSE_MS))
    return found
  }

  const keysOf = ({ caller, address }: Follower): readonly (readonly [string, number])[] => [
    [`caller ${caller}`, MAX_STREAMS_PER_CALLER],
    [`address ${address}`, MAX_STREAMS_PER_ADDRESS],
  ]

  const refusal: Followers['refusal'] = (follower) => {
    if (isClosed || streams >= MAX_STREAMS) return full
    return keysOf(follower).some(([key, most]) => (counts.get(key) ?? 0) >= most) ? tooMany : undefined
  }

  const lookAround = async (): Promise<void> => {
    const found = await state()
    const isNew = found !== known
    known = found
    if (isNew) news += 1
    const now = performance.now()
    const woken = [...sleepers].filter(({ due }) => isNew || due <= now)
    for (const { wake } of woken) wake()
  }

  const lookOn = (): void => {
    timer = setTimeout(() => {
      lookAround()
        .catch(report)
        .finally(() => {
          timer = undefined
          if (streams > 0 && !isClosed) lookOn()
        })
    }, POLL_INTERVAL_MS).unref()
  }

  const enter = (follower: Follower): (() => void) => {
    const keys = keysOf(follower).map(([key]) => key)
    streams += 1
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    if (timer === undefined) lookOn()
    return () => {
      streams -= 1
      for (const key of keys) {
        const remaining = (counts.get(key) ?? 1) - 1
        if (remaining > 0) counts.set(key, remaining)
        else counts.delete(key)
      }
    }
  }

  const sleep = (seen: number, gone: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (news !== seen || isClosed || gone.aborted) return resolve()
      const wake = () => {
        sleepers.delete(sleeper)
        gone.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper: Sleeper = { due: performance.now() + HEARTBEAT_MS, wake }
      sleepers.add(sleeper)
      gone.addEventListener('abort', wake)
    })

  async function* body(follower: Follower, look: () => Promise<StreamPart>, gone: AbortSignal): AsyncGenerator<string | Buffer> {
    if (refusal(follower)) return
    const leave = enter(follower)
    // looks only if it is still wanted: a follower that waited for its turn may be gone, and its sources closed
    const present = async (): Promise<StreamPart> => (isClosed || gone.aborted ? { text: '', next: 'end' } : look())
    try {
      yield STREAM_OPENING
      for (let isBehind = false; ; ) {
        const newsBefore = news
        const began = performance.now()
        const { text, next: go }: StreamPart = await (isBehind ? oneByOne(pauseAfter(present)) : inTurn(present))
        if (text.length > 0) yield text
        if (go === 'end' || isClosed || gone.aborted) return
        isBehind = go === 'more'
        if (isBehind) continue
        await sleep(newsBefore, gone)
        if (isClosed || gone.aborted) return
        if (performance.now() - began >= HEARTBEAT_MS) yield HEARTBEAT
      }
    } catch (error) {
      // its client asks again, from its place
      report(error)
    } finally {
      leave()
    }
  }

  return {
    refusal,
    follow: (follower, look) => (gone) => body(follower, look, gone),
    close: () => {
      isClosed = true
      clearTimeout(timer)
      for (const { wake } of [...sleepers]) wake()
    },
  }
}
