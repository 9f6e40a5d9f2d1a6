import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { Column, ColumnType } from './columns.ts'
import type { Compression, OutputFile } from './output.ts'

const codecs = { zstd: 'ZSTD', gzip: 'GZIP', none: 'UNCOMPRESSED' } as const satisfies Readonly<Record<Compression, string>>

const compressors = {
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  GZIP: (bytes: Uint8Array) => gzipSync(bytes, { level: 1 }),
}

const scalars = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  integer: { type: 'INT64' },
  real: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
} as const satisfies Readonly<Record<Extract<ColumnType, string>, Omit<SchemaElement, 'name'>>>

const elementsOf = (name: string, type: ColumnType): readonly SchemaElement[] => {
  if (typeof type === 'string') return [{ name, repetition_type: 'OPTIONAL', ...scalars[type] }]
  if ('record' in type) {
    const members = type.record.flatMap((member) => elementsOf(member.name, member.type))
    return [{ name, repetition_type: 'OPTIONAL', num_children: type.record.length }, ...members]
  }
  return [
    { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...elementsOf('element', type.list),
  ]
}

/** Returns the schema of a table, as Parquet writes it. */
const parquetSchema = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'root', repetition_type: 'REQUIRED', num_children: columns.length },
  ...columns.flatMap(({ name, type }) => elementsOf(name, type)),
]

const BUFFER_BYTES = 1024

type Convert = (value: unknown) => unknown

/**
 * Returns the conversion of values of a type for the writer: integers become big integers; undefined if the writer takes them as they are.
 */
const conversion = (type: ColumnType): Convert | undefined => {
  if (type === 'integer') return (value) => BigInt(value as number)
  if (typeof type === 'string') return undefined
  if ('list' in type) {
    const each = conversionOf(type.list)
    return each && ((values) => (values as readonly unknown[]).map(each))
  }
  const members = type.record.map(({ name, field = name, type: memberType }) => ({ name, field, convert: conversionOf(memberType) }))
  if (members.every(({ name, field, convert }) => name === field && convert === undefined)) return undefined
  return (value) => {
    const holder = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(members.map(({ name, field, convert }) => [name, convert ? convert(holder[field]) : holder[field]]))
  }
}

const conversionOf = (type: ColumnType): Convert | undefined => {
  const convert = conversion(type)
  return convert && ((value) => (value === null || value === undefined ? null : convert(value)))
}

/** A row of a table, by the fields that its columns show. Absent values are null. */
export type TableRow = Readonly<Record<string, unknown>>

export type ParquetFile = {
  /** Adds a row to the group that waits in memory. */
  readonly add: (row: TableRow) => void
  /** Writes the group. */
  readonly flush: () => void
  readonly finish: () => void
  readonly rows: () => number
}

/** Opens a Parquet file. A group of its rows is in memory. */
export const parquetFile = (output: OutputFile, columns: readonly Column[], compression: Compression): ParquetFile => {
  const bytes = new ByteWriter()
  const drain = () => {
    output.write(bytes.getBytes())
    bytes.index = 0
    // otherwise as many bytes as the largest group stay in memory for each file
    bytes.buffer = new ArrayBuffer(BUFFER_BYTES)
    bytes.view = new DataView(bytes.buffer)
  }
  const writer = new ParquetWriter({
    writer: Object.assign(bytes, { flush: drain, finish: drain }),
    schema: parquetSchema(columns),
    codec: codecs[compression],
    compressors,
    createdBy: 'rostra',
  })
  const conversions = columns.map(({ type }) => conversionOf(type))
  const empty = () => columns.map(({ name, field = name }) => ({ name, field, data: [] as unknown[] }))
  let group = empty()
  let waiting = 0
  let rows = 0
  return {
    add: (row) => {
      for (const { field, data } of group) data.push(row[field] ?? null)
      waiting += 1
      rows += 1
    },
    flush: () => {
      if (waiting === 0) return
      const columnData = group.map(({ name, data }, index) => ({ name, data: conversions[index] ? data.map(conversions[index]) : data }))
      writer.write({ columnData, rowGroupSize: waiting })
      group = empty()
      waiting = 0
    },
    finish: () => {
      writer.finish()
    },
    rows: () => rows,
  }
}
