import { messageOf } from '../ports/faults.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { pause } from '../ports/pause.ts'
import { cosign, linesOfWitness, type Witness } from './cosignature.ts'
import type { HistoryKey } from './key.ts'
import { consistencyPlan } from './merkle.ts'
import { textOfNote } from './note.ts'
import { lastNote, lastOrigin } from './origins.ts'
import { readBoundedText } from './read-bounded-text.ts'
import { logTree, proofIn, treeOf } from './trees.ts'

/*
 * Sends each head of the log to the configured witnesses (C2SP tlog-witness), and stores their cosignatures beside it. Signing waits for
 * none of this.
 */

const ANSWER_MS = 10_000
const MAX_ANSWER_BYTES = 16_384
const POLL_INTERVAL_MS = 1_000
/** The times after which a head is sent again to witnesses that did not sign it. */
const RESEND_DELAYS_MS = [30_000, 300_000, 3_600_000] as const
export const ATTEMPTS = 8

/** A head that not every witness cosigned is sent again. Each attempt adds a row, and the last row of a head has all its cosignatures. */
const rowNumber = (size: number, attempt: number): number => size * ATTEMPTS + attempt

/** The most events of a log. Up to here the numbers of rows are exact integers. */
export const MAX_SIZE = 2 ** 49

/** The most signatures of a note that verifiers accept. */
const MAX_SIGNATURES = 64
const MIN_SIGNATURE_BYTES = 5

const isSignatureLine = (line: string): boolean => {
  const [, base64 = ''] = /^\u2014 [^\s+]+ (\S+)$/.exec(line) ?? []
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length >= MIN_SIGNATURE_BYTES && bytes.toString('base64') === base64
}

/** Returns the signature lines of a stored text. Any other line would make the note that they follow invalid. */
const signatureLines = (text: string): string =>
  text
    .split('\n')
    .filter(isSignatureLine)
    .slice(0, MAX_SIGNATURES)
    .map((line) => `${line}\n`)
    .join('')

/** Returns the size and the cosignatures of the last head of a tree that has any, up to a size. */
export const lastCosigned = async (
  history: Pick<HistoryStore, 'list'>,
  tree: string,
  upTo: number,
): Promise<{ readonly size: number; readonly attempt: number; readonly lines: string } | undefined> => {
  const [row] = await history.list(tree, 'cosignature', rowNumber(upTo, ATTEMPTS - 1), 1, 'down')
  if (row === undefined) return undefined
  return {
    size: Math.floor(row.number / ATTEMPTS),
    attempt: row.number % ATTEMPTS,
    lines: signatureLines(Buffer.from(row.value).toString()),
  }
}

/** Stores the cosignatures of a head. Another process may have stored its own for it, which are as good. */
export const storeCosignatures = async (history: HistoryStore, tree: string, size: number, lines: string, attempt = 0): Promise<void> => {
  const row: HistoryRow = { tree, kind: 'cosignature', number: rowNumber(size, attempt), value: Buffer.from(lines) }
  await history.add([row]).catch(async (error: unknown) => {
    if ((await lastCosigned(history, tree, size))?.size !== size) throw error
  })
}

/** Returns the reason why a request failed. An error of `fetch` has it in its cause. */
const reasonOf = (error: unknown): string => messageOf(error instanceof TypeError && error.cause !== undefined ? error.cause : error)

type CosignRequest = {
  readonly note: string
  readonly signal: AbortSignal
  readonly size: number
  readonly proofFrom: (size: number) => Promise<readonly Uint8Array[]>
}

/**
 * Asks a witness to cosign a checkpoint that continues the one of size `known`. Returns the cosignature lines, or the size that the witness
 * knows instead. Follows no redirect, so that only the address that the operator configured is asked.
 */
const requestOnce = async ({ url }: Witness, { note, size, proofFrom, signal }: CosignRequest, known: number): Promise<string | number> => {
  const proof = known < size ? await proofFrom(known) : []
  const lines = proof.map((node) => `${Buffer.from(node).toString('base64')}\n`).join('')
  const answer = await fetch(`${url.replace(/\/+$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: `old ${known}\n${lines}\n${note}`,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  })
  const text = await readBoundedText(answer.body ?? [], MAX_ANSWER_BYTES)
  if (text === undefined) throw new Error(`it answers with more than ${MAX_ANSWER_BYTES} bytes`)
  if (answer.status === 200) return text
  const knownSize = answer.status === 409 ? /^(0|[1-9]\d{0,14})\n?$/.exec(text)?.[1] : undefined
  if (knownSize !== undefined && Number(knownSize) !== known) return Number(knownSize)
  const words = text
    .split('\n', 1)[0]
    ?.replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 200)
  throw new Error(`it answers with status ${answer.status}${words ? `: ${words}` : ''}`)
}

/** Returns the lines by which a witness cosigns a checkpoint. Throws if it does not. */
const requestCosignature = async (witness: Witness, request: CosignRequest, known: number): Promise<string> => {
  const first = await requestOnce(witness, request, known)
  if (typeof first === 'number' && first > request.size)
    throw new Error(
      `it has seen ${first} events, more than the ${request.size} that are signed: the log was put back, or was signed elsewhere`,
    )
  const answer = typeof first === 'number' ? await requestOnce(witness, request, first) : first
  const lines = typeof answer === 'number' ? '' : linesOfWitness(textOfNote(request.note), answer, witness)
  if (lines === '') throw new Error('its answer has no signature by its key')
  return lines
}

export type WitnessPorts = {
  readonly history: HistoryStore
  readonly witnesses: readonly Witness[]
  readonly key: () => Promise<HistoryKey>
  readonly clock: () => number
  /** These are called when a witness did not cosign a head, with the reason, and when it did. */
  readonly onUnseen: (witness: Witness, reason: string) => void
  readonly onSeen: (witness: Witness) => void
}

type Head = { readonly tree: string; readonly line: string; readonly note: string; readonly size: number }

const lastHead = async (history: HistoryStore): Promise<Head | undefined> => {
  const origin = await lastOrigin(history)
  const tree = origin && logTree(origin.number)
  const note = tree && (await lastNote(history, tree))
  if (!tree || !note) return undefined
  const [line = '', size] = note.split('\n')
  return { tree, line, note, size: Number(size) }
}

/**
 * Sends a head to all witnesses that have not cosigned it yet. Stores their cosignatures together with one of the service itself, which
 * states the time. Returns the number of witnesses that did not cosign it.
 */
const sendHead = async (
  ports: WitnessPorts,
  { tree, line, note, size }: Head,
  known: Map<string, number>,
  signal: AbortSignal,
): Promise<number> => {
  const { history, witnesses, clock } = ports
  const latest = await lastCosigned(history, tree, size)
  const earlier = latest?.size === size ? latest : undefined
  const text = textOfNote(note)
  const missing = witnesses.filter((witness) => linesOfWitness(text, earlier?.lines ?? '', witness) === '')
  const proofFrom = async (smaller: number) => proofIn(history, treeOf(tree, await history.state(tree)), consistencyPlan(smaller, size))
  const answers = await Promise.all(
    missing.map(async (witness) => {
      try {
        const lines = await requestCosignature(witness, { note, size, proofFrom, signal }, known.get(witness.url) ?? latest?.size ?? 0)
        known.set(witness.url, size)
        ports.onSeen(witness)
        return lines
      } catch (error) {
        known.delete(witness.url)
        if (!signal.aborted) ports.onUnseen(witness, reasonOf(error))
        return ''
      }
    }),
  )
  const added = answers.filter((lines) => lines !== '')
  const ownLines = earlier ? [] : [cosign(text, { name: line, key: (await ports.key()).key }, Math.floor(clock() / 1000))]
  const attempt = earlier ? earlier.attempt + 1 : 0
  if (ownLines.length + added.length > 0 && attempt < ATTEMPTS) {
    const lines = [earlier?.lines ?? '', ...ownLines, ...added].join('')
    await storeCosignatures(history, tree, size, lines, attempt)
  }
  return missing.length - added.length
}

/**
 * Sends each head of the log to the witnesses until the signal aborts. A witness that does not cosign a head is asked again, after growing
 * delays.
 */
export const witnessHeads = async (ports: WitnessPorts, signal: AbortSignal, report: (fault: unknown) => void): Promise<void> => {
  const known = new Map<string, number>()
  let sentNote: string | undefined
  let tries = 0
  let resendAt = Number.POSITIVE_INFINITY
  while (!signal.aborted) {
    try {
      const head = await lastHead(ports.history)
      const isNew = head !== undefined && head.note !== sentNote
      if (head && (isNew || performance.now() >= resendAt)) {
        tries = isNew ? 0 : tries + 1
        const missing = await sendHead(ports, head, known, signal)
        sentNote = head.note
        const wait = missing > 0 ? RESEND_DELAYS_MS[tries] : undefined
        resendAt = wait === undefined ? Number.POSITIVE_INFINITY : performance.now() + wait
      }
    } catch (fault) {
      report(fault)
    }
    await pause(POLL_INTERVAL_MS, signal)
  }
}
