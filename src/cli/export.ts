import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type Codec, codec } from '../log/codec.ts'
import { keyring } from '../log/keys.ts'
import { type EventStore, type Position, type RecordedEvent, START } from '../ports/event-store.ts'
import { vaultLine, vaultRecords } from './carried-vault.ts'
import { commandLine, misused } from './command-line.ts'
import { runCommand } from './data-file.ts'
import { progressBar } from './progress-bar.ts'
import { openToRead } from './stores.ts'

const program = {
  usage: 'npm run -s export -- [--open] [--until <ISO time, or position of 20 digits>] [--with-keys | --with-vault]',
  help: `Writes the log as NDJSON to stdout: a header with the number of events and their hashes, then one event a line in log order. The
hash \`content\` leaves positions out, so it is the same in every store. A server may run meanwhile.

  --open        decrypt texts; otherwise they stay encrypted, and each line is byte for byte what was hashed when the event was written
  --until X     end with the event at this position, or before the first event later than this time
  --with-keys   add the keys that the texts are encrypted with
  --with-vault  also add credentials, OAuth clients and refresh tokens: everything \`npm run import\` needs to move a site`,
  options: {
    open: { type: 'boolean' },
    until: { type: 'string' },
    'with-keys': { type: 'boolean' },
    'with-vault': { type: 'boolean' },
  },
} as const

const PAGE = 1_000

type Line = {
  readonly position: Position
  readonly at: number
  readonly actor: string | null
  readonly text: string
  readonly content: string
}

const sealedLine = ({ position, stream, revision, id, type, data, meta }: RecordedEvent): Line => {
  const { at, by } = JSON.parse(meta) as { readonly at: number; readonly by: { readonly account: string | null } }
  const content = `${JSON.stringify({ stream, revision, id, type }).slice(1, -1)},"data":${data},"meta":${meta}}\n`
  return { position, at, actor: by.account, text: `{"position":"${position}",${content}`, content }
}

const openedLines = async (open: Codec['open'], recorded: readonly RecordedEvent[]): Promise<readonly Line[]> =>
  (await open(recorded)).map(({ position, stream, revision, id, type, at, by, data, meta }) => {
    const content = `${JSON.stringify({ stream, revision, id, type, at, by, data, meta }).slice(1)}\n`
    return { position, at, actor: by.account, text: `{"position":"${position}",${content}`, content }
  })

/**
 * The lines up to a position that the log has reached already, and before the first event that is later than a time: several processes
 * write the log, and what follows from an event bears its time, so that events after that one may be earlier. What is left out in
 * between would be missed by those after it.
 */
async function* lines(events: EventStore, open: Codec['open'] | undefined, last: Position, until: number): AsyncGenerator<Line, void> {
  for (let after = START; after < last; ) {
    const page = (await events.readAll(after, PAGE)).filter(({ position }) => position <= last)
    for (const line of open ? await openedLines(open, page) : page.map(sealedLine)) {
      if (line.at > until) return
      yield line
    }
    after = page.at(-1)?.position ?? last
  }
}

type Wanted = {
  readonly opened: boolean
  readonly until: number
  readonly last: Position | undefined
  readonly carried: 'nothing' | 'keys' | 'vault'
}

const wanted = (): Wanted => {
  const { values } = commandLine(program)
  const value = values.until
  const isPosition = value !== undefined && /^\d{20}$/.test(value)
  const until = value === undefined || isPosition ? Number.POSITIVE_INFINITY : Date.parse(value)
  if (Number.isNaN(until)) return misused(program, `--until is '${value}'`)
  const carried = values['with-vault'] ? 'vault' : values['with-keys'] ? 'keys' : 'nothing'
  return { opened: values.open ?? false, until, last: isPosition ? value : undefined, carried }
}

const write = async (text: string): Promise<void> => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

await runCommand(async () => {
  const { opened, until, last, carried } = wanted()
  const { events, vault, close } = await openToRead(process.env)
  const bar = progressBar('exporting')
  try {
    const head = await events.head()
    const end = last !== undefined && last < head ? last : head
    const open = opened ? codec(keyring(vault)).open : undefined
    // Twice through the log: the first line speaks of all that follow.
    const hash = createHash('sha256')
    const content = createHash('sha256')
    const accounts = new Set<string>()
    const whole: { count: number; first: Position | null; last: Position | null } = { count: 0, first: null, last: null }
    for await (const { position, actor, text, content: bare } of lines(events, open, end, until)) {
      hash.update(text)
      content.update(bare)
      if (actor !== null) accounts.add(actor)
      whole.count += 1
      whole.first ??= position
      whole.last = position
      bar.update(Number(position), 2 * Number(end))
    }
    const { count, first, last: final } = whole
    const records = (await vaultRecords(vault, accounts, carried)).map(vaultLine)
    for (const text of records) hash.update(text)
    const header = { format: 'rostra-log', version: 1, opened, events: count, first, last: final }
    const sums = { content: content.digest('hex'), sha256: hash.digest('hex') }
    await write(`${JSON.stringify({ ...header, vault: records.length, ...sums })}\n`)
    for await (const { position, text } of lines(events, open, end, until)) {
      await write(text)
      bar.update(Number(end) + Number(position), 2 * Number(end))
    }
    for (const text of records) await write(text)
    return 0
  } finally {
    bar.stop()
    await close()
  }
})
