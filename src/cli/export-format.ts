import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { eventDefinitions } from '../domain/events.ts'
import { firstCharacters } from '../domain/text-limits.ts'
import { type BlobHash, blobHash, MAX_BLOB_BYTES } from '../ports/blobs.ts'
import { canonicalJson } from '../ports/canonical-json.ts'
import type { ProposedEvent } from '../ports/event-store.ts'
import { Misuse } from './data-file.ts'
import { linesOf } from './lines.ts'

const Header = t.intersection([
  t.type({ format: t.literal('rostra-log'), version: t.literal(1), opened: t.boolean, events: t.number, sha256: t.string }),
  /** Optional statements of a header about the lines after it. */
  t.partial({ first: t.union([t.string, t.null]), last: t.union([t.string, t.null]), vault: t.number, blobs: t.number, content: t.string }),
])
/** The fields of a header. Each is checked, so that a damaged one is not taken for an absent one. */
const HEADER_FIELDS: ReadonlySet<string> = new Set('format version opened events first last vault blobs content sha256'.split(' '))

const EventLine = t.type({
  stream: t.string,
  revision: t.number,
  id: t.string,
  type: t.string,
  data: t.UnknownRecord,
  meta: t.UnknownRecord,
})
const VaultLine = t.type({ vault: t.type({ kind: t.string, id: t.string, owner: t.union([t.string, t.null]), value: t.unknown }) })

const BlobLine = t.type({ blob: t.type({ hash: t.string, base64: t.string }) })

/** Returns the line of an export that carries an image or a published stylesheet. */
export const blobLine = (hash: BlobHash, bytes: Buffer): string =>
  `${JSON.stringify({ blob: { hash, base64: bytes.toString('base64') } })}\n`

/** A record of the vault that an export carries. */
export type ExportedRecord = t.TypeOf<typeof VaultLine>['vault']

/** An event of an export and the number of its line. */
export type ExportedEvent = { readonly stream: string; readonly revision: number; readonly event: ProposedEvent; readonly line: number }

/** The content of a line. */
export type Content =
  | { readonly header: t.TypeOf<typeof Header> }
  | { readonly entry: ExportedEvent }
  | { readonly record: ExportedRecord; readonly line: number }
  | { readonly bytes: Buffer }

const parseLine = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    throw new Misuse(`line ${number} is not JSON`)
  }
}

/** Returns canonical JSON. A value that has none cannot come from an export. */
const text = (value: unknown, line: number): string => {
  try {
    return canonicalJson(value)
  } catch (error) {
    throw new Misuse(`line ${line} cannot be stored: ${error instanceof Error ? error.message : error}`)
  }
}

const entryOf = ({ stream, revision, id, type, data, meta }: t.TypeOf<typeof EventLine>, line: number): ExportedEvent => {
  if (!Number.isSafeInteger(revision) || revision < 0) throw new Misuse(`line ${line}: ${revision} is not a revision`)
  if (!eventDefinitions.has(type))
    throw new Misuse(
      `line ${line}: this version knows no event ${firstCharacters(100, type)}; import with the version that wrote it, or a later one`,
    )
  return { stream, revision, line, event: { id, type, data: text(data, line), meta: text(meta, line) } }
}

const blobOf = ({ blob: { hash, base64 } }: t.TypeOf<typeof BlobLine>, line: number): Buffer => {
  const bytes = Buffer.from(base64, 'base64')
  if (blobHash(bytes) !== hash || bytes.length > MAX_BLOB_BYTES) throw new Misuse(`line ${line}: the bytes are not those of their hash`)
  return bytes
}

const POSITION = /^\{"position":"([^"]*)",/

/** Counts the lines, to compare them with the header. */
const tally = () => {
  const sha256 = createHash('sha256')
  const content = createHash('sha256')
  const counts = { events: 0, vault: 0, blobs: 0 }
  const ends: { first: string | null; last: string | null } = { first: null, last: null }
  return {
    line: (line: string, kind: keyof typeof counts): void => {
      sha256.update(`${line}\n`)
      counts[kind] += 1
      if (kind !== 'events') return
      content.update(`${line.replace(POSITION, '')}\n`)
      const position = POSITION.exec(line)?.[1] ?? null
      ends.first ??= position
      ends.last = position
    },
    fits: (header: t.TypeOf<typeof Header>): boolean =>
      Object.entries({ ...counts, ...ends, content: content.digest('hex'), sha256: sha256.digest('hex') }).every(
        ([name, value]) => !(name in header) || header[name as keyof typeof header] === value,
      ),
  }
}

/** Tells whether npm wrote a line before an export, as `npx rostra export > file` does. */
const isBanner = (line: string): boolean => line === '' || line.startsWith('> ')

/** Yields the contents of an export. Throws at its end if the count or the checksum differs from the header. */
export async function* contentsOf(input: NodeJS.ReadableStream): AsyncGenerator<Content, void> {
  const counted = tally()
  let header: t.TypeOf<typeof Header> | undefined
  let number = 0
  for await (const line of linesOf(input)) {
    number += 1
    if (header === undefined && isBanner(line)) continue
    const value = parseLine(line, number)
    if (header === undefined) {
      if (!Header.is(value) || !Object.keys(value).every((name) => HEADER_FIELDS.has(name)))
        throw new Misuse('the first line is not the header of an export')
      if (value.opened) throw new Misuse('an export made with --open cannot be imported: its texts are not encrypted')
      header = value
      yield { header }
      continue
    }
    if (EventLine.is(value)) {
      counted.line(line, 'events')
      yield { entry: entryOf(value, number) }
    } else if (VaultLine.is(value)) {
      counted.line(line, 'vault')
      yield { record: value.vault, line: number }
    } else if (BlobLine.is(value)) {
      counted.line(line, 'blobs')
      yield { bytes: blobOf(value, number) }
    } else throw new Misuse(`line ${number} is neither an event nor a record`)
  }
  if (header === undefined) throw new Misuse('the file holds no events to import')
  if (!counted.fits(header)) throw new Misuse('the checksum or count differs from the header: the file is incomplete or was changed')
}
