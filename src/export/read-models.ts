import { join } from 'node:path'
import { accounts } from '../../projections/accounts.ts'
import type { CommentDocument } from '../../projections/comments.ts'
import { anybody, type readerOf } from '../disclosure/disclosure.ts'
import type { Document } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import { openReading } from '../queries/reading.ts'
import { isLink, thingsById } from '../queries/things.ts'
import type { Choice, TableEntry } from './manifest.ts'
import { compressText, extensions, outputFile } from './output.ts'
import { parquetFile, type TableRow } from './parquet.ts'
import { columnsOfTable, type ExportedTable, type PublicFacts, rowOfDocument, tables } from './tables.ts'

const PAGE_DOCUMENTS = 200
/** The rows of a file, and those of a group that waits in memory. */
const FILE_ROWS = 500_000
const GROUP_ROWS = 10_000

type Ports = Parameters<typeof readerOf>[0]

const ids = (documents: readonly Document[], ...names: readonly string[]): readonly string[] =>
  documents.flatMap((document) => names.flatMap((name) => (document as unknown as Readonly<Record<string, string | null>>)[name] ?? []))

/** Reads the facts that decide about the documents of a page. */
const readPageFacts = async (ports: Ports, table: ExportedTable, page: readonly Document[]): Promise<PublicFacts> => {
  const { documents, clock } = ports
  const read = openReading(ports, anybody)
  const isSubsite = table.name === 'subsites'
  const threads = await thingsById(documents, table.name === 'comments' ? ids(page, 'link') : [])
  await read.loadSubsites(isSubsite ? ids(page, 'id') : ids(page, 'subsite'))
  const people = await documents.getMany(
    accounts,
    ids(page, 'author', 'mod', 'targetId').filter((id) => id.startsWith('t2_')),
  )
  const hidesScore = ({ id, link, subsite, created }: CommentDocument): boolean => {
    const thread = threads.get(link)
    const minutes = read.subsite(subsite)?.settings.comment_score_hide_mins ?? 0
    if (thread === undefined || !isLink(thread)) return true
    return thread.contestMode || thread.stickyComment === id || clock() - created < minutes * 60_000
  }
  return { mayView: read.mayView, isGone: (account) => people.get(account)?.deleted !== false, hidesScore }
}

/** Yields the rows of a table, in the order of the ids of their documents. */
async function* rowsOf(ports: Ports, table: ExportedTable, level: Choice['level']): AsyncGenerator<readonly TableRow[], void> {
  for (let after: string | undefined; ; ) {
    const stored: readonly Document[] = await ports.documents.walk(table.collection, after, PAGE_DOCUMENTS)
    const page = (await table.complete?.(ports.documents, stored)) ?? stored
    const facts = level === 'public' ? await readPageFacts(ports, table, page) : undefined
    yield page.map((document) => rowOfDocument(table, level, document, facts)).filter((row) => row !== undefined)
    after = page.at(-1)?.id
    if (after === undefined || page.length < PAGE_DOCUMENTS) return
  }
}

const begin = (directory: string, { format, compression, level }: Choice, table: ExportedTable, number: number) => {
  const ending = format === 'parquet' ? '.parquet' : `.ndjson${extensions[compression]}`
  const name = `tables/${table.name}/${String(number).padStart(12, '0')}${ending}`
  const output = outputFile(join(directory, name))
  const text = compressText(output, compression)
  const file = format === 'parquet' ? parquetFile(output, columnsOfTable(table, level), compression) : undefined
  let rows = 0
  let waiting = 0
  return {
    rows: () => rows,
    write: async (page: readonly TableRow[]) => {
      rows += page.length
      if (file === undefined) return page.length > 0 ? text.write(page.map((row) => `${JSON.stringify(row)}\n`).join('')) : undefined
      for (const row of page) file.add(row)
      waiting += page.length
      if (waiting < GROUP_ROWS) return
      file.flush()
      waiting = 0
    },
    end: async () => {
      file?.flush()
      file?.finish()
      // a file without a piece would not be one of its kind
      if (file === undefined && rows === 0) await text.write('')
      await text.end()
      return { entry: { name, rows, ...output.close() }, publish: output.publish }
    },
  }
}

/**
 * Writes the tables of a level anew, each as it is while it is read. `position` is that of the read models. Returns the tables, which stay
 * invisible until they are published.
 */
export const exportTables = async (ports: Ports, directory: string, choice: Choice, position: Position) => {
  const written: (TableEntry & { readonly publish: () => void })[] = []
  for (const table of tables.filter(({ levels }) => levels.includes(choice.level))) {
    const files: Awaited<ReturnType<ReturnType<typeof begin>['end']>>[] = []
    let file = begin(directory, choice, table, 0)
    for await (const page of rowsOf(ports, table, choice.level)) {
      if (file.rows() >= FILE_ROWS) {
        files.push(await file.end())
        file = begin(directory, choice, table, files.length)
      }
      await file.write(page)
    }
    files.push(await file.end())
    const entries = files.map(({ entry }) => entry)
    const rows = entries.reduce((sum, entry) => sum + entry.rows, 0)
    written.push({ name: table.name, position, rows, files: entries, publish: () => files.map(({ publish }) => publish()) })
  }
  return written
}
