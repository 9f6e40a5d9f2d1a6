// Decision 14.

import * as E from 'fp-ts/lib/Either.js'
import { logIn, type ProvenUser, type User } from '../../../auth/login.ts'
import type { Sessions } from '../../../auth/sessions.ts'
import { hashPassword, isStillPassword } from '../../../commands/credentials.ts'
import { register } from '../../../commands/register.ts'
import { checkUsername } from '../../../domain/names.ts'
import { checkPassword } from '../../../domain/password.ts'
import type { Refusal as RuleRefusal } from '../../../domain/refusal.ts'
import { limits } from '../../../domain/text-limits.ts'
import { registerInTime } from '../../../limits/registration-wait.ts'
import type { Context, ParamValues, Uses } from '../../contract/endpoint.ts'
import { describeParam, documentRequired, flag, rawText } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'

export const credentials = {
  user: describeParam(documentRequired(rawText()), '3 to 20 letters, digits, `-` and `_`'),
  passwd: describeParam(documentRequired(rawText()), '6 to 1024 characters'),
  rem: describeParam(flag(), 'remember the session for a year'),
}
export const registration = {
  ...credentials,
  passwd2: describeParam(documentRequired(rawText()), 'the password again'),
  email: describeParam(rawText(), 'optional; kept outside the log, unverified'),
}
type Registration = ParamValues<typeof registration>
/** The context in which a session begins. */
export type SignInContext = Context<ParamValues<typeof credentials>> & Uses<'passwords' | 'sessions'>

const isEmail = (text: string): boolean => text.length <= limits.email && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)

/** Returns the refusal of a registration's fields, apart from its name being taken. */
export const checkFields = ({ user, passwd, passwd2, email }: Registration): RuleRefusal | undefined => {
  const unfitName = checkUsername(user)
  if (unfitName) return unfitName
  if (email !== '' && !isEmail(email)) return { code: 'BAD_EMAIL', field: 'email' }
  const unfit = checkPassword(passwd)
  if (unfit) return unfit
  return passwd === passwd2 ? undefined : { code: 'BAD_PASSWORD_MATCH', field: 'passwd2' }
}

/** Registers the account of valid fields, unless its address registered others a moment ago. */
export const newUser = async (context: Context<Registration> & Uses<'passwords'>): Promise<E.Either<Refusal, User>> => {
  const { params, ip, command } = context
  const { user: name, passwd: password, email } = params
  return registerInTime(context, (begin) =>
    register(
      context,
      {
        name,
        email: email === '' ? undefined : email,
        reserved: context.config.admins,
        check: async () => checkFields(params) ?? (await begin()),
        hash: () => context.passwords.enter(ip, name, () => hashPassword(password)),
      },
      command,
    ),
  )
}

/** Returns the account of a correct password, but not beside the session of another account. */
export const oldUser = async (context: SignInContext): Promise<E.Either<Refusal, ProvenUser>> => {
  const { viewer, params, ip } = context
  const user = await logIn(context, params.user, params.passwd, ip)
  if (E.isRight(user) && viewer.via === 'session' && viewer.account !== undefined && viewer.account !== user.right.id)
    return E.left({ code: 'LOGGED_IN', field: null, status: 409 })
  return user
}

/** Returns the `User-Agent` of the browser or app. */
const agentOf = (headers: Context['headers']): string | undefined => headers['user-agent']?.toString()

/** Creates a session after a registration or a correct password that is still valid: changing the password ends existing sessions. */
export const beginSession = async (
  { sessions, headers, vault, params }: SignInContext,
  found: E.Either<Refusal, User | ProvenUser>,
): Promise<E.Either<Refusal, Awaited<ReturnType<Sessions['create']>>>> => {
  if (E.isLeft(found)) return found
  const user = found.right
  const session = await sessions.create(user.id, params.rem, agentOf(headers))
  if (!('proof' in user) || (await isStillPassword(vault, user.id, user.proof))) return E.right(session)
  await sessions.end(session.cookie)
  return refuseRule('INCORRECT_USERNAME_OR_PASSWORD', 'passwd')
}
