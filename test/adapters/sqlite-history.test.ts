import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** A history as the first version wrote it, which counted in each state how much of the tree was signed. */
const FIRST_VERSION = `
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
  CREATE TABLE state(tree TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, signed INTEGER NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX state_unsigned ON state(tree) WHERE signed < size;
  PRAGMA application_id = ${0x526f_7348};
  PRAGMA user_version = 1;
  INSERT INTO row VALUES
    ('1/log', 'tile', 0, NULL, CAST('hashes' AS BLOB)),
    ('1/log', 'head', 257, NULL, CAST('a note' AS BLOB)),
    ('1/s/t4_1', 'entry', 0, 'an-event', CAST('{}' AS BLOB));
  INSERT INTO state VALUES('1/log', 300, 257, CAST('of the log' AS BLOB)), ('1/s/t4_1', 1, 1, CAST('of a subsite' AS BLOB));
`

test('a history of the first version is taken up whole, once, and goes on', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db.history')
  const made = new DatabaseSync(file)
  made.exec(FIRST_VERSION)
  made.close()
  for (let open = 0; open < 2; open++) {
    const history = sqliteHistory(file)
    const rows = [await history.list('1/log', 'tile', 0, 9), await history.list('1/log', 'head', 0, 9)].flat()
    t.deepEqual(
      rows.map(({ number, value }) => [number, Buffer.from(value).toString()]),
      [
        [0, 'hashes'],
        [257, 'a note'],
      ],
    )
    t.is((await history.named('1/s/', ['an-event'])).get('an-event')?.number, 0)
    t.deepEqual(
      (await history.states('1/', '', 9)).map(({ tree, size, value }) => [tree, size, Buffer.from(value).toString()]),
      [
        ['1/log', 300 + open, open === 0 ? 'of the log' : 'grown'],
        ['1/s/t4_1', 1, 'of a subsite'],
      ],
    )
    await history.add([{ tree: '1/log', kind: 'head', number: 257, value: Buffer.from('a note') }])
    t.is(await history.grow(300, { tree: '1/log', size: 301, value: Buffer.from('grown') }), open === 0)
    t.is(await history.grow(0, { tree: '2/log', size: 1, value: Buffer.from('new') }), open === 0)
    await history.close()
  }
  const db = new DatabaseSync(file)
  t.deepEqual(Object.values(db.prepare('PRAGMA user_version').get() ?? {}), [2])
  t.throws(() => db.exec('DELETE FROM row'), { message: /append-only/ })
  db.exec('PRAGMA user_version = 3')
  db.close()
  t.throws(() => sqliteHistory(file), { instanceOf: StoreFault, message: /newer version/ })
})
