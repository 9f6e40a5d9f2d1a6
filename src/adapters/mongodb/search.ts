import type { Collection, Document, SearchIndex, SearchQuery } from '../../ports/documents.ts'
import { pathOf, valueAt } from './query.ts'

/** Words as they are indexed: letters and digits, without case and diacritics. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** What must be found: each term is a run of words ("wire-protocol" is two, side by side); a term without any says nothing. */
export const termsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split(/\s+/u)
    .map(wordsOf)
    .filter((words) => words.length > 0)

const line = (words: readonly string[]): string => ` ${words.join(' ')} `

/** Each term as a phrase: all are required, and nothing in it is syntax. The server finds a phrase anywhere, so blanks bound its words. */
export const phrases = (terms: readonly (readonly string[])[]): string => terms.map((words) => `"${line(words)}"`).join(' ')

const textIn = (document: Document, field: string): string => {
  const value = valueAt(document, field)
  return typeof value === 'string' ? value : ''
}

const linesOf = ({ text }: SearchIndex, document: Document): readonly string[] =>
  text.map((field) => line(wordsOf(textIn(document, field))))

/**
 * The texts of a document as the index holds them. They are cut into words here and not by the server, which takes other signs for
 * a part of a word, and leaves vowel signs where `wordsOf` has none: a question and its answers must be cut alike.
 */
export const searchable = ({ search }: Collection<Document>, document: Document): string | undefined =>
  search && linesOf(search, document).join('')

/** What the port promises, whatever the server takes for a match: every term in one of the texts, as whole words side by side. */
export const holdsAll =
  (search: SearchIndex, terms: readonly (readonly string[])[]) =>
  (document: Document): boolean => {
    const lines = linesOf(search, document)
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
