// Decision 122.

import { existsSync, renameSync, rmSync } from 'node:fs'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { diskBlobs } from '../adapters/disk/blobs.ts'
import { type Local, localStores } from '../adapters/sqlite/local-stores.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { openWriter } from '../adapters/sqlite/schema.ts'
import type { Numbered } from '../export/levels.ts'
import { type Bound, LOG_BEGIN, pagesUntil } from '../export/reading.ts'
import { timeOf } from '../history/milestones.ts'
import { codec, openWithoutKeys } from '../log/codec.ts'
import { sealedTextsIn } from '../log/event-texts.ts'
import { MAX_ERASED_THINGS, openKeyring, recordWithout } from '../log/keys.ts'
import type { Position, RecordedEvent } from '../ports/event-store.ts'
import { REPLAY_CHECKPOINT } from '../stores.ts'
import { blobUse } from './blob-use.ts'
import { Misuse } from './data-file.ts'
import type { Call } from './program.ts'
import { type ProgressBar, progressBar } from './progress-bar.ts'
import { openToRead } from './stores.ts'
import { openWithdrawals, type Withdrawals } from './withdrawals.ts'

const ACCOUNTS_PER_READ = 500

type ReplayedSite = Awaited<ReturnType<typeof openToRead>>
/** Does work on the copy in one transaction. */
type Write = (work: () => void) => void
type CopyParts = {
  readonly withdrawals: Withdrawals
  readonly use: ReturnType<typeof blobUse>
  readonly bar: ProgressBar
  readonly write: Write
}

/** Appends an event after those that its stream has in the copy. Returns false if the stream is not there, or does not go on with it. */
const appendTo = ({ log }: Local, event: RecordedEvent, revision: number): boolean => {
  const { stream } = event
  return log.append({ stream, expected: revision === 0 ? 'none' : revision - 1, events: [event] }).outcome === 'appended'
}

/** Appends a later deletion at the end of the copy. Returns false if its target is not there. */
const repeat = (local: Local, event: RecordedEvent): boolean => {
  const [last] = local.log.readBackwards(event.stream, undefined, 1).events
  return last !== undefined && appendTo(local, event, last.revision + 1)
}

/**
 * The result of copying: the last event, the accounts that had registered by then, and the number of later deletions that concern the copy.
 */
type Copied = { readonly last: Numbered; readonly position: Position; readonly accounts: ReadonlySet<string>; readonly repeated: number }

/** Copies the log up to a place, byte for byte, and after it the deletions from the rest of the log. */
const copyLog = async (
  { events }: ReplayedSite,
  local: Local,
  until: Bound | undefined,
  { withdrawals, use, bar, write }: CopyParts,
): Promise<Copied> => {
  const accounts = new Set<string>()
  const end = await events.head()
  let last: Numbered | undefined
  for await (const page of pagesUntil(events, LOG_BEGIN, end, until)) {
    const taken = page.map(({ recorded }) => recorded)
    write(() => {
      for (const event of taken)
        if (!appendTo(local, event, event.revision))
          throw new Misuse(`the log has ${event.stream} at revision ${event.revision} in the wrong place: run npx rostra audit`)
    })
    for (const { type, data } of taken)
      if (type === 'AccountRegistered') accounts.add((JSON.parse(data) as { readonly account: string }).account)
    await use.note(taken)
    await withdrawals.read(taken)
    last = page.at(-1)
    bar.update(Number(last?.recorded.position), Number(end))
  }
  if (last === undefined) throw new Misuse('the log has no events up to --until')
  if (until && 'n' in until && until.n > last.n) throw new Misuse(`the log has ${last.n + 1} events: the last is ${last.n}`)
  const position = local.log.head()
  let repeated = 0
  for await (const page of pagesUntil(events, { after: last.recorded.position, n: last.n + 1 }, end, undefined)) {
    const deletions = await withdrawals.read(page.map(({ recorded }) => recorded))
    write(() => {
      for (const event of deletions) if (repeat(local, event)) repeated += 1
    })
    bar.update(Number(page.at(-1)?.recorded.position), Number(end))
  }
  return { last, position, accounts, repeated }
}

/** Returns the things whose texts the copy has, for accounts that withdrew more of them than can be erased one by one. */
const keptOf = async ({ ports: { events } }: Local, withdrawals: Withdrawals): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const thingsByAccount = new Map(
    [...withdrawals.accounts()].flatMap((account) =>
      withdrawals.things(account).size > MAX_ERASED_THINGS ? [[account, new Set<string>()] as const] : [],
    ),
  )
  if (thingsByAccount.size === 0) return thingsByAccount
  for await (const page of pagesUntil(events, LOG_BEGIN, await events.head(), undefined))
    for (const { recorded } of page) for (const { account, thing } of sealedTextsIn(recorded)) thingsByAccount.get(account)?.add(thing)
  return thingsByAccount
}

/** Notes the texts before the deletion of a thing that was made anew under the same name since. */
const noteEarlierTexts = ({ log }: Local, withdrawals: Withdrawals): void => {
  for (const [stream, revision] of withdrawals.streams)
    for (let from = 0; from < revision; ) {
      const { events, more } = log.read(stream, from)
      for (const event of events)
        if (event.revision < revision) for (const { account, thing } of sealedTextsIn(event)) withdrawals.note(account, thing)
      from = more ? from + events.length : revision
    }
}

/** Copies today's keys without those of texts that are withdrawn by today. */
const copyKeys = async (
  { vault }: ReplayedSite,
  local: Local,
  accounts: ReadonlySet<string>,
  { withdrawals, write }: CopyParts,
): Promise<void> => {
  noteEarlierTexts(local, withdrawals)
  const keptThings = await keptOf(local, withdrawals)
  const ids = [...accounts].sort()
  for (let from = 0; from < ids.length; from += ACCOUNTS_PER_READ) {
    const records = await vault.getMany('key', ids.slice(from, from + ACCOUNTS_PER_READ))
    write(() => {
      for (const [account, { value }] of records) {
        const parts = { things: withdrawals.things(account), kept: keptThings.get(account) ?? new Set<string>() }
        const record = withdrawals.isErased(account) ? null : recordWithout(account, value, parts)
        if (record !== undefined) local.vault.put('key', account, { value: record, owner: account })
      }
    })
  }
}

/** Copies the images and stylesheets that were shown then, if they still exist. Returns the number of missing ones. */
const copyBlobs = async (source: ReplayedSite, file: string, { use, withdrawals }: CopyParts): Promise<number> => {
  const into = diskBlobs(`${file}.blobs`)
  let missing = 0
  for (const hash of use.inUse()) {
    const bytes = withdrawals.isBlobErased(hash) ? undefined : await source.blobs.get(hash)
    if (bytes) await into.put(bytes)
    else missing += 1
  }
  return missing
}

/** Makes the copy. Afterwards `FILE` stands alone and can be read in a place where nothing can be written. */
const makeCopy = async (source: ReplayedSite, file: string, { until, withVault }: Omit<ReplayOptions, 'into'>, { stderr }: Call) => {
  const connection = openWriter(file)
  const bar = progressBar('copying', stderr)
  const building = progressBar('building', stderr)
  try {
    connection.db.exec('PRAGMA cache_size = -65536') // KiB
    const local = localStores(connection)
    const { events, documents, vault } = local.ports
    const write: Write = (work) => connection.write('NORMAL', work)
    const parts = { withdrawals: openWithdrawals(), use: blobUse(openWithoutKeys), bar, write }
    const { last, position, accounts, repeated } = await copyLog(source, local, until, parts)
    bar.stop()
    if (withVault) await copyKeys(source, local, accounts, parts)
    const missing = await copyBlobs(source, file, parts)
    await openReadModels({ events, documents, open: codec(openKeyring(vault)).open }, projections, ({ position, target }) =>
      building.update(Number(position), Number(target)),
    )
    await documents.write([], { name: REPLAY_CHECKPOINT, from: undefined, to: position })
    connection.emptyLog()
    connection.db.exec('PRAGMA journal_mode = DELETE')
    return { n: last.n, at: timeOf(last.recorded), repeated, missing }
  } finally {
    bar.stop()
    building.stop()
    connection.close()
  }
}

export type ReplayOptions = { readonly until: Bound | undefined; readonly into: string; readonly withVault: boolean }

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
      `${into} is the site after event ${n}, of ${new Date(at).toISOString()}; later deletions applied: ${repeated}; images and stylesheets that are missing: ${missing}\n` +
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
