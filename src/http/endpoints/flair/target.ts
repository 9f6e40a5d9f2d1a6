import type { Either } from 'fp-ts/lib/Either.js'
import { claimNamed } from '../../../commands/username-lookup.ts'
import { Account } from '../../../domain/account.ts'
import { parseClasses } from '../../../domain/flair.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { Link } from '../../../domain/link.ts'
import type { FlairKind } from '../../../domain/subsite-flair.ts'
import { limits } from '../../../domain/text-limits.ts'
import type { Param, SignedInContext } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, mapParam, oneOf, optional, rawText, replaceInvalid, text, withDefault } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'

export const linkParam = describeParam(replaceInvalid(optional(fullname('link')), undefined), 'fullname of a link; goes before `name`')
export const nameParam = describeParam(replaceInvalid(optional(rawText({ max: 100 })), undefined), 'a username')
export const textParam = describeParam(text({ max: limits.flair, empty: true, line: true }), 'at most 64 characters')
export const classesParam: Param<string> = {
  ...describeParam(rawText(), 'names of css classes, separated by spaces: at most 10, each of at most 100 letters, digits and hyphens'),
  decode: (value = '') => parseClasses(value),
}
const kinds = { USER_FLAIR: 'user', LINK_FLAIR: 'link' } as const
/** The kind of a template; by default for users. */
export const kindParam: Param<FlairKind> = mapParam(
  withDefault(oneOf('USER_FLAIR', 'LINK_FLAIR'), 'USER_FLAIR' as const),
  (kind) => kinds[kind],
)

/** Returns the account of a name, in any case, also a deleted one. */
export const accountOfName = async (asking: Pick<SignedInContext, 'load'>, name = ''): Promise<AccountId | undefined> =>
  (await claimNamed(asking, name.trim()))?.account

export const isDeleted = async ({ load }: Pick<SignedInContext, 'load'>, account: AccountId): Promise<boolean> =>
  (await load(Account, account))?.deleted ?? false

export const linkOfName = async ({ load }: Pick<SignedInContext, 'load'>, id: string | undefined): Promise<Link | undefined> =>
  id === undefined ? undefined : load(Link, id)

export const noTarget = (): Either<Refusal, never> => refuseRule('BAD_FLAIR_TARGET', 'name')
