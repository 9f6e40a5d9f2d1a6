import { Account } from '../domain/account.ts'
import type { AccountId } from '../domain/ids.ts'
import { initialPreferences, PreferencesOf } from '../domain/preferences.ts'
import { stranger } from '../domain/standing.ts'
import type { Subsite } from '../domain/subsite.ts'
import { mayView } from '../domain/subsite-access.ts'
import type { Load } from '../runtime/load.ts'
import { isBlocking } from './blocks.ts'
import { loadStanding } from './standings.ts'
import { claimNamed } from './username-lookup.ts'

/** A text with more names notifies none of them. */
const MAX_MENTIONS = 3

/**
 * Returns the accounts with these names that may be notified of a text that links to them: those that want to be, can view the subsite, and
 * do not block the author, unless the author is an admin. Returns none if there are too many names.
 */
export const findMentioned = async (
  { load, clock }: { readonly load: Load; readonly clock: () => number },
  names: readonly string[],
  { id: subsite, settings }: Pick<Subsite, 'id' | 'settings'>,
  author: { readonly account: AccountId; readonly admin: boolean },
): Promise<readonly AccountId[]> => {
  if (names.length > MAX_MENTIONS) return []
  const claims = await Promise.all(names.map((name) => claimNamed({ load }, name)))
  const accounts = await Promise.all(claims.flatMap((claim) => (claim ? [load(Account, claim.account)] : [])))
  const named = accounts.flatMap((account) => (account && !account.deleted ? [account.id] : []))
  const wantsNotice = await Promise.all(
    named.map(async (id) => {
      const { monitor_mentions } = (await load(PreferencesOf, id)) ?? initialPreferences
      return monitor_mentions && (author.admin || !(await isBlocking({ load }, id, author.account)))
    }),
  )
  const mentioned = named.filter((_, index) => wantsNotice[index])
  if (mayView(settings.type, stranger)) return mentioned
  const standings = await Promise.all(
    mentioned.map((account) => loadStanding({ load, clock }, { account, admin: false }, subsite, settings.type)),
  )
  return mentioned.filter((_, index) => mayView(settings.type, standings[index] ?? stranger))
}
