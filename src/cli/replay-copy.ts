import { existsSync, renameSync, rmSync } from 'node:fs'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { diskBlobs } from '../adapters/disk/blobs.ts'
import { type Local, localStores } from '../adapters/sqlite/local.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { openWriter } from '../adapters/sqlite/schema.ts'
import { codec, eventOpener, sealedTextsIn } from '../log/codec.ts'
import { keyring, MAX_ERASED_THINGS, recordWithout } from '../log/keys.ts'
import { type EventStore, LOG_START, type RecordedEvent } from '../ports/event-store.ts'
import { REPLAY_CHECKPOINT } from '../stores.ts'
import { blobUse } from './blob-use.ts'
import { Misuse } from './data-file.ts'
import { isAfter, type Place } from './place.ts'
import type { Call } from './program.ts'
import { type ProgressBar, progressBar } from './progress-bar.ts'
import { openToRead } from './stores.ts'
import { openWithdrawals, type Withdrawals } from './withdrawals.ts'

const PAGE_EVENTS = 1_000
const ACCOUNTS_PER_READ = 500

/** Opens events without their texts. */
const openSealed = eventOpener({ fetch: async () => new Map(), forget: () => {} })

/** All pages of a log as it is now, to its end. */
async function* pagesOfLog(events: Pick<EventStore, 'readAll' | 'head'>, bar: ProgressBar): AsyncGenerator<readonly RecordedEvent[]> {
  const end = await events.head()
  for (let after = LOG_START; after < end; ) {
    const page = (await events.readAll(after, PAGE_EVENTS)).filter(({ position }) => position <= end)
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.position ?? end
    bar.update(Number(after), Number(end))
  }
}

const timeOf = ({ meta }: Pick<RecordedEvent, 'meta'>): number => (JSON.parse(meta) as { readonly at: number }).at

type Source = Awaited<ReturnType<typeof openToRead>>
/** Does work on the copy in one transaction. */
type Write = (work: () => void) => void
type CopyParts = {
  readonly withdrawals: Withdrawals
  readonly use: ReturnType<typeof blobUse>
  readonly bar: ProgressBar
  readonly write: Write
}

/** Appends an event after those that its stream has in the copy; false if the stream is not there, or does not go on with it. */
const appendTo = ({ log }: Local, event: RecordedEvent, revision: number): boolean => {
  const { stream } = event
  return log.append({ stream, expected: revision === 0 ? 'none' : revision - 1, events: [event] }).outcome === 'appended'
}

/** A deletion that came later, at the end of the copy; false if what it deletes is not there. */
const repeat = (local: Local, event: RecordedEvent): boolean => {
  const [last] = local.log.readBackwards(event.stream, undefined, 1).events
  return last !== undefined && appendTo(local, event, last.revision + 1)
}

/**
 * Copies the log up to a place, byte for byte, and after it the deletions from the rest of the log. How many events were copied, the position and the time of
 * the last, how many deletions came after it, and who had registered.
 */
const copyLog = async ({ events }: Source, local: Local, until: Place | undefined, { withdrawals, use, bar, write }: CopyParts) => {
  const accounts = new Set<string>()
  let n = 0
  let last: { readonly n: number; readonly position: string; readonly at: number } | undefined
  let repeated = 0
  for await (const page of pagesOfLog(events, bar)) {
    const first = n
    n += page.length
    const isBeyond = (event: RecordedEvent, i: number) =>
      until !== undefined && isAfter({ n: first + i, position: event.position, at: timeOf(event) }, until)
    const beyond = first > 0 && last?.n !== first - 1 ? 0 : page.findIndex(isBeyond)
    const taken = beyond < 0 ? page : page.slice(0, beyond)
    write(() => {
      for (const event of taken)
        if (!appendTo(local, event, event.revision))
          throw new Misuse(`the log has ${event.stream} at revision ${event.revision} in the wrong place: run npm run audit`)
    })
    const final = taken.at(-1)
    if (final) last = { n: first + taken.length - 1, position: local.log.head(), at: timeOf(final) }
    for (const { type, data } of taken)
      if (type === 'AccountRegistered') accounts.add((JSON.parse(data) as { readonly account: string }).account)
    await use.note(taken)
    const deletions = await withdrawals.read(page)
    write(() => {
      for (const event of deletions) if (!taken.includes(event) && repeat(local, event)) repeated += 1
    })
  }
  if (until && 'n' in until && until.n >= n) throw new Misuse(`the log has ${n} events: the last is ${n - 1}`)
  if (last === undefined) throw new Misuse('there is nothing in the log until then')
  return { ...last, repeated, accounts }
}

/** The things whose texts the copy has, of the accounts that withdrew more than can be erased one by one. */
const keptOf = async ({ ports: { events } }: Local, withdrawals: Withdrawals): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const kept = new Map(
    [...withdrawals.accounts()].flatMap((account) =>
      withdrawals.things(account).size > MAX_ERASED_THINGS ? [[account, new Set<string>()] as const] : [],
    ),
  )
  if (kept.size === 0) return kept
  for await (const page of pagesOfLog(events, { update: () => {}, stop: () => {} }))
    for (const event of page) for (const { account, thing } of sealedTextsIn(event)) kept.get(account)?.add(thing)
  return kept
}

/** The texts of what was made anew under the same name since: those before its deletion. */
const noteEarlierTexts = ({ log }: Local, withdrawals: Withdrawals): void => {
  for (const [stream, revision] of withdrawals.streams)
    for (let from = 0; from < revision; ) {
      const { events, more } = log.read(stream, from)
      for (const event of events)
        if (event.revision < revision) for (const { account, thing } of sealedTextsIn(event)) withdrawals.note(account, thing)
      from = more ? from + events.length : revision
    }
}

/** The keys of today, without those of what is withdrawn today. */
const copyKeys = async (
  { vault }: Source,
  local: Local,
  accounts: ReadonlySet<string>,
  { withdrawals, write }: CopyParts,
): Promise<void> => {
  noteEarlierTexts(local, withdrawals)
  const kept = await keptOf(local, withdrawals)
  const ids = [...accounts].sort()
  for (let from = 0; from < ids.length; from += ACCOUNTS_PER_READ) {
    const records = await vault.getMany('key', ids.slice(from, from + ACCOUNTS_PER_READ))
    write(() => {
      for (const [account, { value }] of records) {
        const parts = { things: withdrawals.things(account), kept: kept.get(account) ?? new Set<string>() }
        const left = withdrawals.isErased(account) ? null : recordWithout(account, value, parts)
        if (left !== undefined) local.vault.put('key', account, { value: left, owner: account })
      }
    })
  }
}

/** The images and stylesheets that were shown then, as far as they are still there; how many are not. */
const copyBlobs = async (source: Source, file: string, { use, withdrawals }: CopyParts): Promise<number> => {
  const into = diskBlobs(`${file}.blobs`)
  let missing = 0
  for (const hash of use.inUse()) {
    const bytes = withdrawals.isBlobErased(hash) ? undefined : await source.blobs.get(hash)
    if (bytes) await into.put(bytes)
    else missing += 1
  }
  return missing
}

/** Makes the copy; `FILE` alone afterwards, which can be read where nothing can be written. */
const makeCopy = async (source: Source, file: string, { until, withVault }: Omit<ReplayOptions, 'into'>, { stderr }: Call) => {
  const connection = openWriter(file)
  const bar = progressBar('copying', stderr)
  const building = progressBar('building', stderr)
  try {
    connection.db.exec('PRAGMA cache_size = -131072') // KiB
    const local = localStores(connection)
    const { events, documents, vault } = local.ports
    const write: Write = (work) => connection.write('NORMAL', work)
    const parts = { withdrawals: openWithdrawals(), use: blobUse(openSealed), bar, write }
    const { accounts, ...copied } = await copyLog(source, local, until, parts)
    bar.stop()
    if (withVault) await copyKeys(source, local, accounts, parts)
    const missing = await copyBlobs(source, file, parts)
    await openReadModels({ events, documents, open: codec(keyring(vault)).open }, projections, ({ position, target }) =>
      building.update(Number(position), Number(target)),
    )
    await documents.write([], { name: REPLAY_CHECKPOINT, from: undefined, to: copied.position })
    connection.db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
    return { ...copied, missing }
  } finally {
    bar.stop()
    building.stop()
    connection.close()
  }
}

export type ReplayOptions = { readonly until: Place | undefined; readonly into: string; readonly withVault: boolean }

const SUFFIXES = ['', '-wal', '-shm', '.blobs']

const removeAll = (file: string): void => {
  for (const suffix of SUFFIXES) rmSync(`${file}${suffix}`, { recursive: true, force: true })
}

/** Makes a data file of the site as it was at a place. Until it is whole it has another name. */
export const replayInto = async (call: Call, { until, into, withVault }: ReplayOptions): Promise<number> => {
  if (SUFFIXES.some((suffix) => existsSync(`${into}${suffix}`)))
    throw new Misuse(`${into} is there already: name another file, or remove it with all files that begin so`)
  const source = await openToRead(call.env)
  const part = `${into}.part`
  const unlock = lock(part)
  try {
    removeAll(part)
    const { n, at, repeated, missing } = await makeCopy(source, part, { until, withVault }, call)
    for (const suffix of SUFFIXES) if (existsSync(`${part}${suffix}`)) renameSync(`${part}${suffix}`, `${into}${suffix}`)
    call.stdout.write(
      `${into} is the site after event ${n}, of ${new Date(at).toISOString()}; deleted since: ${repeated}; images and stylesheets that are missing: ${missing}\n` +
        `to serve it: READ_ONLY=on EVENT_STORE_URL=sqlite:${into} DOCUMENT_STORE_URL=sqlite:${into} npm start\n`,
    )
    return 0
  } finally {
    removeAll(part)
    unlock()
    rmSync(`${part}-lock`, { force: true })
    await source.close()
  }
}
