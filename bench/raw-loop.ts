import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { accounts } from '../projections/accounts.ts'
import { karma } from '../projections/karma.ts'
import { links } from '../projections/links.ts'
import { votes } from '../projections/votes.ts'
import { type DataFile, openDataFile } from '../src/adapters/sqlite/connection.ts'
import { columnOf, columnValues, describeTable, type TableLayout } from '../src/adapters/sqlite/tables.ts'
import type { Collection, Document } from '../src/ports/documents.ts'

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

const readDocuments = (connection: DataFile, collection: Collection<Document>, many: number) => {
  const table = describeTable(connection, collection)
  const found = connection.rows(`SELECT n, body FROM ${table.name} ORDER BY n DESC LIMIT ? + 0`).all(many) as unknown as [number, string][]
  return { table, found: found.map(([n, body]) => ({ n, body })) }
}

const updateStatement = (table: TableLayout, fields: readonly string[]) =>
  `UPDATE ${table.name} SET ${['pos', ...fields.map(columnOf), 'body'].map((column) => `${column} = ?`).join(', ')} WHERE n = ?`

/**
 * Votes a second that SQLite alone takes on a data file of this service that nothing else uses: the same rows in the same tables and
 * indexes, so many votes to a group, each group's events on disk before its read models follow. It decides, reads and answers nothing.
 */
export const rawVotes = (file: string, grouped: number, seconds: number): number => {
  const connection = openDataFile(file, { readOnly: false, cacheMebibytes: 48 })
  const { rows, change, write } = connection
  connection.db.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 16000')
  const linked = readDocuments(connection, links, 1_000)
  const earned = readDocuments(connection, karma, 1_000)
  const authors = readDocuments(connection, accounts, 1_000)
  const cast = describeTable(connection, votes)
  const run = randomUUID()
  const data = 'd'.repeat(200)
  const meta = 'm'.repeat(370)
  const append = rows('INSERT INTO event(stream, rev, id, type, data, meta) VALUES(?, 0, ?, ?, ?, ?)')
  const [updateLink, updateKarma, updateAuthor] = [
    updateStatement(linked.table, ['ups', 'score', 'hot', 'fun']),
    updateStatement(earned.table, []),
    updateStatement(authors.table, []),
  ]

  let votesMade = 0
  const events = (position: { last: number }) => {
    for (let i = 0; i < grouped; i += 1) {
      const id = `${run}.${votesMade + i}`
      position.last = Number(append.run(`vote-${id}`, id, 'VoteCast', data, meta).lastInsertRowid)
    }
  }
  const documents = (position: number) => {
    for (let i = 0; i < grouped; i += 1) {
      const vote = votesMade + i
      const id = `${run}.${vote}`
      const document = { id, voter: `voter${vote % 16}`, thing: id, kind: 'link', insightful: true, funny: false, first: vote }
      rows(cast.insert).get(id, position, ...columnValues(cast, document), JSON.stringify(document))
      const link = linked.found[(vote * 7) % linked.found.length]
      const rank = vote / 1_000
      if (link) change(updateLink, position, vote, vote, rank, rank, link.body, link.n)
      const one = earned.found[vote % earned.found.length]
      if (one) change(updateKarma, position, one.body, one.n)
      const author = authors.found[vote % authors.found.length]
      if (author) change(updateAuthor, position, author.body, author.n)
    }
    change("INSERT OR REPLACE INTO checkpoint(name, position) VALUES('raw', ?)", String(position))
  }

  const begun = performance.now()
  while (performance.now() - begun < seconds * 1000) {
    const position = { last: 0 }
    write('FULL', () => events(position))
    write('NORMAL', () => documents(position.last))
    votesMade += grouped
  }
  const perSecond = votesMade / ((performance.now() - begun) / 1000)
  connection.close()
  return perSecond
}
