import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { sqliteHistory } from '../adapters/sqlite/history.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { openSqlite } from '../adapters/sqlite/stores.ts'
import { type Config, historyKeyFileOf, lastHeadFileOf } from '../config.ts'
import { formerOrigin } from '../history/former-origin.ts'
import { sizeIn } from '../history/history-reads.ts'
import { createHistoryKey, historyKeyIn } from '../history/key.ts'
import { publicHalf } from '../history/note.ts'
import { createOrigin, followKeys, keysIn, lastOrigin, type Origin, verifierKeys } from '../history/origins.ts'
import { rotateKey } from '../history/rotation.ts'
import { logTree } from '../history/trees.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { HistoryStore } from '../ports/history.ts'
import { isAnybodyAlive } from '../runtime/leases.ts'
import { historyFile } from '../stores.ts'
import { misuseOf, parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { carry } from './history-carry.ts'
import { type Program, runProgram } from './program.ts'
import { isDataFile, openServers, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra history key [--rotate] | new-origin | carry --to FILE | carry --from FILE',
  help: `Keeps what makes the log verifiable (docs/operations.md, "History").

  key           makes the file of the history key where there is none, and shows its public half as verifiers take it
  key --rotate  puts a new key in its place, which the old one signs, so that verifiers follow; on servers, copy the file to every process
  new-origin    begins new trees, which name the last head of the old ones: after the log was put back from a copy that lies behind, or after the key or the
                history was lost. Verifiers report it. Refuses while the service runs.
  carry --to    copies the history into a file, before the log is exported or backed up; the service may run meanwhile
  carry --from  puts it beside a log that was imported or put back, with the same key, if that log is the one that was signed: verifiers continue`,
  options: { rotate: { type: 'boolean' }, to: { type: 'string' }, from: { type: 'string' } },
  least: 1,
  most: 1,
} as const

type Files = { readonly keyFile: string; readonly headFile: string }

type Print = (line: string) => void

type Opened = {
  readonly events: Pick<EventStore, 'read' | 'readAll'>
  readonly history: HistoryStore
  readonly isServed: () => Promise<boolean>
  readonly close: () => Promise<void>
}

const open = async (config: Config, alone: boolean): Promise<Opened> => {
  if (!isDataFile(config)) {
    const { events, history, vault, close } = await openServers(config)
    return { events, history, isServed: () => isAnybodyAlive(vault, 'site'), close }
  }
  const file = config.eventStoreUrl.slice('sqlite:'.length)
  if (!existsSync(file)) throw new Misuse(`there is no data file ${file}`)
  const unlock = alone ? lock(file) : () => {}
  const { events, close: closeLog } = await openSqlite({ file, readOnly: true })
  const history = sqliteHistory(historyFile(file))
  const close = async () => {
    await history.close()
    await closeLog()
    unlock()
  }
  return { events, history, isServed: async () => false, close }
}

/** Prints the public key as verifiers of the log take it. Before the first start of the service it has no name yet. */
const show = async (history: HistoryStore, keyFile: string, print: Print): Promise<void> => {
  const key = await historyKeyIn(keyFile)
  const origin = await lastOrigin(history)
  const keys = origin && followKeys(origin, await keysIn(history, origin.number))
  if (typeof keys === 'string') throw new Misuse(keys) // the reason why they do not follow one another
  const publicKey = key && publicHalf(key.key)
  if (!origin || !keys) print(`public key ${publicKey?.toString('base64')}; the service names its trees at the next start`)
  else for (const line of verifierKeys(origin, logTree(origin.number), keys)) print(line)
  if (publicKey && keys && keys.at(-1)?.key.equals(publicKey) !== true)
    throw new Misuse(`${keyFile} is not the current key of this history: nothing is signed with it`)
}

const rotate = async ({ events, history }: Opened, { keyFile, headFile }: Files): Promise<void> => {
  const old = await historyKeyIn(keyFile)
  if (!old || !(await lastOrigin(history))) throw new Misuse('there is no key yet that could sign another')
  await rotateKey({ events, history, headFile }, keyFile, old, Date.now())
}

const wordsOf = (previous: Origin['previous']): string => {
  if (previous === null) return 'none before it'
  const { name, checkpoint, unproved } = previous
  const head = checkpoint === '' ? 'no head' : `the last head, of ${sizeIn(checkpoint)} events,`
  return `${head} of ${name}${unproved ? ', unproved: no key that is here has signed it' : ''}`
}

const beginOrigin = async ({ history, isServed }: Opened, { keyFile, headFile }: Files, publicUrl: string, print: Print): Promise<void> => {
  if (await isServed()) throw new Misuse('the service runs; stop it first')
  await createHistoryKey(keyFile)
  const key = await historyKeyIn(keyFile)
  if (!key) throw new Misuse(`${keyFile} is missing`)
  const last = await lastOrigin(history)
  const { previous, since } = await formerOrigin({ history, headFile }, key)
  // a later time than the last origin's, whatever the clock says: no origin counts after a later one
  const at = Math.max(Date.now(), since + 1)
  const origin = await createOrigin(history, key, { number: (last?.number ?? 0) + 1, previous, publicUrl, at })
  // the file names a head of the former origin; if the new origin were lost, too, no process would sign again
  await rm(headFile, { force: true })
  print(`${origin.name} begins with the next start; it names ${wordsOf(previous)}`)
}

export const keepHistory: Program = async ({ args, env, stdout }) => {
  const { positionals, values } = parseArguments(usage, args)
  const [action] = positionals
  const print: Print = (line) => stdout.write(`${line}\n`)
  if (action !== 'key' && action !== 'new-origin' && action !== 'carry') throw misuseOf(usage, `'${action}' is not one of its commands`)
  const config = readConfig(env)
  const keyFile = historyKeyFileOf(config)
  if (keyFile === undefined) throw new Misuse('HISTORY_KEY_FILE is not set: it names the file of the key')
  if (action === 'key' && !existsSync(keyFile)) await createHistoryKey(keyFile)
  const opened = await open(config, action === 'new-origin' || values.from !== undefined)
  try {
    if (values.from !== undefined && (await opened.isServed())) throw new Misuse('the service runs; stop it first')
    if (action === 'carry') return await carry(opened, keyFile, values, print)
    const files = { keyFile, headFile: lastHeadFileOf(config, keyFile) }
    if (action === 'new-origin') await beginOrigin(opened, files, config.publicUrl, print)
    else {
      if (values.rotate) await rotate(opened, files)
      await show(opened.history, keyFile, print)
    }
    return 0
  } finally {
    await opened.close()
  }
}

if (import.meta.main) await runProgram(keepHistory)
