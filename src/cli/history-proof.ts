import { lastHeadFileOf } from '../config.ts'
import { compareKeptHeads, compareLastHead, type KeptHeads } from '../history/kept-heads.ts'
import { historyKeyIn } from '../history/key.ts'
import { lastOrigin } from '../history/origins.ts'
import { proveHistory } from '../history/proving.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { HistoryStore } from '../ports/history.ts'
import type { Call } from './program.ts'
import { progressBar } from './progress-bar.ts'

type Input = {
  readonly events: Pick<EventStore, 'readAll'>
  readonly history: HistoryStore | undefined
  readonly keyFile: string | undefined
  readonly historyHeadFile: string | undefined
  /** Heads that somebody keeps elsewhere. */
  readonly kept?: readonly KeptHeads[]
}

/** How a program reports: a value as JSON, or in words. */
export type Printing = Pick<Call, 'stderr'> & { readonly print: (value: object, text: string) => void }

/**
 * Prove a log consistent with what was signed of it, and print each difference and what was proved; how many differences there were. Undefined
 * where no history is kept.
 */
export const printProof = async (
  { events, history, keyFile, historyHeadFile, kept = [] }: Input,
  { print, stderr }: Printing,
): Promise<number | undefined> => {
  const origin = history && (await lastOrigin(history))
  if (!history || !origin) return undefined
  const key = keyFile === undefined ? undefined : await historyKeyIn(keyFile)
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
  const { findings: own, ...proof } = await proveHistory({ events, history }, key, { pace, toEnd: true })
  bar.stop()
  const comparing = () => [
    compareLastHead(history, lastHeadFileOf({ historyHeadFile }, keyFile)),
    ...kept.map((heads) => compareKeptHeads(history, heads)),
  ]
  const others = own.length > 0 ? [] : (await Promise.all(comparing())).flat()
  const findings = [...own, ...others]
  for (const finding of findings) print({ kind: 'history', ...finding }, `${finding.tree}: ${finding.problem}`)
  const ms = Math.round(performance.now() - began)
  const verdict = findings.length === 0 ? `as they were signed under ${origin.name}` : `${findings.length} findings`
  const rest = proof.unproved === 0 ? '' : `; ${proof.unproved} events after the last signed head are not proved yet`
  print(
    { kind: 'proof', ok: findings.length === 0, origin: origin.name, ms, ...proof },
    `${proof.events} events and ${proof.entries} entries of moderation logs proved in ${ms} ms: ${verdict}${rest}`,
  )
  return findings.length
}
