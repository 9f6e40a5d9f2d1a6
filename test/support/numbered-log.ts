import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { lastHeadFileOf } from '../../src/config.ts'
import { type HistoryPorts, openHistory } from '../../src/history/history.ts'
import { lastOrigin } from '../../src/history/origins.ts'
import { logTree } from '../../src/history/trees.ts'
import type { EventStore, RecordedEvent } from '../../src/ports/event-store.ts'
import type { HistoryStore } from '../../src/ports/history.ts'

/** Events of every type, as they are stored, in log order. */
export const recordedEvents: readonly RecordedEvent[] = readFileSync(new URL('../fixtures/recorded-history.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

/** Puts events into a log, at revisions that follow one another. */
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

/** Returns the time of the next proof of a log, later than any test lasts. */
export const hourAfter = (now: number): number => now + 3_600_000

const throwError = (error: unknown): never => {
  throw error
}

/** Returns the ports of a log's history, with the file of the last head beside that of the key. */
export const portsOf = (stores: Pick<HistoryPorts, 'events' | 'history' | 'keyFile'>): HistoryPorts => ({
  ...stores,
  headFile: lastHeadFileOf({ historyHeadFile: undefined }, stores.keyFile),
  publicUrl: 'http://tea.example',
  clock: Date.now,
})

/** Number everything that is in a log, and sign heads of it, as a site does. */
export const numberAll = async (events: EventStore, history: HistoryStore, keyFile: string, size: number): Promise<void> => {
  const ports = portsOf({ events, history, keyFile })
  const faults: unknown[] = []
  const report = (fault: unknown) => faults.push(fault)
  const keeping = {
    alone: true,
    witnesses: [],
    onUnseen: () => undefined,
    headIntervalMs: 1,
    nextProof: hourAfter,
    report,
    onHeadUnwritten: report,
    onStop: report,
    onBreak: report,
  }
  const { duty } = await openHistory(ports, keeping)
  const stopping = new AbortController()
  const working = duty(stopping.signal)
  const tree = logTree((await lastOrigin(history))?.number ?? 0)
  while (((await history.state(tree))?.size ?? 0) < size && faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  stopping.abort()
  await working
  if (faults.length > 0) throwError(faults[0])
}

/** Puts a data file beside the history of another one, as after an attack or the import of a forged export. */
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
