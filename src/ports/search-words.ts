// Decision 66.

import type { TextSearch } from './documents.ts'

/* Divides texts and searches into words. All stores do it alike, so that they find the same documents. */

/** Trade marks and numero signs, which are no words: NFKD makes them letters, which would join the word before them. */
const LETTERLIKE_SIGNS = /[©®℗™℠№]/gu

/** Marks that a search ignores: accents, points and titlos. Vowel signs of other scripts, and voicing marks of kana, are letters of their words. */
const IGNORED_MARKS =
  /\p{Default_Ignorable_Code_Point}|[[\p{M}&&[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Cyrillic}]]--[\u3099\u309a\u20e3]]/gv

/** Removes differences of case, width, accents and invisible characters. Upper case comes first, since `ß` and `SS` have one lower case only then. */
const fold = (text: string): string =>
  text
    .replace(LETTERLIKE_SIGNS, ' ')
    .normalize('NFKD')
    .replace(IGNORED_MARKS, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFC')

const UNSPACED_SCRIPTS = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Yi', 'Nushu', 'Tangut', 'Khitan_Small_Script'],
  ...['Thai', 'Lao', 'Khmer', 'Myanmar', 'Tai_Le', 'New_Tai_Lue', 'Tai_Tham', 'Tai_Viet', 'Ahom', 'Balinese', 'Javanese'],
]
const WORD_CHARACTER = String.raw`[\p{L}\p{M}\p{N}]`
/** Characters of scripts that put no spaces between words, or, as Korean, join particles to them. */
const UNSPACED = `[${WORD_CHARACTER}&&[${UNSPACED_SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]]`
const PIECE = new RegExp(
  String.raw`${UNSPACED}+|[0-9#*]\u20e3|\p{RI}{2}|\p{Extended_Pictographic}|(?:(?![0-9]\u20e3)[${WORD_CHARACTER}--[${UNSPACED}\u20e3]])+`,
  'gv',
)
const BEGINS_RUN = new RegExp(`^${UNSPACED}`, 'v')

/** The most characters of a folded text: one character can become 18. */
const MAX_FOLDED_CHARACTERS = 80_000

/** Divides a text into words and runs: stretches of characters of scripts without spaces. */
const piecesOf = (text: string): readonly string[] => fold(text).slice(0, MAX_FOLDED_CHARACTERS).match(PIECE) ?? []

const isRun = (piece: string): boolean => BEGINS_RUN.test(piece)

/** Returns a word as stores index it: a keycap gets its full-width form, which no folded text has and no store reads as punctuation. */
const wordOf = (piece: string): string =>
  piece.endsWith('\u20e3') ? `${String.fromCodePoint((piece.codePointAt(0) ?? 0) + 0xfee0)}\u20e3` : piece

/** Returns the overlapping pairs of a run: `上海东` has `上海` and `海东`. */
const pairsOf = (run: readonly string[]): readonly string[] => run.slice(1).map((character, n) => `${run[n]}${character}`)

/** Counts the words of a search; a run counts as one. */
export const countWords = (text: string): number => piecesOf(text).length

/**
 * The most places of one word in one text that are indexed. A phrase is compared with all of them. Without a limit, a text that repeats one
 * word would cost as much as thousands of others.
 */
const MAX_INDEXED_PLACES = 64

/** Distinct words, pairs and characters of one text that are indexed. Each costs the writer of a data file some 10 µs when it is removed. */
const MAX_INDEXED_WORDS = 8_192

/**
 * Lists the words of a text in their places; a place is empty if its word is not indexed there. A run is indexed as its pairs. The distinct
 * characters of all runs follow at the end, beside no other word, so that a search for one character is a search for a word.
 */
export const indexedWords = (text: string): readonly string[] => {
  const characters = new Set<string>()
  const places = new Map<string, number>()
  const words: string[] = []
  const isFull = (): boolean => places.size + characters.size >= MAX_INDEXED_WORDS
  const add = (word: string): void => {
    const before = places.get(word) ?? (isFull() ? MAX_INDEXED_PLACES : 0)
    if (before < MAX_INDEXED_PLACES) places.set(word, before + 1)
    words.push(before < MAX_INDEXED_PLACES ? word : '')
  }
  for (const piece of piecesOf(text)) {
    if (!isRun(piece)) {
      add(wordOf(piece))
      continue
    }
    const run = [...piece]
    for (const character of run) if (!isFull()) characters.add(character)
    if (run.length === 1) words.push('')
    for (const pair of pairsOf(run)) add(pair)
  }
  for (const character of characters) words.push('', character)
  return words
}

/** The most pairs of one run in a search: as many as the longest query has, unless folding makes it longer. */
const MAX_SOUGHT_PAIRS = 511

/** Divides a searched text into phrases: the pairs of each run, and the words between runs. */
const phrasesOf = (text: string): readonly (readonly string[])[] => {
  const phrases: (readonly string[])[] = []
  let words: string[] = []
  for (const piece of piecesOf(text)) {
    if (isRun(piece)) {
      const run = [...piece]
      phrases.push(run.length === 1 ? run : pairsOf(run).slice(0, MAX_SOUGHT_PAIRS))
      words = []
    } else {
      if (words.length === 0) phrases.push(words)
      words.push(wordOf(piece))
    }
  }
  return phrases
}

/** A search whose texts are divided into words beside each other, at least one each. */
export type SoughtWords =
  | { readonly words: readonly string[]; readonly fields: readonly string[] | undefined }
  | { readonly all: readonly SoughtWords[]; readonly except: readonly SoughtWords[] }
  | { readonly any: readonly SoughtWords[] }

/** Divides a search into words. Returns undefined for a search that finds nothing, since no required word is left. */
export const soughtWords = (sought: TextSearch): SoughtWords | undefined => {
  if ('words' in sought) {
    const phrases = phrasesOf(sought.words).map((words) => ({ words, fields: sought.fields }))
    return phrases.length > 1 ? { all: phrases, except: [] } : phrases[0]
  }
  const parts = (searches: readonly TextSearch[]) => searches.flatMap((part) => soughtWords(part) ?? [])
  const narrowed = 'any' in sought ? { any: parts(sought.any) } : { all: parts(sought.all), except: parts(sought.except ?? []) }
  return ('any' in narrowed ? narrowed.any : narrowed.all).length === 0 ? undefined : narrowed
}
