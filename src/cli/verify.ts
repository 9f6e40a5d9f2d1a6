import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import * as t from 'io-ts'
import { historyKeyFileOf } from '../config.ts'
import type { KeptHeads } from '../history/kept-heads.ts'
import type { EventStore, RecordedEvent } from '../ports/event-store.ts'
import { parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { contentsOf } from './export-format.ts'
import { printProof } from './history-proof.ts'
import { type Program, runProgram } from './program.ts'
import { openToRead, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra verify [--heads FILE] [--quorum N] [--json] [export]',
  help: `Verifies the whole log and the moderation log of every subsite: that the events, in the stores that the environment names or in an export, are those of
which heads were signed (docs/verifying.md). Names each event and entry that differs. A server may run meanwhile.

  --heads FILE  heads that somebody else kept, the file of verify/rostra_verify.py: what the key signed anew differs from them
  --quorum N    it is a difference if fewer than N of HISTORY_WITNESSES have cosigned the last head that any did
  --json        one JSON object a line

Exit code 0: all holds; 1: something differs; 2: it could not be judged.`,
  options: { heads: { type: 'string' }, quorum: { type: 'string' }, json: { type: 'boolean' } },
  most: 1,
} as const

const Heads = t.type({ origin: t.string, heads: t.record(t.string, t.string) })
/** The file of the other verifier: the heads seen of each origin; in earlier versions, of each service. */
const Kept = t.type({ version: t.literal(2), sites: t.record(t.string, t.string), origins: t.record(t.string, Heads) })
const FormerKept = t.record(t.string, Heads)

const keptIn = async (file: string): Promise<readonly KeptHeads[]> => {
  try {
    const decoded: unknown = JSON.parse(await readFile(file, 'utf8'))
    // replaced ones are kept for ever, but bind no log of today
    if (Kept.is(decoded)) return [...new Set(Object.values(decoded.sites))].flatMap((origin) => decoded.origins[origin] ?? [])
    if (FormerKept.is(decoded)) return Object.values(decoded)
  } catch (error) {
    throw new Misuse(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  throw new Misuse(`${file} holds no heads`)
}

/** Reads the events of an export in their order, a page at a time. */
const eventsIn = (file: string): Pick<EventStore, 'readAll'> => {
  if (!existsSync(file)) throw new Misuse(`there is no file ${file}`)
  const contents = contentsOf(createReadStream(file))
  let n = 0
  return {
    readAll: async (_, limit) => {
      const page: RecordedEvent[] = []
      while (page.length < limit) {
        const next = await contents.next()
        if (next.done) break
        if (!('entry' in next.value)) continue
        const { stream, revision, event } = next.value.entry
        page.push({ ...event, stream, revision, position: String(n++).padStart(20, '0') })
      }
      return page
    },
  }
}

export const verifyLog: Program = async ({ args, env, stdout, stderr }) => {
  const { positionals, values } = parseArguments(usage, args)
  const [file] = positionals
  const keptHeads = values.heads === undefined ? [] : await keptIn(values.heads)
  if (values.quorum !== undefined && !/^\d{1,2}$/.test(values.quorum))
    throw new Misuse(`--quorum is ${values.quorum}, but must be a number`)
  const quorum = Number(values.quorum ?? 0)
  const print = (value: object, text: string) => stdout.write(`${values.json ? JSON.stringify(value) : text}\n`)
  const stores = await openToRead(env)
  try {
    const { history } = stores
    const events = file === undefined ? stores.events : eventsIn(file)
    const config = readConfig(env)
    const proving = { ...config, events, history, keyFile: historyKeyFileOf(config), kept: keptHeads, quorum }
    const findings = await printProof(proving, { print, stderr })
    if (findings === undefined) throw new Misuse('no history is kept there: nothing was signed')
    return findings === 0 ? 0 : 1
  } finally {
    await stores.close()
  }
}

if (import.meta.main) await runProgram(verifyLog)
