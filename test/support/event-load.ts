import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { EventStore, ExpectedRevision, Position, ProposedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { streamOf } from './stream-of.ts'

/** An acknowledgement to a writer: this event, at this place. A verifier may rely on nothing else. */
export type Acknowledged = { readonly stream: string; readonly revision: number; readonly id: string; readonly position: Position }

export type Load = {
  readonly acknowledged: readonly Acknowledged[]
  readonly faults: readonly StoreFault[]
  /** Milliseconds that the longest append was pending. */
  readonly longest: () => number
  readonly lastSuccess: () => number
  /** Waits until each writer has finished its current append: an append of unknown outcome is repeated until it is known. */
  readonly stop: () => Promise<void>
}

/** Returns a sequence of numbers from 0 to 1 that a seed repeats exactly. */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const numberedEvent = (n: number): ProposedEvent => ({
  id: randomUUID(),
  type: 'VoteCast',
  data: `{"n":${n}}`,
  meta: '{"commandId":"load","correlationId":"load","schema":1}',
})

/** Writers that append to streams of their own, each append once, also if the store fails meanwhile, until they are stopped or the test ends. */
export const startLoad = (t: ExecutionContext, store: EventStore, { writers = 8, streams = 1_000, seed = 1, pace = 0 } = {}): Load => {
  const acknowledged: Acknowledged[] = []
  const faults: StoreFault[] = []
  const random = randomFrom(seed)
  const run = `load${seed}x${randomUUID().slice(0, 8)}`
  let [stopping, longest, lastSuccess] = [false, 0, 0]
  let isOver = false
  t.teardown(() => {
    stopping = isOver = true
  })

  const write = async (stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<number> => {
    for (;;) {
      const began = Date.now()
      try {
        const result = await store.append(stream, expected, events)
        if (result.outcome === 'conflict') throw new Error(`a conflict on ${stream}, which has one writer only: ${JSON.stringify(result)}`)
        lastSuccess = Date.now()
        const first = result.revision - events.length + 1
        for (const [at, { id }] of events.entries()) acknowledged.push({ stream, revision: first + at, id, position: result.position })
        return result.revision
      } catch (fault) {
        if (!(fault instanceof StoreFault)) throw fault
        if (fault.kind !== 'unavailable' && fault.kind !== 'unknown-outcome') throw fault
        if (isOver) throw fault
        faults.push(fault)
      } finally {
        longest = Math.max(longest, Date.now() - began)
      }
    }
  }

  const writer = async (own: number): Promise<void> => {
    const revisions = new Map<string, number>()
    for (let n = 0; !stopping; n++) {
      const stream = `${run}-${own + writers * Math.floor((random() * streams) / writers)}`
      const events = Array.from({ length: random() < 0.1 ? 3 : 1 }, () => numberedEvent(n))
      revisions.set(stream, await write(stream, revisions.get(stream) ?? 'none', events))
      if (pace > 0) await new Promise((resolve) => setTimeout(resolve, pace * random()))
    }
  }

  const running = Promise.all(Array.from({ length: writers }, (_, own) => writer(own)))
  running.catch(() => undefined) // reported by `stop`
  return {
    acknowledged,
    faults,
    longest: () => longest,
    lastSuccess: () => lastSuccess,
    stop: async () => {
      stopping = true
      await running
    },
  }
}

/** Compares the log with what was acknowledged: each line is a difference. */
export const differences = async (store: EventStore, acknowledged: readonly Acknowledged[]): Promise<readonly string[]> => {
  const found: string[] = []
  for (const [stream, told] of Map.groupBy(acknowledged, (it) => it.stream)) {
    const there = await streamOf(store, stream, 0)
    if (there.length !== told.length) found.push(`${stream}: ${told.length} acknowledged, ${there.length} there`)
    for (const { id, revision } of told) {
      if (there[revision]?.id !== id) found.push(`${stream}/${revision}: acknowledged ${id}, there ${there[revision]?.id}`)
      if (there[revision]?.revision !== revision) found.push(`${stream}/${revision}: revisions are not dense`)
    }
  }
  return found
}
