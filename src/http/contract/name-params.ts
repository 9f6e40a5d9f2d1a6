import * as E from 'fp-ts/lib/Either.js'
import { kindOf, prefixes, type ThingKind } from '../../domain/ids.ts'
import { type Permissions, parsePermissions } from '../../domain/moderators.ts'
import { bareSubsite, mayBeSubsiteName, subsiteNames } from '../../domain/names.ts'
import type { Param } from './endpoint.ts'
import { MAX_PARAMETER_CHARACTERS, param, rawText, refuseParam } from './params.ts'

const fullnamePattern = (kinds: readonly ThingKind[]) => `^(${kinds.map((kind) => prefixes[kind]).join('|')})_[0-9a-z]+$`

const parseFullname = (value: string, kinds: readonly ThingKind[]): string | undefined => {
  const name = value.trim().toLowerCase()
  const kind = kindOf(name)
  return kind !== undefined && kinds.includes(kind) ? name : undefined
}

const thingKinds: readonly ThingKind[] = ['link', 'comment', 'message']

/**
 * Marks a parameter that names links, comments or messages. A token for some subsites may act on those of them, whatever the path of its
 * request.
 */
export const nameThings = <T>(p: Param<T>): Param<T> => ({ ...p, namesThings: true })

const toNaming = <T>(kinds: readonly ThingKind[], p: Param<T>): Param<T> =>
  kinds.every((kind) => thingKinds.includes(kind)) ? nameThings(p) : p

/** The fullname of a thing of one of these kinds, well formed, or `NO_THING_ID`. The handler checks that the thing exists. */
export const fullname = (...kinds: readonly ThingKind[]): Param<string> =>
  toNaming(
    kinds,
    param({ type: 'string', pattern: fullnamePattern(kinds) }, 'NO_THING_ID', (value, name) => {
      const parsed = parseFullname(value, kinds)
      return parsed === undefined ? refuseParam('NO_THING_ID', name) : E.right(parsed)
    }),
  )

/** Returns the characters of the longest list of so many names, with separators. */
const longestOf = (max: number, item: number) => Math.max(MAX_PARAMETER_CHARACTERS, max * (item + 4))
/** The characters of the longest fullname. */
const MAX_FULLNAME_CHARACTERS = 14

/** The bare base-36 part, decoded to the fullname. */
export const id36 = (kind: ThingKind): Param<string> =>
  param({ type: 'string', pattern: '^[0-9a-z]+$' }, 'NO_THING_ID', (value, name) => {
    const parsed = parseFullname(`${prefixes[kind]}_${value.trim()}`, [kind])
    return parsed === undefined ? refuseParam('NO_THING_ID', name) : E.right(parsed)
  })

/** Returns the items of a list, each once. */
export const tokens = (value: string): readonly string[] => [...new Set(value.split(/[\s,]+/).filter((token) => token !== ''))]
const schemaOfList = (item: string) => ({ type: 'string', description: `${item}, separated by commas or spaces` })

type ListOptions = { readonly max: number }

/**
 * Fullnames separated by commas or spaces. Other texts are dropped. If none is left, the refusal is `NO_THING_ID`; for more than `max` it
 * is `TOO_MANY_THING_IDS`.
 */
export const fullnames = ({ kinds, max }: ListOptions & { readonly kinds: readonly ThingKind[] }): Param<readonly string[]> =>
  toNaming(
    kinds,
    param(
      schemaOfList(`fullnames (${kinds.join(', ')}; at most ${max})`),
      'NO_THING_ID',
      (value, name) => {
        const names = tokens(value).flatMap((token) => parseFullname(token, kinds) ?? [])
        if (names.length > max) return refuseParam('TOO_MANY_THING_IDS', name)
        return names.length === 0 ? refuseParam('NO_THING_ID', name) : E.right(names)
      },
      'TOO_MANY_THING_IDS',
      longestOf(max, MAX_FULLNAME_CHARACTERS),
    ),
  )

const bareId = /^[0-9a-z]{1,11}$/

/** Base-36 ids of one kind, separated by commas or spaces, decoded to fullnames. A malformed one is `NO_THING_ID`. */
export const id36s = ({ kind, max }: ListOptions & { readonly kind: ThingKind }): Param<readonly string[]> =>
  param(
    schemaOfList(`base-36 ids (${kind}; at most ${max})`),
    'NO_THING_ID',
    (value, name) => {
      const ids = tokens(value.toLowerCase())
      if (ids.length > max) return refuseParam('TOO_MANY_THING_IDS', name)
      // there may be tens of thousands, so each is looked at once
      if (ids.length === 0 || !ids.every((id) => bareId.test(id))) return refuseParam('NO_THING_ID', name)
      return E.right(ids.map((id) => `${prefixes[kind]}_${id}`))
    },
    'TOO_MANY_THING_IDS',
    longestOf(max, MAX_FULLNAME_CHARACTERS),
  )

/** A username, well formed. The handler checks that an account has it (`USER_DOESNT_EXIST`). */
export const username = (): Param<string> =>
  param(
    { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: 20 },
    'NO_USER',
    (value, name) => {
      const trimmed = value.trim()
      if (!/^[A-Za-z0-9_-]+$/.test(trimmed)) return refuseParam('NO_USER', name)
      return trimmed.length > 20 ? refuseParam('USER_DOESNT_EXIST', name) : E.right(trimmed)
    },
    'USER_DOESNT_EXIST',
  )

/**
 * The name of a subsite, also as `s/name` or `/s/name/` (and `r`), well formed, or `SUBSITE_NOEXIST`. The handler checks that it exists.
 */
export const subsiteName = (): Param<string> =>
  param(
    { type: 'string', pattern: subsiteNames.source },
    'SUBSITE_REQUIRED',
    (value, name) => {
      const bare = bareSubsite(value)
      if (bare === '') return refuseParam('SUBSITE_REQUIRED', name)
      return mayBeSubsiteName(bare) ? E.right(bare) : refuseParam('SUBSITE_NOEXIST', name)
    },
    'SUBSITE_NOEXIST',
  )

/** A moderator's permissions. Absent or empty means all of them; an unknown one is `INVALID_PERMISSIONS`. */
export const permissions = (): Param<Permissions> => ({ ...rawText(), decode: parsePermissions })
