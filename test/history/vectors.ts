import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ExecutionContext, TestFn } from 'ava'
import { compareKeptHeads, type KeptHeads } from '../../src/history/kept-heads.ts'
import { rootsFromGrowth } from '../../src/history/merkle.ts'
import { proveHistory } from '../../src/history/prove-history.ts'
import type { HistoryFinding } from '../../src/history/rebuild-tree.ts'
import type { EventStore, RecordedEvent } from '../../src/ports/event-store.ts'
import type { HistoryRow, HistoryStore, TreeState } from '../../src/ports/history.ts'
import { append } from '../support/numbered-log.ts'
import { rootFromPath } from '../support/root-from-path.ts'

export type Case = {
  readonly name: string
  readonly log: readonly number[]
  readonly rows: readonly number[]
  readonly states: readonly number[]
  readonly kept: number
  readonly local: Readonly<Record<string, number | null>>
  /** The answers of the service from such stores, by their paths, and the verdict of whoever asks for them. */
  readonly answers: Readonly<Record<string, readonly number[]>>
  readonly remote: { readonly code: number; readonly k: number | null }
}

type Inclusion = { readonly leaf: string; readonly index: number; readonly size: number; readonly path: readonly string[] }
type Growth = { readonly size: number; readonly larger: number; readonly before: string; readonly proof: readonly string[] }
type Expected = { readonly root: string; readonly holds: boolean }

type Vectors = {
  readonly secret: string
  readonly key: string
  readonly texts: readonly string[]
  readonly cases: readonly Case[]
  readonly inclusions: readonly (Inclusion & Expected)[]
  readonly growths: readonly (Growth & Expected)[]
}

/** Vectors that verify/test_rostra_verify.py reads, too; made by test/support/history-vectors.ts. */
export const vectors: Vectors = JSON.parse(readFileSync(new URL('../fixtures/history-vectors.json', import.meta.url), 'utf8'))

export const textAt = <T>(place: number): T => JSON.parse(vectors.texts[place] ?? '') as T

type Text<Row> = Omit<Row, 'value'> & { readonly value: string }

/** The first number that is named of each tree, by what follows the origin's name. */
const firstFindings = (findings: readonly HistoryFinding[], origin: string): Readonly<Record<string, number | null>> => {
  const first: Record<string, number | null> = {}
  for (const { tree, number = null } of findings) {
    const of = tree.slice(origin.length + 1)
    first[of] = Math.min(first[of] ?? Number.POSITIVE_INFINITY, number ?? Number.POSITIVE_INFINITY)
  }
  return Object.fromEntries(Object.entries(first).map(([of, number]) => [of, number === Number.POSITIVE_INFINITY ? null : number]))
}

export type Pair = { readonly events: EventStore; readonly history: HistoryStore }

/** Stores as they are after somebody changed them. */
export const restore = async ({ events, history }: Pair, { log, rows, states }: Case): Promise<void> => {
  await append(
    events,
    log.map((place) => textAt<RecordedEvent>(place)),
  )
  await history.add(rows.map((place) => textAt<Text<HistoryRow>>(place)).map((row) => ({ ...row, value: Buffer.from(row.value) })))
  for (const { tree, size, value } of states.map((place) => textAt<Text<TreeState>>(place))) {
    await history.grow(0, { tree, size, value: Buffer.from(value) })
  }
}

/** Each forgery is named at its number on stores that are new for each. */
export const vectorCases = (test: TestFn, pair: string, open: (t: ExecutionContext) => Promise<Pair>): void => {
  for (const one of vectors.cases)
    test.serial(`${pair}: ${one.name}`, async (t) => {
      const stores = await open(t)
      await restore(stores, one)
      const key = { secret: vectors.secret, key: createPrivateKey(vectors.key), former: [] }
      const { findings } = await proveHistory(stores, key)
      const kept = textAt<Partial<KeptHeads>>(one.kept)
      const { origin = 'tea.example/history/0123456789abcdef', heads = {} } = kept
      const others = findings.length > 0 ? [] : await compareKeptHeads(stores.history, { origin, heads })
      t.deepEqual(firstFindings([...findings, ...others], origin), one.local, JSON.stringify([...findings, ...others]))
    })
}

const bytes = (text: string): Buffer => Buffer.from(text, 'hex')
const hex = (hash: Uint8Array | undefined): string | undefined => hash && Buffer.from(hash).toString('hex')

/** Paths and proofs of any other size lead nowhere. */
export const proofsHold = (t: ExecutionContext): void => {
  for (const { leaf, index, size, path, root, holds } of vectors.inclusions)
    t.is(hex(rootFromPath(bytes(leaf), { index, size }, path.map(bytes))) === root, holds)
  for (const { size, larger, before, proof, root, holds } of vectors.growths) {
    const made = rootsFromGrowth(size, larger, bytes(before), proof.map(bytes))
    t.is(hex(made?.[0]) === before && hex(made?.[1]) === root, holds)
  }
}
