import type { TextSearch } from './documents.ts'

/*
 * How texts and searches are divided into words. All stores do it alike, so that they find the same documents.
 */

/** Words as they are indexed: letters and digits, without case and diacritics. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** The number of words in a search. */
export const countWords = (text: string): number => wordsOf(text).length

/**
 * Places of one word in one text that are indexed. A phrase is compared with all of them, so that without a limit one text of the same
 * word again and again would cost as much as thousands of others.
 */
const MAX_INDEXED_PLACES = 64

/** The words of a text in their places; empty where a word is not indexed, since it has stood in too many places before. */
export const indexedWords = (text: string): readonly string[] => {
  const places = new Map<string, number>()
  return wordsOf(text).map((word) => {
    const place = (places.get(word) ?? 0) + 1
    places.set(word, place)
    return place > MAX_INDEXED_PLACES ? '' : word
  })
}

/** A search whose texts are divided into words, at least one each. */
export type SoughtWords =
  | { readonly words: readonly string[]; readonly fields: readonly string[] | undefined }
  | { readonly all: readonly SoughtWords[]; readonly except: readonly SoughtWords[] }
  | { readonly any: readonly SoughtWords[] }

/** Undefined for a search that finds nothing, since no word is left of what it requires. */
export const soughtWords = (sought: TextSearch): SoughtWords | undefined => {
  if ('words' in sought) {
    const words = wordsOf(sought.words)
    return words.length === 0 ? undefined : { words, fields: sought.fields }
  }
  const parts = (some: readonly TextSearch[]) => some.flatMap((part) => soughtWords(part) ?? [])
  const kept = 'any' in sought ? { any: parts(sought.any) } : { all: parts(sought.all), except: parts(sought.except ?? []) }
  return ('any' in kept ? kept.any : kept.all).length === 0 ? undefined : kept
}
