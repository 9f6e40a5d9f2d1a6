import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistoryKey, historyKeyIn } from '../src/history/key.ts'
import { numberEvents } from '../src/history/numbering.ts'
import { createOrigin } from '../src/history/origins.ts'
import { logTree, treeOf } from '../src/history/trees.ts'
import { type Rate, startRate } from './in-flight.ts'
import type { Site } from './servers.ts'

/** Numbers a whole log in this process, into an empty history, until a head of all its events is signed. */
export const numberingRate = async ({ events: log, history }: Pick<Site, 'events' | 'history'>, events: number): Promise<Rate> => {
  const keyFile = join(tmpdir(), `rostra-bench-${randomBytes(4).toString('hex')}.history-key`)
  await createHistoryKey(keyFile)
  const key = await historyKeyIn(keyFile)
  if (!key) throw new Error(`${keyFile} cannot be read`)
  await createOrigin(history, key, { number: 1, previous: null, publicUrl: 'http://rostra.example', at: Date.now() })
  const stopping = new AbortController()
  const faults: unknown[] = []
  const fail = (fault: unknown) => {
    faults.push(fault)
    stopping.abort()
  }
  const toRate = startRate()
  await numberEvents(
    {
      events: log,
      history,
      headFile: `${keyFile}.head`,
      key: async () => key,
      clock: Date.now,
      headIntervalMs: 1_000,
      onHeadWritten: () => stopping.abort(),
      onHeadUnwritten: fail,
      report: fail,
      onStop: fail,
    },
    stopping.signal,
  )
  const rate = toRate(events)
  if (faults.length > 0) throw faults[0]
  const name = logTree(1)
  const { size } = treeOf(name, await history.state(name))
  if (size !== events) throw new Error(`${size} of ${events} events were numbered`)
  return rate
}
