import type { App } from '../app.ts'
import type { Command } from '../commands/command.ts'
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
import type { Viewer } from './endpoint.ts'

/*
 * Who may do what where. Every fact comes from the log's own state (`app.load`), never from a read model, which may be late.
 * Pass the command, so that what the decision leaned on is written down with it.
 */

type Seen = Pick<Command, 'seen'>
/** A moderator's permission; `all`: unlimited; `any`: being a moderator at all. */
export type Needed = Permission | 'all' | 'any'

const grants = (granted: string | undefined, needed: Needed): boolean =>
  granted !== undefined && (needed === 'any' || (needed === 'all' ? isUnlimited(granted) : holds(granted, needed)))

/** In which capacity the viewer may do in a subsite what needs a permission; undefined when not at all. An admin who moderates there acts as moderator. */
export const capacityIn = async (
  app: App,
  { account, admin }: Viewer,
  subsite: string,
  needed: Needed,
  command?: Seen,
): Promise<'moderator' | 'admin' | undefined> => {
  if (account === undefined) return undefined
  const moderators = await app.load(Moderators, subsite, command)
  if (grants(permissionsOf(moderators, account), needed)) return 'moderator'
  return admin ? 'admin' : undefined
}

/** How the viewer stands in a subsite. */
export const standingIn = async (app: App, { account, admin }: Viewer, subsite: string, command?: Seen): Promise<standing.Standing> => {
  if (account === undefined) return standing.stranger
  const [moderators, relation] = await Promise.all([
    app.load(Moderators, subsite, command),
    app.load(Relation, `${subsite}.${account}`, command),
  ])
  return standing.standingOf(account, { moderators, relation, admin, at: app.clock() })
}

/** A subsite in whichever form the caller has it. */
export type Place = { readonly id: string; readonly type: SubsiteSettings['type'] }

/** Whether the viewer may read a subsite: most types are open to everybody and cost no look-up. */
export const mayView = async (app: App, viewer: Viewer, { id, type }: Place, command?: Seen): Promise<boolean> =>
  standing.mayView(type, standing.stranger) || standing.mayView(type, await standingIn(app, viewer, id, command))

export const maySubmit = async (app: App, viewer: Viewer, { id, type }: Place, command?: Seen): Promise<boolean> =>
  viewer.account !== undefined && standing.maySubmit(type, await standingIn(app, viewer, id, command))

export const mayComment = async (app: App, viewer: Viewer, { id, type }: Place, command?: Seen): Promise<boolean> =>
  viewer.account !== undefined && standing.mayComment(type, await standingIn(app, viewer, id, command))

/** A subsite as the log has it. */
export const placeOf = async (app: App, subsite: string, command?: Seen): Promise<Place | undefined> => {
  const state = await app.load(Subsite, subsite, command)
  return state && { id: state.id, type: state.settings.type }
}

/** The subsite that a link, a comment or a message is in, or that a subsite's fullname is; undefined for what does not exist. */
export const subsiteOf = async (app: App, fullname: string, command?: Seen): Promise<string | undefined> => {
  switch (kindOf(fullname)) {
    case 'link':
      return (await app.load(Link, fullname, command))?.subsite
    case 'comment':
      return (await app.load(Comment, fullname, command))?.subsite
    case 'message':
      return (await app.load(Message, fullname, command))?.subsite ?? undefined
    case 'subsite':
      return (await app.load(Subsite, fullname, command))?.id
    default:
      return undefined
  }
}
