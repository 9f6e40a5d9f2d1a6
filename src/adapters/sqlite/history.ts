import { StoreFault } from '../../ports/faults.ts'
import { type HistoryRow, type HistoryStore, isSameRow, type RowKind, type TreeState } from '../../ports/history.ts'
import { type DataFile, openDataFile } from './connection.ts'
import { createFile } from './schema.ts'

const APPLICATION = 0x526f_7348 // "RosH"
const SCHEMA_VERSION = 2

const SCHEMA = `
  CREATE TABLE row(
    tree TEXT NOT NULL,
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT,
    value BLOB NOT NULL,
    PRIMARY KEY(tree, kind, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX row_name ON row(name, tree) WHERE name IS NOT NULL;
  CREATE TRIGGER row_is_never_updated BEFORE UPDATE ON row BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
  CREATE TRIGGER row_is_never_deleted BEFORE DELETE ON row BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
  CREATE TABLE state(tree TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
`

const number = ({ db }: DataFile, pragma: string): number => Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])

const refuseForeignFile = (connection: DataFile): void => {
  const { file } = connection
  if (number(connection, 'application_id') !== APPLICATION) throw new StoreFault('damaged', `${file} belongs to another program`)
  if (number(connection, 'user_version') > SCHEMA_VERSION)
    throw new StoreFault('damaged', `${file} was written by a newer version of this program`)
}

const prepare = (connection: DataFile): void => {
  const { db } = connection
  connection.write('FULL', () => {
    const [application, version] = [number(connection, 'application_id'), number(connection, 'user_version')]
    if (application === 0 && version === 0) db.exec(`${SCHEMA}; PRAGMA application_id = ${APPLICATION}`)
    else if (application === APPLICATION && version === 1) db.exec('DROP INDEX state_unsigned; ALTER TABLE state DROP COLUMN signed')
    else return
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
  })
  refuseForeignFile(connection)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 4194304')
}

const COLUMNS = 'tree, kind, number, name, value'

const rowOf = (columns: unknown): HistoryRow => {
  const [tree, kind, at, name, value] = columns as [string, RowKind, number, string | null, Uint8Array]
  return { tree, kind, number: at, ...(name !== null && { name }), value }
}

const stateOf = (columns: unknown): TreeState => {
  const [tree, size, value] = columns as [string, number, Uint8Array]
  return { tree, size, value }
}

/** Returns a name after all names with a prefix. Names consist of digits, letters and slashes, all below the `~`. */
const afterPrefix = (prefix: string): string => `${prefix}~`

/** Kinds of rows that are added again from the log after a power cut. A head is durable with everything before it. */
const remade: ReadonlySet<RowKind> = new Set(['tile', 'entry', 'milestone'])
/** The file of a history that is not kept: an empty one, in memory. */
const IN_MEMORY = ':memory:'

/** Opens the history in a file of its own. Restoring a copy of the data file does not restore the history with it. */
export const sqliteHistory = (file: string, readOnly = false): HistoryStore => {
  if (!readOnly && file !== IN_MEMORY) createFile(file)
  const connection = openDataFile(file, { readOnly, cacheMebibytes: 4 })
  try {
    if (readOnly) refuseForeignFile(connection)
    else prepare(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  const { rows, once } = connection

  const put = (row: HistoryRow): void => {
    const { tree, kind, name, value } = row
    const insert = rows(`INSERT INTO row(${COLUMNS}) VALUES(?, ?, ?, ?, ?) ON CONFLICT(tree, kind, number) DO NOTHING`)
    if (insert.run(tree, kind, row.number, name ?? null, value).changes > 0) return
    const found = rows(`SELECT ${COLUMNS} FROM row WHERE tree = ? AND kind = ? AND number = ?`).get(tree, kind, row.number)
    if (found === undefined || !isSameRow(rowOf(found), row))
      throw new StoreFault('damaged', `${file} already has another row ${kind} ${row.number} of the tree ${tree}`)
  }

  return {
    add: async (added) => connection.write(added.some(({ kind }) => !remade.has(kind)) ? 'FULL' : 'NORMAL', () => added.forEach(put)),
    get: async (tree, kind, numbers) =>
      once(() => {
        const one = rows(`SELECT ${COLUMNS} FROM row WHERE tree = ? AND kind = ? AND number = ?`)
        const stored = numbers.flatMap((at) => one.all(tree, kind, at).map(rowOf))
        return new Map(stored.map((row) => [row.number, row]))
      }),
    list: async (tree, kind, from, limit, order = 'up') =>
      once(() => {
        const [bound, direction] = order === 'up' ? ['>=', 'ASC'] : ['<=', 'DESC']
        const sql = `SELECT ${COLUMNS} FROM row WHERE tree = ? AND kind = ? AND number ${bound} ? ORDER BY number ${direction} LIMIT ? + 0`
        return rows(sql).all(tree, kind, from, limit).map(rowOf)
      }),
    named: async (prefix, names) =>
      once(() => {
        const one = rows(`SELECT ${COLUMNS} FROM row WHERE name = ? AND tree >= ? AND tree < ?`)
        return new Map(names.flatMap((name) => one.all(name, prefix, afterPrefix(prefix)).map((row) => [name, rowOf(row)] as const)))
      }),
    state: async (tree) => once(() => rows('SELECT tree, size, value FROM state WHERE tree = ?').all(tree).map(stateOf)[0]),
    grow: async (from, { tree, size, value }) =>
      connection.write('NORMAL', () => {
        const storedSize = rows('SELECT size FROM state WHERE tree = ?').get(tree) as unknown as [number] | undefined
        if ((storedSize?.[0] ?? 0) !== from) return false
        if (storedSize === undefined) rows('INSERT INTO state(tree, size, value) VALUES(?, ?, ?)').run(tree, size, value)
        else rows('UPDATE state SET size = ?, value = ? WHERE tree = ?').run(size, value, tree)
        return true
      }),
    states: async (prefix, last, limit) =>
      once(() =>
        rows('SELECT tree, size, value FROM state WHERE tree > ? AND tree >= ? AND tree < ? ORDER BY tree LIMIT ? + 0')
          .all(last, prefix, afterPrefix(prefix), limit)
          .map(stateOf),
      ),
    close: async () => connection.close(),
  }
}

/** Returns the history of a data file that is only read. */
export const emptyHistory = (): HistoryStore => sqliteHistory(IN_MEMORY)
