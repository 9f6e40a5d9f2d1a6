import type { Either } from 'fp-ts/lib/Either.js'
import { claimNamed } from '../../../commands/usernames.ts'
import { Account } from '../../../domain/account.ts'
import type { Flair } from '../../../domain/flair.ts'
import { flairLimits, LinkFlair, parseClasses, setLinkFlair, setUserFlair, UserFlair } from '../../../domain/flair.ts'
import type { AccountId, SubsiteId } from '../../../domain/ids.ts'
import { Link, targetOf } from '../../../domain/link.ts'
import { type FlairKind, noSubsiteFlair, SubsiteFlair } from '../../../domain/subsite-flair.ts'
import type { Param, SignedInContext } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { described, lenient, mapped, oneOf, optional, raw, text, withDefault } from '../../contract/params.ts'
import { type Refusal, refuse } from '../../contract/refusals.ts'
import { capacityIn, mayViewSubsite } from '../../things/access.ts'

/** Where flair can be set: on a link, or on an account in a subsite. */
export type FlairTarget = {
  readonly kind: FlairKind
  /** What has it: a link or an account. */
  readonly thing: string
  readonly subsite: SubsiteId
  /** Who may choose it if the subsite lets users or authors choose; null: nobody. */
  readonly owner: AccountId | null
  readonly current: (context: Pick<SignedInContext, 'load'>) => Promise<Flair | undefined>
  readonly set: (context: Pick<SignedInContext, 'run'>, flair: Flair) => ReturnType<SignedInContext['run']>
}

export const onLink = (link: Link): FlairTarget => ({
  kind: 'link',
  thing: link.id,
  subsite: link.subsite,
  owner: link.deleted ? null : link.author,
  current: ({ load }) => load(LinkFlair, link.id),
  set: ({ run }, flair) => run(LinkFlair, link.id, setLinkFlair(link, targetOf(link), flair)),
})

export const onAccount = (subsite: SubsiteId, account: AccountId): FlairTarget => ({
  kind: 'user',
  thing: account,
  subsite,
  owner: account,
  current: ({ load }) => load(UserFlair, `${subsite}.${account}`),
  set: ({ run }, flair) => run(UserFlair, `${subsite}.${account}`, setUserFlair({ subsite, account }, flair)),
})

/** Of each kind of flair: the settings of whether owners choose theirs and where it is shown, and what precedes its classes where they are offered. */
export const flairTable = {
  user: { mayChoose: 'flair_self_enabled', position: 'flair_position', prefix: 'flair-' },
  link: { mayChoose: 'link_flair_self_enabled', position: 'link_flair_position', prefix: '' },
} as const

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
export const accountOfName = async (asking: Pick<SignedInContext, 'load'>, name = ''): Promise<AccountId | undefined> =>
  (await claimNamed(asking, name.trim()))?.account

export const isDeleted = async ({ load }: Pick<SignedInContext, 'load'>, account: AccountId): Promise<boolean> =>
  (await load(Account, account))?.deleted ?? false

export const linkOfName = async ({ load }: Pick<SignedInContext, 'load'>, id: string | undefined): Promise<Link | undefined> =>
  id === undefined ? undefined : load(Link, id)

export const offeredIn = async ({ load }: Pick<SignedInContext, 'load'>, subsite: SubsiteId): Promise<SubsiteFlair> =>
  (await load(SubsiteFlair, subsite)) ?? noSubsiteFlair

/** The capacity in which the viewer may change a flair; undefined: none. From then on the request's command acts in it. */
export const capacityOver = async (context: SignedInContext, target: FlairTarget): Promise<'moderator' | 'admin' | 'user' | undefined> => {
  const { viewer, actAs } = context
  const { kind, subsite, owner } = target
  if (!(await mayViewSubsite(context, subsite))) return undefined
  const capacity = await capacityIn(context, subsite, 'flair')
  if (capacity !== undefined) {
    actAs(capacity)
    return capacity
  }
  const { settings } = await offeredIn(context, subsite)
  actAs('user')
  return settings[flairTable[kind].mayChoose] && owner === viewer.account ? 'user' : undefined
}

export const noTarget = (): Either<Refusal, never> => refuse('BAD_FLAIR_TARGET', 'name')
