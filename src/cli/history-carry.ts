import { existsSync, renameSync, rmSync } from 'node:fs'
import { sqliteHistory } from '../adapters/sqlite/history.ts'
import { copyHistory } from '../history/copy-history.ts'
import { historyKeyIn } from '../history/key.ts'
import { lastOrigin } from '../history/origins.ts'
import { proveHistory } from '../history/prove-history.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { HistoryStore } from '../ports/history.ts'
import { amount } from './amount.ts'
import { Misuse } from './data-file.ts'

type Stores = { readonly events: Pick<EventStore, 'readAll'>; readonly history: HistoryStore }
type Print = (line: string) => void

const withFile = async <T>(file: string, readOnly: boolean, use: (history: HistoryStore) => Promise<T>): Promise<T> => {
  const history = sqliteHistory(file, readOnly)
  try {
    return await use(history)
  } finally {
    await history.close()
  }
}

/** Copies the history of these stores into a new file, all of it or none. A server may run meanwhile. */
const carryTo = async ({ history }: Stores, file: string, print: Print): Promise<number> => {
  if (existsSync(file)) throw new Misuse(`${file} is there already`)
  const origin = await lastOrigin(history)
  if (!origin) throw new Misuse('no history is kept there')
  const beside = `${file}.new`
  // removes the remains of an interrupted copy
  for (const end of ['', '-wal', '-shm']) rmSync(`${beside}${end}`, { force: true })
  await withFile(beside, false, (to) => copyHistory(history, to))
  renameSync(beside, file)
  print(`the history of ${origin.name} is in ${file}`)
  return 0
}

/** Copies the history in a file to these stores, if their log is the one that was signed. */
const carryFrom = async ({ events, history }: Stores, keyFile: string, file: string, print: Print): Promise<number> => {
  if (!existsSync(file)) throw new Misuse(`there is no file ${file}`)
  const key = await historyKeyIn(keyFile)
  if (!key) throw new Misuse(`${keyFile} is missing: copy the history key there first`)
  if (await lastOrigin(history)) throw new Misuse('a history is kept there already')
  return withFile(file, true, async (from) => {
    const origin = await lastOrigin(from)
    if (!origin) throw new Misuse(`${file} holds no history`)
    const { findings, ...proof } = await proveHistory({ events, history: from }, key, { countsUnnumbered: true })
    for (const { tree, problem } of findings) print(`${tree}: ${problem}`)
    if (findings.length > 0) return 1
    // without a signed head, any log would be signed as the one of this origin
    if (proof.events === 0) throw new Misuse(`${file} holds no signed head of ${origin.name}: it cannot prove this log`)
    await copyHistory(from, history)
    if (proof.unproved > 0) print(`${proof.unproved} events after its last signed head are not proved`)
    print(
      `${amount(proof.events, 'event')} and ${amount(proof.entries, 'entry', 'entries')} proved: the history of ${origin.name} goes on here`,
    )
    return 0
  })
}

export const carry = (
  stores: Stores,
  keyFile: string,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  print: Print,
): Promise<number> => {
  if (to !== undefined && from === undefined) return carryTo(stores, to, print)
  if (from !== undefined && to === undefined) return carryFrom(stores, keyFile, from, print)
  throw new Misuse('carry takes --to FILE, or --from FILE')
}
