import type { ChangedDocument } from '../../ports/freshness.ts'

/** Which documents of each collection changed lately; a generation is the number of changes so far. */
export type RecentChanges = {
  readonly add: (collection: string, changed: ChangedDocument, characters: number) => void
  /** Count a collection as changed none of whose documents is another. */
  readonly touch: (collection: string) => void
  readonly generation: (collection: string) => number
  readonly since: (collection: string, generation: number) => readonly ChangedDocument[] | undefined
}

/** Of one collection so many changes are kept, and characters of their documents; when there are more, only the newest change of each document, and half as many. */
const MAX_CHANGES = 1_000
const MAX_CHARACTERS = 512 * 1024

type Entry = ChangedDocument & { readonly generation: number; readonly characters: number }
type Collected = { entries: Entry[]; characters: number; generation: number; forgotten: number }

const NO_DOCUMENT: ChangedDocument = { id: '', document: () => undefined }

/** The newest change of each document, as far back as they are not too many; `forgotten`: the generation of the newest that is not among them. */
const newestOf = ({ entries, forgotten }: Collected): Pick<Collected, 'entries' | 'characters' | 'forgotten'> => {
  const kept = new Map<string, Entry>()
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
      let [low, high] = [0, entries.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((entries[middle]?.generation ?? 0) > generation) high = middle
        else low = middle + 1
      }
      return entries.slice(low)
    },
  }
}
