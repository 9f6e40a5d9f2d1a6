import { either as E } from 'fp-ts'
import type { App } from '../app.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { RelationType } from '../domain/relation-types.ts'
import { HOUR } from '../domain/time.ts'
import { isBegun } from '../runtime/command.ts'
import { shareIn } from '../runtime/shared-counts.ts'
import type { Context } from './endpoint.ts'
import type { Outcome } from './relations.ts'
import type { SignedIn } from './request.ts'

/** Relationships of one type that a subsite may make in one window, while limits are on. */
export const QUOTA = 10_000
const WINDOW_MS = 2 * HOUR

type Parts = Pick<App, 'config' | 'vault' | 'clock'>

const windowOf = ({ clock }: Parts) => Math.floor(clock() / WINDOW_MS)

/** The key of the count in the vault. */
export const countName = (parts: Parts, subsite: SubsiteId, type: RelationType): string => `relation.${subsite}.${type}.${windowOf(parts)}`

type Asking = Parts & Pick<Context<unknown, SignedIn>, 'command' | 'viewer'>

/** Admins have no quota, and a repeated command that was begun was counted by its first try. */
export const isQuotaSpent = async (context: Asking, subsite: SubsiteId, type: RelationType): Promise<boolean> => {
  const { config, vault, command, viewer } = context
  if (!config.rateLimits || viewer.admin || isBegun(command)) return false
  const record = await vault.get('limit', countName(context, subsite, type))
  return Number(record?.value ?? 0) >= QUOTA
}

/** Makes a relationship, and counts it if it is new or changed. */
export const counted = async (parts: Parts, subsite: SubsiteId, type: RelationType, make: () => Outcome): Outcome => {
  const made = await make()
  if (parts.config.rateLimits && E.isRight(made) && made.right.events.length > 0)
    await shareIn(parts.vault)(countName(parts, subsite, type), 1, (windowOf(parts) + 1) * WINDOW_MS)
  return made
}
