import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { Account } from '../domain/account.ts'
import type { AccountId } from '../domain/ids.ts'
import { isWithSubsite, type RelationName } from '../domain/relation-types.ts'
import { withinQuota } from './account-quota.ts'
import { type Context, type Need, nothingToDo } from './endpoint.ts'
import { actIn, notSuspended } from './needs.ts'
import { type Refusal, refuse } from './refusals.ts'
import { counted, isQuotaSpent } from './relation-quota.ts'
import { type Asking, type MakeableName, type Outcome, relations, type Said, subsiteRelation } from './relations.ts'
import type { SignedIn } from './request.ts'

/** The container of one's own relationships is one's own account; undefined without a container, or if it is no account. */
const ownContainer = async (
  { load, viewer }: Asking,
  container: string | undefined,
): Promise<Either<Refusal | typeof nothingToDo, undefined>> => {
  if (container === viewer.account) return E.right(undefined)
  const isSomebody = container !== undefined && (await load(Account, container)) !== undefined
  return isSomebody ? refuse('FORBIDDEN') : E.left(nothingToDo)
}

type Named = { readonly type: RelationName; readonly container: string | undefined }

/** A relationship that the viewer may make. */
export type Making = { readonly make: (account: AccountId, said: Said) => Outcome }

/** Whether the viewer may make the relationship; `moderator`, except for admins, is an invitation. Suspended accounts have friends only. */
export const mayRelate: Need<Making, Named & { readonly type: MakeableName }> = async (context) => {
  const { params, site, viewer, command } = context
  const name = params.type === 'moderator' && !viewer.admin ? 'moderator_invite' : params.type
  if (!isWithSubsite(name)) {
    const { make } = relations[name]
    return E.map(() => ({ make: (account: AccountId, said: Said) => make(context, account, said) }))(
      await ownContainer(context, params.container),
    )
  }
  const relation = subsiteRelation(name)
  const standing = await notSuspended(context, 'standing')
  if (E.isLeft(standing)) return standing
  const act = await actIn(context, site.kind === 'subsite' ? site.subsite.id : undefined, relation.makes)
  if (E.isLeft(act)) return act
  const { subsite } = act.right
  // a repeated command was counted by its first try
  if (!command.retried && (await relation.isFull?.(context, subsite))) return refuse('SUBSITE_RATELIMIT', 'name')
  if (await isQuotaSpent(context, subsite, name)) return refuse('SUBSITE_RATELIMIT')
  return E.right({
    make: (account, said) =>
      counted(context, subsite, name, () => withinQuota(context, 'relate', () => relation.make(context, { subsite, account }, said))),
  })
}

/**
 * Ends a relationship of an account, if the viewer may; moderators may end any of their own, others only if it can be left. Suspended
 * accounts may leave, and end what is between accounts.
 */
export const endRelation = async (
  context: Context<Named, SignedIn>,
  account: AccountId,
): Promise<Either<Refusal | typeof nothingToDo, unknown>> => {
  const { params, site, viewer } = context
  const { type } = params
  if (!isWithSubsite(type)) {
    const own = await ownContainer(context, params.container)
    return E.isLeft(own) ? own : relations[type].end(context, account)
  }
  const relation = subsiteRelation(type)
  const isOwn = account === viewer.account
  const here = site.kind === 'subsite' ? site.subsite.id : undefined
  if (isOwn && relation.leave && here !== undefined) return relation.leave(context, { subsite: here, account })
  const standing = await notSuspended(context, 'standing')
  if (E.isLeft(standing)) return standing
  const act = await actIn(context, here, isOwn ? 'any' : relation.ends)
  if (E.isLeft(act)) return act
  const between = { subsite: act.right.subsite, account }
  return withinQuota(context, 'relate', () => relation.end(context, between))
}
