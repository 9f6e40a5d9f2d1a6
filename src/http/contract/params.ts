// Decision 9.

import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { foldLine, hasControl, isBlank, isLongerThan, isUnprintable, limits } from '../../domain/text-limits.ts'
import { countWords } from '../../ports/search-words.ts'
import type { Param } from './endpoint.ts'
import { parseJson } from './parse-json.ts'
import type { Refusal, RefusalCode } from './refusals.ts'

/*
 * The parameter types. Each builder makes the decoder and its JSON schema together. A decoder gets the raw text as sent, `undefined` if it
 * was not sent; only `allowEmpty` distinguishes an empty text from an absent one.
 */

type Schema = Readonly<Record<string, unknown>>
type Rule<T> = (raw: string, name: string) => E.Either<Refusal, T>

export const refuseParam = (code: RefusalCode, field: string, text?: string): E.Either<Refusal, never> =>
  E.left(text === undefined ? { code, field } : { code, field, text })

/**
 * The most characters (UTF-16 units) of a parameter without a limit of its own. Every decoder checks the length first, before any other
 * check.
 */
export const MAX_PARAMETER_CHARACTERS = 16_384

/** A required parameter. Absent and empty are refused with `absent`, too long with `overlong`. */
export const param = <T>(
  schema: Schema,
  absent: RefusalCode,
  rule: Rule<T>,
  overlong: RefusalCode = absent,
  longest = MAX_PARAMETER_CHARACTERS,
): Param<T> => ({
  decode: (raw, name) => {
    if (raw === undefined || raw === '') return refuseParam(absent, name)
    return raw.length > longest ? refuseParam(overlong, name) : rule(raw, name)
  },
  schema,
  required: true,
  description: '',
  aliases: [],
})

/** Makes a parameter optional. Absent or empty is `undefined`, which is no default: a client that sent a default would say more. */
export const optional = <T>(p: Param<T>): Param<T | undefined> => {
  const { default: _, ...schema } = p.schema
  return {
    ...p,
    decode: (raw, name) => (raw === undefined || raw === '' ? E.right(undefined) : p.decode(raw, name)),
    schema,
    required: false,
  }
}

/** Gives a parameter a default for absent or empty. */
export const withDefault = <T, D>(p: Param<T>, value: D): Param<T | D> => ({
  ...p,
  decode: (raw, name) => (raw === undefined || raw === '' ? E.right(value) : p.decode(raw, name)),
  // an empty list is not sent, so it is no default to declare
  schema: Array.isArray(value) ? p.schema : { ...p.schema, default: value },
  required: false,
})

/** Makes a parameter emptiable: absent is `undefined`, but a sent empty text is `''`. For texts and choices that can be cleared. */
export const allowEmpty = <T>(p: Param<T>): Param<T | '' | undefined> => ({
  ...p,
  decode: (raw, name) => (raw === undefined ? E.right(undefined) : raw === '' ? E.right('' as const) : p.decode(raw, name)),
  required: false,
})

/** Replaces an invalid value by the default: for choices and numbers of listings, which are never refused. */
export const replaceInvalid = <T, D>(p: Param<T>, value: D): Param<T | D> => {
  const relaxed = withDefault(p, value)
  return { ...relaxed, decode: (raw, name) => E.orElse((): E.Either<Refusal, T | D> => E.right(value))(relaxed.decode(raw, name)) }
}

/** Converts a parameter's value by a function. */
export const mapParam = <T, U>(p: Param<T>, to: (value: T) => U): Param<U> => ({
  ...p,
  decode: (raw, name) => E.map(to)(p.decode(raw, name)),
})

/** Refuses absence, but takes a sent empty text as one. */
export const requireSent = <T>(p: Param<T>, absent: RefusalCode): Param<T> => ({
  ...p,
  decode: (raw, name) => (raw === undefined ? refuseParam(absent, name) : p.decode(raw, name)),
  required: true,
})

/** Documents a parameter as required. The endpoint refuses its absence, so that errors are reported in the right order. */
export const documentRequired = <T>(p: Param<T>): Param<T> => ({ ...p, required: true })

/** Documents a parameter that the endpoint decodes itself by this schema: `{ type: 'string', enum: ['code', 'token'] }`. */
export const withSchema = <T>(p: Param<T>, schema: Schema): Param<T> => ({ ...p, schema })

/** Documents a parameter as one of a closed set. The endpoint itself decides about other values. */
export const documentChoices = <T>(p: Param<T>, ...values: readonly string[]): Param<T> => withSchema(p, { type: 'string', enum: values })

/** Replaces any refusal by this one of the same parameter: where an invalid value is a status and not a form error. */
export const replaceRefusal = <T>(p: Param<T>, code: RefusalCode): Param<T> => ({
  ...p,
  decode: (raw, name) => E.mapLeft((): Refusal => ({ code, field: name }))(p.decode(raw, name)),
})

/** Adds names under which older clients send a parameter. */
export const addAliases = <T>(p: Param<T>, ...aliases: readonly string[]): Param<T> => ({ ...p, aliases })

/** Markdown of at most so many characters. It is refused (`TOO_COMPLEX`) if it cannot be rendered in time. */
export const markdown = <T>(max: number, p: Param<T>): Param<T> => ({ ...p, markdown: max })

export const describeParam = <T>(p: Param<T>, description: string): Param<T> => ({ ...p, description })

const tooLong = (field: string, max: number) => refuseParam('TOO_LONG', field, `this is too long (max: ${max})`)

type TextOptions = {
  /** The most characters (code points). */
  readonly max: number
  /** True to allow absent and blank, which give `''`. */
  readonly empty?: boolean
  /** True to drop surrounding space and to fold runs of white space to one space. */
  readonly line?: boolean
}

/** Text in words: `BAD_STRING` with control characters, `NO_TEXT` if absent or blank (unless `empty`), `TOO_LONG` naming the limit. */
export const text = ({ max, empty = false, line = false }: TextOptions): Param<string> => ({
  decode: (raw = '', name) => {
    if (raw.length > (line ? Math.max(2 * max, MAX_PARAMETER_CHARACTERS) : 2 * max)) return tooLong(name, max)
    const value = line ? foldLine(raw) : raw
    if ((line ? hasControl : isUnprintable)(value)) return refuseParam('BAD_STRING', name)
    if (isBlank(value)) return empty ? E.right('') : refuseParam('NO_TEXT', name)
    return isLongerThan(max, value) ? tooLong(name, max) : E.right(value)
  },
  schema: { type: 'string', maxLength: max, ...(!empty && { minLength: 1 }) },
  required: !empty,
  description: '',
  aliases: [],
})

/** A reason of at most `max` printable ASCII characters, which may be absent: `TOO_LONG`, `BAD_STRING`. */
export const printableText = (max: number): Param<string> => {
  const param = text({ max, empty: true })
  const decode: Param<string>['decode'] = (value, name) => {
    const decoded = param.decode(value, name)
    return E.isRight(decoded) && !/^[\x20-\x7e]*$/.test(decoded.right) ? refuseParam('BAD_STRING', name) : decoded
  }
  return { ...param, decode }
}

/**
 * Raw text, as sent; absent is `''`. For passwords, tokens, state values, and texts whose length the domain checks. At most `max`
 * characters are allowed, and twice that (in UTF-16 units) is `TOO_LONG` before any other check.
 */
export const rawText = ({ max }: { readonly max?: number } = {}): Param<string> => {
  const most = max ?? MAX_PARAMETER_CHARACTERS / 2
  return {
    decode: (value = '', name) => (value.length > 2 * most ? tooLong(name, most) : E.right(value)),
    schema: { type: 'string', ...(max !== undefined && Number.isFinite(max) && { maxLength: max }) },
    required: false,
    description: '',
    aliases: [],
  }
}

/** The text of a search, as sent; absent is `''`. `TOO_LONG` names the limit: of characters, or of words. */
export const searchText = (): Param<string> => {
  const query = rawText({ max: limits.searchQuery })
  return {
    ...query,
    decode: (value = '', name) => {
      if (isLongerThan(limits.searchQuery, value)) return tooLong(name, limits.searchQuery)
      return countWords(value) > limits.searchWords
        ? refuseParam('TOO_LONG', name, `this has too many words (max: ${limits.searchWords})`)
        : query.decode(value, name)
    },
  }
}

type NumberRange = { readonly min?: number; readonly max?: number }

const number = (range: NumberRange, place: (value: number, min: number, max: number) => number | undefined): Param<number> => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range
  const schema = {
    type: 'integer',
    ...(range.min !== undefined && { minimum: range.min }),
    ...(range.max !== undefined && { maximum: range.max }),
  }
  return param(schema, 'BAD_NUMBER', (value, name) => {
    const placed = /^\s*[+-]?\d+\s*$/.test(value) ? place(Number(value), min, max) : undefined
    return placed === undefined ? refuseParam('BAD_NUMBER', name) : E.right(placed)
  })
}

/** An integer, silently moved into its range; anything else is `BAD_NUMBER`. */
export const integer = (range: NumberRange): Param<number> => number(range, (value, min, max) => Math.min(Math.max(value, min), max))

/** An integer; out of its range is `BAD_NUMBER`. */
export const strictInteger = (range: NumberRange): Param<number> =>
  number(range, (value, min, max) => (value >= min && value <= max ? value : undefined))

/** Tells whether a text means true. False are empty, `0`, `off`, or first letter f or n, in any case; everything else is true. */
export const isTrue = (raw: string): boolean => !/^($|0$|off$|f|n)/i.test(raw)

/** A boolean; absent is the default. */
export const flag = (value = false): Param<boolean> => ({
  decode: (raw) => E.right(raw === undefined ? value : isTrue(raw)),
  schema: { type: 'boolean', default: value },
  required: false,
  description: '',
  aliases: [],
})

/** A parameter with a closed set of values: anything else is `INVALID_OPTION`. */
export const oneOf = <V extends string>(...values: readonly V[]): Param<V> => {
  const known = new Map<string, V>(values.map((value) => [value, value]))
  return param({ type: 'string', enum: values }, 'INVALID_OPTION', (value, name) => {
    const choice = known.get(value)
    return choice === undefined ? refuseParam('INVALID_OPTION', name) : E.right(choice)
  })
}

/** JSON text: `JSON_PARSE_ERROR` if it is none, `JSON_INVALID` if it has another shape. For `jsonBody`. */
export const json = <T>(codec: t.Type<T, unknown, unknown>, schema: Schema = { type: 'object' }): Param<T> =>
  param(
    schema,
    'JSON_PARSE_ERROR',
    (value, name) => {
      const parsed = parseJson(value)
      if (E.isLeft(parsed)) return refuseParam('JSON_PARSE_ERROR', name)
      const decoded = codec.decode(parsed.right)
      return E.isRight(decoded) ? decoded : refuseParam('JSON_INVALID', name)
    },
    'TOO_LONG',
    Number.POSITIVE_INFINITY,
  ) // only the size of a body limits these texts
