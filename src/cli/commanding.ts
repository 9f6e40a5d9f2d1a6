import { randomUUID } from 'node:crypto'
import { NO_ERASED_TEXTS } from '../domain/account.ts'
import { type Refusal, refusals } from '../http/contract/refusals.ts'
import { codec } from '../log/codec.ts'
import { openKeyring } from '../log/keys.ts'
import { messageOf } from '../ports/faults.ts'
import { carryOut } from '../reactions/process.ts'
import { forgetAnswers } from '../runtime/idempotency.ts'
import { openMint } from '../runtime/mint.ts'
import { awaitProjection, runner } from '../runtime/run.ts'
import type { ServerConnections } from '../stores.ts'

/**
 * Runs commands from the shell, beside a running service or without one, with their consequences. A server that runs meanwhile may carry
 * these out, too, which changes nothing. `admins` are lower-cased names. `late` is called if a consequence could not be carried out here.
 */
export const openCommands = async ({ events, vault }: ServerConnections, admins: readonly string[], late: (line: string) => void) => {
  const logCodec = codec(openKeyring(vault))
  const base = runner({ events, codec: logCodec })
  const hadParticipated = async () => false // only reactions to bans and mutes ask this, and no command from the shell makes one
  const { run, load } = awaitProjection(base, {
    follow: carryOut({
      run: base.run,
      load: base.load,
      loadReached: base.loadReached,
      admins,
      events,
      open: logCodec.open,
      hadParticipated,
      forgetAnswers: forgetAnswers(vault),
      // no account ends by these commands
      endAccess: async () => undefined,
      destroyTexts: async () => undefined,
      deleteBlob: async () => undefined,
      misplacedIn: async () => ({ things: [], entries: [] }),
      subsitesShowing: async () => [],
      seatsOf: async () => [],
      textsOf: async () => ({ ...NO_ERASED_TEXTS, next: null }),
    }),
    waitUntilProjected: async () => true,
    report: (fault) => late(messageOf(fault)),
  })
  const { mint, close } = await openMint(vault, randomUUID(), Date.now)
  return { run, load, mint, close }
}

/** Returns a refusal as a line for people. */
export const refusalLine = ({ code, text }: Refusal): string => `${code}: ${text ?? refusals[code].text}`
