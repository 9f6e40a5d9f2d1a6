import type { Collection, Document, SearchIndex, SearchQuery } from '../../ports/documents.ts'
import { pathOf } from './query.ts'

/** Words as the index sees them: letters and digits, without case and diacritics. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Each word as a phrase of its own: all are required, and nothing in it is syntax. */
export const phrases = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' ')

const textIn = (document: unknown, field: string): string => {
  const value = field.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], document)
  return typeof value === 'string' ? value : ''
}

/** The server finds a quoted word inside longer words too ("cup" in "cupboard"); this asks for whole words. */
export const holdsAll =
  ({ text }: SearchIndex, words: readonly string[]) =>
  (document: Document): boolean => {
    const held = new Set(text.flatMap((field) => wordsOf(textIn(document, field))))
    return words.every((word) => held.has(word))
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
