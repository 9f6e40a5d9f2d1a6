import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { either as E } from 'fp-ts'
import { hashPassword } from '../commands/credentials.ts'
import { register } from '../commands/register.ts'
import { checkPassword } from '../domain/password.ts'
import { type Refusal, refusals } from '../domain/refusal.ts'
import { codec } from '../log/codec.ts'
import { keyring } from '../log/keys.ts'
import { following } from '../reactions/follow.ts'
import { awaitProjection } from '../runtime/await-projection.ts'
import { commandOf, seedOf } from '../runtime/command.ts'
import { forgetAnswers } from '../runtime/idempotency.ts'
import { openMint } from '../runtime/mint.ts'
import { runner } from '../runtime/run.ts'
import type { Connected } from '../stores.ts'
import { commandLine } from './command-line.ts'
import { Misuse, runCommand } from './data-file.ts'
import { openBeside } from './stores.ts'

const [name = ''] = commandLine({
  usage: 'npm run register -- <username>',
  help: `Creates an account; names listed in ADMINS can be registered only this way. The password is the first line of stdin; a terminal
prompts for it. Works with or without a running server; a data file that does not exist is created.

Exit code 0: the account exists; 1: it was refused, and a line says why; 2: registration could not be attempted.`,
  least: 1,
  most: 1,
}).positionals

/** The first line of stdin, whole; on a terminal what is typed is not shown. */
const readPassword = async (): Promise<string> => {
  const { stdin, stderr } = process
  if (stdin.isTTY) stderr.write(`Password of ${name}: `)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY, crlfDelay: Number.POSITIVE_INFINITY })
  try {
    for await (const line of lines) return line
    throw new Misuse('stdin holds no password')
  } finally {
    lines.close()
    if (stdin.isTTY) stderr.write('\n')
  }
}

/** What follows from the new name is done here, too: a server that runs meanwhile may do the same, which changes nothing. */
const registerIn = async ({ events, vault }: Connected, password: string) => {
  const logCodec = codec(keyring(vault))
  const base = runner({ events, codec: logCodec })
  const hadParticipated = async () => false // nothing that a new name brings asks
  const { run, load } = awaitProjection(base, {
    follow: following({
      run: base.run,
      load: base.load,
      events,
      open: logCodec.open,
      hadParticipated,
      forgetAnswers: forgetAnswers(vault),
    }),
    waitUntilProjected: async () => true,
    report: (fault) =>
      process.stderr.write(`the service will complete the account later: ${fault instanceof Error ? fault.message : fault}\n`),
  })
  const { mint, close } = await openMint(vault, randomUUID(), Date.now)
  try {
    const registration = {
      name,
      email: undefined,
      reserved: [],
      check: async () => checkPassword(password),
      hash: async () => E.right(await hashPassword(password)),
    }
    return await register({ vault, run, load }, registration, commandOf(seedOf(mint()), { account: null, as: 'user' }))
  } finally {
    await close()
  }
}

const told = ({ code, text }: Refusal): string => `${code}: ${text ?? refusals[code].text}`

await runCommand(async () => {
  const password = await readPassword()
  const stores = await openBeside(process.env)
  try {
    const registered = await registerIn(stores, password)
    if (E.isRight(registered)) process.stdout.write(`${registered.right.name} is registered as ${registered.right.id}\n`)
    else process.stderr.write(`${told(registered.left)}\n`)
    return E.isRight(registered) ? 0 : 1
  } finally {
    await stores.close()
  }
})
