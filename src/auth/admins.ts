// Decision 101.

import * as E from 'fp-ts/lib/Either.js'
import { claimNamed } from '../commands/username-lookup.ts'
import { ADMINS_ID, Admins, changeAdmins, differenceOf } from '../domain/admins.ts'
import type { SeenRevisions } from '../domain/event.ts'
import { StoreFault } from '../ports/faults.ts'
import { type Command, commandOf, seedOf } from '../runtime/command.ts'
import type { Load } from '../runtime/load.ts'
import type { Run } from '../runtime/run.ts'

/** Milliseconds between two comparisons of the configured admins with those in the log. */
const COMPARISON_INTERVAL_MS = 10_000

const STREAM = `${Admins.category}-${ADMINS_ID}`

/** The configured admins that have accounts, beside those that the log names. */
type Comparison = { readonly revision: SeenRevisions[string]; readonly known: Admins; readonly wanted: Admins; readonly differing: Admins }

/** The configured admins as the log repeats them. Acts are judged by this later. */
export type RecordedAdmins = {
  /** Records how the log differs from the configuration. */
  readonly record: () => Promise<void>
  /** Returns the accounts in which another process has recorded otherwise. */
  readonly differing: () => Promise<Admins>
  /** Notes in a command of an admin the revision at which the log agreed with the configuration. */
  readonly note: (command: Pick<Command, 'seen'>) => Promise<void>
  readonly close: () => void
}

type Ports = {
  readonly run: Run
  readonly load: Load
  readonly mint: () => number
  /** Lower-cased names. */
  readonly configured: readonly string[]
  /** Called when the log has differed from the configuration for a while: another process with another configuration has recorded it. */
  readonly warn: (accounts: Admins) => void
  readonly report: (fault: unknown) => void
}

export const openAdmins = ({ run, load, mint, configured, warn, report }: Ports): RecordedAdmins => {
  let agreed: SeenRevisions[string] = 'none'
  let hadDiffered = false

  const compare = async (): Promise<Comparison> => {
    const revisions = new Map<string, SeenRevisions[string]>()
    const known = (await load(Admins, ADMINS_ID, { seen: revisions })) ?? []
    const revision = revisions.get(STREAM) ?? 'none'
    const claims = await Promise.all(configured.map((name) => claimNamed({ load }, name)))
    const configuredAccounts = claims.flatMap((claim) => (claim ? [claim.account] : []))
    const differing = differenceOf(known, configuredAccounts)
    if (differing.length === 0) agreed = revision
    return { revision, known, wanted: configuredAccounts, differing }
  }

  /** Warns of differences that last. A name that was registered just now may be recorded a moment later. */
  const warnOfDifferences = async () => {
    const { differing } = await compare()
    if (differing.length > 0 && hadDiffered) warn(differing)
    hadDiffered = differing.length > 0
  }
  const looking = setInterval(() => warnOfDifferences().catch(report), COMPARISON_INTERVAL_MS).unref()

  return {
    record: async () => {
      for (;;) {
        const { known, wanted, differing } = await compare()
        if (differing.length === 0) return
        const by = commandOf(seedOf(mint()), { account: null, as: 'system' })
        const recorded = await run(Admins, ADMINS_ID, changeAdmins(known, wanted), by)
        if (E.isLeft(recorded)) throw new StoreFault('unknown-outcome', 'the admins could not be recorded')
      }
    },
    differing: async () => (await compare()).differing,
    note: async ({ seen }) => {
      await compare()
      seen.set(STREAM, agreed)
    },
    close: () => clearInterval(looking),
  }
}

/** The admins of a process that writes nothing: nobody's authority is recorded. */
export const noAdmins: RecordedAdmins = { record: async () => {}, differing: async () => [], note: async () => {}, close: () => {} }
