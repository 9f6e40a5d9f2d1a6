import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import canonicalize from 'canonicalize'
import * as t from 'io-ts'
import { localStores } from '../adapters/sqlite/local.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { checkAppend } from '../adapters/sqlite/log.ts'
import { openWriter } from '../adapters/sqlite/schema.ts'
import { type AppendResult, type Expected, type ProposedEvent, type RecordedEvent, START } from '../ports/event-store.ts'
import type { Vault, VaultKind } from '../ports/vault.ts'
import { commandLine } from './command-line.ts'
import { Misuse, runCommand } from './data-file.ts'
import { progressBar } from './progress-bar.ts'
import { configured, isDataFile, openServers } from './stores.ts'

const [from = ''] = commandLine({
  usage: 'npm run import -- <file, or - for stdin>',
  help: `Puts an export into the stores that the environment names. Their log must be empty, or hold the beginning of the same export: an
interrupted import is run again and goes on. Every event keeps its id, stream, revision, time and bytes, and the order is the same.
Read models are built by the next start, or by the projection workers. Refuses while a server uses the data file.`,
  least: 1,
  most: 1,
}).positionals

const Header = t.type({ format: t.literal('rostra-log'), version: t.literal(1), opened: t.boolean, events: t.number, sha256: t.string })
const EventLine = t.type({ stream: t.string, revision: t.number, id: t.string, type: t.string, data: t.unknown, meta: t.unknown })
const VaultLine = t.type({ vault: t.type({ kind: t.string, id: t.string, owner: t.union([t.string, t.null]), value: t.unknown }) })

const CARRIED: readonly string[] = ['key', 'credentials', 'client', 'refresh']
const TOGETHER = 500

type Entry = { readonly stream: string; readonly revision: number; readonly event: ProposedEvent; readonly line: number }

type Target = {
  readonly first: () => Promise<RecordedEvent | undefined>
  /** Put events right where they stood, in this order; those that are there already stay as they are. */
  readonly append: (entries: readonly Entry[]) => Promise<void>
  readonly vault: Pick<Vault, 'putIf'>
  readonly close: () => Promise<void>
}

const expectedOf = ({ revision }: Entry): Expected => (revision === 0 ? 'none' : revision - 1)

const check = ({ stream, revision, line }: Entry, { outcome }: AppendResult): void => {
  if (outcome === 'conflict') throw new Misuse(`line ${line}: the log holds something else at revision ${revision} of ${stream}`)
}

const fileTarget = (file: string): Target => {
  const unlock = lock(file)
  const connection = openWriter(file)
  const { log, ports } = localStores(connection)
  return {
    first: async () => (await ports.events.readAll(START, 1))[0],
    append: async (entries) =>
      connection.write('FULL', () => {
        for (const entry of entries) {
          const append = { stream: entry.stream, expected: expectedOf(entry), events: [entry.event] }
          checkAppend(append)
          check(entry, log.append(append))
        }
      }),
    vault: ports.vault,
    close: async () => {
      connection.close()
      unlock()
    },
  }
}

const openTarget = async (): Promise<Target> => {
  const config = configured(process.env)
  if (isDataFile(config)) return fileTarget(config.eventStoreUrl.slice('sqlite:'.length))
  const { events, vault, close } = await openServers(config)
  return {
    first: async () => (await events.readAll(START, 1))[0],
    append: async (entries) => {
      // One after the other: two on their way at once may change places.
      for (const entry of entries) check(entry, await events.append(entry.stream, expectedOf(entry), [entry.event]))
    },
    vault,
    close,
  }
}

const parsed = (line: string, number: number): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    throw new Misuse(`line ${number} is no JSON`)
  }
}

const text = (value: unknown): string => canonicalize(value) ?? ''

const entryOf = ({ stream, revision, id, type, data, meta }: t.TypeOf<typeof EventLine>, line: number): Entry => ({
  stream,
  revision,
  line,
  event: { id, type, data: text(data), meta: text(meta) },
})

const store = async ({ vault }: Target, { kind, id, owner, value }: t.TypeOf<typeof VaultLine>['vault'], number: number) => {
  if (!CARRIED.includes(kind)) throw new Misuse(`line ${number}: ${kind} is nothing that travels with a log`)
  await vault.putIf(kind as VaultKind, id, 0, { value, ...(owner !== null && { owner }) })
}

type Content =
  | { readonly header: t.TypeOf<typeof Header> }
  | { readonly entry: Entry }
  | { readonly record: t.TypeOf<typeof VaultLine>['vault']; readonly line: number }

/** What stands in an export; throws at its end when that is not what its first line says. */
async function* contentsOf(input: NodeJS.ReadableStream): AsyncGenerator<Content, void> {
  // Made only now: what it reads before somebody listens is lost.
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  const hash = createHash('sha256')
  let header: t.TypeOf<typeof Header> | undefined
  let number = 0
  let events = 0
  for await (const line of lines) {
    number += 1
    const value = parsed(line, number)
    if (header === undefined) {
      if (!Header.is(value)) throw new Misuse('the first line is not that of an export')
      if (value.opened) throw new Misuse('an opened export cannot be imported: its texts are not sealed')
      header = value
      yield { header }
      continue
    }
    hash.update(`${line}\n`)
    if (EventLine.is(value)) {
      events += 1
      yield { entry: entryOf(value, number) }
    } else if (VaultLine.is(value)) yield { record: value.vault, line: number }
    else throw new Misuse(`line ${number} is neither an event nor a record`)
  }
  if (header === undefined) throw new Misuse('there is nothing to import')
  if (events !== header.events || hash.digest('hex') !== header.sha256)
    throw new Misuse('this is not, or not all of, what its first line speaks of')
}

const takeIn = async (target: Target, contents: AsyncIterable<Content>): Promise<number> => {
  const bar = progressBar('importing')
  const there = await target.first()
  let waiting: Entry[] = []
  let total = 0
  let done = 0
  const flush = async () => {
    await target.append(waiting)
    done += waiting.length
    waiting = []
    bar.update(done, total)
  }
  try {
    for await (const content of contents) {
      if ('header' in content) total = content.header.events
      else if ('entry' in content) {
        if (done + waiting.length === 0 && there && there.id !== content.entry.event.id)
          throw new Misuse('the log is not empty, and begins with something else')
        waiting.push(content.entry)
        if (waiting.length === TOGETHER) await flush()
      } else await store(target, content.record, content.line)
    }
    await flush()
    return done
  } finally {
    bar.stop()
  }
}

await runCommand(async () => {
  if (from !== '-' && !existsSync(from)) throw new Misuse(`there is no file ${from}`)
  // A file is first read to its end, so that nothing of a broken one is taken in.
  if (from !== '-') for await (const _ of contentsOf(createReadStream(from)));
  const target = await openTarget()
  try {
    const done = await takeIn(target, contentsOf(from === '-' ? process.stdin : createReadStream(from)))
    process.stdout.write(`${done} events imported\n`)
    return 0
  } finally {
    await target.close()
  }
})
