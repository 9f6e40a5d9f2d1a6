/**
 * All kinds of callers in the subsite tea; each single permission is a moderator who has it alone. The suspended
 * moderator has all of them.
 */
export const roles = [
  'anonymous',
  'stranger',
  'banned',
  'muted',
  'contributor',
  'access',
  'config',
  'flair',
  'mail',
  'posts',
  'wiki',
  'full',
  'founder',
  'author',
  'root',
  'suspended',
  'suspendedModerator',
  'suspendedAdmin',
  'deleted',
  'scopeless',
  'scoped',
] as const
export type Role = (typeof roles)[number]

/** The roles that are an account; anonymous has none, and the last two are tokens of another role's account: without the scope, and with it alone. */
export type Account = Exclude<Role, 'anonymous' | 'scopeless' | 'scoped'>

export const permissions = ['access', 'config', 'flair', 'mail', 'posts', 'wiki'] as const
export type Permission = (typeof permissions)[number]

/** The accounts that are suspended, of whatever authority they had. */
export const suspended = ['suspended', 'suspendedModerator', 'suspendedAdmin'] as const
export const isSuspended = (role: Account): boolean => suspended.some((one) => one === role)
/** Every account that is neither suspended nor deleted. */
export const users = roles.filter(
  (role): role is Exclude<Account, (typeof suspended)[number] | 'deleted'> =>
    !['anonymous', ...suspended, 'deleted', 'scopeless', 'scoped'].includes(role),
)
/** All users including suspended accounts, for acts that only concern oneself. */
export const anyUser: readonly Account[] = [...users, ...suspended]
/** The accounts that may write in tea. */
export const members = users.filter((role) => role !== 'banned')
/** Returns the moderators of tea with one of some permissions, and the admin. */
export const holders = (...some: readonly Permission[]): readonly Account[] => [...some, 'full', 'founder', 'root']
export const moderators: readonly Account[] = [...permissions, 'full', 'founder']
export const accountsOf = (...some: readonly Account[]) => some

export type Capacity = 'user' | 'moderator' | 'admin'

/** Returns the capacity of an account in tea that uses all its authority there. */
export const authorityOf = (role: Account): Capacity => {
  if (role === 'root') return 'admin'
  return moderators.includes(role) ? 'moderator' : 'user'
}

/** Returns the accounts with authority, if one of some permissions is enough. */
export const authorityBy =
  (some: readonly Account[]) =>
  (role: Account): Capacity =>
    some.includes(role) ? authorityOf(role) : 'user'

/**
 * Returns the account whose tokens without and with the scope are tried. It may do the act, so only the scope can be the reason of a
 * refusal.
 */
export const ownerOfTokens = (by: readonly Account[]): Account =>
  accountsOf('full', 'author', 'root').find((role) => by.includes(role)) ?? by[0] ?? 'full'
