import { appoint, done } from './community.ts'
import { found } from './posting.ts'
import { type Caller, startSite, type TestSite, type User } from './site.ts'

/** Everybody who might ask for something in the subsite tea; each single permission is a moderator who has it alone. */
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
  'deleted',
  'scopeless',
] as const
export type Role = (typeof roles)[number]

const permissions = ['access', 'config', 'flair', 'mail', 'posts', 'wiki'] as const
type Permission = (typeof permissions)[number]

/** Every account that is neither suspended nor deleted. */
export const users = roles.filter((role) => !['anonymous', 'suspended', 'deleted', 'scopeless'].includes(role))
/** The same and an account that is suspended: for what only concerns oneself. */
export const anyUser: readonly Role[] = [...users, 'suspended']
/** The accounts that may write in tea. */
export const members = users.filter((role) => role !== 'banned')
/** The moderators of tea with one of some permissions, and the admin. */
export const holders = (...some: readonly Permission[]): readonly Role[] => [...some, 'full', 'founder', 'root']

type Account = Exclude<Role, 'anonymous' | 'scopeless'>
export type Stage = { readonly site: TestSite; readonly tea: string; readonly scopeless: Caller } & { readonly [R in Account]: User }

export const callerOf = (stage: Stage, role: Role): Caller => (role === 'anonymous' ? stage.site : stage[role])

/** In whose name something is recorded when this caller does it: a token without the scope is one of the moderator who may do all. */
export const accountOf = (stage: Stage, role: Role): string | null =>
  role === 'anonymous' ? null : stage[role === 'scopeless' ? 'full' : role].id

/** A site with the subsite tea and one account for each role. */
export const startStage = async (): Promise<Stage> => {
  const site = await startSite({ logLevel: 'silent' })
  const names = [...users, 'suspended', 'deleted'] as const
  const accounts = await Promise.all(names.map(async (role) => [role, await site.register(role)] as const))
  const cast = Object.fromEntries(accounts) as { readonly [R in Account]: User }
  const tea = await found(cast.founder, 'tea', { wikimode: 'modonly' })
  for (const permission of permissions) await appoint(cast.founder, 'tea', cast[permission], `+${permission}`)
  await appoint(cast.founder, 'tea', cast.full, '+all')
  for (const type of ['banned', 'muted', 'contributor'] as const) await done(cast.founder, '/s/tea/api/friend', { type, name: type })
  for (const role of names) await done(cast.root, `/api/v1/gold/grant/${role}`, { csites: 5 })
  await done(cast.root, '/api/suspend_user', { name: 'suspended' })
  await done(await cast.deleted.session(), '/api/delete_user', { passwd: cast.deleted.password })
  return { site, tea, scopeless: await cast.full.withScopes('identity'), ...cast }
}
