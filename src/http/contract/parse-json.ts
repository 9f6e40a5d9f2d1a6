// Decision 17.

import * as E from 'fp-ts/lib/Either.js'

/** The most levels of nested lists and objects. */
const MAX_JSON_LEVELS = 100
/** The most lists, objects and their members. Plain elements of lists are far cheaper and not counted. */
const MAX_JSON_MEMBERS = 10_000

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a]
const isOpening = (code: number) => code === 0x5b || code === 0x7b
const isClosing = (code: number) => code === 0x5d || code === 0x7d

/** Returns the end of a string that begins at a quotation mark. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

/** Tells whether a text has so many levels or members that parsing it would delay other requests. */
const isTooComplex = (text: string): boolean => {
  let level = 0
  let members = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (isOpening(code)) {
      level += 1
      members += 1
    } else if (isClosing(code)) level -= 1
    else if (code === COLON) members += 1
    if (level > MAX_JSON_LEVELS || members > MAX_JSON_MEMBERS) return true
  }
  return false
}

/** Matches an escaped surrogate. Most texts have none, and JSON that is sent as UTF-8 has no lone one unescaped. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Replaces lone surrogates, which escapes can write, by U+FFFD for everybody who reads JSON, so that everything stored is well-formed
 * Unicode.
 */
const wellFormed = (value: unknown): unknown => {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]))
}

/**
 * Parses a JSON text to a value of well-formed Unicode. Left if it is no JSON, or has far more levels or members than any request needs.
 */
export const parseJson = (text: string): E.Either<'broken', unknown> => {
  if (isTooComplex(text)) return E.left('broken')
  return E.tryCatch(
    () => (ESCAPED_SURROGATE.test(text) ? wellFormed(JSON.parse(text)) : JSON.parse(text)),
    () => 'broken' as const,
  )
}
