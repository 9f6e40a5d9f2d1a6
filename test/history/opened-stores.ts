import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ExecutionContext } from 'ava'
import { Binary, type Collection, type Db } from 'mongodb'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { type HistoryPorts, openHistory } from '../../src/history/history.ts'
import { historyKeyIn } from '../../src/history/key.ts'
import { type Proof, proveHistory } from '../../src/history/prove-history.ts'
import type { EventStore, RecordedEvent } from '../../src/ports/event-store.ts'
import type { HistoryRow, TreeState } from '../../src/ports/history.ts'
import { append, hourAfter, portsOf } from '../support/numbered-log.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** All that a history holds, to be changed as by somebody who may write to its store. */
export type Contents = { readonly rows: readonly HistoryRow[]; readonly states: readonly TreeState[] }

/** The remains of a history when its stores are gone: a copy, the key, and the last head if that is kept. */
export type Saved = Contents & { readonly key: string | undefined; readonly head: string | undefined }

/** A log and its history on one pair of stores. */
export type Opened = HistoryPorts & {
  readonly events: EventStore
  readonly contents: () => Promise<Contents>
  /** Replaces all contents by others, past every check of the program. */
  readonly replace: (contents: Contents) => Promise<void>
}

/** Opens new stores that hold nothing. */
export type OpenStores = (t: ExecutionContext) => Promise<Pick<Opened, 'events' | 'history' | 'contents' | 'replace'>>

/** New stores with these events, and with a history that was saved. */
export const openedWith = async (t: ExecutionContext, open: OpenStores, log: readonly RecordedEvent[], saved?: Saved): Promise<Opened> => {
  const stores = await open(t)
  const ports = portsOf({ ...stores, keyFile: join(temporaryDirectory(t), 'rostra.db.history-key') })
  await append(stores.events, log)
  if (saved?.key !== undefined) await writeFile(ports.keyFile, saved.key)
  if (saved?.head !== undefined) await writeFile(ports.headFile, saved.head)
  if (saved) await stores.replace(saved)
  return { ...stores, ...ports, events: stores.events }
}

const textIn = (file: string) => readFile(file, 'utf8').catch(() => undefined)

export const savedOf = async ({ contents, keyFile, headFile }: Opened): Promise<Saved> => ({
  ...(await contents()),
  key: await textIn(keyFile),
  head: await textIn(headFile),
})

/** Proves a log and a history. */
export const proofOf = async (opened: Opened): Promise<Proof> => {
  const key = await historyKeyIn(opened.keyFile)
  if (!key) throw new Error('no key')
  return proveHistory(opened, key)
}

/**
 * A process that keeps the history of these stores, and signs heads when it is stopped, or each few milliseconds. It proves the log once,
 * or at once again after each proof.
 */
export const startKeeping = async (opened: Opened, headIntervalMs = 3_600_000, nextProof = hourAfter) => {
  const faults: unknown[] = []
  const report = (fault: unknown) => faults.push(fault)
  const keeping = {
    alone: true,
    witnesses: [],
    onUnseen: () => undefined,
    headIntervalMs,
    nextProof,
    report,
    onHeadUnwritten: report,
    onStop: report,
    onBreak: report,
  }
  const { duty, stopped, isHeadUnwritten, proved } = await openHistory(opened, keeping)
  const stopping = new AbortController()
  const working = duty(stopping.signal)
  const sizeOf = async (tree: string) => (await opened.history.state(tree))?.size ?? 0
  return {
    stopped,
    isHeadUnwritten,
    proved,
    faults,
    /** Once this many events are numbered, or it failed. */
    numbered: async (size: number) => {
      while ((await sizeOf('1/log')) < size && faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    },
    /** Once a head of this many events is signed, or it failed. */
    signed: async (size: number) => {
      while ((await opened.history.get('1/log', 'head', [size])).size === 0 && faults.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 2))
    },
    stop: async () => {
      stopping.abort()
      await working
      return faults.map((fault) => (fault instanceof Error ? fault.message : String(fault)))
    },
  }
}

const plainBytes = (value: unknown) => (value instanceof Binary ? value.value() : (value as Uint8Array))
const bytesOf = ({ value }: { readonly value: Uint8Array }) => Buffer.from(value)

export const openDataFile: OpenStores = async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const stores = await openSqlite({ file })
  const history = sqliteHistory(`${file}.history`)
  t.teardown(async () => {
    await history.close()
    await stores.close()
  })
  const beside = <T>(use: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(`${file}.history`)
    try {
      return use(db)
    } finally {
      db.close()
    }
  }
  return {
    events: stores.events,
    history,
    contents: async () =>
      beside((db) => ({
        rows: db.prepare('SELECT * FROM row').all() as unknown as readonly HistoryRow[],
        states: db.prepare('SELECT * FROM state').all() as unknown as readonly TreeState[],
      })),
    replace: async ({ rows, states }) =>
      beside((db) => {
        db.exec('DROP TRIGGER IF EXISTS row_is_never_updated; DROP TRIGGER IF EXISTS row_is_never_deleted')
        db.exec('BEGIN IMMEDIATE; DELETE FROM row; DELETE FROM state')
        const row = db.prepare('INSERT INTO row(tree, kind, number, name, value) VALUES(?, ?, ?, ?, ?)')
        for (const { tree, kind, number, name, value } of rows) row.run(tree, kind, number, name ?? null, value)
        const state = db.prepare('INSERT INTO state(tree, size, value) VALUES(?, ?, ?)')
        for (const { tree, size, value } of states) state.run(tree, size, value)
        db.exec('COMMIT')
      }),
  }
}

type Stored = { readonly _id: string; readonly value: Uint8Array }

/** Leave these documents in a collection and no others. */
const changeTo = async (collection: Collection<Stored>, documents: readonly Stored[]): Promise<void> => {
  const text = (document: Stored) => JSON.stringify({ ...document, value: bytesOf(document).toString('base64') })
  const wanted = new Map(documents.map((document) => [document._id, document]))
  const there = new Map((await collection.find({}).toArray()).map((one) => [one._id, text({ ...one, value: plainBytes(one.value) })]))
  const writes = [
    ...[...there.keys()].filter((_id) => !wanted.has(_id)).map((_id) => ({ deleteOne: { filter: { _id } } })),
    ...documents
      .filter((document) => there.get(document._id) !== text(document))
      .map((document) => ({
        replaceOne: { filter: { _id: document._id }, replacement: { ...document, value: new Binary(document.value) }, upsert: true },
      })),
  ]
  if (writes.length > 0) await collection.bulkWrite(writes as never)
}

/** Returns the contents of collections of MongoDB. */
export const contentsIn = (db: Db): Pick<Opened, 'contents' | 'replace'> => {
  const rows = db.collection<HistoryRow & { readonly _id: string }>('history_rows')
  const states = db.collection<Omit<TreeState, 'tree'> & { readonly _id: string }>('history_states')
  return {
    contents: async () => ({
      rows: (await rows.find({}).toArray()).map(({ _id, value, ...row }) => ({ ...row, value: plainBytes(value) })),
      states: (await states.find({}).toArray()).map(({ _id, size, value }) => ({ tree: _id, size, value: plainBytes(value) })),
    }),
    // equal rows stay, so that a process that looks meanwhile finds the one or the other
    replace: async (contents) => {
      const put = contents.rows.map((row) => ({ ...row, _id: `${row.tree} ${row.kind} ${row.number}`, name: row.name ?? null }))
      const trees = contents.states.map(({ tree, size, value }) => ({ _id: tree, size, value }))
      await changeTo(db.collection('history_states'), trees)
      await changeTo(db.collection('history_rows'), put)
    },
  }
}
