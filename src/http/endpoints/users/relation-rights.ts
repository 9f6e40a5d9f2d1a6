import * as E from 'fp-ts/lib/Either.js'
import { Account } from '../../../domain/account.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { isWithSubsite, type RelationName } from '../../../domain/relation-types.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { countRelation, isQuotaSpent } from '../../../limits/relation-quota.ts'
import { isBegun } from '../../../runtime/command.ts'
import { type End, type Need, nothingToDo, type SignedInContext } from '../../contract/endpoint.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { type Act, actIn, notSuspended, subsiteIdHere } from '../../needs/facts.ts'
import type { PermissionRequirement } from '../../things/access.ts'
import { type MakeableName, type RelationOutcome, type RelationTexts, relations, subsiteRelation } from '../../things/relations.ts'

/**
 * Checks the container of one's own relationships, which is one's own account. Returns undefined without a container, or if it is no
 * account.
 */
const ownContainer = async ({ load, viewer }: SignedInContext, container: string | undefined): Promise<E.Either<End, undefined>> => {
  if (container === viewer.account) return E.right(undefined)
  const isSomebody = container !== undefined && (await load(Account, container)) !== undefined
  return isSomebody ? refuseRule('FORBIDDEN') : E.left(nothingToDo)
}

type RelationParams = { readonly type: RelationName; readonly container: string | undefined }

/** Makes a relationship that the viewer may make. */
type MakeRelation = (account: AccountId, texts: RelationTexts) => RelationOutcome

/** Returns an act in the subsite of the path. It is not for suspended accounts, whom the gate lets through for their own relationships. */
const actHere = async (context: SignedInContext, needed: PermissionRequirement): Promise<E.Either<End, Act>> => {
  const standing = await notSuspended(context, 'standing')
  return E.isLeft(standing) ? standing : actIn(context, subsiteIdHere(context), needed)
}

/**
 * Returns the function that makes a relationship, if the viewer may make it. `moderator`, except for admins, is an invitation. Suspended
 * accounts have friends only.
 */
export const mayRelate: Need<MakeRelation, RelationParams & { readonly type: MakeableName }> = async (context) => {
  const { params, viewer, command } = context
  const name = params.type === 'moderator' && !viewer.admin ? 'moderator_invite' : params.type
  if (!isWithSubsite(name)) {
    const { make } = relations[name]
    const container = await ownContainer(context, params.container)
    return E.map(() => (account: AccountId, texts: RelationTexts) => make(context, account, texts))(container)
  }
  const relation = subsiteRelation(name)
  const act = await actHere(context, relation.makes)
  if (E.isLeft(act)) return act
  const { subsite } = act.right
  // a begun command was admitted by its first try
  const full = isBegun(command) ? undefined : await relation.refusalOfMore?.(context, subsite)
  if (full) return full
  if (await isQuotaSpent(context, subsite, name)) return refuseRule('SUBSITE_RATELIMIT')
  return E.right((account, texts) =>
    countRelation(context, subsite, name, () => withinQuota(context, 'relate', () => relation.make(context, { subsite, account }, texts))),
  )
}

/**
 * Returns the function that ends an account's relationship, if the viewer may end it. Moderators may end any of their own, others only if
 * it can be left. Suspended accounts may leave, and end relationships between accounts.
 */
export const mayEnd: Need<() => RelationOutcome, RelationParams, SignedIn, { readonly account: AccountId }> = async (context) => {
  const { params, viewer, account } = context
  const { type } = params
  if (!isWithSubsite(type)) return E.map(() => () => relations[type].end(context, account))(await ownContainer(context, params.container))
  const { leave, end, ends } = subsiteRelation(type)
  const isOwn = account === viewer.account
  const subsiteHere = subsiteIdHere(context)
  if (isOwn && leave && subsiteHere !== undefined) return E.right(() => leave(context, { subsite: subsiteHere, account }))
  const act = await actHere(context, isOwn ? 'any' : ends)
  return E.map(
    ({ subsite }: Act) =>
      () =>
        withinQuota(context, 'relate', () => end(context, { subsite, account })),
  )(act)
}
