import { either as E } from 'fp-ts'
import { claimNamed } from '../commands/usernames.ts'
import { Credits, grantCredits } from '../domain/credits.ts'
import { commandOf, seedOf } from '../runtime/command.ts'
import type { ServerConnections } from '../stores.ts'
import { commandLine, misused } from './command-line.ts'
import { openCommands, refusalLine } from './commanding.ts'
import { runCommand } from './data-file.ts'
import { configured, openBeside } from './stores.ts'

const usage = 'npm run grant -- <username> <csites>'

const [name = '', count = ''] = commandLine({
  usage,
  help: `Grants an account gift credits (csites), which pay for gold. Works with or without a running server.

Exit code 0: granted; 1: it was refused, and a line says why; 2: it could not be attempted.`,
  least: 2,
  most: 2,
}).positionals
if (!/^[1-9]\d{0,6}$/.test(count) || Number(count) > 1_000_000) misused({ usage }, 'csites must be a number from 1 to 1000000')

const grantIn = async (stores: ServerConnections) => {
  const { run, load, mint, close } = await openCommands(stores, configured(process.env).admins, 'the service will complete the grant later')
  try {
    const claim = await claimNamed({ load }, name)
    if (!claim) return E.left({ code: 'USER_DOESNT_EXIST', field: null } as const)
    const granted = await run(
      Credits,
      claim.account,
      grantCredits(claim.account, Number(count)),
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

await runCommand(async () => {
  const stores = await openBeside(process.env)
  try {
    const granted = await grantIn(stores)
    if (E.isRight(granted)) process.stdout.write(`${granted.right.name} has ${granted.right.balance} csites\n`)
    else process.stderr.write(`${refusalLine(granted.left)}\n`)
    return E.isRight(granted) ? 0 : 1
  } finally {
    await stores.close()
  }
})
