import type { App } from '../app.ts'
import type { Command } from '../commands/command.ts'
import { Comment } from '../domain/comment.ts'
import { kindOf } from '../domain/ids.ts'
import { Link } from '../domain/link.ts'
import { Message } from '../domain/message.ts'
import { Moderators, type Permissions } from '../domain/moderators.ts'
import type { Refusal } from '../domain/refusal.ts'
import { isBanned, Relation } from '../domain/relation.ts'
import { Subsite } from '../domain/subsite.ts'
import type { SubsiteSettings } from '../domain/subsite-settings.ts'
import type { Access, Viewer } from './endpoint.ts'

/*
 * Who may do what where. Every fact comes from the log's own state (`app.load`), never from a read model, which may be late.
 * Pass the command, so that what the decision leaned on is written down with it.
 */

export const permissions = ['access', 'config', 'flair', 'mail', 'posts', 'wiki'] as const
export type Permission = (typeof permissions)[number]

type Seen = Pick<Command, 'seen'>

/** Whether a moderator's stored permissions grant one. */
export const holds = (granted: Permissions, permission: Permission): boolean =>
  granted === '+all' || granted.split(',').includes(`+${permission}`)

/**
 * In which capacity the viewer may do in a subsite what needs a permission (`all`: unlimited; `any`: being a moderator at all);
 * undefined when not at all. A moderator acts as such also when an admin.
 */
export const capacityIn = async (
  app: App,
  viewer: Viewer,
  subsite: string,
  permission: Permission | 'all' | 'any',
  command?: Seen,
): Promise<'moderator' | 'admin' | undefined> => {
  if (viewer.account === undefined) return undefined
  const state = await app.load(Moderators, subsite, command)
  const granted = state?.moderators.find(({ account }) => account === viewer.account)?.permissions
  if (granted !== undefined && (permission === 'any' || granted === '+all' || (permission !== 'all' && holds(granted, permission))))
    return 'moderator'
  return viewer.admin ? 'admin' : undefined
}

/** How the viewer stands in a subsite. */
export type Standing = {
  readonly moderator: boolean
  readonly invited: boolean
  readonly contributor: boolean
  readonly banned: boolean
  readonly admin: boolean
}

const stranger: Standing = { moderator: false, invited: false, contributor: false, banned: false, admin: false }

export const standingIn = async (app: App, viewer: Viewer, subsite: string, command?: Seen): Promise<Standing> => {
  const { account, admin } = viewer
  if (account === undefined) return stranger
  const [moderators, relation] = await Promise.all([
    app.load(Moderators, subsite, command),
    app.load(Relation, `${subsite}.${account}`, command),
  ])
  return {
    moderator: moderators?.moderators.some((m) => m.account === account) ?? false,
    invited: moderators?.invitations.some((m) => m.account === account) ?? false,
    contributor: relation?.contributor ?? false,
    banned: isBanned(relation, app.clock()),
    admin,
  }
}

type Type = SubsiteSettings['type']
/** A subsite in whichever form the caller has it. */
export type Place = { readonly id: string; readonly type: Type }

const open: ReadonlySet<Type> = new Set<Type>(['public', 'restricted', 'gold_restricted', 'archived'])

/** Whether everybody may read a subsite of this type. */
export const isOpen = (type: Type): boolean => open.has(type)

/** Members: moderators and approved submitters; of `employees_only`, the admins. */
const isMember = ({ moderator, contributor, admin }: Standing) => moderator || contributor || admin

/** Whether the viewer may read a subsite: a closed one is for members and those invited to moderate. */
export const mayView = async (app: App, viewer: Viewer, { id, type }: Place, command?: Seen): Promise<boolean> => {
  if (isOpen(type)) return true
  const standing = await standingIn(app, viewer, id, command)
  if (type === 'gold_only' || type === 'employees_only') return standing.moderator || standing.invited || standing.admin
  return isMember(standing) || standing.invited
}

/** Whether the viewer may submit: nobody who is banned; anybody to a public subsite; members elsewhere. */
export const maySubmit = async (app: App, viewer: Viewer, { id, type }: Place, command?: Seen): Promise<boolean> => {
  const standing = await standingIn(app, viewer, id, command)
  return viewer.account !== undefined && !standing.banned && (type === 'public' || isMember(standing))
}

/** Whether the viewer may comment: nobody who is banned; anybody in a public or restricted subsite; members elsewhere. */
export const mayComment = async (app: App, viewer: Viewer, { id, type }: Place, command?: Seen): Promise<boolean> => {
  const standing = await standingIn(app, viewer, id, command)
  return viewer.account !== undefined && !standing.banned && (type === 'public' || type === 'restricted' || isMember(standing))
}

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

const forbidden: Refusal = { code: 'FORBIDDEN', field: null }

/** Moderators of the subsite of the thing that a parameter names, holding a permission; admins pass. An unknown thing is 403 too. */
export const moderatorOf =
  <Name extends string>(param: Name, permission: Permission | 'all' | 'any'): Access<{ readonly [K in Name]: string }> =>
  async ({ params, viewer, command }, app) => {
    if (viewer.account === undefined) return forbidden
    const subsite = await subsiteOf(app, params[param], command)
    return (subsite && (await capacityIn(app, viewer, subsite, permission, command))) || forbidden
  }

/** Moderators of the subsite of the path, holding a permission; admins pass. Without one subsite in the path: 403. */
export const moderatorHere =
  (permission: Permission | 'all' | 'any'): Access<unknown> =>
  async ({ site, viewer, command }, app) =>
    (site.kind === 'subsite' && (await capacityIn(app, viewer, site.subsite.id, permission, command))) || forbidden

/** Whoever may read the subsite of the thing that a parameter names; for acts of users on things (voting, saving). */
export const viewerOf =
  <Name extends string>(param: Name): Access<{ readonly [K in Name]: string }> =>
  async ({ params, viewer, command }, app) => {
    const subsite = await subsiteOf(app, params[param], command)
    const place = subsite && (await placeOf(app, subsite, command))
    return !place || (await mayView(app, viewer, place, command)) ? undefined : forbidden
  }
