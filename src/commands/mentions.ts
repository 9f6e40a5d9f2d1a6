import type { App } from '../app.ts'
import { Username } from '../domain/account.ts'
import type { AccountId } from '../domain/ids.ts'
import { mentionedNames } from '../domain/mentions.ts'
import { Moderators } from '../domain/moderators.ts'
import { claimOf } from '../domain/names.ts'
import { Relation } from '../domain/relation.ts'
import { mayView, standingOf, stranger } from '../domain/standing.ts'
import type { Subsite } from '../domain/subsite.ts'
import { isLongerThan, limits } from '../domain/text.ts'

/** Who is mentioned in a text and may be notified: accounts that can view the subsite. */
export const mentionedIn = async (
  { load, clock }: Pick<App, 'load' | 'clock'>,
  text: string,
  { id: subsite, settings }: Pick<Subsite, 'id' | 'settings'>,
): Promise<readonly AccountId[]> => {
  if (isLongerThan(limits.comment, text)) return [] // it will be refused
  const claims = await Promise.all(mentionedNames(text).map((name) => load(Username, claimOf(name))))
  const mentioned = claims.flatMap((claim) => (claim ? [claim.account] : []))
  if (mayView(settings.type, stranger)) return mentioned
  const moderators = await load(Moderators, subsite)
  const views = await Promise.all(
    mentioned.map(async (id) => {
      const relation = await load(Relation, `${subsite}.${id}`)
      return mayView(settings.type, standingOf(id, { moderators, relation, admin: false, at: clock() }))
    }),
  )
  return mentioned.filter((_, index) => views[index])
}
