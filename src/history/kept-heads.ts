import type { HistoryStore } from '../ports/history.ts'
import { lastHeadIn, noteInFile } from './last-head.ts'
import { followKeys, headIn, keysIn, lastOrigin, originLine, originsIn } from './origins.ts'
import type { HistoryFinding } from './rebuild-tree.ts'
import { areSameBytes, logTree, rootAt, treeOf } from './trees.ts'

/** Signed heads of an origin that somebody keeps elsewhere, by the part of a tree's name that follows the origin's: `log`, `s/t4_1`. */
export type KeptHeads = { readonly origin: string; readonly heads: Readonly<Record<string, string>> }

/** Lists the differences between heads that were kept elsewhere and the trees of a log, which is proved to be as it is stored. */
export const compareKeptHeads = async (history: HistoryStore, { origin: name, heads }: KeptHeads): Promise<readonly HistoryFinding[]> => {
  const origin = await lastOrigin(history)
  if (origin?.name !== name) {
    const problem = `the heads that were kept are of this origin, but the log is numbered under ${origin?.name ?? 'none'}: ask its operator why`
    return [{ tree: name, number: undefined, problem }]
  }
  const keys = followKeys(origin, await keysIn(history, origin.number))
  if (typeof keys === 'string') return [{ tree: name, number: undefined, problem: keys }]
  const findings: HistoryFinding[] = []
  for (const [treeSuffix, note] of Object.entries(heads)) {
    const tree = `${origin.number}/${treeSuffix}`
    const line = originLine(origin, tree)
    const head = headIn(origin, tree, keys, note)
    const stored = treeOf(tree, await history.state(tree))
    const report = (number: number | undefined, problem: string) => findings.push({ tree: line, number, problem })
    if (head === undefined) report(undefined, `the head that was kept is not signed by a key of ${line}`)
    else if (head.size > stored.size) report(stored.size, `a head of ${head.size} leaves was kept, but there are only ${stored.size}`)
    else if (Buffer.compare(Buffer.from(await rootAt(history, stored, head.size)), Buffer.from(head.root)) !== 0) {
      const isForked = (await history.get(tree, 'head', [head.size])).size > 0
      report(
        head.size,
        `the kept head of ${head.size} leaves has another root than the stored tree${isForked ? ': two heads of this size were signed' : ''}`,
      )
    }
  }
  return findings
}

/** Lists the differences between the last head in its file, outside of the stores, and the log, which is proved to be as it is stored. */
export const compareLastHead = async (history: HistoryStore, headFile: string): Promise<readonly HistoryFinding[]> => {
  const origins = await originsIn(history)
  const origin = origins.at(-1)
  const note = origin && (await noteInFile(headFile, origins))
  if (origin === undefined || note === undefined) return []
  const tree = logTree(origin.number)
  const keys = followKeys(origin, await keysIn(history, origin.number))
  const head = typeof keys === 'string' ? undefined : lastHeadIn(note, origin, keys)
  const stored = treeOf(tree, await history.state(tree))
  const toFindings = (problem: string) => [{ tree: originLine(origin, tree), number: head?.size, problem }]
  if (head === undefined) return toFindings(`the last head in ${headFile} is not signed by a key of ${origin.name}`)
  if (head.size > stored.size)
    return toFindings(
      `a head of ${head.size} leaves is kept in ${headFile}, but there are only ${stored.size}: log and history were restored from an older backup`,
    )
  return areSameBytes(await rootAt(history, stored, head.size), head.root)
    ? []
    : toFindings(`the head of ${head.size} leaves in ${headFile} has another root than the stored tree`)
}
