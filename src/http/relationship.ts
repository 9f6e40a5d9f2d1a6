import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../app.ts'
import { actingAs, type Command } from '../commands/command.ts'
import { Account } from '../domain/account.ts'
import { refuse } from '../domain/decision.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { Moderators, mayRemove } from '../domain/moderators.ts'
import type { Refusal } from '../domain/refusal.ts'
import { capacityIn, type Needed } from './access.ts'
import type { Site, Viewer } from './endpoint.ts'
import type { Scope } from './scopes.ts'

/** The relationships that can be made and ended here. */
export const relationshipTypes = ['friend', 'moderator', 'moderator_invite', 'contributor', 'banned'] as const
export type RelationshipType = (typeof relationshipTypes)[number]

/** What a token needs. Friendship has a route of its own for tokens. */
export const relationshipScope = ({ type }: { readonly type: RelationshipType }): readonly Scope[] | Refusal => {
  if (type === 'friend') return { code: 'BAD_REQUEST', field: null }
  return type === 'contributor' || type === 'banned' ? ['modcontributors'] : ['modothers']
}

export type Asker = { readonly viewer: Viewer; readonly account: AccountId; readonly site: Site; readonly command: Command }

/** An act in a subsite, its command in the capacity that allows it. */
export type Act = { readonly subsite: SubsiteId; readonly command: Command }

/** For the subsite of the path, if the caller holds the permission there; else 403. */
export const actHere = async (app: App, { viewer, site, command }: Asker, needed: Needed): Promise<Either<Refusal, Act>> => {
  if (site.kind !== 'subsite') return refuse('FORBIDDEN')
  const capacity = await capacityIn(app, viewer, site.subsite.id, needed, command)
  return capacity ? E.right({ subsite: site.subsite.id, command: actingAs(command, capacity) }) : refuse('FORBIDDEN')
}

/** In which capacity to act on another moderator: as a moderator where seniority allows it, else as the admin that one may be. */
export const capacityOver = async (
  { load }: Pick<App, 'load'>,
  { account, admin }: Viewer,
  subsite: SubsiteId,
  target: AccountId,
): Promise<'moderator' | 'admin'> =>
  (account !== undefined && mayRemove(await load(Moderators, subsite), account, target)) || !admin ? 'moderator' : 'admin'

/** Relationships of one's own are kept in one's own account; without a container, or with one that is no account, nothing is meant. */
export const ownContainer = async (
  { load }: App,
  container: string | undefined,
  account: AccountId,
): Promise<Either<Refusal, 'own' | 'none'>> => {
  if (container === account) return E.right('own')
  const isSomebody = container !== undefined && (await load(Account, container)) !== undefined
  return isSomebody ? refuse('FORBIDDEN') : E.right('none')
}
