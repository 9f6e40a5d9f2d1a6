import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDamage, messageOf, StoreFault } from '../../ports/faults.ts'
import { type DataFile, openDataFile } from './connection.ts'

const APPLICATION = 0x526f_7374 // "Rost"
const SCHEMA_VERSION = 1
const OLDEST_ENGINE = [3, 51, 3] // older ones may corrupt a file that several connections write

/** Sizes of the write-ahead log, in pages. */
export type LogLimits = {
  /** The pages from which on it is copied into the file as soon as the read models are not being written, and begins anew. */
  readonly pages: number
  /** The pages from which on it is copied at any moment. */
  readonly soon: number
  /** The pages from which on writing waits for the copy. */
  readonly bound: number
}

/** The limits, 250 MiB: pages that change again and again, as those of rankings do, are copied once. */
export const LOG_LIMITS: LogLimits = { pages: 64_000, soon: 80_000, bound: 96_000 }

const SCHEMA = `
  CREATE TABLE event(
    pos INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    rev INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    meta TEXT NOT NULL,
    UNIQUE(stream, rev)
  ) STRICT;
  CREATE TRIGGER event_is_never_updated BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  -- REPLACE deletes without the trigger above; a position that is yet to be given is -1 here.
  CREATE TRIGGER event_comes_last BEFORE INSERT ON event
    WHEN NEW.rev IS NOT (SELECT coalesce(max(rev) + 1, 0) FROM event WHERE stream = NEW.stream)
      OR NEW.pos BETWEEN 0 AND (SELECT max(pos) FROM event)
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

  CREATE TABLE vault(
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT,
    expires INTEGER,
    version INTEGER NOT NULL,
    born INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY(kind, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX vault_owner ON vault(kind, owner, born) WHERE owner IS NOT NULL;
  CREATE INDEX vault_expires ON vault(expires) WHERE expires IS NOT NULL;

  CREATE TABLE collection(number INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL, search TEXT, UNIQUE(name, version)) STRICT;
  CREATE TABLE tombstone(collection INTEGER NOT NULL, id TEXT NOT NULL, pos INTEGER NOT NULL, PRIMARY KEY(collection, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE checkpoint(name TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

/**
 * The checkpoint for the highest position of documents that are or were being written, in steps. While a checkpoint is before it, documents
 * can be newer than the checkpoint.
 */
export const WRITING_MARK = 'writing-documents-up-to'

const number = (connection: DataFile, sql: string): number => Number(Object.values(connection.db.prepare(sql).get() ?? {})[0])

const refuseOldEngine = (): void => {
  const version = (process.versions.sqlite ?? '0.0.0').split('.').map(Number)
  const difference = OLDEST_ENGINE.map((wanted, i) => (version[i] ?? 0) - wanted).find((d) => d !== 0) ?? 0
  if (difference < 0)
    throw new Error(`SQLite ${version.join('.')} may corrupt data; ${OLDEST_ENGINE.join('.')} or newer is needed (Node 24.15 or newer)`)
}

const refuseForeignFile = (connection: DataFile): void => {
  const { file } = connection
  if (number(connection, 'PRAGMA application_id') !== APPLICATION) throw new StoreFault('damaged', `${file} belongs to another program`)
  const version = number(connection, 'PRAGMA user_version')
  if (version > SCHEMA_VERSION)
    throw new StoreFault('damaged', `${file} was written by a newer version of this program (schema ${version})`)
}

/** Creates the file, readable by its owner only, and its directory if it is missing. */
export const createFile = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Makes the tables of an empty file, without any collection. */
export const makeSchema = ({ db }: DataFile): void => db.exec(SCHEMA)

/** Opens the connection that writes. It creates a missing file, and refuses a file that is not a data file of this program. */
export const openWriter = (file: string): DataFile => {
  refuseOldEngine()
  createFile(file)
  const connection = openDataFile(file, { readOnly: false, cacheMebibytes: 48 })
  try {
    connection.write('FULL', () => {
      if (number(connection, 'SELECT count(*) FROM sqlite_schema') > 0 || number(connection, 'PRAGMA application_id') !== 0) return
      makeSchema(connection)
      connection.db.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    })
    refuseForeignFile(connection)
    // Deleted credentials and blanked texts are overwritten, not just unlinked. The write-ahead log is copied into the file every 64 MiB,
    // until a thread is there that copies it.
    connection.db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 67108864',
    )
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

export const openReader = (file: string): DataFile => {
  refuseOldEngine()
  const connection = openDataFile(file, { readOnly: true, cacheMebibytes: 8 })
  try {
    connection.read(() => refuseForeignFile(connection))
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

/** Lists the events that are missing at the log's end. The engine stores the highest position it has given beside the log. */
const listMissingAtEnd = (connection: DataFile): readonly string[] => {
  const lastAssigned = number(connection, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'event'")
  const last = number(connection, 'SELECT coalesce(max(pos), 0) FROM event')
  return lastAssigned === last ? [] : [`the log ends at position ${last}, but the last one assigned was ${lastAssigned}`]
}

/** Returns the errors in the file, none if it is sound. It is slow, since it reads the whole file. */
export const integrityErrors = (connection: DataFile): readonly string[] => {
  try {
    return connection.read(() => {
      const lines = connection.db.prepare('PRAGMA integrity_check').all()
      return [...lines.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok'), ...listMissingAtEnd(connection)]
    })
  } catch (error) {
    // If the damage is severe, the check itself fails.
    if (error instanceof StoreFault && !isDamage(error)) throw error
    return [messageOf(error)]
  }
}
