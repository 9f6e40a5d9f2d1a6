import type { HistoryStore } from '../ports/history.ts'
import { type HistoryKey, knownKeys } from './key.ts'
import { type LastHead, lastHeadInFile } from './last-head.ts'
import { type Checkpoint, checkpointText, signNote } from './note.ts'
import { type FollowedKey, followKeys, headIn, isBegunBy, keysIn, type Origin, originLine, originsIn, readTrustedKeys } from './origins.ts'
import { logTree } from './trees.ts'

/*
 * Finds the end of the former origin, which a new origin names. Anybody who can write to the stores can put origins and heads there. So the
 * new origin names only a head that the key in the file proves, or says that nothing does.
 */

const HEADS_PER_READ = 500

/** Returns the last head of a log that one of these keys signed. It passes over rows that none of them signed. */
const lastSigned = async (
  history: Pick<HistoryStore, 'list'>,
  origin: Origin,
  keys: readonly FollowedKey[],
): Promise<(Checkpoint & { readonly note: string }) | undefined> => {
  const tree = logTree(origin.number)
  for (let from = Number.MAX_SAFE_INTEGER; from >= 0; ) {
    const rows = await history.list(tree, 'head', from, HEADS_PER_READ, 'down')
    for (const { value } of rows) {
      const note = Buffer.from(value).toString()
      const head = headIn(origin, tree, keys, note)
      if (head) return { ...head, note }
    }
    from = (rows.at(-1)?.number ?? 0) - 1
  }
  return undefined
}

/** Returns the head of the log from the file of the last head, as verifiers read it. */
const asCheckpoint = ({ origin: name, size, root }: LastHead, key: HistoryKey): string => {
  const origin = originLine({ name }, logTree(1))
  return signNote(checkpointText({ origin, size, root }), origin, key.key)
}

/**
 * Returns the former origin as the new one names it. `since` is the beginning of the last origin that the key in the file proves: the new
 * one must begin later.
 */
export const formerOrigin = async (
  { history, headFile }: { readonly history: Pick<HistoryStore, 'list'>; readonly headFile: string },
  key: HistoryKey,
): Promise<{ readonly previous: Origin['previous']; readonly since: number }> => {
  const known = knownKeys(key).map((one) => Buffer.from(one, 'base64'))
  const origins = await originsIn(history)
  // sorts by the times, which the keys signed, too: somebody who writes to the stores can give an ended origin a later number
  const [lastProven] = origins
    .filter((one) => known.some((publicKey) => isBegunBy(one, publicKey)))
    .toSorted((one, other) => other.created - one.created || one.number - other.number)
  const keys = lastProven && (await readTrustedKeys(history, lastProven, key))
  const stored = lastProven && typeof keys === 'object' ? await lastSigned(history, lastProven, keys) : undefined
  const onFile = await lastHeadInFile(headFile, known)
  const since = lastProven?.created ?? 0
  // the file may lie behind the stores, with a head of an earlier origin, or ahead of them, with a larger head or one of an origin that they lost
  const isOfLastProven = onFile?.origin === lastProven?.name
  const isEarlier = origins.some(({ name }) => name === onFile?.origin) && !isOfLastProven
  const isAhead = !isEarlier && (!isOfLastProven || (onFile?.size ?? 0) > (stored?.size ?? 0))
  if (onFile && isAhead) return { previous: { name: onFile.origin, checkpoint: asCheckpoint(onFile, key) }, since }
  if (lastProven && stored) return { previous: { name: lastProven.name, checkpoint: stored.note }, since }
  const last = lastProven ?? origins.at(-1)
  if (last === undefined) return { previous: null, since }
  // no key in the file proves this origin: its own keys are all that its heads can be compared with
  const listed = followKeys(last, await keysIn(history, last.number))
  const claimed = typeof listed === 'string' ? undefined : await lastSigned(history, last, listed)
  return { previous: { name: last.name, checkpoint: claimed?.note ?? '', unproved: true }, since }
}
