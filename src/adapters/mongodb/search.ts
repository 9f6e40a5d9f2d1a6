import { setImmediate } from 'node:timers/promises'
import type { Anchor, Collection, Document, SearchIndex, SearchQuery } from '../../ports/documents.ts'
import { indexedWords, type SoughtWords } from '../../ports/search-words.ts'
import { pathOf, valueAt } from './query.ts'

const line = (words: readonly string[]): string => ` ${words.join(' ')} `

/** A text search that the server supports: phrases that are all required, or words of which one is required. */
type Asked = { readonly phrases: readonly string[] } | { readonly words: readonly string[] }

const askedOf = (sought: SoughtWords): Asked => {
  if ('words' in sought) return { phrases: [line(sought.words)] }
  if ('any' in sought) {
    const [only, ...others] = sought.any
    if (only && others.length === 0) return askedOf(only)
    return { words: sought.any.flatMap((part) => oneOf(askedOf(part))) }
  }
  const asked = sought.all.map(askedOf)
  const phrases = asked.flatMap((part) => ('phrases' in part ? part.phrases : []))
  return phrases.length > 0 ? { phrases } : (asked[0] ?? { phrases })
}

/** Words of which every match contains one. */
const oneOf = (asked: Asked): readonly string[] => ('words' in asked ? asked.words : (asked.phrases[0] ?? '').trim().split(' ').slice(0, 1))

/**
 * The search string for the server, without syntax of its own: it finds all matches, and more. The server finds a phrase even inside words, so
 * it begins and ends with blanks; separate words are alternatives.
 */
export const question = (sought: SoughtWords): string => {
  const asked = askedOf(sought)
  return 'phrases' in asked ? asked.phrases.map((phrase) => `"${phrase}"`).join(' ') : [...new Set(asked.words)].join(' ')
}

const textIn = (document: Document, field: string): string => {
  const value = valueAt(document, field)
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
}

const linesOf = ({ text }: SearchIndex, document: Document): readonly string[] =>
  text.map((field) => line(indexedWords(textIn(document, field))))

/**
 * The texts of a document as the index holds them. They are divided into words here and not by the server, which treats other characters as
 * part of a word, and keeps vowel signs that are removed here: a query and its documents must be divided alike.
 */
export const searchable = ({ search }: Collection<Document>, document: Document): string | undefined => {
  if (!search || (search.only !== undefined && valueAt(document, search.only) !== true)) return undefined
  return linesOf(search, document).join('')
}

/** What the port promises whatever the server matches: whole adjacent words, in the named fields. */
export const fitting =
  (search: SearchIndex, sought: SoughtWords) =>
  (document: Document): boolean => {
    const lines = linesOf(search, document)
    const fits = (part: SoughtWords): boolean => {
      if ('any' in part) return part.any.some(fits)
      if ('all' in part) return part.all.every(fits) && !part.except.some(fits)
      const phrase = line(part.words)
      return lines.some((held, index) => held.includes(phrase) && (part.fields?.includes(search.text[index] ?? '') ?? true))
    }
    return fits(sought)
  }

/** Milliseconds that texts are compared without a pause. */
const STRETCH_MS = 10

/** The same comparison, with a pause for other requests between long texts. */
export const unhurried = (fits: (document: Document) => boolean) => {
  let started = performance.now()
  return async (document: Document): Promise<boolean> => {
    if (performance.now() - started > STRETCH_MS) {
      await setImmediate()
      started = performance.now()
    }
    return fits(document)
  }
}

type Order = readonly { readonly path: string; readonly sign: 1 | -1 }[]

/** The order asked for, backwards for a page that ends before an anchor. */
export const orderFor = (collection: Collection<Document>, { order, page }: SearchQuery): Order => {
  const fields = collection.search?.orders[order]
  if (fields === undefined) throw new Error(`${collection.name} has no search order ${order}`)
  return fields.map((name) => {
    const descends = name.startsWith('-')
    return { path: pathOf(descends ? name.slice(1) : name), sign: descends === (page.before === undefined) ? -1 : 1 }
  })
}

/** What follows an anchor in an order. */
export const following = (order: Order, anchor: Anchor) => ({
  $or: order.map(({ path, sign }, index) => ({
    ...Object.fromEntries(order.slice(0, index).map((earlier, at) => [earlier.path, anchor[at]])),
    [path]: { [sign < 0 ? '$lt' : '$gt']: anchor[index] },
  })),
})
