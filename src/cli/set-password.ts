// Decision 78.

import * as E from 'fp-ts/lib/Either.js'
import { openTokens } from '../auth/tokens.ts'
import { hashPassword, removeCredentials, resetPassword } from '../commands/credentials.ts'
import { claimNamed } from '../commands/username-lookup.ts'
import { Account } from '../domain/account.ts'
import { checkPassword } from '../domain/password.ts'
import { codec } from '../log/codec.ts'
import { openKeyring } from '../log/keys.ts'
import { runner } from '../runtime/run.ts'
import type { ServerConnections } from '../stores.ts'
import { parseArguments } from './command-line.ts'
import { refusalLine } from './commanding.ts'
import { readPassword } from './password.ts'
import { type Program, runProgram } from './program.ts'
import { openBeside } from './stores.ts'

const usage = {
  usage: 'npx rostra set-password <username>',
  help: `Gives an account another password, for somebody who forgot theirs. All its sessions end, and what apps may do in its name: a running
service accepts them for some seconds more. The password is the first line of stdin; a terminal prompts for it.

Exit code 0: it is changed; 1: it was refused, and a line says why; 2: it could not be attempted.`,
  least: 1,
  most: 1,
}

const setPasswordIn = async ({ events, vault }: ServerConnections, name: string, password: string) => {
  const unfit = checkPassword(password)
  if (unfit) return E.left({ ...unfit, field: null })
  const { load } = runner({ events, codec: codec(openKeyring(vault)) })
  const claim = await claimNamed({ load }, name)
  const account = claim && (await load(Account, claim.account))
  const unknown = E.left({ code: 'USER_DOESNT_EXIST', field: null } as const)
  if (!account || account.deleted) return unknown
  await resetPassword(vault, account.id, await hashPassword(password))
  // it may have been deleted meanwhile, and its former password with it
  if ((await load(Account, account.id))?.deleted) {
    await removeCredentials(vault, account.id)
    return unknown
  }
  await vault.deleteAll('session', account.id)
  await openTokens(vault, Date.now).revokeAll(account.id)
  return E.right(account.name)
}

export const setPassword: Program = async (call) => {
  const { args, env, stdout, stderr } = call
  const [name = ''] = parseArguments(usage, args).positionals
  const password = await readPassword(name, call)
  const stores = await openBeside(env)
  try {
    const changed = await setPasswordIn(stores, name, password)
    if (E.isRight(changed)) stdout.write(`the password of ${changed.right} is changed, and its sessions are ended\n`)
    else stderr.write(`${refusalLine(changed.left)}\n`)
    return E.isRight(changed) ? 0 : 1
  } finally {
    await stores.close()
  }
}

if (import.meta.main) await runProgram(setPassword)
