// Decision 95.

import { comments } from '../../projections/comments.ts'
import { inbox } from '../../projections/inbox.ts'
import { links } from '../../projections/links.ts'
import { type Audience, audiencesNamed, type MisplacedThings, possibleAudiences } from '../domain/audience.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { Document, DocumentStore, FieldOf, Value } from '../ports/documents.ts'
import { findBy, type ListingIndex, listingIndex, selectBy, type Where } from '../ports/indexed.ts'
import { relationsOfTypes } from './relations.ts'
import { subsitesById } from './subsites.ts'

const LINKS_IN_SUBSITE = listingIndex(links, ['subsite', 'audience'], ['-seq'], ['id'])
const COMMENTS_IN_SUBSITE = listingIndex(comments, ['subsite', 'audience'], ['-seq'], ['id'])
const ENTRIES_IN_SUBSITE = listingIndex(inbox, ['subsite', 'audience'], ['id'], ['id'])

/** The number of documents that one event moves to their audience. */
const MAX_DOCUMENTS_PER_EVENT = 500

/**
 * Returns at most 500 things of a subsite, and inbox entries on them, whose audience is not the given one. An empty result means that no
 * others are left.
 */
export const findMisplaced = async (documents: DocumentStore, subsite: SubsiteId, audience: Audience): Promise<MisplacedThings> => {
  const where = { subsite, audience: { in: possibleAudiences(subsite).filter((other) => other !== audience) } }
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
  const ofLinks = ids(await selectBy(documents, LINKS_IN_SUBSITE, where, { limit: MAX_DOCUMENTS_PER_EVENT }))
  const remaining = MAX_DOCUMENTS_PER_EVENT - ofLinks.length
  const ofComments = remaining === 0 ? [] : ids(await selectBy(documents, COMMENTS_IN_SUBSITE, where, { limit: remaining }))
  const things = [...ofLinks, ...ofComments]
  const rest = MAX_DOCUMENTS_PER_EVENT - things.length
  return { things, entries: rest === 0 ? [] : ids(await selectBy(documents, ENTRIES_IN_SUBSITE, where, { limit: rest })) }
}

const MEMBERSHIPS = ['moderator', 'moderator_invite', 'contributor'] as const

/** The facts about a viewer that decide to which audiences they belong. */
export type AudienceMember = { readonly account: AccountId | undefined; readonly admin: boolean; readonly gold: boolean }

/**
 * Returns the audiences that a viewer belongs to. `ranked` leaves out those of subsites that do not appear in rankings of all subsites. A
 * private subsite's audience is for its members alone: an admin who is no member does not belong to it.
 */
export const audiencesOf = async (
  documents: DocumentStore,
  { account, admin, gold }: AudienceMember,
  ranked: boolean,
): Promise<readonly Audience[]> => {
  if (account === undefined) return audiencesNamed(['everybody'], ranked)
  const memberships = await relationsOfTypes(documents, account, MEMBERSHIPS)
  const ids = memberships.map(({ subsite }) => subsite)
  const subsites = ids.length === 0 ? [] : [...(await subsitesById(documents, ids)).values()]
  const isMemberOf = (type: string) => subsites.some((subsite) => subsite.type === type)
  const privateSubsites = subsites.flatMap(({ id, type }) => (type === 'private' ? [id] : []))
  const classes = [
    'everybody',
    ...(gold || admin || isMemberOf('gold_only') ? ['gold'] : []),
    ...(admin || isMemberOf('employees_only') ? ['staff'] : []),
  ]
  return audiencesNamed([...classes, ...new Set(privateSubsites)], ranked)
}

/**
 * Lists the documents of one account over all audiences, each at the cost of one look-up: for admins, who see all of them. The order begins
 * with `audience`. `beyond` is after every value of its other fields.
 */
export const audiencesAmong = async <D extends Document & { readonly audience: string }, Within extends FieldOf<D>>(
  documents: DocumentStore,
  listing: ListingIndex<D, Within>,
  where: Where<D, Within>,
  beyond: readonly Value[],
): Promise<readonly Audience[]> => {
  const names: Audience[] = []
  for (let last: Audience | undefined; ; ) {
    const page = { limit: 1, ...(last !== undefined && { after: [last, ...beyond] }) }
    const [next] = await findBy(documents, listing, where, page)
    if (next === undefined) return names
    last = next.audience as Audience
    names.push(last)
  }
}
