import type { Disclosed } from '../../../disclosure/disclosure.ts'
import { AccountId, SubsiteId } from '../../../domain/ids.ts'
import { accountsById } from '../../../queries/accounts.ts'
import { openReading } from '../../../queries/reading.ts'
import type { Context } from '../../contract/endpoint.ts'
import * as shape from '../../contract/schemas/schema.ts'

/** The schema of the names beside an event. */
export const namesShape: shape.Schema = {
  ...shape.mapOf(shape.text('ann'), { pattern: '^t[24]_[0-9a-z]+$' }),
  description: 'The names of the accounts and subsites that it names by their fullnames, as far as there are such and you may see them.',
}

/** Matches the fullname of an account or a subsite as a whole value of JSON: within a text its quotation marks have backslashes. */
const NAMED = /"(t[24]_[0-9a-z]+)"/g
/** The most accounts and subsites of a page that are named. */
const MAX_NAMES = 500

/** Returns the names of the accounts and subsites in disclosed events. A deleted account has none, nor has a subsite that is not in view. */
export const namesIn = async (
  context: Context,
  events: readonly Pick<Disclosed, 'by' | 'data'>[],
): Promise<readonly Readonly<Record<string, string>>[]> => {
  const idsOf = events.map(({ by, data }) => [...new Set([...JSON.stringify([by, data]).matchAll(NAMED)].map(([, id = '']) => id))])
  const ids = [...new Set(idsOf.flat())].slice(0, MAX_NAMES)
  const read = openReading(context, context.viewer)
  const [accounts] = await Promise.all([
    accountsById(context.documents, ids.filter(AccountId.is)),
    read.loadSubsites(ids.filter(SubsiteId.is)),
  ])
  const nameOf = (id: string): string | undefined => {
    if (SubsiteId.is(id)) return read.mayView(id) ? read.subsite(id)?.name : undefined
    const account = AccountId.is(id) ? accounts.get(id) : undefined
    return account?.deleted ? undefined : account?.name
  }
  return idsOf.map((ids) => Object.fromEntries(ids.flatMap((id) => (nameOf(id) === undefined ? [] : [[id, nameOf(id) ?? '']]))))
}
