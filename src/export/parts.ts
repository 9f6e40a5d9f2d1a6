import { join } from 'node:path'
import { eventDefinitions } from '../domain/events.ts'
import { type Column, envelopeColumns, tableColumns } from './columns.ts'
import { columnsAt, type Exporting, envelopeOf, type Numbered, rowOf } from './levels.ts'
import { type Compression, compressText, extensions, type OutputFile, outputFile } from './output.ts'
import { type ParquetFile, parquetFile } from './parquet.ts'

export const formats = ['ndjson', 'parquet'] as const
export type Format = (typeof formats)[number]

/** A file of an export: its address within the directory, its number of rows, its size and its hash. */
export type FileEntry = { readonly name: string; readonly rows: number; readonly bytes: number; readonly sha256: string }

/** The files of a run of consecutive events. */
export type ExportPart = {
  readonly write: (page: readonly Numbered[]) => Promise<void>
  readonly rows: () => number
  /** Completes the files. They are durable then, but not visible. */
  readonly close: () => Promise<readonly FileEntry[]>
  readonly publish: () => void
}

export type Writing = { readonly directory: string; readonly exporting: Exporting; readonly compression: Compression }

/** Returns the name of a part's files: the number of its first event. */
const toPartName = (first: number): string => String(first).padStart(12, '0')

const entryOf = (name: string, rows: number, output: OutputFile): FileEntry => ({ name, rows, ...output.close() })

/** Writes one file, with an event a line; none without events. */
const ndjsonPart = ({ directory, exporting, compression }: Writing, first: number): ExportPart => {
  const name = `events/${toPartName(first)}.ndjson${extensions[compression]}`
  let file: (ReturnType<typeof compressText> & { readonly output: OutputFile }) | undefined
  let rows = 0
  const begun = () => {
    const output = outputFile(join(directory, name))
    file = { output, ...compressText(output, compression) }
    return file
  }
  return {
    write: async (page) => {
      const lines = (await exporting.lines(page)).filter((line) => line !== undefined)
      rows += lines.length
      if (lines.length > 0) await (file ?? begun()).write(lines.join(''))
    },
    rows: () => rows,
    close: async () => {
      await file?.end()
      return file ? [entryOf(name, rows, file.output)] : []
    },
    publish: () => file?.output.publish(),
  }
}

/** Rows in memory take about so many bytes more than their data has. */
const ROW_BYTES = 1_000
/** The most bytes of rows that wait in memory for a group of their table. */
const MAX_WAITING_BYTES = 12 * 1024 * 1024

type OpenTable = { readonly name: string; readonly output: OutputFile; readonly file: ParquetFile; waiting: number }

/** Writes a file for the table `events`, and one for the table of each type that occurs. */
const parquetPart = ({ directory, exporting, compression }: Writing, first: number): ExportPart => {
  const tables = new Map<string, OpenTable>()
  let waiting = 0
  let rows = 0

  const tableOf = (table: string, columns: () => readonly Column[]): OpenTable => {
    const openTable = tables.get(table)
    if (openTable) return openTable
    const name = `${table}/${toPartName(first)}.parquet`
    const output = outputFile(join(directory, name))
    const openedTable: OpenTable = { name, output, file: parquetFile(output, columns(), compression), waiting: 0 }
    tables.set(table, openedTable)
    return openedTable
  }

  const flush = (table: OpenTable): void => {
    table.file.flush()
    waiting -= table.waiting
    table.waiting = 0
  }

  const columnsOf = (type: string) => () => {
    const definition = eventDefinitions.get(type)
    return tableColumns(definition ? columnsAt(exporting.level, definition) : [])
  }

  return {
    write: async (page) => {
      for (const [index, event] of (await exporting.events(page)).entries()) {
        if (event === undefined) continue
        const all = tableOf('events', () => envelopeColumns)
        const typeTable = tableOf(event.type, columnsOf(event.type))
        all.file.add(envelopeOf(event))
        typeTable.file.add(rowOf(event))
        all.waiting += ROW_BYTES
        typeTable.waiting += ROW_BYTES + (page[index]?.recorded.data.length ?? 0)
        waiting += 2 * ROW_BYTES + (page[index]?.recorded.data.length ?? 0)
        rows += 1
      }
      while (waiting > MAX_WAITING_BYTES) flush([...tables.values()].reduce((most, table) => (table.waiting > most.waiting ? table : most)))
    },
    rows: () => rows,
    close: async () =>
      [...tables.values()].map((table) => {
        flush(table)
        table.file.finish()
        return entryOf(table.name, table.file.rows(), table.output)
      }),
    publish: () => {
      for (const { output } of tables.values()) output.publish()
    },
  }
}

/** Begins a part whose first event has a number. */
export const beginPart = (format: Format, writing: Writing, first: number): ExportPart =>
  format === 'ndjson' ? ndjsonPart(writing, first) : parquetPart(writing, first)
