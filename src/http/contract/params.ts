import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { isLongerThan, limits } from '../../domain/text.ts'
import { countWords } from '../../ports/search-words.ts'
import type { Param } from './endpoint.ts'
import { parseJson } from './parse-json.ts'
import type { Refusal, RefusalCode } from './refusals.ts'

/*
 * The parameter types: each builder makes the decoder and its JSON schema together. A decoder gets the raw text as sent,
 * `undefined` if it was not sent; only `emptiable` distinguishes an empty text from an absent one.
 */

type Schema = Readonly<Record<string, unknown>>
type Rule<T> = (raw: string, name: string) => Either<Refusal, T>

export const no = (code: RefusalCode, field: string, text?: string): Either<Refusal, never> =>
  E.left(text === undefined ? { code, field } : { code, field, text })

/**
 * Characters (UTF-16 units) of a parameter without a limit of its own. Every decoder checks the length first, before any
 * other check.
 */
export const MAX_PARAMETER_CHARACTERS = 16_384

/** A required parameter: absent and empty are refused with `absent`, too long with `overlong`. */
export const param = <T>(
  schema: Schema,
  absent: RefusalCode,
  rule: Rule<T>,
  overlong: RefusalCode = absent,
  longest = MAX_PARAMETER_CHARACTERS,
): Param<T> => ({
  decode: (raw, name) => {
    if (raw === undefined || raw === '') return no(absent, name)
    return raw.length > longest ? no(overlong, name) : rule(raw, name)
  },
  schema,
  required: true,
  description: '',
  aliases: [],
})

/** Absent or empty is `undefined`, which is no default: a client that sent one would say more. */
export const optional = <T>(p: Param<T>): Param<T | undefined> => {
  const { default: _, ...schema } = p.schema
  return {
    ...p,
    decode: (raw, name) => (raw === undefined || raw === '' ? E.right(undefined) : p.decode(raw, name)),
    schema,
    required: false,
  }
}

/** Absent or empty is the default. */
export const withDefault = <T, D>(p: Param<T>, value: D): Param<T | D> => ({
  ...p,
  decode: (raw, name) => (raw === undefined || raw === '' ? E.right(value) : p.decode(raw, name)),
  // an empty list is not sent, so that it is no value to declare
  schema: Array.isArray(value) ? p.schema : { ...p.schema, default: value },
  required: false,
})

/** Absent is `undefined`, but a sent empty text is `''`: for texts and choices that can be cleared. */
export const emptiable = <T>(p: Param<T>): Param<T | '' | undefined> => ({
  ...p,
  decode: (raw, name) => (raw === undefined ? E.right(undefined) : raw === '' ? E.right('' as const) : p.decode(raw, name)),
  required: false,
})

/** An invalid value becomes the default: for choices and numbers of listings, which are never refused. */
export const lenient = <T, D>(p: Param<T>, value: D): Param<T | D> => {
  const relaxed = withDefault(p, value)
  return { ...relaxed, decode: (raw, name) => E.orElse((): Either<Refusal, T | D> => E.right(value))(relaxed.decode(raw, name)) }
}

/** Its value converted by a function. */
export const mapped = <T, U>(p: Param<T>, to: (value: T) => U): Param<U> => ({
  ...p,
  decode: (raw, name) => E.map(to)(p.decode(raw, name)),
})

/** Absent is refused, but a sent empty text is one. */
export const sent = <T>(p: Param<T>, absent: RefusalCode): Param<T> => ({
  ...p,
  decode: (raw, name) => (raw === undefined ? no(absent, name) : p.decode(raw, name)),
  required: true,
})

/** Documented as required; the endpoint refuses its absence, so that errors are reported in the right order. */
export const required = <T>(p: Param<T>): Param<T> => ({ ...p, required: true })

/** Documented as this, for what the endpoint decodes itself: `{ type: 'string', enum: ['code', 'token'] }`. */
export const withSchema = <T>(p: Param<T>, schema: Schema): Param<T> => ({ ...p, schema })

/** Documented as one of a closed set; the endpoint itself decides what to do with another value. */
export const among = <T>(p: Param<T>, ...values: readonly string[]): Param<T> => withSchema(p, { type: 'string', enum: values })

/** Replaces any refusal by this one of the same parameter: where an invalid value is a status and not a form error. */
export const refusing = <T>(p: Param<T>, code: RefusalCode): Param<T> => ({
  ...p,
  decode: (raw, name) => E.mapLeft((): Refusal => ({ code, field: name }))(p.decode(raw, name)),
})

/** Names under which older clients send it. */
export const aliased = <T>(p: Param<T>, ...aliases: readonly string[]): Param<T> => ({ ...p, aliases })

/** Markdown of at most so many characters, which is refused (`TOO_COMPLEX`) when it cannot be rendered in time. */
export const markdown = <T>(max: number, p: Param<T>): Param<T> => ({ ...p, markdown: max })

export const described = <T>(p: Param<T>, description: string): Param<T> => ({ ...p, description })

const unprintable = /[[\p{Cc}&&\p{ASCII}]--[\t\n\r]]/v

const tooLong = (field: string, max: number) => no('TOO_LONG', field, `this is too long (max: ${max})`)

type TextOptions = {
  /** In characters (code points). */
  readonly max: number
  /** Absent and blank are allowed and give `''`. */
  readonly empty?: boolean
  /** Surrounding space is dropped and runs of white space become one space. */
  readonly line?: boolean
}

/** Text in words: `NO_TEXT` when absent or blank (unless `empty`), `TOO_LONG` naming the limit, `BAD_STRING` with control characters. */
export const text = ({ max, empty = false, line = false }: TextOptions): Param<string> => ({
  decode: (raw = '', name) => {
    if (raw.length > (line ? Math.max(2 * max, MAX_PARAMETER_CHARACTERS) : 2 * max)) return tooLong(name, max)
    const value = line ? raw.replace(/\s+/gu, ' ').trim() : raw
    if (value.trim() === '') return empty ? E.right('') : no('NO_TEXT', name)
    if (isLongerThan(max, value)) return tooLong(name, max)
    return unprintable.test(value) ? no('BAD_STRING', name) : E.right(value)
  },
  schema: { type: 'string', maxLength: max, ...(!empty && { minLength: 1 }) },
  required: !empty,
  description: '',
  aliases: [],
})

/** A reason of at most `max` printable ASCII characters, which may be absent: `TOO_LONG`, `BAD_STRING`. */
export const printable = (max: number): Param<string> => {
  const param = text({ max, empty: true })
  const decode: Param<string>['decode'] = (value, name) => {
    const decoded = param.decode(value, name)
    return E.isRight(decoded) && !/^[\x20-\x7e]*$/.test(decoded.right) ? no('BAD_STRING', name) : decoded
  }
  return { ...param, decode }
}

/**
 * Raw text, as sent; absent is `''`. For passwords, tokens, state values, and texts whose length the domain checks: at
 * most `max` characters are allowed, and twice that (in UTF-16 units) is `TOO_LONG` before any other check.
 */
export const raw = ({ max }: { readonly max?: number } = {}): Param<string> => {
  const most = max ?? MAX_PARAMETER_CHARACTERS / 2
  return {
    decode: (value = '', name) => (value.length > 2 * most ? tooLong(name, most) : E.right(value)),
    schema: { type: 'string', ...(max !== undefined && Number.isFinite(max) && { maxLength: max }) },
    required: false,
    description: '',
    aliases: [],
  }
}

/** What to search for, as sent; absent is `''`. `TOO_LONG` names the limit: of characters, or of words. */
export const searchText = (): Param<string> => {
  const query = raw({ max: limits.searchQuery })
  return {
    ...query,
    decode: (value = '', name) => {
      if (isLongerThan(limits.searchQuery, value)) return tooLong(name, limits.searchQuery)
      return countWords(value) > limits.searchWords
        ? no('TOO_LONG', name, `this has too many words (max: ${limits.searchWords})`)
        : query.decode(value, name)
    },
  }
}

type Range = { readonly min?: number; readonly max?: number }

const number = (range: Range, place: (value: number, min: number, max: number) => number | undefined): Param<number> => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range
  const schema = {
    type: 'integer',
    ...(range.min !== undefined && { minimum: range.min }),
    ...(range.max !== undefined && { maximum: range.max }),
  }
  return param(schema, 'BAD_NUMBER', (value, name) => {
    const placed = /^\s*[+-]?\d+\s*$/.test(value) ? place(Number(value), min, max) : undefined
    return placed === undefined ? no('BAD_NUMBER', name) : E.right(placed)
  })
}

/** An integer, silently moved into its range; anything else is `BAD_NUMBER`. */
export const integer = (range: Range): Param<number> => number(range, (value, min, max) => Math.min(Math.max(value, min), max))

/** An integer; out of its range is `BAD_NUMBER`. */
export const strictInteger = (range: Range): Param<number> =>
  number(range, (value, min, max) => (value >= min && value <= max ? value : undefined))

/** False: empty, `0`, `off`, or first letter f or n, in any case; everything else is true. */
export const isTrue = (raw: string): boolean => !/^($|0$|off$|f|n)/i.test(raw)

/** A boolean; absent is the default. */
export const flag = (value = false): Param<boolean> => ({
  decode: (raw) => E.right(raw === undefined ? value : isTrue(raw)),
  schema: { type: 'boolean', default: value },
  required: false,
  description: '',
  aliases: [],
})

/** One of a closed set: anything else is `INVALID_OPTION`. */
export const oneOf = <V extends string>(...values: readonly V[]): Param<V> => {
  const known = new Map<string, V>(values.map((value) => [value, value]))
  return param({ type: 'string', enum: values }, 'INVALID_OPTION', (value, name) => {
    const choice = known.get(value)
    return choice === undefined ? no('INVALID_OPTION', name) : E.right(choice)
  })
}

/** JSON text: `JSON_PARSE_ERROR` when it is none, `JSON_INVALID` when it has another shape. For `jsonBody`. */
export const json = <T>(codec: t.Type<T, unknown, unknown>, schema: Schema = { type: 'object' }): Param<T> =>
  param(
    schema,
    'JSON_PARSE_ERROR',
    (value, name) => {
      const parsed = parseJson(value)
      if (E.isLeft(parsed)) return no('JSON_PARSE_ERROR', name)
      const decoded = codec.decode(parsed.right)
      return E.isRight(decoded) ? decoded : no('JSON_INVALID', name)
    },
    'TOO_LONG',
    Number.POSITIVE_INFINITY,
  ) // these texts are limited only by the size of a body
