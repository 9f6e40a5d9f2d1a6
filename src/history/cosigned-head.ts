import type { HistoryStore } from '../ports/history.ts'
import { readCosignTime, type WitnessKey } from './cosignature.ts'
import { compareKeptHeads } from './kept-heads.ts'
import { textOfNote } from './note.ts'
import type { Origin } from './origins.ts'
import type { HistoryFinding } from './rebuild-tree.ts'
import { logTree, rowAt } from './trees.ts'
import { lastCosigned, MAX_SIZE } from './witnesses.ts'

/** A witness that has seen the log, up to a size. */
type Seen = { readonly name: string; readonly at: number; readonly size: number }

/** Returns the witnesses of the last head that has cosignatures, and the differences between that head and the stored log. */
export const compareCosignedHead = async (
  history: HistoryStore,
  origin: Origin,
  witnesses: readonly WitnessKey[],
): Promise<{ readonly seen: readonly Seen[]; readonly findings: readonly HistoryFinding[] }> => {
  const tree = logTree(origin.number)
  const cosigned = await lastCosigned(history, tree, MAX_SIZE)
  const head = cosigned && (await rowAt(history, tree, 'head', cosigned.size))
  if (cosigned === undefined || head === undefined) return { seen: [], findings: [] }
  const note = Buffer.from(head.value).toString()
  const { size, lines } = cosigned
  const witnessed = witnesses.flatMap((witness) => {
    const at = readCosignTime(textOfNote(note), lines, witness)
    return at === undefined ? [] : [{ name: witness.name, at, size }]
  })
  return { seen: witnessed, findings: await compareKeptHeads(history, { origin: origin.name, heads: { log: note } }) }
}
