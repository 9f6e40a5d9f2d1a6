import { Gold, hasGold } from '../domain/gold.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { Moderators, moderatorOf } from '../domain/moderators.ts'
import { Relation } from '../domain/relation.ts'
import { type Standing, standingOf } from '../domain/standing.ts'
import { asksForGold } from '../domain/subsite-access.ts'
import type { SubsiteSettings } from '../domain/subsite-settings.ts'
import type { Load } from '../runtime/load.ts'

/* Loads an account's relationships from the log, for decisions. */

type LoadPorts = { readonly load: Load }
type StandingPorts = LoadPorts & { readonly clock: () => number }

/** Tells whether an account has gold now. */
export const hasGoldNow = async ({ load, clock }: StandingPorts, account: AccountId): Promise<boolean> =>
  hasGold(await load(Gold, account), clock())

/** Tells whether an account moderates a subsite. */
export const moderates = async (
  { load }: LoadPorts,
  { subsite, account }: { readonly subsite: SubsiteId; readonly account: AccountId },
): Promise<boolean> => moderatorOf(await load(Moderators, subsite), account) !== undefined

/** Loads an account's relationships with a subsite. The `type` of the subsite matters only for gold. */
export const loadStanding = async (
  asking: StandingPorts,
  { account, admin }: { readonly account: AccountId; readonly admin: boolean },
  subsite: string,
  type?: SubsiteSettings['type'],
): Promise<Standing> => {
  const { load, clock } = asking
  const [moderators, relation, gold] = await Promise.all([
    load(Moderators, subsite),
    load(Relation, `${subsite}.${account}`),
    type !== undefined && asksForGold(type) && hasGoldNow(asking, account),
  ])
  return standingOf(account, { moderators, relation, admin, gold, at: clock() })
}
