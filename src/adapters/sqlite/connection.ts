import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { StoreFault } from '../../ports/faults.ts'
import { atMostEntries } from '../../ports/size.ts'
import { asFault } from './errors.ts'

/** `FULL`: on disk when the call returns. `NORMAL`: a power cut may undo the last transactions, but only whole ones. */
export type Durability = 'FULL' | 'NORMAL'

/** Matches a limit whose plan SQLite makes for each value that is bound to it. */
const bareLimit = /\bLIMIT (?:\?|:\w+\b)(?! \+ 0)/

/** One connection to the file. Everything on it is synchronous. */
export type DataFile = {
  readonly file: string
  readonly db: DatabaseSync
  /**
   * Returns a statement, prepared once. Rows come as arrays. A bound limit is written `LIMIT ? + 0`: SQLite prepares a statement anew each
   * time a value is bound to a bare `LIMIT ?`, since its plan may depend on the number.
   */
  readonly rows: (sql: string) => StatementSync
  /**
   * Executes a statement that returns nothing. Unlike `run` it does not report the last row number, which full-text tables leave too large
   * for a number.
   */
  readonly change: (sql: string, ...parameters: readonly SQLInputValue[]) => void
  /** Runs one read statement, which reads one snapshot by itself. */
  readonly once: <T>(work: () => T) => T
  /** Runs several reads of one snapshot; inside a transaction, of that one. */
  readonly read: <T>(work: () => T) => T
  /** Does all of the work or none, in `BEGIN IMMEDIATE`, so that it cannot fail half-way because another process wrote. */
  readonly write: <T>(durability: Durability, work: () => T) => T
  /** Keeps no more pages in memory than this from now on. */
  readonly shrink: (mebibytes: number) => void
  /** Returns a number that changes when another connection has committed. */
  readonly dataVersion: () => number
  /** Returns the number of pages of the write-ahead log, and how many of them are copied into the file. */
  readonly logSize: () => { readonly pages: number; readonly copied: number }
  /**
   * Copies the rest of the log into the file, so that it begins anew. Returns whether that was done, within so many milliseconds for others
   * to read and to copy.
   */
  readonly restartLog: (readMs: number, copyMs: number) => boolean
  /** Makes each commit copy the log from so many pages on. */
  readonly copyLogFrom: (pages: number) => void
  /** Copies the log and empties it, so that nothing deleted or changed is left in it. */
  readonly emptyLog: (ms?: number) => void
  readonly close: () => void
}

const BUSY_TIMEOUT_MS = 5_000
const MAX_CACHED_STATEMENTS = 1_000

/** The pause between two tries to copy a log that another thread is copying, since the engine does not wait for that. */
const COPY_PAUSE_MS = 5
/** The engine's answer for the number of pages if another thread is copying the log. */
const NOT_COUNTED = -1

export type ConnectionOptions = { readonly readOnly: boolean; readonly cacheMebibytes: number }

export const openDataFile = (file: string, { readOnly, cacheMebibytes }: ConnectionOptions): DataFile => {
  const guard = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw asFault(error, file)
    }
  }

  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats && !stats.isFile())
    throw new StoreFault('damaged', `${file} is a ${stats.isDirectory() ? 'directory' : 'device or pipe'}, not a data file`)
  const db = guard(() => new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS }))
  guard(() => db.exec(`PRAGMA fullfsync = ON; PRAGMA cache_size = ${-cacheMebibytes * 1024}`))

  const statements = new LRUCache<string, StatementSync>(atMostEntries(MAX_CACHED_STATEMENTS))
  const rows = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    if (bareLimit.test(sql)) throw new Error(`a bound limit without \`+ 0\`: ${sql}`)
    const statement = guard(() => db.prepare(sql))
    statement.setReturnArrays(true)
    statements.set(sql, statement)
    return statement
  }

  const version = guard(() => db.prepare('PRAGMA data_version'))
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  let durability: Durability | undefined

  const runWithin = <T>(start: () => void, work: () => T): T => {
    try {
      start()
      const result = work()
      commit.get()
      return result
    } catch (error) {
      // The engine has already rolled back by itself after some errors, a full disk among them.
      if (db.isTransaction) db.exec('ROLLBACK')
      throw asFault(error, file)
    }
  }

  const checkpoint = (mode: 'NOOP' | 'RESTART' | 'TRUNCATE'): readonly [busy: number, pages: number, copied: number] =>
    guard(() => rows(`PRAGMA wal_checkpoint(${mode})`).get()) as unknown as [number, number, number]

  const hasCopied = (mode: 'RESTART' | 'TRUNCATE', readMs: number, copyMs: number): boolean => {
    const until = performance.now() + copyMs
    const paused = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    db.exec(`PRAGMA busy_timeout = ${readMs}`)
    try {
      while (true) {
        const [busy, pages] = checkpoint(mode)
        if (busy === 0) return true
        if (pages !== NOT_COUNTED || performance.now() >= until) return false
        Atomics.wait(paused, 0, 0, COPY_PAUSE_MS)
      }
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  return {
    file,
    db,
    rows,
    change: (sql, ...parameters) => {
      rows(sql).all(...parameters)
    },
    once: guard,
    read: (work) => (db.isTransaction ? work() : runWithin(() => begin.get(), work)),
    write: (wanted, work) => {
      // Setting it inside a transaction would have no effect, so it is set between them.
      if (durability !== wanted) db.exec(`PRAGMA synchronous = ${wanted}`)
      durability = wanted
      return runWithin(() => db.exec('BEGIN IMMEDIATE'), work)
    },
    shrink: (mebibytes) => db.exec(`PRAGMA cache_size = ${-mebibytes * 1024}; PRAGMA shrink_memory`),
    dataVersion: () => guard(() => Number(version.get()?.data_version)),
    logSize: () => {
      const [, pages, copied] = checkpoint('NOOP')
      return { pages, copied }
    },
    restartLog: (readMs, copyMs) => hasCopied('RESTART', readMs, copyMs),
    copyLogFrom: (pages) => db.exec(`PRAGMA wal_autocheckpoint = ${pages}`),
    emptyLog: (ms = BUSY_TIMEOUT_MS) => {
      if (!hasCopied('TRUNCATE', ms, ms))
        throw new StoreFault('unavailable', `the write-ahead log of ${file} cannot be emptied while others read it`)
    },
    close: () => db.close(),
  }
}
