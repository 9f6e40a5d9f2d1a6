import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import type { ExecutionContext } from 'ava'
import { type Manifest, readManifest } from '../../src/export/manifest.ts'

type Row = Readonly<Record<string, unknown>>

const bytesOf = (file: string): Buffer => {
  const bytes = readFileSync(file)
  if (file.endsWith('.gz')) return gunzipSync(bytes)
  return file.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes
}

/** Returns the manifest of an export. Checks that it names all files and no others, with their sizes and hashes. */
export const manifestIn = (t: ExecutionContext, directory: string): Manifest => {
  const manifest = readManifest(directory)
  if (!manifest) throw new Error(`${directory} has no manifest`)
  const named = [...manifest.parts, ...manifest.tables].flatMap(({ files }) => files)
  t.deepEqual(globSync('*/**/*.*', { cwd: directory }).toSorted(), named.map(({ name }) => name).toSorted())
  for (const { name, bytes, sha256 } of named) {
    const content = readFileSync(join(directory, name))
    t.deepEqual([bytes, sha256], [content.length, createHash('sha256').update(content).digest('hex')], name)
  }
  for (const { rows, files } of manifest.parts)
    t.is(
      files.filter(({ name }) => name.startsWith('events/')).reduce((sum, file) => sum + file.rows, 0),
      rows,
    )
  return manifest
}

/** Returns the lines of the events in an export, or of a table, in the order of the files' names. */
export const linesIn = (directory: string, table = 'events'): readonly string[] =>
  globSync(`${table}/*.ndjson*`, { cwd: directory })
    .toSorted()
    .flatMap((name) => bytesOf(join(directory, name)).toString().split('\n').slice(0, -1))

/** Returns all contents of an export as one text; compressed files are decompressed. */
export const textIn = (directory: string): string =>
  globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${bytesOf(join(entry.parentPath, entry.name)).toString('latin1')}`)
    .join('\n')

/** Opens DuckDB, which answers queries with rows by the names of their columns. */
export const openDuck = async (t: ExecutionContext) => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  t.teardown(() => {
    connection.closeSync()
    instance.closeSync()
  })
  return async (sql: string): Promise<readonly Row[]> => (await connection.runAndReadAll(sql)).getRowObjectsJS() as readonly Row[]
}

/** Returns the rows of one table of an export, in the order of the log; none if there is no file of it. */
export const tableIn = async (ask: Awaited<ReturnType<typeof openDuck>>, directory: string, table: string): Promise<readonly Row[]> =>
  existsSync(join(directory, table)) ? ask(`SELECT * FROM '${join(directory, table)}/*.parquet' ORDER BY n`) : []
