import type { Config } from '../../../src/config.ts'
import { appoint, postForm } from '../community.ts'
import { foundSubsite } from '../posting.ts'
import { type Caller, startSite, type TestSite, type User } from '../site.ts'
import { type Account, anyUser, isSuspended, permissions, suspended } from './roles.ts'

/** A site with the subsite tea and one account for each role. */
export type Stage = {
  readonly site: TestSite
  readonly tea: string
  /** An admin who sends none of the tried requests, and founds other subsites. */
  readonly host: User
  /** The session of the deleted account, from before. */
  readonly lastSession: Caller
} & Cast

const accounts = [...anyUser, 'deleted'] as const

/** Admins are known by their names beforehand. */
const spareAdmins = Array.from({ length: 20 }, (_, n) => `admin${n}`)

/** The configuration of the site of a stage. */
export const stageConfig = { logLevel: 'silent', admins: ['root', 'host', 'suspendedadmin', ...spareAdmins] } satisfies Partial<Config>

let nextFree = 0
/** A number that no other thing of the test has. */
export const nextNumber = (): number => nextFree++

type Cast = { readonly [R in Account]: User }
const suspend = ({ root }: Pick<Cast, 'root'>, { name }: User) => postForm(root, '/api/suspend_user', { name })
const ban = ({ founder }: Pick<Cast, 'founder'>, { name }: User) => postForm(founder, '/s/tea/api/friend', { type: 'banned', name })

export const startStage = async (directory?: string): Promise<Stage> => {
  const site = await startSite({ ...stageConfig, ...(directory !== undefined && { directory }) })
  const registered = await Promise.all(accounts.map(async (role) => [role, await site.register(role)] as const))
  const cast = Object.fromEntries(registered) as Cast
  const tea = await foundSubsite(cast.founder, 'tea', { wikimode: 'modonly' })
  for (const permission of permissions) await appoint(cast.founder, 'tea', cast[permission], `+${permission}`)
  for (const role of ['full', 'suspendedModerator'] as const) await appoint(cast.founder, 'tea', cast[role], '+all')
  // acts of accounts that are suspended afterwards; they fail if the accounts lack the authority that the suspension takes away
  const { suspendedModerator, suspendedAdmin } = cast
  for (const type of ['banned', 'muted', 'contributor']) await postForm(suspendedModerator, '/s/tea/api/friend', { type, name: type })
  for (const role of accounts) await postForm(suspendedAdmin, `/api/v1/gold/grant/${role}`, { csites: 5 })
  for (const role of suspended) await suspend(cast, cast[role])
  const lastSession = await cast.deleted.session()
  await postForm(lastSession, '/api/delete_user', { passwd: cast.deleted.password })
  const host = await site.register('host')
  await postForm(cast.root, '/api/v1/gold/grant/host', { csites: 100 })
  return { site, tea, host, lastSession, ...cast }
}

const standings: Readonly<Partial<Record<Account, (stage: Stage, whom: User) => Promise<unknown>>>> = {
  banned: ban,
  muted: ({ founder }, { name }) => postForm(founder, '/s/tea/api/friend', { type: 'muted', name }),
  contributor: ({ founder }, { name }) => postForm(founder, '/s/tea/api/friend', { type: 'contributor', name }),
  full: ({ founder }, whom) => appoint(founder, 'tea', whom, '+all'),
  founder: async ({ founder }, whom) => {
    await foundSubsite(whom, whom.name)
    await appoint(founder, 'tea', whom, '+all')
  },
  suspended: suspend,
  suspendedModerator: async (stage, whom) => {
    await appoint(stage.founder, 'tea', whom, '+all')
    await suspend(stage, whom)
  },
  suspendedAdmin: suspend,
}

/** Another account in the role of one of the stage, for acts that would end the role. */
export const standIn = async (stage: Stage, role: Account): Promise<User> => {
  const name = role === 'root' || role === 'suspendedAdmin' ? spareAdmins.shift() : `second${nextNumber()}`
  if (name === undefined) throw new Error('there are no more admins')
  const whom = await stage.site.register(name)
  const permission = permissions.find((one) => one === role)
  if (permission) await appoint(stage.founder, 'tea', whom, `+${permission}`)
  else await standings[role]?.(stage, whom)
  return whom
}

/** Lets an account of the stage make something; a ban or a suspension that keeps it from that is lifted meanwhile. */
export const makeAllowed = async (stage: Stage, self: User, make: () => Promise<string>): Promise<string> => {
  const barred = (['banned', ...suspended] as const).find((role) => stage[role] === self)
  if (barred === undefined) return make()
  if (isSuspended(barred)) await postForm(stage.root, '/api/unsuspend_user', { name: self.name })
  else await postForm(stage.founder, '/s/tea/api/unfriend', { type: 'banned', name: self.name })
  const thing = await make()
  await (isSuspended(barred) ? suspend : ban)(stage, self)
  return thing
}

const houses = new Map<string, Promise<string>>()
/** The fullname of a subsite of this name, which the host founded; it is founded once. */
export const houseOf = ({ host }: Stage, name: string): Promise<string> => {
  const house = houses.get(name) ?? foundSubsite(host, name)
  houses.set(name, house)
  return house
}

/** Somebody new. */
export const registerSomebody = ({ site }: Stage): Promise<User> => site.register(`somebody${nextNumber()}`)
