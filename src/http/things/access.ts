// Decision 91.

import * as E from 'fp-ts/lib/Either.js'
import { loadStanding } from '../../commands/standings.ts'
import { Account, isSuspended } from '../../domain/account.ts'
import type { SubsiteId } from '../../domain/ids.ts'
import { holds, isUnlimited, Moderators, type Permission, permissionsOf } from '../../domain/moderators.ts'
import { type Standing, stranger } from '../../domain/standing.ts'
import { Subsite } from '../../domain/subsite.ts'
import * as subsiteAccess from '../../domain/subsite-access.ts'
import type { SubsiteSettings } from '../../domain/subsite-settings.ts'
import type { Context } from '../contract/endpoint.ts'
import { type Refusal, type RefusalCode, refuseRule } from '../contract/refusals.ts'

/* Permissions in subsites. Every fact is read from the log's own state (`load`), never from a read model, which may be late. */

type LoadContext = Pick<Context, 'load'>
type AccessContext = Pick<Context, 'load' | 'viewer' | 'clock'>

/** Tells whether the viewer is suspended now. A suspended moderator has no rights of moderators. */
export const isViewerSuspended = async ({ load, viewer, clock }: AccessContext) => {
  const account = viewer.account === undefined ? undefined : await load(Account, viewer.account)
  return account !== undefined && isSuspended(account, clock())
}

/** A moderator's permission, or several together; `all` for unlimited permissions; `any` for being a moderator at all. */
export type PermissionRequirement = Permission | 'all' | 'any' | readonly Permission[]

const grants = (granted: string | undefined, needed: PermissionRequirement): boolean => {
  if (granted === undefined || needed === 'any') return granted !== undefined
  if (needed === 'all') return isUnlimited(granted)
  return typeof needed === 'string' ? holds(granted, needed) : needed.every((permission) => holds(granted, permission))
}

/**
 * Returns the capacity in which the viewer has a permission in a subsite; undefined if they lack it. An admin who moderates it acts as
 * moderator.
 */
export const capacityIn = async (
  { load, viewer: { account, admin } }: Pick<AccessContext, 'load' | 'viewer'>,
  subsite: string,
  needed: PermissionRequirement,
): Promise<'moderator' | 'admin' | undefined> => {
  if (account === undefined) return undefined
  if (grants(permissionsOf(await load(Moderators, subsite), account), needed)) return 'moderator'
  return admin ? 'admin' : undefined
}

/** Returns the subsites among some in which the viewer has a permission; 403 if there is none. */
export const selectPermitted = async (
  asking: Pick<AccessContext, 'load' | 'viewer'>,
  subsites: readonly SubsiteId[],
  needed: PermissionRequirement,
): Promise<E.Either<Refusal, readonly SubsiteId[]>> => {
  const capacities = await Promise.all(subsites.map((subsite) => capacityIn(asking, subsite, needed)))
  const permitted = subsites.filter((_, index) => capacities[index] !== undefined)
  return permitted.length === 0 ? refuseRule('FORBIDDEN') : E.right(permitted)
}

/** Loads the viewer's relationships with a subsite. The `type` of the subsite matters only for gold. */
export const loadViewerStanding = async (asking: AccessContext, subsite: string, type?: SubsiteSettings['type']): Promise<Standing> => {
  const { account, admin } = asking.viewer
  return account === undefined ? stranger : loadStanding(asking, { account, admin }, subsite, type)
}

/** The facts that decide who may view a subsite, from its state or its document. */
export type SubsiteAccess = { readonly id: string; readonly type: SubsiteSettings['type'] }

/** Tells whether the viewer may view the subsite. Most types are open to everybody and need no look-up. */
export const mayView = async (asking: AccessContext, { id, type }: SubsiteAccess): Promise<boolean> =>
  (asking.viewer.within?.has(id) ?? true) &&
  (subsiteAccess.mayView(type, stranger) || subsiteAccess.mayView(type, await loadViewerStanding(asking, id, type)))

/** Returns a subsite's state, from the log. */
export const loadSubsiteAccess = async ({ load }: LoadContext, subsite: string): Promise<SubsiteAccess | undefined> => {
  const state = await load(Subsite, subsite)
  return state && { id: state.id, type: state.settings.type }
}

/** Tells whether the viewer may view the subsite of a thing. */
export const mayViewSubsite = async (asking: AccessContext, subsite: string): Promise<boolean> => {
  const place = await loadSubsiteAccess(asking, subsite)
  return place !== undefined && mayView(asking, place)
}

/**
 * Returns the reason why the viewer may not read the moderation log of a subsite, if any. A suspended viewer reads the logs that everybody
 * reads.
 */
export const logRefusal = async (asking: AccessContext, place: SubsiteAccess | undefined): Promise<RefusalCode | undefined> => {
  if (place === undefined || !(await mayView(asking, place))) return 'FORBIDDEN'
  const isPublic = subsiteAccess.mayView(place.type, stranger)
  return !isPublic && (await isViewerSuspended(asking)) ? 'IN_TIMEOUT' : undefined
}
