import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Refusal } from './refusal.ts'

export const permissionNames = ['access', 'config', 'flair', 'mail', 'posts', 'wiki'] as const
export type Permission = (typeof permissionNames)[number]

/** The stored form of permissions: `+all`, or the given terms sorted by name (`+access,-config`), or empty for none. */
export const Permissions = t.string
export type Permissions = string

export const ALL_PERMISSIONS: Permissions = '+all'

const known = new Set<string>([...permissionNames, 'all'])
/** Sent by current clients; ignored. */
const ignored = /^chat_/

/**
 * The stored form of a permissions parameter: `+all`, or the given terms sorted by name; absent or empty is `+all`, a text without
 * any term is no permission at all. The last term for a name counts, but nothing takes back `+all`. `INVALID_PERMISSIONS` for an unknown name.
 */
export const parsePermissions = (text: string | undefined): Either<Refusal, Permissions> => {
  if (text === undefined || text === '') return E.right(ALL_PERMISSIONS)
  const granted = new Map<string, boolean>()
  let unlimited = false
  for (const term of text.split(',').map((part) => part.trim())) {
    const name = term.slice(1)
    if (term === '' || ignored.test(name)) continue
    if (!known.has(name)) return E.left({ code: 'INVALID_PERMISSIONS', field: 'permissions' })
    const isGranted = term.startsWith('+')
    if (name !== 'all') granted.set(name, isGranted)
    else if (isGranted) unlimited = true
  }
  if (unlimited) return E.right(ALL_PERMISSIONS)
  const terms = [...granted].sort(([a], [b]) => (a < b ? -1 : 1))
  return E.right(terms.map(([name, yes]) => `${yes ? '+' : '-'}${name}`).join(','))
}

/** Whether stored permissions (undefined: no moderator) include one. */
export const holds = (permissions: Permissions | undefined, name: Permission): boolean =>
  permissions === ALL_PERMISSIONS || (permissions?.split(',').includes(`+${name}`) ?? false)

/** All permissions: may invite, remove and change the permissions of other moderators. */
export const isUnlimited = (permissions: Permissions | undefined): boolean => permissions === ALL_PERMISSIONS
