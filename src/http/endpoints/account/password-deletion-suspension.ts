import * as E from 'fp-ts/lib/Either.js'
import { logIn } from '../../../auth/login.ts'
import { changePassword, hashPassword, type Proof } from '../../../commands/credentials.ts'
import { claimNamed } from '../../../commands/username-lookup.ts'
import { Account, deleteAccount, eraseAccount, suspendAccount, unsuspendAccount } from '../../../domain/account.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { checkPassword } from '../../../domain/password.ts'
import { termDays } from '../../../domain/restrictions.ts'
import { limits } from '../../../domain/text-limits.ts'
import { seatsOf } from '../../../queries/relations.ts'
import { type AnyEndpoint, type Need, type SignedInContext, section, type Uses } from '../../contract/endpoint.ts'
import { username } from '../../contract/name-params.ts'
import { describeParam, documentRequired, flag, optional, rawText, strictInteger, text } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { accountNamed, adminOnly, andThen, decodeLate, notSuspended } from '../../needs/facts.ts'
import { currentSession } from './sessions-and-grants.ts'

const commonOptions = { scope: 'account', login: 'user', errors: 'form' } as const
const { post } = section('Account', commonOptions)
const admins = section('Administration', commonOptions)

// Changing the password, deletion, erasure and suspension of accounts.

const shared = { scope: 'any', login: 'session', whileSuspended: true } as const

/** Checks the viewer's own password. Attempts are counted and throttled like logins. */
const prove = async (context: SignedInContext & Uses<'passwords'>, password: string, field: string): Promise<E.Either<Refusal, Proof>> => {
  const proven = await logIn(context, context.viewer.name ?? '', password, context.ip)
  if (E.isRight(proven)) return E.right(proven.right.proof)
  return proven.left.code === 'INCORRECT_USERNAME_OR_PASSWORD' ? refuseRule('WRONG_PASSWORD', field) : proven
}

const ownPassword =
  <Name extends string>(param: Name): Need<Proof, { readonly [K in Name]: string }, SignedIn, Uses<'passwords'>> =>
  (context) =>
    prove(context, context.params[param], param)

/** Requires the new password twice. */
const newPassword: Need<string, { readonly newpass: string; readonly verpass: string }> = ({ params: { newpass, verpass } }) => {
  const unfit = checkPassword(newpass)
  if (unfit) return E.left({ ...unfit, field: 'newpass' })
  return newpass === verpass ? E.right(newpass) : refuseRule('BAD_PASSWORD_MATCH', 'verpass')
}

const updatePassword = post('/api/update_password', {
  ...shared,
  idempotency: false,
  summary: 'Change your password and end all your other sessions.',
  notes: '`invalidate_oauth` also revokes your grants to apps.',
  params: {
    curpass: describeParam(documentRequired(rawText()), 'the password so far'),
    newpass: describeParam(documentRequired(rawText()), '6 to 1024 characters'),
    verpass: describeParam(documentRequired(rawText()), 'the new password again'),
    invalidate_oauth: describeParam(flag(), 'whether to revoke the grants of all apps'),
  },
  uses: ['passwords', 'sessions', 'tokens'],
  needs: { password: newPassword, proof: ownPassword('curpass') },
  handle: async (context) => {
    const { params, viewer, vault, passwords, sessions, tokens, ip, password, proof } = context
    const hashed = await passwords.enter(ip, viewer.account, () => hashPassword(password))
    if (E.isLeft(hashed)) return hashed
    if (!(await changePassword(vault, viewer.account, proof, hashed.right))) return refuseRule('WRONG_PASSWORD', 'curpass')
    const current = await currentSession(context)
    await sessions.endThose(viewer.account, ({ id }) => id !== current)
    if (params.invalidate_oauth) await tokens.revokeAll(viewer.account)
    return undefined
  },
})

const replyEnded = ({ sessions }: Uses<'sessions'>) =>
  ({ kind: 'form', headers: { 'Set-Cookie': sessions.setCookie(undefined, false) } }) as const

const deleteUser = post('/api/delete_user', {
  ...shared,
  idempotency: false,
  summary: 'Delete your account permanently.',
  notes:
    'Your posts stay, with `[deleted]` as their author; nobody else can register the name. Sessions, tokens, apps and the password end at once, and you no longer moderate any subsite. To remove your texts as well, erase the account instead.',
  params: { passwd: describeParam(documentRequired(rawText()), 'your password') },
  uses: ['passwords', 'sessions'],
  needs: { proof: ownPassword('passwd') },
  handle: async (context) => {
    const { run, viewer } = context
    return E.map(() => replyEnded(context))(
      await run(Account, viewer.account, deleteAccount(await seatsOf(context.documents, viewer.account))),
    )
  },
})

type CredentialParams = { readonly name: string | undefined; readonly passwd: string }

/** Returns the viewer's own account, after checking the password; for admins any account, also a deleted one. */
const whoToErase: Need<AccountId, CredentialParams, SignedIn, Uses<'passwords'>> = async (context) => {
  const { params, viewer } = context
  const { name = viewer.name ?? '' } = params
  const claim = await claimNamed(context, name)
  if (claim?.account === viewer.account) {
    if (viewer.via !== 'session') return refuseRule('FORBIDDEN')
    return E.map(() => viewer.account)(await prove(context, params.passwd, 'passwd'))
  }
  const standing = await notSuspended(context, 'account')
  if (E.isLeft(standing)) return standing
  const admin = await adminOnly('ADMIN_REQUIRED', 'name')(context, 'account')
  if (E.isLeft(admin)) return admin
  return claim ? E.right(claim.account) : refuseRule('USER_DOESNT_EXIST', 'name')
}

const eraseUser = post('/api/erase_user', {
  whileSuspended: true,
  idempotency: false,
  summary: 'Delete your account and make everything it wrote permanently unreadable.',
  notes:
    'Requires your password and a session, not a token. The texts are replaced by `[erased]`; votes, counts and entries of the moderation log stay. Completes within minutes. Admins can erase the account called `name`, even if it is already deleted.',
  params: {
    name: describeParam(optional(username()), 'for admins: whose account; absent: your own'),
    passwd: describeParam(rawText(), 'your password, for your own account'),
  },
  uses: ['passwords', 'sessions'],
  needs: { account: whoToErase },
  handle: async (context) => {
    const { account, viewer, run } = context
    const erased = await run(Account, account, eraseAccount(await seatsOf(context.documents, account)))
    return account === viewer.account ? E.map(() => replyEnded(context))(erased) : erased
  },
})

/** Refuses admins who would suspend or unsuspend themselves. */
const somebodyElse = andThen(accountNamed('name'), (account, { viewer }) =>
  account === viewer.account ? refuseRule('FORBIDDEN') : E.right(account),
)

const suspendUser = admins.post('/api/suspend_user', {
  summary: 'Suspend an account for some days or permanently; for admins.',
  notes:
    'A suspended account can still read, edit and delete its own posts, and use its saved things, preferences and inbox. Every other write is 403 `IN_TIMEOUT`. Other accounts see only the name of a permanently suspended account. Calling again replaces the end of the suspension and its note; a permanent one stays as it is without another note.',
  needs: {
    admin: adminOnly(),
    account: somebodyElse,
    duration: decodeLate(describeParam(optional(strictInteger(termDays)), 'days; absent: until it is lifted')),
    note: decodeLate(describeParam(text({ max: limits.note, empty: true, line: true }), 'why; for admins')),
  },
  handle: ({ account, duration = null, note, run, clock }) => run(Account, account, suspendAccount({ at: clock(), days: duration, note })),
})

const unsuspendUser = admins.post('/api/unsuspend_user', {
  summary: 'Lift the suspension of an account; for admins.',
  needs: { admin: adminOnly(), account: somebodyElse },
  handle: ({ account, run, clock }) => run(Account, account, unsuspendAccount(clock())),
})

export const accountLifeEndpoints: readonly AnyEndpoint[] = [updatePassword, deleteUser, eraseUser, suspendUser, unsuspendUser]
