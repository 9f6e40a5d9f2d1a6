// Decision 50.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type Codec, codec } from '../log/codec.ts'
import { openKeyring } from '../log/keys.ts'
import { isSystemError } from '../operations/error-message.ts'
import type { BlobHash, Blobs } from '../ports/blobs.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { blobUse } from './blob-use.ts'
import { misuseOf, parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { directoryHelp, directoryOptions, exportDirectory } from './export-directory.ts'
import { blobLine } from './export-format.ts'
import { vaultLine, vaultRecords } from './export-vault.ts'
import { type Call, type Program, runProgram } from './program.ts'
import { progressBar } from './progress-bar.ts'
import { openToRead } from './stores.ts'
import { writeWhole } from './whole-file.ts'

const usage = {
  usage:
    'npx rostra export [--file FILE] [--open] [--until <ISO time, or position of 20 digits>] [--with-keys | --with-vault] | --to DIR [more options]',
  help: `Without --to: writes the log as NDJSON to a file or to stdout, for \`npx rostra import\`: a header with the number of events and their hashes, then one event a line in log order. The
hash \`content\` leaves positions out, so it is the same in every store. A server may run meanwhile.

  --file FILE   write to this file, which only its owner can read, and which is there once it is whole
  --open        decrypt texts; otherwise they stay encrypted, and each line is byte for byte what was hashed when the event was written
  --until X     end with the event at this position, or before the first event later than this time
  --with-keys   add the keys that the texts are encrypted with
  --with-vault  also add credentials, OAuth clients, refresh tokens, and the images and stylesheets that subsites show: everything \`npx rostra import\` needs to move a site

${directoryHelp}`,
  options: {
    open: { type: 'boolean' },
    file: { type: 'string' },
    until: { type: 'string' },
    ...directoryOptions,
    'with-keys': { type: 'boolean' },
    'with-vault': { type: 'boolean' },
  },
} as const

const PAGE_EVENTS = 1_000

type Line = {
  readonly position: Position
  readonly at: number
  readonly actor: string | null
  readonly text: string
  readonly content: string
  readonly recorded: RecordedEvent
}

const toSealedLine = (recorded: RecordedEvent): Line => {
  const { position, stream, revision, id, type, data, meta } = recorded
  const { at, by } = JSON.parse(meta) as { readonly at: number; readonly by: { readonly account: string | null } }
  const content = `${JSON.stringify({ stream, revision, id, type }).slice(1, -1)},"data":${data},"meta":${meta}}\n`
  return { position, at, actor: by.account, text: `{"position":"${position}",${content}`, content, recorded }
}

const openLines = async (open: Codec['open'], page: readonly RecordedEvent[]): Promise<readonly Line[]> =>
  (await open(page)).map(({ position, stream, revision, id, type, at, by, data, meta }, index) => {
    const content = `${JSON.stringify({ stream, revision, id, type, at, by, data, meta }).slice(1)}\n`
    const recorded = page[index] as RecordedEvent
    return { position, at, actor: by.account, text: `{"position":"${position}",${content}`, content, recorded }
  })

/**
 * Yields the lines up to a position that the log has reached, and before the first event that is later than a time. Several processes write
 * the log, and the events of a reaction have the time of their cause, so later lines may have earlier times. A gap would miss them for
 * those who export on from there.
 */
async function* lines(events: EventStore, open: Codec['open'] | undefined, last: Position, until: number): AsyncGenerator<Line, void> {
  for (let after = LOG_START; after < last; ) {
    const page = (await events.readAll(after, PAGE_EVENTS)).filter(({ position }) => position <= last)
    for (const line of open ? await openLines(open, page) : page.map(toSealedLine)) {
      if (line.at > until) return
      yield line
    }
    after = page.at(-1)?.position ?? last
  }
}

type ExportValues = ReturnType<typeof parseArguments<typeof usage.options>>['values']

type ExportOptions = {
  readonly opened: boolean
  readonly until: number
  readonly last: Position | undefined
  readonly carried: 'nothing' | 'keys' | 'vault'
}

const optionsOf = (values: ExportValues): ExportOptions => {
  const value = values.until
  const isPosition = value !== undefined && /^\d{20}$/.test(value)
  const until = value === undefined || isPosition ? Number.POSITIVE_INFINITY : Date.parse(value)
  if (Number.isNaN(until)) throw misuseOf(usage, `--until is '${value}'`)
  const carried = values['with-vault'] ? 'vault' : values['with-keys'] ? 'keys' : 'nothing'
  return { opened: values.open ?? false, until, last: isPosition ? value : undefined, carried }
}

/** Returns the blobs that exist. Missing ones are reported, and the others are exported all the same. */
const selectExisting = async (blobs: Pick<Blobs, 'get'>, hashes: ReadonlySet<BlobHash>, { stderr }: Call): Promise<readonly BlobHash[]> => {
  const existing: BlobHash[] = []
  for (const hash of [...hashes].sort()) {
    if ((await blobs.get(hash)) !== undefined) existing.push(hash)
    else stderr.write(`the blob ${hash}, which a subsite shows, is missing\n`)
  }
  return existing
}

const lineOf = async (blobs: Pick<Blobs, 'get'>, hash: BlobHash): Promise<string> => {
  const bytes = await blobs.get(hash)
  if (bytes === undefined) throw new Misuse(`the blob ${hash} was deleted during the export: start it again`)
  return blobLine(hash, bytes)
}

type Write = (text: string) => Promise<void>

const openWriting =
  ({ stdout }: Call): Write =>
  async (text) => {
    if (!stdout.write(text)) await once(stdout, 'drain')
  }

type Stores = Awaited<ReturnType<typeof openToRead>>
type Progress = (position: Position) => void

/** The figures for a header, and the lines that follow the events. */
type Measures = {
  readonly range: { readonly events: number; readonly first: Position | null; readonly last: Position | null }
  /** The hash of the events' lines without positions. */
  readonly content: string
  /** The hash of all lines but the header. */
  readonly sha256: string
  readonly records: readonly string[]
  readonly files: readonly BlobHash[]
}

/** Reads all lines once, without writing any. */
const measureLines = async (
  call: Call,
  { vault, blobs }: Pick<Stores, 'vault' | 'blobs'>,
  { lines, open, carried }: { readonly lines: AsyncIterable<Line>; readonly open: Codec['open'] } & Pick<ExportOptions, 'carried'>,
  onLine: Progress,
): Promise<Measures> => {
  const usedBlobs = blobUse(open)
  const sha256 = createHash('sha256')
  const content = createHash('sha256')
  const actors = new Set<string>()
  let events = 0
  let first: Position | null = null
  let last: Position | null = null
  for await (const line of lines) {
    if (carried === 'vault') await usedBlobs.note([line.recorded])
    sha256.update(line.text)
    content.update(line.content)
    if (line.actor !== null) actors.add(line.actor)
    events += 1
    first ??= line.position
    last = line.position
    onLine(line.position)
  }
  const records = (await vaultRecords(vault, actors, carried)).map(vaultLine)
  for (const text of records) sha256.update(text)
  const files = await selectExisting(blobs, usedBlobs.inUse(), call)
  for (const file of files) sha256.update(await lineOf(blobs, file))
  return { range: { events, first, last }, content: content.digest('hex'), sha256: sha256.digest('hex'), records, files }
}

const headerOf = (
  { opened, carried }: Pick<ExportOptions, 'opened' | 'carried'>,
  { range, content, sha256, records, files }: Measures,
): string => {
  const counts = { vault: records.length, ...(carried === 'vault' && { blobs: files.length }) }
  return `${JSON.stringify({ format: 'rostra-log', version: 1, opened, ...range, ...counts, content, sha256 })}\n`
}

/** Reads everything again, and writes it. Throws if the lines are no longer those that were measured. */
const writeLines = async (
  write: Write,
  blobs: Pick<Blobs, 'get'>,
  lines: AsyncIterable<Line>,
  { records, files, sha256 }: Measures,
  onLine: Progress,
): Promise<void> => {
  const written = createHash('sha256')
  const writeLine = (text: string): Promise<void> => {
    written.update(text)
    return write(text)
  }
  for await (const { position, text } of lines) {
    await writeLine(text)
    onLine(position)
  }
  for (const text of records) await writeLine(text)
  for (const file of files) await writeLine(await lineOf(blobs, file))
  if (written.digest('hex') !== sha256) throw new Misuse('a text was erased during the export: start it again')
}

/** Reads the log twice, since the header, which comes first, has the count and the hash of all lines. */
const exportStream = async (call: Call, write: Write, options: ExportOptions): Promise<number> => {
  const { opened, until, last, carried } = options
  const { events, vault, blobs, close } = await openToRead(call.env)
  const bar = progressBar('exporting', call.stderr)
  try {
    const head = await events.head()
    const end = last !== undefined && last < head ? last : head
    const keys = openKeyring(vault)
    const { open } = codec(keys)
    const readLines = () => lines(events, opened ? open : undefined, end, until)
    const showProgress = (position: number) => bar.update(position, 2 * Number(end))

    const measures = await measureLines(call, { vault, blobs }, { lines: readLines(), open, carried }, (at) => showProgress(Number(at)))
    keys.forget() // a text that was erased since the first reading is not written
    await write(headerOf(options, measures))
    await writeLines(write, blobs, readLines(), measures, (at) => showProgress(Number(end) + Number(at)))
    return 0
  } finally {
    bar.stop()
    await close()
  }
}

const exportToFile = async (call: Call, file: string, options: ExportOptions): Promise<number> => {
  try {
    return await writeWhole(file, (write) => exportStream(call, write, options))
  } catch (error) {
    throw isSystemError(error) ? new Misuse(`${file} cannot be written: ${error.message}`) : error
  }
}

/** Options that only one of the two ways to export has. */
const ofStream = ['file', 'with-keys', 'with-vault'] as const
const ofDirectory = Object.keys(directoryOptions).filter((name) => name !== 'to')

export const exportLog: Program = async (call) => {
  const { values } = parseArguments(usage, call.args)
  const other = (values.to === undefined ? ofDirectory : ofStream).find((name) => Object.hasOwn(values, name))
  if (other !== undefined) throw misuseOf(usage, `--${other} goes ${values.to === undefined ? 'with' : 'without'} --to`)
  if (values.to !== undefined) return exportDirectory(call, values, usage)
  const options = optionsOf(values)
  return values.file === undefined ? exportStream(call, openWriting(call), options) : exportToFile(call, values.file, options)
}

if (import.meta.main) await runProgram(exportLog)
