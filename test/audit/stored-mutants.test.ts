import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { projections } from '../../projections/all.ts'
import { links } from '../../projections/links.ts'
import { subsites } from '../../projections/subsites.ts'
import type { DataFile } from '../../src/adapters/sqlite/connection.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { FULL, sample } from '../support/full.ts'
import { auditOf, fullFile, withoutTriggers } from '../support/full-file.ts'
import fc from '../support/properties.ts'
import { openFile } from '../support/read-models.ts'

// A data file of which one thing was altered: the audit names each, whatever it is.

const columnsOf = ({ db }: DataFile, table: string): readonly string[] =>
  db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name))

const tablesIn = ({ db }: DataFile): readonly string[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
    .all()
    .map(({ name }) => String(name))

const countOf = ({ db }: DataFile, table: string): number => Number(db.prepare(`SELECT count(*) AS count FROM "${table}"`).get()?.count)

type Value = null | bigint | number | string | Uint8Array

/** The first event touches no document but its own. */
const anotherPlace = (position: unknown): bigint => (position === 1n ? 2n : 1n)

const another = (value: unknown): Value => {
  if (typeof value === 'bigint') return value + 1_000n
  if (typeof value === 'number') return value + 1
  if (typeof value === 'string') return /^\d{20}$/.test(value) ? String(Number(value) + 1).padStart(20, '0') : `${value}x`
  if (value instanceof Uint8Array)
    return value.length === 0 ? Uint8Array.of(1) : Uint8Array.from(value, (byte, i) => (i === value.length - 1 ? byte ^ 1 : byte))
  return 1
}

/** Sets a value in one column of one row of a table. Returns false if the table does not take it. */
const replace = ({ db }: DataFile, table: string, column: string, row: number, value: Value | ((found: unknown) => Value)): boolean => {
  const select = db.prepare(`SELECT * FROM "${table}" LIMIT 1 OFFSET ${row}`)
  select.setReadBigInts(true)
  const found = select.get() ?? {}
  const same = Object.keys(found).map((name) => `"${name}" IS ?`)
  const update = db.prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE ${same.join(' AND ')}`)
  try {
    return update.run(typeof value === 'function' ? value(found[column]) : value, ...Object.values(found)).changes === 1
  } catch {
    return false // a value of another type
  }
}

/** Replaces a value by another one of the same type. Returns false if there is no such row. */
const mutate = (connection: DataFile, table: string, column: string, row: number): boolean => {
  if (row >= countOf(connection, table) || row < 0) return false
  const value = column === 'pos' && compared.has(table) ? anotherPlace : another
  if (!replace(connection, table, column, row, value)) throw new Error(`${table} ${column} stayed as it was`)
  return true
}

/** Tables of documents that the events make, by the name of their collection. */
const compared = new Map(projections.map(({ collection: { name, version } }) => [`${name}_v${version}`, name]))
const searched = new Set(projections.filter(({ collection }) => collection.search).map(({ collection: { name } }) => name))

test('the audit finds another value in any column of any table of documents', async (t) => {
  t.timeout(300_000)
  const file = await fullFile(t)
  t.deepEqual(await auditOf(t, openFile(t, file)), [])
  const seen = openFile(t, file).connection
  const most = Math.max(...[...compared.keys()].map((table) => columnsOf(seen, table).length))
  for (let at = 0; at < most; at++) {
    const opened = openFile(t, file)
    const altered = [...compared].flatMap(([table, name]) => {
      const column = columnsOf(opened.connection, table)[at]
      // The number of a row says nothing where there is no search.
      if (column === undefined || (column === 'n' && !searched.has(name))) return []
      return mutate(opened.connection, table, column, countOf(opened.connection, table) - 1)
        ? [{ name, column }]
        : [{ name, column: 'no row' }]
    })
    const findings = await auditOf(t, opened)
    for (const { name, column } of altered)
      t.true(
        findings.some((finding) => finding.startsWith(`${name} `) || finding.includes(` ${name}_v`)),
        `${name} ${column}`,
      )
    opened.connection.close()
  }
})

/** Parts that an audit cannot check: nothing else says them, and the service works the same. */
const unknowable: readonly RegExp[] = [
  /^vault (owner|version|born) of/, // records that no log can rebuild
  /^collection number of/, // a collection without tombstones: any number will do
  /^read_model_sets_v1 (n|pos) of/, // when the read models were registered
  /^checkpoint (name|position) of/, // checkpoints of the reactions, to which no event of this history leads: see below
  /_words_idx \w+ of/, // an index of one page, in which the engine looks for every word
  /_words_data \w+ of row 0$/, // the totals, by which no search ranks
  /_words_config v of/, // the version of the engine that wrote last
]

/** The rows of a table of so many that are altered: the last, and in a full run the first two besides. */
const rowsOf = (count: number): readonly number[] =>
  (FULL ? [0, 1, count - 1] : [count - 1]).filter((one, i, all) => one >= 0 && all.indexOf(one) === i)

test('the audit finds another value in any column of the other tables: the log, keys, checkpoints, tombstones, search indexes', async (t) => {
  t.timeout(600_000)
  const file = await fullFile(t)
  const seen = openFile(t, file).connection
  const survivors: string[] = []
  for (const table of tablesIn(seen).filter((name) => !compared.has(name))) {
    for (const column of sample(columnsOf(seen, table), 3)) {
      for (const row of rowsOf(countOf(seen, table))) {
        const opened = openFile(t, file)
        let altered = false
        opened.connection.db.enableDefensive(false)
        withoutTriggers(opened.connection, () => {
          altered = mutate(opened.connection, table, column, row)
        })
        if (altered && (await auditOf(t, opened)).length === 0) survivors.push(`${table} ${column} of row ${row}`)
        opened.connection.close()
      }
    }
  }
  t.deepEqual(
    [...new Set(survivors)].filter((one) => !unknowable.some((pattern) => pattern.test(one))),
    [],
  )
})

type Alteration = readonly [what: string, change: (opened: ReturnType<typeof openFile>) => void, expected: RegExp]

const exec =
  (sql: string): Alteration[1] =>
  ({ connection }) => {
    connection.db.enableDefensive(false)
    connection.db.exec(sql)
  }

const blobFiles = ({ file }: { readonly file: string }): readonly string[] =>
  readdirSync(`${file}.blobs`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

const firstBlob = (opened: { readonly file: string }): string => blobFiles(opened)[0] ?? ''

const { name, version } = subsites
const LINKS = `${links.name}_v${links.version}`
const WORDS = `${name}_v${version}_words`

const alterations: readonly Alteration[] = [
  [
    'an emptied search index',
    exec(`INSERT INTO ${WORDS}(${WORDS}) VALUES('delete-all')`),
    /the search index of subsites_v\d+ has other words/,
  ],
  [
    'the words of a document that is not there',
    exec(`INSERT INTO ${WORDS}(rowid, f_title) VALUES(900, 'kettle')`),
    /the search index of subsites_v\d+ has other words of row 900/,
  ],
  ['a dropped search index', exec(`DROP TABLE ${WORDS}`), /the table subsites_v\d+_words is missing/],
  [
    'a trigger that is not ours',
    exec(`CREATE TRIGGER theirs AFTER INSERT ON event BEGIN SELECT 1; END`),
    /the trigger theirs on event was not made/,
  ],
  ['a table that is not ours', exec('CREATE TABLE theirs(a)'), /the table theirs on theirs was not made/],
  ['a view', exec('CREATE VIEW theirs AS SELECT 1'), /the view theirs/],
  ['an index that is not ours', exec('CREATE UNIQUE INDEX theirs ON event(id)'), /the index theirs on event/],
  [
    'a column with a rule',
    exec(`ALTER TABLE ${name}_v${version} ADD COLUMN theirs TEXT DEFAULT 'a'`),
    /the table subsites_v\d+ is not as this program makes it/,
  ],
  [
    'a tombstone for the future',
    exec(`INSERT INTO tombstone SELECT number, 't4_future', 9000000 FROM collection WHERE name = '${name}'`),
    /subsites t4_future: stored "a tombstone of 0+9000000"/,
  ],
  [
    'a tombstone beside its document',
    exec(`INSERT INTO tombstone SELECT number, (SELECT id FROM ${name}_v${version} LIMIT 1), 1 FROM collection WHERE name = '${name}'`),
    /subsites \S+ tombstone beside it/,
  ],
  ['a body that is no JSON', exec(`UPDATE ${name}_v${version} SET body = '{"id":'`), /subsites \S+ body: stored "no document"/],
  ['a body that is null', exec(`UPDATE ${name}_v${version} SET body = 'null'`), /subsites \S+ body: stored "no document"/],
  ['a body that is a text', exec(`UPDATE ${name}_v${version} SET body = '"tea"'`), /subsites \S+ body: stored "no document"/],
  [
    'a checkpoint of the reactions beyond the log',
    exec(`UPDATE checkpoint SET position = '00000000000009000000' WHERE name = 'reactions'`),
    /the checkpoint of the reactions is at 0+9000000, beyond/,
  ],
  [
    'a checkpoint that is no position',
    exec(`UPDATE checkpoint SET position = 'soon' WHERE name = 'reactions'`),
    /at soon, which is no position/,
  ],
  [
    'a deleted checkpoint of the read models',
    exec(`DELETE FROM checkpoint WHERE name LIKE 'read-models-%'`),
    /the checkpoint read-models-\w+ of the read models is missing/,
  ],
  ['no record of the read models', exec('DELETE FROM read_model_sets_v1'), /are not registered with their collections/],
  [
    'a collection that is not registered',
    exec(`DELETE FROM collection WHERE name = '${name}'`),
    /the collection subsites_v\d+ is not registered/,
  ],
  [
    'a blob with other bytes',
    (opened) => writeFileSync(firstBlob(opened), 'other bytes'),
    /the blob \w{64}, which t4_tea .* shows, is not what was stored/,
  ],
  ['a deleted blob', (opened) => rmSync(firstBlob(opened)), /the blob \w{64}, which t4_tea .* shows, is missing/],
  [
    'swapped row numbers',
    ({ connection: { db } }) => {
      // swaps two links that can be found
      const [one, other] = db.prepare(`SELECT id FROM ${LINKS}_words_docsize ORDER BY id LIMIT 2`).all()
      db.exec(`UPDATE ${LINKS} SET n = -n`)
      db.exec(`UPDATE ${LINKS} SET n = CASE n WHEN -${one?.id} THEN ${other?.id} WHEN -${other?.id} THEN ${one?.id} ELSE -n END`)
    },
    /the search index of links_v\d+ has other words/,
  ],
]

test('the audit names each alteration of what is stored beside the documents', async (t) => {
  t.timeout(300_000)
  const file = await fullFile(t)
  for (const [what, change, expected] of alterations) {
    const opened = openFile(t, file)
    change(opened)
    const findings = await auditOf(t, opened)
    t.true(
      findings.some((finding) => expected.test(finding)),
      `${what}: ${findings.join('; ')}`,
    )
    opened.connection.close()
  }
})

test('the audit names each trigger and each index that was dropped', async (t) => {
  t.timeout(300_000)
  const file = await fullFile(t)
  const { connection } = openFile(t, file)
  const parts = connection.db.prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'index') AND sql IS NOT NULL").all()
  const opened = openFile(t, file)
  for (const { type, name: part } of parts) opened.connection.db.exec(`DROP ${type} "${part}"`)
  const findings = await auditOf(t, opened)
  for (const { type, name: part } of parts) t.true(findings.includes(`the ${type} ${part} is missing`), `${type} ${part}`)
})

const HOSTILE = [
  null,
  '',
  'x',
  'null',
  '[]',
  '{"id":',
  '9'.repeat(20),
  0,
  -1,
  2n ** 60n,
  1e300,
  Uint8Array.of(),
  Uint8Array.of(255),
] as const

test('whatever one value of a file is replaced by, the audit names it or says that it cannot judge the file', async (t) => {
  t.timeout(600_000)
  const file = await fullFile(t)
  const seen = openFile(t, file).connection
  const tables = tablesIn(seen).filter((table) => countOf(seen, table) > 0)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...tables), fc.nat(), fc.nat(), fc.constantFrom(...HOSTILE), async (table, some, other, value) => {
      const opened = openFile(t, file)
      const { connection } = opened
      const columns = columnsOf(connection, table)
      const column = columns[some % columns.length] ?? ''
      const row = other % countOf(connection, table)
      const name = `${table} ${column} of row ${row}`
      const before = JSON.stringify(connection.db.prepare(`SELECT quote("${column}") AS value FROM "${table}" LIMIT 1 OFFSET ${row}`).get())
      connection.db.enableDefensive(false)
      let isRefused = false
      withoutTriggers(connection, () => {
        isRefused = !replace(connection, table, column, row, value)
      })
      const after = JSON.stringify(connection.db.prepare(`SELECT quote("${column}") AS value FROM "${table}" LIMIT 1 OFFSET ${row}`).get())
      const isUnknowable = unknowable.some((pattern) => pattern.test(name)) || column === 'n'
      const found = await auditOf(t, opened).catch((fault) => (fault instanceof StoreFault ? [fault.message] : Promise.reject(fault)))
      connection.close()
      if (!isRefused && !isUnknowable && before !== after) t.true(found.length > 0, `${name}: ${value}`)
    }),
    { numRuns: FULL ? 400 : 10 },
  )
})
