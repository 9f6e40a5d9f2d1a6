import type { Scope } from '../../../src/auth/scopes.ts'
import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import type { Answer, Caller, Sending, User } from '../site.ts'
import { type Account, ownerOfTokens, type Role } from './roles.ts'
import { addressOf, type Fields, type Row } from './row.ts'
import { type Stage, standIn } from './stage.ts'

/** A caller of an endpoint. */
export type RequestContext = {
  readonly caller: Caller
  /** The account in whose name the act would be recorded; for an anonymous caller, the account that the act concerns. */
  readonly self: User
  /** The target of the act. */
  readonly target: string
}

/** Returns the account that asks in a role; undefined for nobody. */
export const accountOf = ({ by }: Row, role: Role): Account | undefined => {
  if (role === 'anonymous') return undefined
  return role === 'scopeless' || role === 'scoped' ? ownerOfTokens(by) : role
}

const sessions = new Map<User, Promise<Caller>>()
/** Returns a session of an account: the same one again, unless the act ends it. */
const sessionOf = (self: User, { changesVault }: Row): Promise<Caller> => {
  const session = (changesVault === 'session' ? undefined : sessions.get(self)) ?? self.session()
  if (changesVault !== 'session') sessions.set(self, session)
  return session
}

/** Returns the scopes that a token needs for a request. */
const scopesOf = ({ scope }: AnyEndpoint, form: Fields): readonly Scope[] => {
  const needed = typeof scope === 'function' ? scope(form as never) : [scope]
  if ('code' in needed) throw new Error('this is not for tokens')
  return needed.flatMap((one) => (one === 'any' ? [] : [one]))
}

const callerOf = async (stage: Stage, row: Row, role: Role, self: User, scopes: () => readonly Scope[]): Promise<Caller> => {
  if (role === 'anonymous') return stage.site
  if (role === 'scopeless') return row.session ? self : self.withScopes('identity')
  if (role === 'scoped' && !row.session) return self.withScopes(...scopes())
  if (!row.session) return self
  return role === 'deleted' ? stage.lastSession : sessionOf(self, row)
}

/** Tells whether a target of their own is made for a caller, because they may act on it or it must belong to them. */
const getsOwn = ({ by, isOwn }: Row, account: Account | undefined): boolean =>
  account !== undefined && (by.includes(account) || (isOwn === true && account !== 'deleted'))

/** Opens the making of requests: of a caller and a target for a row. All who may not act on a target share one, which stays as it is. */
export const openAsking = (stage: Stage) => {
  const sharedTargets = new Map<Row, Promise<string>>()
  return async (endpoint: AnyEndpoint, row: Row, role: Role): Promise<RequestContext> => {
    const account = accountOf(row, role)
    const isRenewed = row.needsFreshCaller === true && account !== undefined && account !== 'deleted'
    const self = isRenewed ? await standIn(stage, account) : stage[account ?? 'author']
    const make = async (owner: User) => (await row.on?.(stage, owner)) ?? ''
    if (!getsOwn(row, account)) sharedTargets.set(row, sharedTargets.get(row) ?? make(stage.author))
    const target = await (getsOwn(row, account) ? make(self) : (sharedTargets.get(row) ?? ''))
    const caller = await callerOf(stage, row, role, self, () => scopesOf(endpoint, row.form?.(target, self) ?? {}))
    return { caller, self, target }
  }
}

const bodyOf = async (
  { form, json, upload }: Row,
  { target, self }: RequestContext,
  change: (form: Fields) => Fields,
): Promise<Sending> => {
  if (upload) return upload()
  return json ? { json: json() } : { form: change(form?.(target, self) ?? {}) }
}

/** Sends the request of a row. */
export const ask = async (
  endpoint: AnyEndpoint,
  row: Row,
  asking: RequestContext,
  change: (form: Fields) => Fields = (form) => form,
): Promise<Answer> => {
  const address = addressOf(endpoint, row.path?.(asking.target, asking.self) ?? {})
  const answer = await asking.caller.request(endpoint.method, address, await bodyOf(row, asking, change))
  if (answer.status >= 500) throw new Error(`${endpoint.method} ${address}: ${answer.text}`)
  return answer
}
