import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { type Kind, kindOf, prefixes } from '../domain/ids.ts'
import type { Permissions } from '../domain/moderators.ts'
import { bareSubsite, mayBeSubsiteName, subsiteNames } from '../domain/names.ts'
import { parsePermissions } from '../domain/permissions.ts'
import type { Refusal, RefusalCode } from '../domain/refusal.ts'
import type { Param } from './endpoint.ts'

/*
 * The parameter vocabulary: each builder makes the rule and its JSON schema together. A decoder gets the raw text as the client
 * sent it, `undefined` when it was not sent at all; only `emptiable` tells the empty text from that.
 */

type Schema = Readonly<Record<string, unknown>>
type Rule<T> = (raw: string, name: string) => Either<Refusal, T>

const no = (code: RefusalCode, field: string, text?: string): Either<Refusal, never> =>
  E.left(text === undefined ? { code, field } : { code, field, text })

/**
 * Characters (as UTF-16 counts them) of a parameter that is no text of its own length. Every decoder looks at the length first: what is too
 * long is refused before anything else looks at it.
 */
const LONGEST = 16_384

/** A required parameter: absent and empty are refused with `absent`, too long with `overlong`. */
const param = <T>(schema: Schema, absent: RefusalCode, rule: Rule<T>, overlong: RefusalCode = absent, longest = LONGEST): Param<T> => ({
  decode: (raw, name) => {
    if (raw === undefined || raw === '') return no(absent, name)
    return raw.length > longest ? no(overlong, name) : rule(raw, name)
  },
  schema,
  required: true,
  description: '',
  aliases: [],
})

/** Absent or empty is `undefined`. */
export const optional = <T>(p: Param<T>): Param<T | undefined> => ({
  ...p,
  decode: (raw, name) => (raw === undefined || raw === '' ? E.right(undefined) : p.decode(raw, name)),
  required: false,
})

/** Absent or empty is the default. */
export const withDefault = <T, D>(p: Param<T>, value: D): Param<T | D> => ({
  ...p,
  decode: (raw, name) => (raw === undefined || raw === '' ? E.right(value) : p.decode(raw, name)),
  schema: { ...p.schema, default: value },
  required: false,
})

/** Absent is `undefined`, but a present empty text is `''`: for texts and choices that may be emptied. */
export const emptiable = <T>(p: Param<T>): Param<T | '' | undefined> => ({
  ...p,
  decode: (raw, name) => (raw === undefined ? E.right(undefined) : raw === '' ? E.right('' as const) : p.decode(raw, name)),
  required: false,
})

/** What does not decode is the default: choices and numbers of listings, which are never refused. */
export const lenient = <T, D>(p: Param<T>, value: D): Param<T | D> => {
  const relaxed = withDefault(p, value)
  return { ...relaxed, decode: (raw, name) => E.orElse((): Either<Refusal, T | D> => E.right(value))(relaxed.decode(raw, name)) }
}

/** Any refusal becomes this one: for the places where a bad value is a status and not a form error. */
export const refusing = <T>(p: Param<T>, code: RefusalCode, field: string | null = null): Param<T> => ({
  ...p,
  decode: (raw, name) => E.mapLeft((): Refusal => ({ code, field }))(p.decode(raw, name)),
})

/** Names under which older clients send it. */
export const aliased = <T>(p: Param<T>, ...aliases: readonly string[]): Param<T> => ({ ...p, aliases })

/** Markdown of at most so many characters, which is refused (`TOO_COMPLEX`) when it cannot be rendered in time. */
export const markdown = <T>(max: number, p: Param<T>): Param<T> => ({ ...p, markdown: max })

export const described = <T>(p: Param<T>, description: string): Param<T> => ({ ...p, description })

const unprintable = /[[\p{Cc}&&\p{ASCII}]--[\t\n\r]]/v
const exceeds = (value: string, max: number) => value.length > max && (value.length > 2 * max || [...value].length > max)

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
    if (raw.length > (line ? Math.max(2 * max, LONGEST) : 2 * max)) return tooLong(name, max)
    const value = line ? raw.replace(/\s+/gu, ' ').trim() : raw
    if (value.trim() === '') return empty ? E.right('') : no('NO_TEXT', name)
    if (exceeds(value, max)) return tooLong(name, max)
    return unprintable.test(value) ? no('BAD_STRING', name) : E.right(value)
  },
  schema: { type: 'string', maxLength: max, ...(!empty && { minLength: 1 }) },
  required: !empty,
  description: '',
  aliases: [],
})

/**
 * Raw text of any content, as sent; absent is `''`. For passwords, tokens, state values, and for texts whose length the domain checks: at
 * most `max` characters can be legal, and what is twice as long (in UTF-16) is `TOO_LONG` before anybody looks at it.
 */
export const raw = ({ max = LONGEST / 2 }: { readonly max?: number } = {}): Param<string> => ({
  decode: (value = '', name) => (value.length > 2 * max ? tooLong(name, max) : E.right(value)),
  schema: { type: 'string' },
  required: false,
  description: '',
  aliases: [],
})

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

const fullnamePattern = (kinds: readonly Kind[]) => `^(${kinds.map((kind) => prefixes[kind]).join('|')})_[0-9a-z]+$`

const parseFullname = (value: string, kinds: readonly Kind[]): string | undefined => {
  const name = value.trim().toLowerCase()
  const kind = kindOf(name)
  return kind !== undefined && kinds.includes(kind) ? name : undefined
}

/** The fullname of a thing of one of these kinds, well formed (that it exists is for the handler): else `NO_THING_ID`. */
export const fullname = (...kinds: readonly Kind[]): Param<string> =>
  param({ type: 'string', pattern: fullnamePattern(kinds) }, 'NO_THING_ID', (value, name) => {
    const parsed = parseFullname(value, kinds)
    return parsed === undefined ? no('NO_THING_ID', name) : E.right(parsed)
  })

/** The longest list of so many names, with room for separators. */
const longestOf = (max: number, item: number) => Math.max(LONGEST, max * (item + 4))
/** Characters of the longest fullname. */
const FULLNAME = 14

/** The bare base-36 part, decoded to the fullname. */
export const id36 = (kind: Kind): Param<string> =>
  param({ type: 'string', pattern: '^[0-9a-z]+$' }, 'NO_THING_ID', (value, name) => {
    const parsed = parseFullname(`${prefixes[kind]}_${value.trim()}`, [kind])
    return parsed === undefined ? no('NO_THING_ID', name) : E.right(parsed)
  })

const tokens = (value: string): readonly string[] => [...new Set(value.split(/[\s,]+/).filter((token) => token !== ''))]
const schemaOfList = (item: string) => ({ type: 'string', description: `${item}, separated by commas or spaces` })

type ListOptions = { readonly max: number }

/** Fullnames separated by commas or spaces; what is not of these kinds is dropped. None left: `NO_THING_ID`; more than `max`: `TOO_MANY_THING_IDS`. */
export const fullnames = ({ kinds, max }: ListOptions & { readonly kinds: readonly Kind[] }): Param<readonly string[]> =>
  param(
    schemaOfList(`fullnames (${kinds.join(', ')}; at most ${max})`),
    'NO_THING_ID',
    (value, name) => {
      const names = tokens(value).flatMap((token) => parseFullname(token, kinds) ?? [])
      if (names.length > max) return no('TOO_MANY_THING_IDS', name)
      return names.length === 0 ? no('NO_THING_ID', name) : E.right(names)
    },
    'TOO_MANY_THING_IDS',
    longestOf(max, FULLNAME),
  )

/** Base-36 ids of one kind, separated by commas or spaces, decoded to fullnames; a malformed one is `NO_THING_ID`. */
export const id36s = ({ kind, max }: ListOptions & { readonly kind: Kind }): Param<readonly string[]> =>
  param(
    schemaOfList(`base-36 ids (${kind}; at most ${max})`),
    'NO_THING_ID',
    (value, name) => {
      const ids = tokens(value)
      const names = ids.flatMap((id) => parseFullname(`${prefixes[kind]}_${id}`, [kind]) ?? [])
      if (names.length > max) return no('TOO_MANY_THING_IDS', name)
      return names.length !== ids.length || names.length === 0 ? no('NO_THING_ID', name) : E.right(names)
    },
    'TOO_MANY_THING_IDS',
    longestOf(max, FULLNAME),
  )

/** A username, well formed; whether an account has it is checked by the handler (`USER_DOESNT_EXIST`). */
export const username = (): Param<string> =>
  param(
    { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 20 },
    'NO_USER',
    (value, name) => {
      const trimmed = value.trim()
      if (!/^[A-Za-z0-9_-]+$/.test(trimmed)) return no('NO_USER', name)
      return trimmed.length > 20 ? no('USER_DOESNT_EXIST', name) : E.right(trimmed)
    },
    'USER_DOESNT_EXIST',
  )

/** `name`, `s/name`, `/s/name/` (and `r`) all name the subsite `name`. */
/** The name of a subsite, well formed; whether it exists is for the handler. Malformed is `SUBSITE_NOEXIST`. */
export const subsiteName = (): Param<string> =>
  param(
    { type: 'string', pattern: subsiteNames.source },
    'SUBSITE_REQUIRED',
    (value, name) => {
      const bare = bareSubsite(value)
      if (bare === '') return no('SUBSITE_REQUIRED', name)
      return mayBeSubsiteName(bare) ? E.right(bare) : no('SUBSITE_NOEXIST', name)
    },
    'SUBSITE_NOEXIST',
  )

/** A moderator's permissions; absent or empty is all of them, an unknown one `INVALID_PERMISSIONS`. */
export const permissions = (): Param<Permissions> => ({ ...raw(), decode: parsePermissions })

/** JSON text: `JSON_PARSE_ERROR` when it is none, `JSON_INVALID` when it has another shape. For `model` parameters and `jsonBody`. */
export const json = <T>(codec: t.Type<T, unknown, unknown>, schema: Schema = { type: 'object' }): Param<T> =>
  param(
    schema,
    'JSON_PARSE_ERROR',
    (value, name) => {
      const parsed = E.tryCatch(
        (): unknown => JSON.parse(value),
        (): Refusal => ({ code: 'JSON_PARSE_ERROR', field: name }),
      )
      if (E.isLeft(parsed)) return parsed
      const decoded = codec.decode(parsed.right)
      return E.isRight(decoded) ? decoded : no('JSON_INVALID', name)
    },
    'TOO_LONG',
    Number.POSITIVE_INFINITY,
  ) // the limit of bodies is theirs
