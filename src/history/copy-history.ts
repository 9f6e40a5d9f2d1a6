import type { HistoryRow, HistoryStore, RowKind, TreeState } from '../ports/history.ts'
import { EVENTS_PER_MILESTONE } from './milestones.ts'
import { keyRows, originRows } from './origins.ts'
import { indexOf, levelOf, rowPages, TILE_WIDTH } from './trees.ts'
import { ATTEMPTS } from './witnesses.ts'

/* Copies a history to another store. The log determines its trees: numbers and leaves are the same in any store. */

const STATES_PER_READ = 500

/** Tells whether a row belongs to a tree of a size. A tree that grows while it is copied has further rows. */
const isWithin: Readonly<Record<RowKind, (number: number, size: number) => boolean>> = {
  tile: (number, size) => indexOf(number) < Math.floor(size / TILE_WIDTH ** (levelOf(number) + 1)),
  entry: (number, size) => number < size,
  milestone: (number, size) => number * EVENTS_PER_MILESTONE < size,
  binding: () => true,
  head: (number, size) => number <= size,
  cosignature: (number, size) => number < (size + 1) * ATTEMPTS,
  key: () => true,
  origin: () => true,
}
const KINDS_OF_TREES = ['tile', 'entry', 'milestone', 'binding', 'head', 'cosignature'] as const satisfies readonly RowKind[]

async function* rowsOf(history: HistoryStore, { tree, size }: Pick<TreeState, 'tree' | 'size'>, kind: RowKind) {
  for await (const rows of rowPages(history, tree, kind)) yield rows.filter(({ number }) => isWithin[kind](number, size))
}

const statesIn = async (history: HistoryStore): Promise<readonly TreeState[]> => {
  const states: TreeState[] = []
  for (let after = ''; ; ) {
    const page = await history.states('', after, STATES_PER_READ)
    states.push(...page)
    after = page.at(-1)?.tree ?? after
    if (page.length < STATES_PER_READ) return states
  }
}

/**
 * Copies a history, which may be growing, into a store that is empty or holds an interrupted copy. Its origins come last, so that an
 * interrupted copy is no history.
 */
export const copyHistory = async (from: HistoryStore, to: Pick<HistoryStore, 'add' | 'grow'>): Promise<void> => {
  const origins: readonly HistoryRow[] = [...(await keyRows(from)), ...(await originRows(from))]
  // the order of names puts the log's tree of each origin first, so that no other tree is older than it
  const states = await statesIn(from)
  for (const state of states) {
    for (const kind of KINDS_OF_TREES) for await (const rows of rowsOf(from, state, kind)) await to.add(rows)
    await to.grow(0, state)
  }
  await to.add(origins)
}
