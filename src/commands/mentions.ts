import { Account, Username } from '../domain/account.ts'
import { Gold, hasGold } from '../domain/gold.ts'
import type { AccountId } from '../domain/ids.ts'
import { mentionedNames } from '../domain/mentions.ts'
import { Moderators } from '../domain/moderators.ts'
import { claimOf } from '../domain/names.ts'
import { initialPreferences, PreferencesOf } from '../domain/preferences.ts'
import { Relation } from '../domain/relation.ts'
import { asksForGold, mayView, standingOf, stranger } from '../domain/standing.ts'
import type { Subsite } from '../domain/subsite.ts'
import { isLongerThan, limits } from '../domain/text.ts'
import type { Load } from '../runtime/run.ts'
import { isBlocking } from './blocks.ts'

/** Who is mentioned in a text and may be notified: accounts that want to be, do not block the author and can view the subsite; nobody's block is for admins. */
export const mentionedIn = async (
  { load, clock }: { readonly load: Load; readonly clock: () => number },
  text: string,
  { id: subsite, settings }: Pick<Subsite, 'id' | 'settings'>,
  author: { readonly account: AccountId; readonly admin: boolean },
): Promise<readonly AccountId[]> => {
  if (isLongerThan(limits.comment, text)) return [] // it will be refused
  const claims = await Promise.all(mentionedNames(text).map((name) => load(Username, claimOf(name))))
  const accounts = await Promise.all(claims.flatMap((claim) => (claim ? [load(Account, claim.account)] : [])))
  const named = accounts.flatMap((account) => (account && !account.deleted ? [account.id] : []))
  const wanted = await Promise.all(
    named.map(async (id) => {
      const { monitor_mentions } = (await load(PreferencesOf, id)) ?? initialPreferences
      return monitor_mentions && (author.admin || !(await isBlocking({ load }, id, author.account)))
    }),
  )
  const mentioned = named.filter((_, index) => wanted[index])
  if (mayView(settings.type, stranger)) return mentioned
  const moderators = await load(Moderators, subsite)
  const views = await Promise.all(
    mentioned.map(async (id) => {
      const relation = await load(Relation, `${subsite}.${id}`)
      const at = clock()
      const gold = asksForGold(settings.type) && hasGold(await load(Gold, id), at)
      return mayView(settings.type, standingOf(id, { moderators, relation, admin: false, gold, at }))
    }),
  )
  return mentioned.filter((_, index) => views[index])
}
