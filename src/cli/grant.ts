import * as E from 'fp-ts/lib/Either.js'
import { claimNamed } from '../commands/username-lookup.ts'
import { Credits, grantCredits } from '../domain/credits.ts'
import { commandOf, seedOf } from '../runtime/command.ts'
import type { ServerConnections } from '../stores.ts'
import { misuseOf, parseArguments } from './command-line.ts'
import { openCommands, refusalLine } from './commanding.ts'
import { type Call, type Program, runProgram } from './program.ts'
import { openBeside, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra grant <username> <csites>',
  help: `Grants an account gift credits (csites), which pay for gold. Works with or without a running server.

Exit code 0: granted; 1: it was refused, and a line says why; 2: it could not be attempted.`,
  least: 2,
  most: 2,
}

const grantIn = async (stores: ServerConnections, name: string, csites: number, { env, stderr }: Call) => {
  const announceDelay = (line: string) => stderr.write(`the service will complete the grant later: ${line}\n`)
  const { run, load, mint, close } = await openCommands(stores, readConfig(env).admins, announceDelay)
  try {
    const claim = await claimNamed({ load }, name)
    if (!claim) return E.left({ code: 'USER_DOESNT_EXIST', field: null } as const)
    const granted = await run(
      Credits,
      claim.account,
      grantCredits(claim.account, csites),
      commandOf(seedOf(mint()), { account: null, as: 'system' }),
    )
    return E.map(({ events }: { readonly events: readonly { readonly data: { readonly balance: number } }[] }) => ({
      name: claim.name,
      balance: events[0]?.data.balance,
    }))(granted)
  } finally {
    await close()
  }
}

export const grant: Program = async (call) => {
  const { args, env, stdout, stderr } = call
  const [name = '', count = ''] = parseArguments(usage, args).positionals
  if (!/^[1-9]\d{0,6}$/.test(count) || Number(count) > 1_000_000) throw misuseOf(usage, 'csites must be a number from 1 to 1000000')
  const stores = await openBeside(env)
  try {
    const granted = await grantIn(stores, name, Number(count), call)
    if (E.isRight(granted)) stdout.write(`${granted.right.name} has ${granted.right.balance} csites\n`)
    else stderr.write(`${refusalLine(granted.left)}\n`)
    return E.isRight(granted) ? 0 : 1
  } finally {
    await stores.close()
  }
}

if (import.meta.main) await runProgram(grant)
