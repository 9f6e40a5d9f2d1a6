// Decision 62.

import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { claimNamed } from '../../commands/username-lookup.ts'
import { Account } from '../../domain/account.ts'
import type { Aggregate } from '../../domain/decision.ts'
import type { AnyEvent } from '../../domain/event.ts'
import { type AccountId, kindOf, type SubsiteId } from '../../domain/ids.ts'
import { claimOf, mayBeSubsiteName } from '../../domain/names.ts'
import type { Standing } from '../../domain/standing.ts'
import { type Subsite, SubsiteName } from '../../domain/subsite.ts'
import { LOG_START, type Position } from '../../ports/event-store.ts'
import { type Context, type End, isRefusal, type Need, type Param } from '../contract/endpoint.ts'
import { username } from '../contract/name-params.ts'
import { describeParam, optional, param } from '../contract/params.ts'
import { type Refusal, type RefusalCode, refuseRule } from '../contract/refusals.ts'
import type { Viewer } from '../contract/request.ts'
import { capacityIn, isViewerSuspended, loadViewerStanding, mayViewSubsite, type PermissionRequirement } from '../things/access.ts'
import { column } from '../things/kinds/all.ts'
import type { Post, UserText } from '../things/kinds/kind.ts'

/*
 * The needs that endpoints declare. Facts come from the log's own state through the request's `load`. Shown values come from read models
 * and decide nothing.
 */

declare const authority: unique symbol

/**
 * A permitted act in a subsite. The request's command acts from then on in the capacity that permits it. `at` is the time of the check,
 * which decides about bans and archiving.
 */
export type Act = { readonly subsite: SubsiteId; readonly at: number; readonly [authority]: true }

type Has<Name extends string, T = string> = { readonly [K in Name]: T }

/** Returns the id of the subsite of the path; undefined without one, or with several. */
export const subsiteIdHere = ({ site }: Pick<Context, 'site'>): SubsiteId | undefined =>
  site.kind === 'subsite' ? site.subsite.id : undefined

/** Returns the viewer's act in a subsite, permitted by a permission there or as admin; else 403. */
export const actIn = async (
  context: Context,
  subsite: SubsiteId | undefined,
  needed: PermissionRequirement,
): Promise<E.Either<Refusal, Act>> => {
  const capacity = subsite === undefined ? undefined : await capacityIn(context, subsite, needed)
  if (subsite === undefined || capacity === undefined) return refuseRule('FORBIDDEN')
  context.actAs(capacity)
  return E.right({ subsite, at: context.clock() } as Act)
}

const expectedPosition = describeParam(
  optional(
    param({ type: 'string', pattern: '^[0-9]{1,40}$' }, 'BAD_REQUEST', (value, name) =>
      /^\d{1,40}$/.test(value) ? E.right(value.replace(/^0+/, '').padStart(LOG_START.length, '0')) : refuseRule('BAD_REQUEST', name),
    ),
  ),
  'of moderators: the `X-Log-Position` of the response that showed the thing; 409 if such an act on it was recorded since, with who decided what',
)

/**
 * Looks up a thing on which the viewer acts. An act of authority is refused if somebody decided about the thing since the viewer saw it.
 * Authors act on their own things whatever was decided.
 */
export const refuseIfDecided = <T, P, V extends Viewer, F = unknown>(
  need: Need<T, P, V, F>,
  thingOf: (fact: T, context: Context<P, V>) => string,
): Need<T, P, V, F> =>
  Object.assign(
    async (context: Context<P, V> & F, name: string) => {
      const found = await need(context, name)
      if (E.isLeft(found) || context.command.by.as === 'user') return found
      const expected = context.decode('expected_position') as E.Either<Refusal, Position | undefined>
      if (E.isLeft(expected)) return expected
      if (expected.right !== undefined) context.expect({ thing: thingOf(found.right, context), position: expected.right })
      return found
    },
    { params: () => ({ expected_position: expectedPosition }) },
  )

/**
 * Looks up an act on the thing that a parameter names, for moderators of its subsite with a permission; 403 also for a thing that does not
 * exist.
 */
export const requireModerator = <Name extends string>(
  param: Name,
  needed: PermissionRequirement | ((thing: string) => PermissionRequirement),
): Need<Act, Has<Name>, Viewer> =>
  refuseIfDecided(
    async (context) => {
      const thing = context.params[param]
      const subsite = await column(thing, 'subsite')?.(context, thing)
      return actIn(context, subsite, typeof needed === 'function' ? needed(thing) : needed)
    },
    (_, { params }) => params[param],
  )

/** Looks up an act in the subsite of the path, for its moderators with a permission; 403 also without one subsite in the path. */
export const moderatorHere =
  (needed: PermissionRequirement): Need<Act, unknown, Viewer> =>
  (context) =>
    actIn(context, subsiteIdHere(context), needed)

/** Looks up the subsite of the path in the read models; the given refusal without one, or with several. */
export const subsiteHere =
  (refusal: RefusalCode = 'NOT_FOUND'): Need<SubsiteDocument, unknown, Viewer> =>
  ({ site }) =>
    site.kind === 'subsite' ? E.right(site.subsite) : refuseRule(refusal)

/** Loads the viewer's relationships with the subsite that a need before this one found. */
export const requireStanding: Need<Standing, unknown, Viewer, { readonly subsite: Pick<Subsite, 'id' | 'settings'> }> = async (context) => {
  const { id, settings } = context.subsite
  return E.right(await loadViewerStanding(context, id, settings.type))
}

/** Loads the thing that a parameter names, of the kind of an aggregate. Another kind of thing is 400, one that does not exist 403. */
export const loadThing =
  <State, Event extends AnyEvent, Name extends string>(aggregate: Aggregate<State, Event>, param: Name): Need<State, Has<Name>, Viewer> =>
  async (context) => {
    const id = context.params[param]
    if (kindOf(id) !== aggregate.category) return refuseRule('BAD_REQUEST', param)
    const state = await context.load(aggregate, id)
    return state === undefined ? refuseRule('FORBIDDEN') : E.right(state)
  }

/** Returns the account of a name; `USER_DOESNT_EXIST` on the field of the name. */
export const accountCalled = async (context: Pick<Context, 'load'>, name: string, field: string): Promise<E.Either<Refusal, AccountId>> => {
  const claim = await claimNamed(context, name)
  const account = claim && (await context.load(Account, claim.account))
  return claim && !account?.deleted ? E.right(claim.account) : refuseRule('USER_DOESNT_EXIST', field)
}

/** Looks up the account that a decoded parameter names; `USER_DOESNT_EXIST` on it. */
export const accountBy =
  <Name extends string>(param: Name): Need<AccountId, Has<Name>, Viewer> =>
  (context) =>
    accountCalled(context, context.params[param].trim(), param)

/** Looks up an act of an admin, recorded as such; the given refusal for others. */
export const adminOnly =
  (code: RefusalCode = 'FORBIDDEN', field: string | null = null): Need<true> =>
  ({ viewer, actAs }) => {
    if (!viewer.admin) return refuseRule(code, field)
    actAs('admin')
    return E.right(true)
  }

/** Refuses suspended accounts at endpoints that they may not even read. */
export const notSuspended: Need<true, unknown, Viewer> = async (context) =>
  (await isViewerSuspended(context)) ? refuseRule('IN_TIMEOUT') : E.right(true)

/** Returns the subsite of a name from the log, so also a new one; `SUBSITE_NOEXIST` on the field of the name. */
export const subsiteCalled = async (
  { load }: Pick<Context, 'load'>,
  name: string,
  field: string,
): Promise<E.Either<Refusal, SubsiteId>> => {
  const claim = mayBeSubsiteName(name) ? await load(SubsiteName, claimOf(name)) : undefined
  return claim ? E.right(claim.subsite) : refuseRule('SUBSITE_NOEXIST', field)
}

type ThingState = { readonly deleted: boolean; readonly subsite: SubsiteId | null }

/** Returns a thing if the viewer may see it. The refusal `unknown` names the field; `NOT_FOUND` refuses deleted things, too. */
const inView = async <T extends ThingState>(
  context: Context,
  thing: T | undefined,
  unknown: RefusalCode,
  field: string,
): Promise<E.Either<Refusal, T>> => {
  if (!thing || (thing.deleted && unknown === 'NOT_FOUND')) return refuseRule(unknown, field)
  return thing.subsite === null || (await mayViewSubsite(context, thing.subsite)) ? E.right(thing) : refuseRule('FORBIDDEN')
}

/** Returns the link, comment or message of a fullname, by the same rule. One that does not exist or was deleted is `NOT_FOUND`. */
export const textCalled = async (context: Context, id: string, field: string): Promise<E.Either<Refusal, UserText>> =>
  inView(context, await column(id, 'text')?.(context, id), 'NOT_FOUND', field)

/** Returns the link or comment of a fullname, by the same rule. */
export const postCalled = async (context: Context, id: string, unknown: RefusalCode, field: string): Promise<E.Either<Refusal, Post>> =>
  inView(context, await column(id, 'post')?.(context, id), unknown, field)

/** Looks up the link or comment that a parameter names, if the viewer may see it. With `NOT_FOUND`, deleted ones are refused, too. */
export const postNamed =
  <Name extends string>(param: Name, unknown: RefusalCode): Need<Post, Has<Name>, Viewer> =>
  (context) =>
    postCalled(context, context.params[param], unknown, param)

/** Decodes a parameter in this place: its error comes after those of the needs before it. `called` is its name, if it is not the need's. */
export const decodeLate = <T>(param: Param<T>, called?: string): Need<T, unknown, Viewer> =>
  Object.assign((context: Context, name: string) => context.decode(called ?? name) as E.Either<Refusal, T>, {
    params: (name: string) => ({ [called ?? name]: param }),
  })

/** Makes a need from another one, which decodes the same parameters. */
const deriveNeed = <T, P, V extends Viewer, F>(from: Pick<Need<unknown>, 'params'>, need: Need<T, P, V, F>): Need<T, P, V, F> =>
  Object.assign(need, { ...(from.params && { params: from.params }) })

/** Makes a need with another refusal. */
export const withRefusal = <T, P, V extends Viewer>(code: RefusalCode, need: Need<T, P, V>): Need<T, P, V> =>
  deriveNeed(need, async (context, name) =>
    E.mapLeft((end: End) => (isRefusal(end) ? { code, field: null } : end))(await need(context, name)),
  )

/** Makes a need that follows from the value of another one. */
export const andThen = <T, U, P, V extends Viewer, F = unknown>(
  need: Need<T, P, V>,
  next: (value: T, context: Context<P, V> & F) => ReturnType<Need<U>>,
): Need<U, P, V, F> =>
  deriveNeed(need, async (context, name) => {
    const found = await need(context, name)
    return E.isLeft(found) ? found : next(found.right, context)
  })

/** Returns the username in the path; `me` is the viewer's. */
export const userMeant: Need<string, Has<'username'>, Viewer> = ({ params: { username }, viewer: { name } }) => {
  if (username.toLowerCase() !== 'me') return E.right(username)
  return name === undefined ? refuseRule('USER_REQUIRED') : E.right(name)
}

/** Looks up the account that a parameter names, decoded in this place. */
export const accountNamed = (param: string): Need<AccountId, unknown, Viewer> =>
  andThen(decodeLate(username(), param), (name, context) => accountCalled(context, name, param))
