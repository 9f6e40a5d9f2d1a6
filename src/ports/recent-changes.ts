// Decision 130.

import { firstIndex } from './first-index.ts'
import type { ChangedDocument } from './freshness.ts'

/** The documents of each collection that changed lately. A generation is a number that grows with each change. */
export type RecentChanges = {
  readonly add: (collection: string, changed: ChangedDocument, characters: number) => void
  /** Marks a collection as changed although none of its documents is. */
  readonly touch: (collection: string) => void
  /** Marks one collection, or all, as changed in ways that are not known. */
  readonly end: (collection?: string) => void
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

const NONE: Collected = { entries: [], characters: 0, generation: 0, forgotten: 0 }
const NO_DOCUMENT: ChangedDocument = { id: '', document: () => undefined }

/**
 * Returns the newest change of each document, as far back as they are few enough. `forgotten` is the generation of the newest one that is
 * not among them.
 */
const newestOf = ({ entries, forgotten }: Collected): Pick<Collected, 'entries' | 'characters' | 'forgotten'> => {
  const newest = new Map<string, RecentChange>()
  let characters = 0
  for (const entry of entries.toReversed()) {
    if (newest.has(entry.id)) continue
    if (newest.size === MAX_CHANGES / 2 || characters + entry.characters > MAX_CHARACTERS / 2)
      return { entries: [...newest.values()].reverse(), characters, forgotten: entry.generation }
    characters += entry.characters
    newest.set(entry.id, entry)
  }
  return { entries: [...newest.values()].reverse(), characters, forgotten }
}

export const recentChanges = (): RecentChanges => {
  const collections = new Map<string, Collected>()
  /** The generation of the last change of any collection, and of the last end of all. */
  let last = 0
  let ended = 0

  const collect = (collection: string): Collected => {
    const known = collections.get(collection) ?? { ...NONE, entries: [], generation: ended, forgotten: ended }
    collections.set(collection, known)
    return known
  }

  const add: RecentChanges['add'] = (collection, changed, characters) => {
    const known = collect(collection)
    last += 1
    known.generation = last
    known.characters += characters
    known.entries.push({ ...changed, generation: last, characters })
    if (known.entries.length > MAX_CHANGES || known.characters > MAX_CHARACTERS) Object.assign(known, newestOf(known))
  }

  const end: RecentChanges['end'] = (collection) => {
    last += 1
    if (collection !== undefined) Object.assign(collect(collection), { ...NONE, entries: [], generation: last, forgotten: last })
    else {
      ended = last
      collections.clear()
    }
  }

  return {
    add,
    touch: (collection) => add(collection, NO_DOCUMENT, 0),
    end,
    generation: (collection) => collections.get(collection)?.generation ?? ended,
    since: (collection, generation) => {
      const { entries, generation: current, forgotten } = collections.get(collection) ?? { ...NONE, generation: ended, forgotten: ended }
      if (generation === current) return []
      if (generation < forgotten) return undefined
      return entries.slice(firstIndex(entries.length, (n) => (entries[n]?.generation ?? 0) > generation))
    },
  }
}
