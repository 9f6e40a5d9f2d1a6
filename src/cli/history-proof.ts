import { existsSync } from 'node:fs'
import { lastHeadFileOf } from '../config.ts'
import type { WitnessKey } from '../history/cosignature.ts'
import { compareCosignedHead } from '../history/cosigned-head.ts'
import { compareKeptHeads, compareLastHead, type KeptHeads } from '../history/kept-heads.ts'
import { historyKeyIn } from '../history/key.ts'
import { lastOrigin } from '../history/origins.ts'
import { proveHistory } from '../history/prove-history.ts'
import { type EventStore, LOG_START } from '../ports/event-store.ts'
import type { HistoryStore } from '../ports/history.ts'
import { amount } from './amount.ts'
import type { Call } from './program.ts'
import { progressBar } from './progress-bar.ts'

type Input = {
  readonly events: Pick<EventStore, 'readAll'>
  readonly history: HistoryStore | undefined
  readonly keyFile: string | undefined
  readonly historyHeadFile: string | undefined
  readonly historyWitnesses?: readonly WitnessKey[]
  /** The number of witnesses who must have seen the last cosigned head; none unless given. */
  readonly quorum?: number
  /** Heads that somebody keeps elsewhere. */
  readonly kept?: readonly KeptHeads[]
}

/** The way in which a program reports: a value as JSON, or in words. */
export type Printing = Pick<Call, 'stderr'> & { readonly print: (value: object, text: string) => void }

/**
 * Proves a log consistent with its signed heads, and prints each difference and the extent of the proof. Returns the number of differences,
 * or undefined if no history is kept. A key or the file of a last head without a history says that there was one.
 */
export const printProof = async (
  { events, history, keyFile, historyHeadFile, historyWitnesses = [], quorum = 0, kept = [] }: Input,
  { print, stderr }: Printing,
): Promise<number | undefined> => {
  const origin = history && (await lastOrigin(history))
  const key = keyFile === undefined ? undefined : await historyKeyIn(keyFile)
  if (!history || !origin) {
    const headFile = keyFile === undefined ? undefined : lastHeadFileOf({ historyHeadFile }, keyFile)
    const remains = key ? `the history key ${keyFile}` : headFile && existsSync(headFile) ? `the last head ${headFile}` : undefined
    if (remains === undefined || (await events.readAll(LOG_START, 1)).length === 0) return undefined
    const problem = `the history is missing: there is a log, and ${remains}, but nothing that was signed`
    print({ kind: 'history', problem }, problem)
    return 1
  }
  if (!key || keyFile === undefined) {
    const problem = `the history of ${origin.name} cannot be proved without its key (HISTORY_KEY_FILE, ${keyFile ?? 'not set'})`
    print({ kind: 'history', problem }, problem)
    return 1
  }
  const { previous } = origin
  if (previous?.unproved) {
    const problem = `the head that ${origin.name} names as the last of ${previous.name} was not proved when it began, as where the key was lost`
    print({ kind: 'origin', origin: origin.name, previous: previous.name, problem }, problem)
  }
  const bar = progressBar('proving', stderr)
  const began = performance.now()
  const pace = async (n: number, size: number) => bar.update(n, size)
  const { findings: problems, ...proof } = await proveHistory({ events, history }, key, { pace, countsUnnumbered: true })
  bar.stop()
  const compareOthers = () => [
    compareLastHead(history, lastHeadFileOf({ historyHeadFile }, keyFile)),
    ...kept.map((heads) => compareKeptHeads(history, heads)),
  ]
  const others = problems.length > 0 ? [] : (await Promise.all(compareOthers())).flat()
  const witnessed = await compareCosignedHead(history, origin, historyWitnesses)
  const witnessCount = witnessed.seen.length
  const few =
    witnessCount < quorum
      ? [{ tree: origin.name, number: undefined, problem: `${witnessCount} of the ${quorum} witnesses have seen it` }]
      : []
  const findings = [...problems, ...others, ...witnessed.findings, ...few]
  for (const finding of findings) print({ kind: 'history', ...finding }, `${finding.tree}: ${finding.problem}`)
  for (const { name, at, size } of witnessed.seen) {
    const when = new Date(at * 1000).toISOString()
    print({ kind: 'witness', name, at: when, size }, `also seen by ${name} on ${when}: the first ${amount(size, 'event')}`)
  }
  const ms = Math.round(performance.now() - began)
  const verdict = findings.length === 0 ? `as they were signed under ${origin.name}` : `${findings.length} findings`
  const rest = proof.unproved === 0 ? '' : `; ${proof.unproved} events after the last signed head are not proved yet`
  print(
    { kind: 'proof', ok: findings.length === 0, origin: origin.name, ms, ...proof },
    `${amount(proof.events, 'event')} and ${amount(proof.entries, 'entry', 'entries')} of moderation logs proved in ${ms} ms: ${verdict}${rest}`,
  )
  return findings.length
}
