import { setTimeout as sleep } from 'node:timers/promises'
import { voteId, votes } from '../projections/votes.ts'
import type { Site } from './servers.ts'
import { type Tail, tailOf } from './tails.ts'
import type { VoteAppend } from './vote-appends.ts'

/** Probes at once, each pausing so many milliseconds at most between two votes, so that they meet every phase of what looks periodically. */
const PROBES = 8
const MAX_PAUSE_MS = 800
/** Milliseconds after which a vote should have been seen. */
const VISIBLE_WAIT_MS = 30_000

export type Lag = Tail & { readonly votes: number }

/** Milliseconds from the acknowledgement of an append until a reader finds it in the document it concerns. */
export const lagOf = async (
  { events, documents }: Pick<Site, 'events' | 'documents'>,
  next: () => VoteAppend,
  seconds: number,
): Promise<Lag> => {
  const times: number[] = []
  const end = performance.now() + seconds * 1000

  const probe = async (): Promise<void> => {
    const { stream, expected, event, voter, thing } = next()
    const result = await events.append(stream, expected, [event])
    if (result.outcome !== 'appended') throw new Error(`${stream} does not stand at ${expected}`)
    const appended = performance.now()
    const id = voteId(voter, thing)
    for (;;) {
      const found = (await documents.load(votes, [id])).get(id)
      const waited = performance.now() - appended
      if (found && found.position >= result.position) return void times.push(waited)
      if (waited > VISIBLE_WAIT_MS) throw new Error(`a vote was not visible after ${VISIBLE_WAIT_MS / 1000} s`)
      await sleep(1)
    }
  }
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      await sleep(Math.random() * MAX_PAUSE_MS)
      await probe()
    }
  }
  await Promise.all(Array.from({ length: PROBES }, lane))
  return { ...tailOf(times), votes: times.length }
}
