// Decision 130.

import { firstIndex } from '../../ports/first-index.ts'
import type { ChangedDocument } from '../../ports/freshness.ts'

/** The documents of each collection that changed lately. A generation is the number of changes so far. */
export type RecentChanges = {
  readonly add: (collection: string, changed: ChangedDocument, characters: number) => void
  /** Marks a collection as changed although none of its documents is. */
  readonly touch: (collection: string) => void
  readonly generation: (collection: string) => number
  readonly since: (collection: string, generation: number) => readonly ChangedDocument[] | undefined
}

/**
 * The most changes of one collection that are kept, and the most characters of their documents. With more, only the newest change of each
 * document stays, and half as many.
 */
const MAX_CHANGES = 1_000
const MAX_CHARACTERS = 256 * 1024

type RecentChange = ChangedDocument & { readonly generation: number; readonly characters: number }
type Collected = { entries: RecentChange[]; characters: number; generation: number; forgotten: number }

const NO_DOCUMENT: ChangedDocument = { id: '', document: () => undefined }

/**
 * Returns the newest change of each document, as far back as they are few enough. `forgotten` is the generation of the newest one that is
 * not among them.
 */
const newestOf = ({ entries, forgotten }: Collected): Pick<Collected, 'entries' | 'characters' | 'forgotten'> => {
  const kept = new Map<string, RecentChange>()
  let characters = 0
  for (const entry of entries.toReversed()) {
    if (kept.has(entry.id)) continue
    if (kept.size === MAX_CHANGES / 2 || characters + entry.characters > MAX_CHARACTERS / 2)
      return { entries: [...kept.values()].reverse(), characters, forgotten: entry.generation }
    characters += entry.characters
    kept.set(entry.id, entry)
  }
  return { entries: [...kept.values()].reverse(), characters, forgotten }
}

export const recentChanges = (): RecentChanges => {
  const collections = new Map<string, Collected>()

  const add: RecentChanges['add'] = (collection, { id, document }, characters) => {
    const known = collections.get(collection) ?? { entries: [], characters: 0, generation: 0, forgotten: 0 }
    collections.set(collection, known)
    known.generation += 1
    known.characters += characters
    known.entries.push({ id, document, generation: known.generation, characters })
    if (known.entries.length > MAX_CHANGES || known.characters > MAX_CHARACTERS) Object.assign(known, newestOf(known))
  }

  return {
    add,
    touch: (collection) => add(collection, NO_DOCUMENT, 0),
    generation: (collection) => collections.get(collection)?.generation ?? 0,
    since: (collection, generation) => {
      const known = collections.get(collection)
      if (!known || generation === known.generation) return []
      if (generation < known.forgotten) return undefined
      const { entries } = known
      return entries.slice(firstIndex(entries.length, (n) => (entries[n]?.generation ?? 0) > generation))
    },
  }
}
