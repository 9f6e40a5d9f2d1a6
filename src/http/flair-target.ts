import type { Either } from 'fp-ts/lib/Either.js'
import { claimNamed } from '../commands/usernames.ts'
import { Account } from '../domain/account.ts'
import type { Flair } from '../domain/flair.ts'
import { flairLimits, LinkFlair, parseClasses, setLinkFlair, setUserFlair, UserFlair } from '../domain/flair.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { Link, targetOf } from '../domain/link.ts'
import { type FlairKind, noSubsiteFlair, SubsiteFlair } from '../domain/subsite-flair.ts'
import { capacityIn, mayViewSubsite } from './access.ts'
import type { Context, Param } from './endpoint.ts'
import { fullname } from './name-params.ts'
import { described, lenient, mapped, oneOf, optional, raw, text, withDefault } from './params.ts'
import { type Refusal, refuse } from './refusals.ts'
import type { SignedIn } from './request.ts'

/** Whose flair it is: an account's in a subsite, or a link's. */
export type FlairTarget =
  | { readonly kind: 'user'; readonly subsite: SubsiteId; readonly account: AccountId }
  | { readonly kind: 'link'; readonly subsite: SubsiteId; readonly link: Link }

type Asking = Context<unknown, SignedIn>

export const linkParam = described(lenient(optional(fullname('link')), undefined), 'fullname of a link; goes before `name`')
export const nameParam = described(lenient(optional(raw({ max: 100 })), undefined), 'a username')
export const textParam = described(text({ max: flairLimits.text, empty: true, line: true }), 'at most 64 characters')
export const classesParam: Param<string> = {
  ...described(raw(), 'names of css classes, separated by spaces: at most 10, each of at most 100 letters, digits and hyphens'),
  decode: (value = '') => parseClasses(value),
}
const kinds = { USER_FLAIR: 'user', LINK_FLAIR: 'link' } as const
/** Of a template; absent: for users. */
export const kindParam: Param<FlairKind> = mapped(
  withDefault(oneOf('USER_FLAIR', 'LINK_FLAIR'), 'USER_FLAIR' as const),
  (kind) => kinds[kind],
)

/** The account of a name, in any case; also a deleted one. */
export const accountOfName = async (asking: Pick<Asking, 'load'>, name = ''): Promise<AccountId | undefined> =>
  (await claimNamed(asking, name.trim()))?.account

export const isDeleted = async ({ load }: Pick<Asking, 'load'>, account: AccountId): Promise<boolean> =>
  (await load(Account, account))?.deleted ?? false

export const linkOfName = async ({ load }: Pick<Asking, 'load'>, id: string | undefined): Promise<Link | undefined> =>
  id === undefined ? undefined : load(Link, id)

export const offeredIn = async ({ load }: Pick<Asking, 'load'>, subsite: SubsiteId): Promise<SubsiteFlair> =>
  (await load(SubsiteFlair, subsite)) ?? noSubsiteFlair

/** The capacity in which the viewer may change a flair; undefined: none. From then on the request's command acts in it. */
export const capacityOver = async (context: Asking, target: FlairTarget): Promise<'moderator' | 'admin' | 'user' | undefined> => {
  const { viewer, actAs } = context
  const { subsite } = target
  if (!(await mayViewSubsite(context, subsite))) return undefined
  const capacity = await capacityIn(context, subsite, 'flair')
  if (capacity !== undefined) {
    actAs(capacity)
    return capacity
  }
  const { settings } = await offeredIn(context, subsite)
  actAs('user')
  if (target.kind === 'link')
    return settings.link_flair_self_enabled && target.link.author === viewer.account && !target.link.deleted ? 'user' : undefined
  return settings.flair_self_enabled && target.account === viewer.account ? 'user' : undefined
}

/** The current flair. */
export const flairOf = ({ load }: Pick<Asking, 'load'>, target: FlairTarget): Promise<Flair | undefined> =>
  target.kind === 'link' ? load(LinkFlair, target.link.id) : load(UserFlair, `${target.subsite}.${target.account}`)

export const setFlair = async ({ run }: Pick<Asking, 'run'>, target: FlairTarget, flair: Flair): ReturnType<Asking['run']> =>
  target.kind === 'link'
    ? run(LinkFlair, target.link.id, setLinkFlair(target.subsite, targetOf(target.link), flair))
    : run(UserFlair, `${target.subsite}.${target.account}`, setUserFlair(target, flair))

export const noTarget = (): Either<Refusal, never> => refuse('BAD_FLAIR_TARGET', 'name')
