import type { Collection, Document, SearchIndex, SearchQuery } from '../../ports/documents.ts'
import { pathOf, valueAt } from './query.ts'

/** Words as the index sees them: letters and digits, without case and diacritics. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** What must be found: each term is a run of words ("wire-protocol" is two, side by side); a term without any says nothing. */
export const termsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split(/\s+/u)
    .map(wordsOf)
    .filter((words) => words.length > 0)

/** Each word as a phrase of its own: all are required, and nothing in it is syntax. */
export const phrases = (terms: readonly (readonly string[])[]): string =>
  terms.map((words) => words.map((word) => `"${word}"`).join(' ')).join(' ')

const textIn = (document: Document, field: string): string => {
  const value = valueAt(document, field)
  return typeof value === 'string' ? value : ''
}

const line = (words: readonly string[]): string => ` ${words.join(' ')} `

/** The server finds a quoted word inside longer words too ("cup" in "cupboard"); this asks for whole ones. */
export const holdsAll =
  ({ text }: SearchIndex, terms: readonly (readonly string[])[]) =>
  (document: Document): boolean => {
    const lines = text.map((field) => line(wordsOf(textIn(document, field))))
    return terms.every((words) => lines.some((held) => held.includes(line(words))))
  }

const byRelevance = { score: { $meta: 'textScore' }, _id: -1 } as const

export const sortFor = (collection: Collection<Document>, { order }: SearchQuery) => {
  if (order === 'relevance') return byRelevance
  const fields = collection.search?.orders[order]
  if (fields === undefined) throw new Error(`${collection.name} has no search order ${order}`)
  return Object.fromEntries(
    fields.map((name) => (name.startsWith('-') ? [pathOf(name.slice(1)), -1] : [pathOf(name), 1]) as [string, 1 | -1]),
  )
}
