import * as E from 'fp-ts/lib/Either.js'
import { mayBeUsername } from './names.ts'
import type { Refusal, RefusalCode } from './refusal.ts'

/** The kinds of a multi: `m` is a multi; `f` is a filter, the subsites left out of a feed. */
export const multiKinds = ['m', 'f'] as const
export type MultiKind = (typeof multiKinds)[number]

/** The feeds that can have a filter: everything, and the subsites that one moderates. */
export const filterNames = ['all', 'mod'] as const
export type FilterName = (typeof filterNames)[number]

/** `/user/<owner>/<kind>/<name>` in lower case. */
export type MultiPath = { readonly owner: string; readonly kind: MultiKind; readonly name: string }

export const MAX_MULTI_NAME_CHARACTERS = 21
/** Longer paths are refused unread. */
const MAX_PATH_CHARACTERS = 200

/** Segments that follow a multi's own address and therefore cannot be names. */
export const reservedMultiNames: ReadonlySet<string> = new Set(['description'])

export const refuseMultiName = (code: RefusalCode, field: string, text?: string): E.Either<Refusal, never> =>
  E.left({ code, field, ...(text !== undefined && { text }) })

/** Returns why no multi can have a name; undefined if one can. */
export const problemOfMultiName = (name: string): string | undefined => {
  if (/\s/.test(name)) return 'a multi name cannot contain spaces'
  if (!/^\w*$/.test(name)) return 'a multi name has only letters, digits and underscores'
  if (name.startsWith('_')) return 'a multi name cannot begin with an underscore'
  if (name.length < 2) return 'a multi name needs at least 2 characters'
  if (name.length > MAX_MULTI_NAME_CHARACTERS) return `a multi name has at most ${MAX_MULTI_NAME_CHARACTERS} characters`
  return reservedMultiNames.has(name) ? `no multi can be called ${name}` : undefined
}

/**
 * Parses a path of owner, kind and name in any case. The first slash may be missing, and a last one is allowed. Refuses with
 * `BAD_MULTI_PATH`, or `BAD_MULTI_NAME` with the reason, on the given field.
 */
export const parseMultiPath = (path: string, field: string): E.Either<Refusal, MultiPath> => {
  if (path.length > MAX_PATH_CHARACTERS) return refuseMultiName('BAD_MULTI_PATH', field)
  const [root, owner = '', kind, name, ...more] = path.toLowerCase().replace(/^\//, '').replace(/\/$/, '').split('/')
  if (root !== 'user' || !mayBeUsername(owner) || name === undefined || more.length > 0) return refuseMultiName('BAD_MULTI_PATH', field)
  if (kind === 'f')
    return filterNames.some((one) => one === name) ? E.right({ owner, kind, name }) : refuseMultiName('BAD_MULTI_NAME', field)
  if (kind !== 'm') return refuseMultiName('BAD_MULTI_PATH', field)
  const problem = problemOfMultiName(name)
  return problem === undefined ? E.right({ owner, kind, name }) : refuseMultiName('BAD_MULTI_NAME', field, problem)
}

/** Returns whether a path is below an account that no username can name. */
export const namesNobody = (path: string): boolean => {
  const [root, owner] = path.toLowerCase().replace(/^\//, '').split('/')
  return root === 'user' && owner !== undefined && !mayBeUsername(owner)
}

/** Returns the address of a multi, with its owner's name as the owner writes it. */
export const multiPath = (owner: string, kind: MultiKind, name: string): string => `/user/${owner}/${kind}/${name}`
