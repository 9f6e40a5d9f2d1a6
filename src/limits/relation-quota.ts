import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteId } from '../domain/ids.ts'
import type { Quota } from '../domain/quotas.ts'
import type { RelationType } from '../domain/relation-types.ts'
import { HOUR } from '../domain/time.ts'
import { type Command, isBegun } from '../runtime/command.ts'
import type { CommandResult } from '../runtime/run.ts'
import { type CountPorts, countAligned } from './window-count.ts'

/** The relationships of one type that a subsite may make while limits are on. */
export const RELATION_QUOTA: Quota = { most: 10_000, window: 2 * HOUR }

type RelationQuotaPorts = CountPorts & { readonly config: { readonly rateLimits: boolean } }

export const relationCount = (counting: CountPorts, subsite: SubsiteId, type: RelationType) =>
  countAligned(counting, `relation.${subsite}.${type}`, RELATION_QUOTA)

type RelationQuotaContext = RelationQuotaPorts & {
  readonly command: Pick<Command, 'retried'>
  readonly viewer: { readonly admin: boolean }
}

/** Tells whether the quota is spent. Admins have none, and a repeated command that was begun was counted by its first try. */
export const isQuotaSpent = async (context: RelationQuotaContext, subsite: SubsiteId, type: RelationType): Promise<boolean> => {
  const { config, command, viewer } = context
  if (!config.rateLimits || viewer.admin || isBegun(command)) return false
  return (await relationCount(context, subsite, type).state()).left <= 0
}

/** Makes a relationship, and counts it if it is new or changed. */
export const countRelation = async <Refused, Made extends CommandResult>(
  parts: RelationQuotaPorts,
  subsite: SubsiteId,
  type: RelationType,
  make: () => Promise<E.Either<Refused, Made>>,
): Promise<E.Either<Refused, Made>> => {
  const outcome = await make()
  if (parts.config.rateLimits && E.isRight(outcome) && outcome.right.events.length > 0) await relationCount(parts, subsite, type).add()
  return outcome
}
