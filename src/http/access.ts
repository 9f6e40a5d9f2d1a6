import { Comment } from '../domain/comment.ts'
import { kindOf } from '../domain/ids.ts'
import { Link } from '../domain/link.ts'
import { Message } from '../domain/message.ts'
import { Moderators, permissionsOf } from '../domain/moderators.ts'
import { holds, isUnlimited, type Permission } from '../domain/permissions.ts'
import { Relation } from '../domain/relation.ts'
import * as standing from '../domain/standing.ts'
import { Subsite } from '../domain/subsite.ts'
import type { SubsiteSettings } from '../domain/subsite-settings.ts'
import type { Context } from './endpoint.ts'

/* Who may do what where. Every fact comes from the log's own state (`load`), never from a read model, which may be late. */

type Loading = Pick<Context, 'load'>
type Asking = Pick<Context, 'load' | 'viewer' | 'clock'>

/** A moderator's permission; `all`: unlimited; `any`: being a moderator at all. */
export type Needed = Permission | 'all' | 'any'

const grants = (granted: string | undefined, needed: Needed): boolean =>
  granted !== undefined && (needed === 'any' || (needed === 'all' ? isUnlimited(granted) : holds(granted, needed)))

/** In which capacity the viewer may do in a subsite what needs a permission; undefined when not at all. An admin who moderates there acts as moderator. */
export const capacityIn = async (
  { load, viewer: { account, admin } }: Pick<Asking, 'load' | 'viewer'>,
  subsite: string,
  needed: Needed,
): Promise<'moderator' | 'admin' | undefined> => {
  if (account === undefined) return undefined
  if (grants(permissionsOf(await load(Moderators, subsite), account), needed)) return 'moderator'
  return admin ? 'admin' : undefined
}

/** How the viewer stands in a subsite. */
export const standingIn = async ({ load, viewer, clock }: Asking, subsite: string): Promise<standing.Standing> => {
  const { account, admin } = viewer
  if (account === undefined) return standing.stranger
  const [moderators, relation] = await Promise.all([load(Moderators, subsite), load(Relation, `${subsite}.${account}`)])
  return standing.standingOf(account, { moderators, relation, admin, at: clock() })
}

/** A subsite in whichever form the caller has it. */
export type Place = { readonly id: string; readonly type: SubsiteSettings['type'] }

/** Whether the viewer may read a subsite: most types are open to everybody and cost no look-up. */
export const mayView = async (asking: Asking, { id, type }: Place): Promise<boolean> =>
  (asking.viewer.within?.has(id) ?? true) &&
  (standing.mayView(type, standing.stranger) || standing.mayView(type, await standingIn(asking, id)))

/** A subsite as the log has it. */
export const placeOf = async ({ load }: Loading, subsite: string): Promise<Place | undefined> => {
  const state = await load(Subsite, subsite)
  return state && { id: state.id, type: state.settings.type }
}

/** The subsite that a link, a comment or a message is in, or that a subsite's fullname is; undefined for what does not exist. */
export const subsiteOf = async ({ load }: Loading, fullname: string): Promise<string | undefined> => {
  switch (kindOf(fullname)) {
    case 'link':
      return (await load(Link, fullname))?.subsite
    case 'comment':
      return (await load(Comment, fullname))?.subsite
    case 'message':
      return (await load(Message, fullname))?.subsite ?? undefined
    case 'subsite':
      return (await load(Subsite, fullname))?.id
    default:
      return undefined
  }
}
