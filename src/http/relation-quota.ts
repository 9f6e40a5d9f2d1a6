import type { App } from '../app.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { shareIn } from '../runtime/shared-counts.ts'
import type { RelationName } from './relations.ts'

/** Relationships of one type that a subsite may make in one window, while limits are on. */
export const QUOTA = 10_000
const WINDOW_MS = 2 * 60 * 60 * 1000

type Parts = Pick<App, 'config' | 'vault' | 'clock'>

const windowOf = ({ clock }: Parts) => Math.floor(clock() / WINDOW_MS)

/** The key of the count in the vault. */
export const countName = (parts: Parts, subsite: SubsiteId, type: RelationName): string => `relation.${subsite}.${type}.${windowOf(parts)}`

export const isQuotaSpent = async (parts: Parts, subsite: SubsiteId, type: RelationName): Promise<boolean> => {
  if (!parts.config.rateLimits) return false
  const record = await parts.vault.get('limit', countName(parts, subsite, type))
  return Number(record?.value ?? 0) >= QUOTA
}

/** Counts one relationship. */
export const countRelation = async (parts: Parts, subsite: SubsiteId, type: RelationName): Promise<void> => {
  if (parts.config.rateLimits) await shareIn(parts.vault)(countName(parts, subsite, type), 1, (windowOf(parts) + 1) * WINDOW_MS)
}
