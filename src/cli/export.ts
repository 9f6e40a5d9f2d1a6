import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { openSqlite } from '../adapters/sqlite/stores.ts'
import { type Codec, codec } from '../log/codec.ts'
import { keyring } from '../log/keys.ts'
import { type EventStore, type Position, type RecordedEvent, START } from '../ports/event-store.ts'
import { dataFile, Misuse, runCommand } from './data-file.ts'
import { progressBar } from './progress-bar.ts'

// npm run -s export [-- --open] [--until <time or position>]: the log as NDJSON on stdout, one event a line in log order, after a
// line that says how many there are and what they hash to. Texts stay sealed, and each line is byte for byte what was hashed when
// the event was written; with --open they can be read. A server may run meanwhile.

const PAGE = 1_000

type Line = { readonly position: Position; readonly at: number; readonly text: string }

const sealedLine = ({ position, stream, revision, id, type, data, meta }: RecordedEvent): Line => {
  const { at } = JSON.parse(meta) as { readonly at: number }
  const place = JSON.stringify({ position, stream, revision, id, type }).slice(0, -1)
  return { position, at, text: `${place},"data":${data},"meta":${meta}}\n` }
}

const openedLines = async (open: Codec['open'], recorded: readonly RecordedEvent[]): Promise<readonly Line[]> =>
  (await open(recorded)).map(({ position, stream, revision, id, type, at, by, data, meta }) => ({
    position,
    at,
    text: `${JSON.stringify({ position, stream, revision, id, type, at, by, data, meta })}\n`,
  }))

/** The lines up to a position that the log has reached already, and no later than a time. */
async function* lines(events: EventStore, open: Codec['open'] | undefined, last: Position, until: number): AsyncGenerator<Line, void> {
  for (let after = START; after < last; ) {
    const page = (await events.readAll(after, PAGE)).filter(({ position }) => position <= last)
    for (const line of open ? await openedLines(open, page) : page.map(sealedLine)) if (line.at <= until) yield line
    after = page.at(-1)?.position ?? last
  }
}

type Wanted = { readonly opened: boolean; readonly until: number; readonly last: Position | undefined }

const parse = (args: readonly string[]): Wanted => {
  const at = args.indexOf('--until')
  const value = at < 0 ? undefined : (args[at + 1] ?? '')
  const rest = args.filter((argument, i) => argument !== '--open' && (at < 0 || (i !== at && i !== at + 1)))
  const isPosition = value !== undefined && /^\d{20}$/.test(value)
  const until = value === undefined || isPosition ? Number.POSITIVE_INFINITY : Date.parse(value)
  if (rest.length > 0 || Number.isNaN(until))
    throw new Misuse('usage: npm run -s export [-- --open] [--until <ISO time, or position of 20 digits>]')
  return { opened: args.includes('--open'), until, last: isPosition ? value : undefined }
}

const write = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

await runCommand(async () => {
  const { opened, until, last } = parse(process.argv.slice(2))
  const { events, vault, close } = await openSqlite({ file: dataFile(process.env), readOnly: true })
  const bar = progressBar('exporting')
  try {
    const head = await events.head()
    const end = last !== undefined && last < head ? last : head
    const open = opened ? codec(keyring(vault)).open : undefined
    // Twice through the log: the first line speaks of all that follow.
    const hash = createHash('sha256')
    const whole: { count: number; first: Position | null; last: Position | null } = { count: 0, first: null, last: null }
    for await (const { position, text } of lines(events, open, end, until)) {
      hash.update(text)
      whole.count += 1
      whole.first ??= position
      whole.last = position
      bar.update(Number(position), 2 * Number(end))
    }
    const { count, first, last: final } = whole
    await write(
      `${JSON.stringify({ format: 'rostra-log', version: 1, opened, events: count, first, last: final, sha256: hash.digest('hex') })}\n`,
    )
    for await (const { position, text } of lines(events, open, end, until)) {
      await write(text)
      bar.update(Number(end) + Number(position), 2 * Number(end))
    }
    return 0
  } finally {
    bar.stop()
    await close()
  }
})
