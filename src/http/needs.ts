import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../projections/subsites.ts'
import { Username } from '../domain/account.ts'
import { Comment } from '../domain/comment.ts'
import { refuse } from '../domain/decision.ts'
import { type AccountId, kindOf, type SubsiteId } from '../domain/ids.ts'
import { Link } from '../domain/link.ts'
import { claimOf, mayBeSubsiteName, mayBeUsername } from '../domain/names.ts'
import type { Refusal, RefusalCode } from '../domain/refusal.ts'
import { SubsiteName } from '../domain/subsite.ts'
import type { Votable } from '../domain/vote.ts'
import { capacityIn, mayView, type Needed, placeOf, subsiteOf } from './access.ts'
import { type Context, type Need, nothingToDo, type Param, type Viewer } from './endpoint.ts'
import { aggregates, type Kind, type StateOf } from './kinds.ts'
import { username } from './params.ts'

/*
 * The words in which endpoints say what they need. Every fact comes from the log's own state through the request's `load`; what is
 * shown comes from read models and is no authority.
 */

declare const authority: unique symbol

/**
 * An act in a subsite by somebody whom the log allows it; from then on the request's command acts in the capacity that allows it.
 * `at`: the clock when it was allowed, by which bans and archiving are decided.
 */
export type Act = { readonly subsite: SubsiteId; readonly at: number; readonly [authority]: true }

type Has<Name extends string, T = string> = { readonly [K in Name]: T }

/** The viewer's act in a subsite, if a permission there (or being an admin) allows it; else 403. */
export const actIn = async (context: Context, subsite: SubsiteId | undefined, needed: Needed): Promise<Either<Refusal, Act>> => {
  const capacity = subsite === undefined ? undefined : await capacityIn(context, subsite, needed)
  if (subsite === undefined || capacity === undefined) return refuse('FORBIDDEN')
  context.actAs(capacity)
  return E.right({ subsite, at: context.clock() } as Act)
}

/** An act on the thing that a parameter names, for moderators of its subsite with a permission; 403 also for a thing that does not exist. */
export const moderating =
  <Name extends string>(param: Name, needed: Needed | ((thing: string) => Needed)): Need<Act, Has<Name>, Viewer> =>
  async (context) => {
    const thing = context.params[param]
    return actIn(context, await subsiteOf(context, thing), typeof needed === 'function' ? needed(thing) : needed)
  }

/** An act in the subsite of the path, for its moderators with a permission; 403 also without one subsite in the path. */
export const moderatorHere =
  (needed: Needed): Need<Act, unknown, Viewer> =>
  (context) =>
    actIn(context, context.site.kind === 'subsite' ? context.site.subsite.id : undefined, needed)

/** The subsite of the path, as read models show it; without one, or with several, the refusal given. */
export const subsiteHere =
  (otherwise: RefusalCode = 'NOT_FOUND'): Need<SubsiteDocument, unknown, Viewer> =>
  ({ site }) =>
    site.kind === 'subsite' ? E.right(site.subsite) : refuse(otherwise)

/** The thing that a parameter names; another kind of thing is 400, one that does not exist 403. */
export const the =
  <K extends Kind, Name extends string>(kind: K, param: Name): Need<StateOf<K>, Has<Name>, Viewer> =>
  async ({ load, params }) => {
    const id = params[param]
    if (kindOf(id) !== kind) return refuse('BAD_REQUEST')
    const state = await load<unknown, never>(aggregates[kind], id)
    return state === undefined ? refuse('FORBIDDEN') : E.right(state as StateOf<K>)
  }

/** The account of a name; `USER_DOESNT_EXIST` on the field that the name came in. */
export const accountCalled = async ({ load }: Pick<Context, 'load'>, name: string, field: string): Promise<Either<Refusal, AccountId>> => {
  const claim = mayBeUsername(name) ? await load(Username, claimOf(name)) : undefined
  return claim ? E.right(claim.account) : refuse('USER_DOESNT_EXIST', field)
}

/** The subsite of a name from the log, also before it is projected; `SUBSITE_NOEXIST` on the field that the name came in. */
export const subsiteCalled = async ({ load }: Pick<Context, 'load'>, name: string, field: string): Promise<Either<Refusal, SubsiteId>> => {
  const claim = mayBeSubsiteName(name) ? await load(SubsiteName, claimOf(name)) : undefined
  return claim ? E.right(claim.subsite) : refuse('SUBSITE_NOEXIST', field)
}

/** A link or a comment as the log has it. */
export type Post = Votable

/** The link or comment of a fullname, where the viewer may see it. */
export const postCalled = async (context: Context, id: string, unknown: RefusalCode): Promise<Either<Refusal, Post>> => {
  const { load } = context
  const link = kindOf(id) === 'link' ? await load(Link, id) : undefined
  const post = link ? { ...link, link: id } : kindOf(id) === 'comment' ? await load(Comment, id) : undefined
  if (!post || (post.deleted && unknown === 'NOT_FOUND')) return refuse(unknown)
  const place = await placeOf(context, post.subsite)
  return place && (await mayView(context, place)) ? E.right(post) : refuse('FORBIDDEN')
}

/** The link or comment that a parameter names, where the viewer may see it; `NOT_FOUND` as the refusal of an unknown one means deleted ones too. */
export const post =
  <Name extends string>(param: Name, unknown: 'NOT_FOUND' | 'BAD_REQUEST'): Need<Post, Has<Name>, Viewer> =>
  (context) =>
    postCalled(context, context.params[param], unknown)

/** A parameter that is decoded at this place: its error comes only after those of the needs before it. */
export const late = <T>(param: Param<T>): Need<T, unknown, Viewer> =>
  Object.assign((context: Context, name: string) => context.decode(name) as Either<Refusal, T>, {
    params: (name: string) => ({ [name]: param }),
  })

/** The account that a parameter names, the parameter being decoded at this place. */
export const accountNamed = (param: string): Need<AccountId, unknown, Viewer> =>
  Object.assign(
    async (context: Context) => {
      const name = context.decode(param) as Either<Refusal, string>
      return E.isLeft(name) ? name : accountCalled(context, name.right, param)
    },
    { params: () => ({ [param]: username() }) },
  )

/** The same fact under another refusal. */
export const otherwise =
  <T, P, V extends Viewer>(code: RefusalCode, need: Need<T, P, V>): Need<T, P, V> =>
  async (context, name) =>
    E.mapLeft((refused: Refusal | typeof nothingToDo) => (refused === nothingToDo ? refused : { code, field: null }))(
      await need(context, name),
    )
