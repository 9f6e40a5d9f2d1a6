import { comments } from '../../projections/comments.ts'
import { inbox } from '../../projections/inbox.ts'
import { links } from '../../projections/links.ts'
import { type Audience, audiencesNamed, possibleAudiences } from '../domain/audience.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { Collection, Document, DocumentStore, Filter, Value } from '../ports/documents.ts'
import { relationsOf } from './relations.ts'
import { subsitesById } from './subsites.ts'

/** Documents that one event gives their audience. */
const MOST = 500

export type Misplaced = { readonly things: readonly string[]; readonly entries: readonly string[] }

/** Some of the things of a subsite, and of the entries of inboxes on them, that have another audience than this one; none: all have it. */
export const misplacedIn = async (documents: DocumentStore, subsite: SubsiteId, audience: Audience): Promise<Misplaced> => {
  const where = { subsite, audience: { in: possibleAudiences(subsite).filter((other) => other !== audience) } }
  const idsIn = async (collection: Collection<Document>, order: string, most: number) => {
    if (most === 0) return []
    const rows = await documents.select<{ readonly id: string }>(collection, { where, order: [order], page: { limit: most } }, ['id'])
    return rows.map(({ id }) => id)
  }
  const ofLinks = await idsIn(links, '-seq', MOST)
  const ofComments = await idsIn(comments, '-seq', MOST - ofLinks.length)
  const things = [...ofLinks, ...ofComments]
  return { things, entries: await idsIn(inbox, 'id', MOST - things.length) }
}

const MEMBERSHIPS = ['moderator', 'moderator_invite', 'contributor'] as const

/** Whose listings a viewer reads. */
export type Listener = { readonly account: AccountId | undefined; readonly admin: boolean; readonly gold: boolean }

/**
 * The audiences that a viewer belongs to; `ranked`: without what rankings of all subsites leave out. Of a private subsite, only as a member of it, also
 * for admins.
 */
export const audiencesOf = async (
  documents: DocumentStore,
  { account, admin, gold }: Listener,
  ranked: boolean,
): Promise<readonly Audience[]> => {
  if (account === undefined) return audiencesNamed(['everybody'], ranked)
  const held = (await Promise.all(MEMBERSHIPS.map((type) => relationsOf(documents, account, type)))).flat()
  const places = [
    ...(
      await subsitesById(
        documents,
        held.map(({ subsite }) => subsite),
      )
    ).values(),
  ]
  const isIn = (type: string) => places.some((place) => place.type === type)
  const closed = places.flatMap(({ id, type }) => (type === 'private' ? [id] : []))
  const classes = [
    'everybody',
    ...(gold || admin || isIn('gold_only') ? ['gold'] : []),
    ...(admin || isIn('employees_only') ? ['staff'] : []),
  ]
  return audiencesNamed([...classes, ...new Set(closed)], ranked)
}

/**
 * The audiences of the documents of one account, each at the cost of one look-up: for admins, who see all of them. `order`: the fields of an index after
 * `audience`, which ends in numbers.
 */
export const audiencesAmong = async (
  documents: DocumentStore,
  collection: Collection<Document>,
  where: Filter,
  order: readonly string[],
  beyond: readonly Value[],
): Promise<readonly Audience[]> => {
  const names: Audience[] = []
  for (let last: Audience | undefined; ; ) {
    const page = { limit: 1, ...(last !== undefined && { after: [last, ...beyond] }) }
    const [next] = (await documents.find(collection, { where, order: ['audience', ...order], page })) as readonly (Document & {
      readonly audience: Audience
    })[]
    if (next === undefined) return names
    names.push(next.audience)
    last = next.audience
  }
}
