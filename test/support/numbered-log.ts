import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { openHistory } from '../../src/history/history.ts'
import { historyKeyIn } from '../../src/history/key.ts'
import { lastOrigin } from '../../src/history/origins.ts'
import { type Proof, proveHistory } from '../../src/history/proving.ts'
import { logTree } from '../../src/history/trees.ts'
import type { EventStore, RecordedEvent } from '../../src/ports/event-store.ts'
import type { HistoryStore } from '../../src/ports/history.ts'
import { temporaryDirectory } from './temporary.ts'

/** Events of every type, as they are stored, in log order. */
export const recordedEvents: readonly RecordedEvent[] = readFileSync(new URL('../fixtures/recorded-history.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

/** Put events into a log, at revisions that follow one another. */
export const append = async (
  events: Pick<EventStore, 'append'>,
  log: readonly Omit<RecordedEvent, 'position' | 'revision'>[],
): Promise<void> => {
  const ends = new Map<string, number>()
  for (const { stream, id, type, data, meta } of log) {
    const end = ends.get(stream)
    const result = await events.append(stream, end ?? 'none', [{ id, type, data, meta }])
    if (result.outcome === 'conflict') throw new Error(`${stream} has ${result.actual}`)
    ends.set(stream, (end ?? -1) + 1)
  }
}

const failing = (error: unknown): never => {
  throw error
}

/** Number everything that is in a log, and sign heads of it, as a site does. */
export const numberAll = async (events: EventStore, history: HistoryStore, keyFile: string, size: number): Promise<void> => {
  const ports = { events, history, keyFile, publicUrl: 'http://tea.example', clock: Date.now }
  const faults: unknown[] = []
  const report = (fault: unknown) => faults.push(fault)
  const { duty } = await openHistory(ports, { alone: true, headIntervalMs: 1, report, broken: report })
  const stopping = new AbortController()
  const working = duty(stopping.signal)
  const tree = logTree((await lastOrigin(history))?.number ?? 0)
  while (((await history.state(tree))?.size ?? 0) < size && faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  stopping.abort()
  await working
  if (faults.length > 0) failing(faults[0])
}

/** A data file beside the history of another one, as after an attack or the import of a forged export. */
export const withLog = async <T>(
  directory: string,
  use: (stores: {
    readonly events: EventStore
    readonly history: HistoryStore
    readonly keyFile: string
    readonly file: string
  }) => Promise<T>,
): Promise<T> => {
  const file = join(directory, 'rostra.db')
  const stores = await openSqlite({ file })
  const history = sqliteHistory(`${file}.history`)
  try {
    return await use({ events: stores.events, history, keyFile: `${file}.history-key`, file })
  } finally {
    await history.close()
    await stores.close()
  }
}

/** What the proof says of a log in place of the one that was numbered. */
export const proofOf = async (t: ExecutionContext, numbered: string, log: readonly RecordedEvent[]): Promise<Proof> => {
  const directory = temporaryDirectory(t)
  for (const name of ['history', 'history-key']) await cp(join(numbered, `rostra.db.${name}`), join(directory, `rostra.db.${name}`))
  return withLog(directory, async ({ events, history, keyFile }) => {
    await append(events, log)
    const key = await historyKeyIn(keyFile)
    return key ? proveHistory({ events, history }, key) : failing(new Error('no key'))
  })
}
