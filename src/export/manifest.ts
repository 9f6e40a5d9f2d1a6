import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { oneOf } from '../domain/one-of.ts'
import { levels } from './levels.ts'
import { compressions, replaceFile } from './output.ts'
import { formats } from './parts.ts'

/** Accepts only files below the directory: those of a manifest are removed when others take their place. */
const FileName = t.refinement(t.string, (name) => /^(?:tables\/)?\w+\/\d{12}\.(?:parquet|ndjson(?:\.gz|\.zst)?)$/.test(name), 'FileName')
const FileEntry = t.readonly(t.type({ name: FileName, rows: t.number, bytes: t.number, sha256: t.string }))

/** Consecutive events: their numbers, the position before them, that of the last one, the mark of the first one, and their files. */
const PartEntry = t.readonly(
  t.type({
    after: t.string,
    first: t.number,
    last: t.number,
    position: t.string,
    begins: t.string,
    rows: t.number,
    files: t.readonlyArray(FileEntry),
  }),
)
export type PartEntry = t.TypeOf<typeof PartEntry>

/** The choice of what is exported. It stays the same for as long as a directory is added to. */
const Choice = t.readonly(
  t.type({
    level: oneOf(levels),
    format: oneOf(formats),
    compression: oneOf(compressions),
    from: t.union([t.string, t.null]),
    types: t.readonlyArray(t.string),
    subsites: t.readonlyArray(t.string),
  }),
)
export type Choice = t.TypeOf<typeof Choice>

const TableEntry = t.readonly(t.type({ name: t.string, position: t.string, rows: t.number, files: t.readonlyArray(FileEntry) }))
export type TableEntry = t.TypeOf<typeof TableEntry>

/** Version 1 had other names of columns. */
export const EXPORT_VERSION = 2

const Manifest = t.readonly(
  t.type({
    format: t.literal('rostra-export'),
    version: t.union([t.literal(1), t.literal(EXPORT_VERSION)]),
    choice: Choice,
    /** The schema of the data: that in which each event was stored, or today's. */
    schema: oneOf(['as stored', 'current']),
    schemas: t.readonly(t.record(t.string, t.number)),
    /** The number of events that were read, and how many of them are in the files. */
    read: t.number,
    rows: t.number,
    first: t.union([t.number, t.null]),
    last: t.union([t.number, t.null]),
    position: t.union([t.string, t.null]),
    parts: t.readonlyArray(PartEntry),
    tables: t.readonlyArray(TableEntry),
  }),
)
export type Manifest = t.TypeOf<typeof Manifest>

export const MANIFEST = 'manifest.json'

/** Returns a manifest, with the fields that follow from its parts. */
export const manifestOf = (
  choice: Choice,
  schemas: Manifest['schemas'],
  parts: readonly PartEntry[],
  tables: readonly TableEntry[],
): Manifest => {
  const [begin, end] = [parts[0], parts.at(-1)]
  return {
    format: 'rostra-export',
    version: EXPORT_VERSION,
    choice,
    schema: choice.level === 'sealed' && choice.format === 'ndjson' ? 'as stored' : 'current',
    schemas,
    read: begin && end ? end.last - begin.first + 1 : 0,
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    first: begin?.first ?? null,
    last: end?.last ?? null,
    position: end?.position ?? null,
    parts,
    tables,
  }
}

/** Returns the manifest in a directory; undefined if there is no such file, null if the file is not the manifest of an export. */
export const readManifest = (directory: string): Manifest | null | undefined => {
  const file = join(directory, MANIFEST)
  if (!existsSync(file)) return undefined
  try {
    const read = Manifest.decode(JSON.parse(readFileSync(file, 'utf8')))
    return E.isRight(read) ? read.right : null
  } catch {
    return null
  }
}

/** Replaces the manifest at once. */
export const writeManifest = (directory: string, manifest: Manifest): void =>
  replaceFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`)
