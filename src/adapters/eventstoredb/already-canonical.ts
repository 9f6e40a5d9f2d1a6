const QUOTE = 34
const COMMA = 44
const MINUS = 45
const ZERO = 48
const NINE = 57
const COLON = 58
const OPENING_BRACKET = 91
const BACKSLASH = 92
const CLOSING_BRACKET = 93
const OPENING_BRACE = 123
const CLOSING_BRACE = 125
const SPACE = 32
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff
/** The escapes that canonical JSON has. Escapes by number are left to the parser. */
const ESCAPES = new Set('"\\bfnrt')
/** All numbers of at most so many digits are exact, and written as they are. */
const MAX_DIGITS = 15
const LITERALS = ['true', 'false', 'null']
const NOT_SEEN = -1

/** New names by old ones. */
export type Names = Readonly<Record<string, string>>

/**
 * Reads a text without building values, to see that it is canonical already. A text of some rare form (a fraction, an escape by number) is
 * left to the parser, too. Each step returns the place after the part it read, or `NOT_SEEN`.
 */
const scanner = (text: string, renamed: Names) => {
  let wellFormed: boolean | undefined
  /** The places of the names that must be replaced. */
  const places: { readonly at: number; readonly name: string }[] = []

  const string = (from: number): number => {
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) return at + 1
      if (code === BACKSLASH) {
        at += 1
        if (!ESCAPES.has(text[at] ?? '')) return NOT_SEEN
      } else if (code < SPACE) return NOT_SEEN
      else if (code >= FIRST_SURROGATE && code <= LAST_SURROGATE) {
        wellFormed ??= text.isWellFormed()
        if (!wellFormed) return NOT_SEEN
      }
    }
    return NOT_SEEN
  }

  const number = (from: number): number => {
    const first = text.charCodeAt(from) === MINUS ? from + 1 : from
    let at = first
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) at += 1
    const digits = at - first
    const leading = text.charCodeAt(first) === ZERO
    if (digits === 0 || digits > MAX_DIGITS || (leading && (digits > 1 || first > from))) return NOT_SEEN
    return at
  }

  const list = (from: number): number => {
    if (text.charCodeAt(from + 1) === CLOSING_BRACKET) return from + 2
    for (let at = from + 1; ; at += 1) {
      at = value(at, false)
      if (at === NOT_SEEN) return NOT_SEEN
      const code = text.charCodeAt(at)
      if (code === CLOSING_BRACKET) return at + 1
      if (code !== COMMA) return NOT_SEEN
    }
  }

  const object = (from: number, isTop: boolean): number => {
    if (text.charCodeAt(from + 1) === CLOSING_BRACE) return from + 2
    let before: string | undefined
    for (let at = from + 1; ; at += 1) {
      if (text.charCodeAt(at) !== QUOTE) return NOT_SEEN
      const end = string(at)
      if (end === NOT_SEEN) return NOT_SEEN
      const name = text.slice(at + 1, end - 1)
      if (name.includes('\\')) return NOT_SEEN
      if ((before !== undefined && name <= before) || text.charCodeAt(end) !== COLON) return NOT_SEEN
      if (isTop && Object.hasOwn(renamed, name)) places.push({ at: at + 1, name })
      before = name
      at = value(end + 1, false)
      if (at === NOT_SEEN) return NOT_SEEN
      const code = text.charCodeAt(at)
      if (code === CLOSING_BRACE) return at + 1
      if (code !== COMMA) return NOT_SEEN
    }
  }

  const value = (from: number, isTop: boolean): number => {
    switch (text.charCodeAt(from)) {
      case QUOTE:
        return string(from)
      case OPENING_BRACE:
        return object(from, isTop)
      case OPENING_BRACKET:
        return list(from)
      default: {
        const literal = LITERALS.find((word) => text.startsWith(word, from))
        return literal === undefined ? number(from) : from + literal.length
      }
    }
  }

  return { places, isWhole: () => value(0, true) === text.length }
}

const NOTHING: Names = {}

/** Returns the text with names at its top replaced, if it is canonical; undefined if only a parser can tell. */
export const alreadyCanonical = (text: string, renamed = NOTHING): string | undefined => {
  const { places, isWhole } = scanner(text, renamed)
  if (!isWhole()) return undefined
  let changed = text
  for (const { at, name } of places.reverse()) changed = `${changed.slice(0, at)}${renamed[name]}${changed.slice(at + name.length)}`
  return changed
}
