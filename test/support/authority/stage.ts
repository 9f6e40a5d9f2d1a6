import { appoint, done } from '../community.ts'
import { found } from '../posting.ts'
import { type Caller, startSite, type TestSite, type User } from '../site.ts'
import { type Account, anyUser, permissions } from './roles.ts'

/** A site with the subsite tea and one account for each role. */
export type Stage = {
  readonly site: TestSite
  readonly tea: string
  /** An admin who asks for nothing, and founds other subsites. */
  readonly host: User
  /** Of the deleted account, from before. */
  readonly lastSession: Caller
} & { readonly [R in Account]: User }

const accounts = [...anyUser, 'deleted'] as const

/** Admins are known by their names beforehand. */
const spareAdmins = Array.from({ length: 10 }, (_, n) => `admin${n}`)

let made = 0
/** A number that no other thing of the test has. */
export const fresh = (): number => made++

export const startStage = async (): Promise<Stage> => {
  const site = await startSite({ logLevel: 'silent', admins: ['root', 'host', ...spareAdmins] })
  const registered = await Promise.all(accounts.map(async (role) => [role, await site.register(role)] as const))
  const cast = Object.fromEntries(registered) as { readonly [R in Account]: User }
  const tea = await found(cast.founder, 'tea', { wikimode: 'modonly' })
  for (const permission of permissions) await appoint(cast.founder, 'tea', cast[permission], `+${permission}`)
  await appoint(cast.founder, 'tea', cast.full, '+all')
  for (const type of ['banned', 'muted', 'contributor'] as const) await done(cast.founder, '/s/tea/api/friend', { type, name: type })
  for (const role of accounts) await done(cast.root, `/api/v1/gold/grant/${role}`, { csites: 5 })
  await done(cast.root, '/api/suspend_user', { name: 'suspended' })
  const lastSession = await cast.deleted.session()
  await done(lastSession, '/api/delete_user', { passwd: cast.deleted.password })
  const host = await site.register('host')
  await done(cast.root, '/api/v1/gold/grant/host', { csites: 100 })
  return { site, tea, host, lastSession, ...cast }
}

const standings: Readonly<Partial<Record<Account, (stage: Stage, whom: User) => Promise<unknown>>>> = {
  banned: ({ founder }, { name }) => done(founder, '/s/tea/api/friend', { type: 'banned', name }),
  muted: ({ founder }, { name }) => done(founder, '/s/tea/api/friend', { type: 'muted', name }),
  contributor: ({ founder }, { name }) => done(founder, '/s/tea/api/friend', { type: 'contributor', name }),
  full: ({ founder }, whom) => appoint(founder, 'tea', whom, '+all'),
  founder: async ({ founder }, whom) => {
    await found(whom, whom.name)
    await appoint(founder, 'tea', whom, '+all')
  },
  suspended: ({ root }, { name }) => done(root, '/api/suspend_user', { name }),
}

/** Another account in the role of one of the stage, for what the role would not survive. */
export const standIn = async (stage: Stage, role: Account): Promise<User> => {
  const name = role === 'root' ? spareAdmins.shift() : `second${fresh()}`
  if (name === undefined) throw new Error('there are no more admins')
  const whom = await stage.site.register(name)
  const permission = permissions.find((one) => one === role)
  if (permission) await appoint(stage.founder, 'tea', whom, `+${permission}`)
  else await standings[role]?.(stage, whom)
  return whom
}

const houses = new Map<string, Promise<string>>()
/** The fullname of a subsite of this name, which the host founded; it is founded once. */
export const houseOf = ({ host }: Stage, name: string): Promise<string> => {
  const house = houses.get(name) ?? found(host, name)
  houses.set(name, house)
  return house
}

/** Somebody new. */
export const somebody = ({ site }: Stage): Promise<User> => site.register(`somebody${fresh()}`)
