import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Median milliseconds of an fsync of 4 KiB on the disk that holds the directory. */
export const fsyncTime = (directory: string): number => {
  const file = join(directory, 'fsync')
  const descriptor = openSync(file, 'w')
  const times = Array.from({ length: 200 }, () => {
    writeSync(descriptor, Buffer.alloc(4096))
    const begun = performance.now()
    fsyncSync(descriptor)
    return performance.now() - begun
  }).sort((a, b) => a - b)
  closeSync(descriptor)
  rmSync(file)
  return times[100] ?? 0
}

/**
 * How many votes a second the disk and SQLite alone could take: a row in a log and four small documents for each, so many to a
 * transaction, each transaction on disk.
 */
export const rawVotes = (grouped: number, seconds: number): number => {
  const directory = mkdtempSync(join(tmpdir(), 'rostra-raw-'))
  const db = new DatabaseSync(join(directory, 'raw.db'))
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(
    'CREATE TABLE event (pos INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT, rev INTEGER, id TEXT, data TEXT, meta TEXT, UNIQUE (stream, rev)) STRICT',
  )
  db.exec('CREATE TABLE document (id TEXT PRIMARY KEY, pos INTEGER, body TEXT) STRICT')
  const append = db.prepare('INSERT INTO event (stream, rev, id, data, meta) VALUES (?, 0, ?, ?, ?)')
  const write = db.prepare('INSERT INTO document VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET pos = excluded.pos, body = excluded.body')
  const data = 'x'.repeat(250)
  let votes = 0
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    db.exec('BEGIN IMMEDIATE')
    for (let i = 0; i < grouped; i += 1, votes += 1) {
      append.run(`vote-${votes}`, `id-${votes}`, data, data)
      for (const id of [`vote-${votes}`, `link-${votes % 1000}`, `account-${votes % 100}`, `karma-${votes % 300}`])
        write.run(id, votes, data)
    }
    db.exec('COMMIT')
  }
  db.close()
  rmSync(directory, { recursive: true })
  return votes / seconds
}
