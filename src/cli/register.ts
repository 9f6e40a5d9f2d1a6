import * as E from 'fp-ts/lib/Either.js'
import { hashPassword } from '../commands/credentials.ts'
import { register } from '../commands/register.ts'
import { checkPassword } from '../domain/password.ts'
import { commandOf, seedOf } from '../runtime/command.ts'
import type { ServerConnections } from '../stores.ts'
import { parseArguments } from './command-line.ts'
import { openCommands, refusalLine } from './commanding.ts'
import { readPassword } from './password.ts'
import { type Call, type Program, runProgram } from './program.ts'
import { openBeside, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra register <username>',
  help: `Creates an account; names listed in ADMINS can be registered only this way. The password is the first line of stdin; a terminal
prompts for it. Works with or without a running server; a data file that does not exist is created.

Exit code 0: the account exists; 1: it was refused, and a line says why; 2: registration could not be attempted.`,
  least: 1,
  most: 1,
}

const registerIn = async (stores: ServerConnections, name: string, password: string, { env, stderr }: Call) => {
  const announceDelay = (line: string) => stderr.write(`the service will complete the account later: ${line}\n`)
  const { run, load, mint, close } = await openCommands(stores, readConfig(env).admins, announceDelay)
  try {
    const registration = {
      name,
      email: undefined,
      reserved: [],
      check: async () => checkPassword(password),
      hash: async () => E.right(await hashPassword(password)),
    }
    return await register({ vault: stores.vault, run, load }, registration, commandOf(seedOf(mint()), { account: null, as: 'user' }))
  } finally {
    await close()
  }
}

export const registerAccount: Program = async (call) => {
  const { args, env, stdout, stderr } = call
  const [name = ''] = parseArguments(usage, args).positionals
  const password = await readPassword(name, call)
  const stores = await openBeside(env)
  try {
    const registered = await registerIn(stores, name, password, call)
    if (E.isRight(registered)) stdout.write(`${registered.right.name} is registered as ${registered.right.id}\n`)
    else stderr.write(`${refusalLine(registered.left)}\n`)
    return E.isRight(registered) ? 0 : 1
  } finally {
    await stores.close()
  }
}

if (import.meta.main) await runProgram(registerAccount)
