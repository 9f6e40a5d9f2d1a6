// Decision 66.

/*
 * The language of searches: words, "phrases", AND, OR, NOT, -word, parentheses, field:value, field:"a b" and field:(a OR b); or, written
 * from the outside in, (and field:'x' (or y z) (not w)). Words beside each other are all required. A text that cannot be read that way is
 * read as plain words, so that no text is an error.
 */

/** A search as it was typed. A text without a field is sought in every field. */
export type SearchTree =
  | { readonly text: string; readonly field: string | undefined }
  | { readonly all: readonly SearchTree[] }
  | { readonly any: readonly SearchTree[] }
  | { readonly not: SearchTree }

/** The most nested parentheses. */
const MAX_NESTED_PARENTHESES = 8

/** Maps the names of fields, in lower case, to the fields. */
export type FieldNames = ReadonlyMap<string, string>

type Token = { readonly kind: '(' | ')' | 'and' | 'or' | 'not' | 'field' | 'text'; readonly text: string }

/**
 * Matches a token. `a:` is a field only if its value follows without a space. `[1 TO 7]` is another spelling of `1..7`, with `*` for an
 * open end.
 */
const TOKEN =
  /(?<open>\()|(?<close>\))|(?<minus>-)(?=["(])|"(?<double>[^"]*)"|'(?<single>[^']*)'(?=[\s()]|$)|(?<field>[a-z_0-9]+):(?=[^\s)])|\[(?<from>\d{1,15}|\*) TO (?<to>\d{1,15}|\*)\]|(?<word>[^\s()"]+)/giu

const operators: ReadonlyMap<string, Token['kind']> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
])

const tokensOf = (query: string, fields: FieldNames): readonly Token[] => {
  const tokens: Token[] = []
  for (const { groups = {} } of query.matchAll(TOKEN)) {
    const { open, close, minus, double, single, field, from, to, word = '' } = groups
    const operator = operators.get(word)
    if (open !== undefined) tokens.push({ kind: '(', text: open })
    else if (close !== undefined) tokens.push({ kind: ')', text: close })
    else if (minus !== undefined) tokens.push({ kind: 'not', text: minus })
    else if (field !== undefined) {
      const known = fields.get(field.toLowerCase())
      tokens.push(known === undefined ? { kind: 'text', text: field } : { kind: 'field', text: known })
    } else if (from !== undefined) tokens.push({ kind: 'text', text: `${from}..${to}`.replaceAll('*', '') })
    else if (operator !== undefined) tokens.push({ kind: operator, text: word })
    else if (word.startsWith('-') && word.length > 1) tokens.push({ kind: 'not', text: '-' }, ...tokensOf(word.slice(1), fields))
    else tokens.push({ kind: 'text', text: double ?? single ?? word })
  }
  return tokens
}

/** Thrown for a text that is not an expression. */
class Unreadable extends Error {}

/** Reads the tokens of a search from the left. */
class Reader {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at]
  }

  take(kind: Token['kind']): Token | undefined {
    const token = this.next
    if (token?.kind !== kind) return undefined
    this.#at += 1
    return token
  }

  /** Reads the contents of parentheses, after the opening one. */
  within<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > MAX_NESTED_PARENTHESES) throw new Unreadable()
    const inner = read()
    if (!this.take(')')) throw new Unreadable()
    this.#depth -= 1
    return inner
  }
}

const joinParts = (parts: readonly (SearchTree | undefined)[], by: 'all' | 'any'): SearchTree | undefined => {
  const [only, ...others] = parts.filter((part) => part !== undefined)
  if (only === undefined || others.length === 0) return only
  return by === 'all' ? { all: [only, ...others] } : { any: [only, ...others] }
}

const negatePart = (part: SearchTree | undefined): SearchTree | undefined => part && ('not' in part ? part.not : { not: part })

/** Reads `a OR b`, where texts beside each other, or with AND, are all required. */
const alternatives = (reader: Reader, field: string | undefined): SearchTree | undefined => {
  const alternatives = [together(reader, field)]
  while (reader.take('or')) alternatives.push(together(reader, field))
  return joinParts(alternatives, 'any')
}

const together = (reader: Reader, field: string | undefined): SearchTree | undefined => {
  const terms = [one(reader, field)]
  while (reader.next !== undefined && reader.next.kind !== ')' && reader.next.kind !== 'or') {
    reader.take('and')
    terms.push(one(reader, field))
  }
  return joinParts(terms, 'all')
}

const one = (reader: Reader, field: string | undefined): SearchTree | undefined => {
  if (reader.take('not')) return negatePart(one(reader, field))
  if (reader.take('(')) return reader.within(() => alternatives(reader, field))
  const named = reader.take('field')
  if (named) return one(reader, named.text)
  const text = reader.take('text')
  if (!text) throw new Unreadable()
  return { text: text.text, field }
}

/** Reads `(and a b)`, `(or a b)`, `(not a)`, or a text. */
const readPrefixed = (reader: Reader): SearchTree | undefined => {
  if (!reader.take('(')) return one(reader, undefined)
  return reader.within(() => {
    const operator = reader.take('and') ?? reader.take('or') ?? reader.take('not')
    const trees: (SearchTree | undefined)[] = []
    while (reader.next && reader.next.kind !== ')') trees.push(readPrefixed(reader))
    const inner = joinParts(trees, operator?.kind === 'or' ? 'any' : 'all')
    return operator?.kind === 'not' ? negatePart(inner) : inner
  })
}

/** Matches letters, digits and emoji, with the invisible characters that join them. */
const PLAIN_WORD =
  /(?:[#*]\ufe0f?\u20e3|[\p{L}\p{M}\p{N}\p{RI}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Default_Ignorable_Code_Point}])+/gu

const parseWords = (query: string, isPassedOver: (word: string) => boolean = () => false): SearchTree | undefined => {
  const words = query.match(PLAIN_WORD) ?? []
  return joinParts(
    words.filter((word) => !isPassedOver(word)).map((text) => ({ text, field: undefined })),
    'all',
  )
}

/** Parses a search; undefined if it is empty. With `plain` it is only words. */
export const parseSearch = (query: string, syntax: 'plain' | 'lucene' | 'cloudsearch', fields: FieldNames): SearchTree | undefined => {
  if (syntax === 'plain') return parseWords(query)
  const isPrefixed = syntax === 'cloudsearch' && /^\s*\((?:and|or|not)\s/i.test(query)
  const reader = new Reader(tokensOf(isPrefixed ? query.replace(/\((and|or|not)(?=\s)/gi, (start) => start.toUpperCase()) : query, fields))
  try {
    const parsed = isPrefixed ? readPrefixed(reader) : reader.next && alternatives(reader, undefined)
    if (reader.next) throw new Unreadable()
    return parsed
  } catch (error) {
    if (error instanceof Unreadable) return parseWords(query, (word) => operators.has(word))
    throw error
  }
}
