import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { SubsiteId } from '../domain/ids.ts'
import type { RelationType } from '../domain/relation-types.ts'
import { HOUR } from '../domain/time.ts'
import type { Vault } from '../ports/vault.ts'
import type { Command } from '../runtime/command.ts'
import { isBegun } from '../runtime/command.ts'
import type { Recorded } from '../runtime/run.ts'
import { shareIn } from './shared-counts.ts'

/** Relationships of one type that a subsite may make in one window, while limits are on. */
export const QUOTA = 10_000
const WINDOW_MS = 2 * HOUR

type Parts = {
  readonly config: { readonly rateLimits: boolean }
  readonly vault: Pick<Vault, 'get' | 'putIf'>
  readonly clock: () => number
}

const windowOf = ({ clock }: Pick<Parts, 'clock'>) => Math.floor(clock() / WINDOW_MS)

/** The key of the count in the vault. */
export const countName = (parts: Parts, subsite: SubsiteId, type: RelationType): string => `relation.${subsite}.${type}.${windowOf(parts)}`

type Asking = Parts & { readonly command: Pick<Command, 'retried'>; readonly viewer: { readonly admin: boolean } }

/** Admins have no quota, and a repeated command that was begun was counted by its first try. */
export const isQuotaSpent = async (context: Asking, subsite: SubsiteId, type: RelationType): Promise<boolean> => {
  const { config, vault, command, viewer } = context
  if (!config.rateLimits || viewer.admin || isBegun(command)) return false
  const record = await vault.get('limit', countName(context, subsite, type))
  return Number(record?.value ?? 0) >= QUOTA
}

/** Makes a relationship, and counts it if it is new or changed. */
export const counted = async <Refused, Made extends Recorded>(
  parts: Parts,
  subsite: SubsiteId,
  type: RelationType,
  make: () => Promise<Either<Refused, Made>>,
): Promise<Either<Refused, Made>> => {
  const made = await make()
  if (parts.config.rateLimits && E.isRight(made) && made.right.events.length > 0)
    await shareIn(parts.vault)(countName(parts, subsite, type), 1, (windowOf(parts) + 1) * WINDOW_MS)
  return made
}
