import { setImmediate } from 'node:timers/promises'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import { writeAheadLog } from '../../src/adapters/sqlite/write-ahead-log.ts'

// Writes to the file that is named, a number with each commit, and says each number once it is committed.

const connection = openWriter(process.argv[2] ?? '')
connection.db.exec('CREATE TABLE IF NOT EXISTS number(n INTEGER PRIMARY KEY, filling BLOB NOT NULL)')
const log = writeAheadLog(connection, (error) => process.emitWarning(error), { pages: 400, soon: 500, bound: 600 })
const last = connection.db.prepare('SELECT coalesce(max(n), 0) AS n FROM number').get()
for (let n = Number(last?.n) + 1; ; n += 1) {
  connection.write('FULL', () => connection.change('INSERT INTO number VALUES(?, randomblob(30000))', n))
  connection.write('NORMAL', () => connection.change('UPDATE number SET filling = randomblob(30000) WHERE n = ?', Math.ceil(n / 2)))
  log.tend(false)
  process.stdout.write(`${n}\n`)
  await setImmediate()
}
