import { type LinkDocument, links } from '../../projections/links.ts'
import type { ModQueueDocument } from '../../projections/mod-queues.ts'
import { type RelationDocument, type RelationType, relationId, relations } from '../../projections/relations.ts'
import { type ShelfDocument, shelfId, shelves } from '../../projections/shelves.ts'
import { type SubsiteDocument, subsites } from '../../projections/subsites.ts'
import { type VoteDocument, voteId, votes } from '../../projections/votes.ts'
import type { App } from '../app.ts'
import type { AccountId, LinkId, SubsiteId, ThingId } from '../domain/ids.ts'
import { holds } from '../domain/permissions.ts'
import { mayView, type Standing, stranger } from '../domain/standing.ts'
import { type Names, namesOf } from './accounts.ts'
import { concerning } from './mod-queues.ts'

/** Who reads: what visibility depends on. */
export type Reader = {
  readonly account: AccountId | undefined
  readonly admin: boolean
  /** The only subsites that there are for this reader; undefined: all. */
  readonly within?: ReadonlySet<SubsiteId>
}

type Placed = { readonly id: ThingId; readonly subsite: SubsiteId }

/** The places and people around a page of things, and what the reader did to them. */
export type Around = {
  readonly reader: Reader
  readonly now: number
  /** Base of absolute addresses. */
  readonly base: string
  readonly subsites: ReadonlyMap<SubsiteId, SubsiteDocument>
  readonly links: ReadonlyMap<LinkId, LinkDocument>
  readonly names: Names
  readonly voteOn: (thing: ThingId) => VoteDocument | undefined
  readonly shelfOf: (thing: ThingId) => ShelfDocument | undefined
  /** The reports on a thing, where the reader sees them. */
  readonly reportsOn: (thing: ThingId) => Pick<ModQueueDocument, 'reports' | 'reasons' | 'byModerators'> | undefined
  /** Whether the reader sees what only moderators see there: as one with the permission `posts`, or as an admin. */
  readonly moderates: (subsite: SubsiteId) => boolean
}

type Authored = Placed & {
  readonly author: AccountId
  readonly removed: { readonly by: AccountId | null } | null
  readonly approved: { readonly by: AccountId | null } | null
}

/** One reader's view of the read models, for one request: what was looked up once is not looked up again. */
export type Reading = {
  readonly reader: Reader
  readonly now: number
  /** Learn of the subsites of these things and how the reader stands there. */
  readonly places: (subsites: Iterable<SubsiteId>) => Promise<void>
  readonly subsite: (subsite: SubsiteId) => SubsiteDocument | undefined
  /** After `places`: may the reader view the subsite? Unknown ones nobody may. */
  readonly mayView: (subsite: SubsiteId) => boolean
  readonly moderates: (subsite: SubsiteId) => boolean
  /** Whether the reader is a moderator there, with whatever permissions, or an admin. */
  readonly isModerator: (subsite: SubsiteId) => boolean
  /** The reader's shelf (saved, hidden) for these things. */
  readonly shelved: (things: readonly ThingId[]) => Promise<ReadonlyMap<ThingId, ShelfDocument>>
  /** All that these are presented with. */
  readonly around: (things: readonly Authored[], threads?: readonly LinkId[]) => Promise<Around>
}

const none: ReadonlyMap<string, never> = new Map<string, never>()

export const reading = (
  { documents, config, clock }: Pick<App, 'documents' | 'config' | 'clock'>,
  { account, admin, within }: Reader,
): Reading => {
  const now = clock()
  const known = new Map<SubsiteId, SubsiteDocument>()
  const standings = new Map<SubsiteId, Standing>()
  const shelfOf = new Map<ThingId, ShelfDocument>()
  const shelvesAsked = new Set<ThingId>()

  const stand = async (asked: readonly SubsiteDocument[]) => {
    if (account === undefined) {
      for (const { id } of asked) standings.set(id, { ...stranger, admin })
      return
    }
    const types = (subsite: SubsiteDocument): readonly RelationType[] =>
      mayView(subsite.type, stranger) ? ['moderator'] : ['moderator', 'moderator_invite', 'contributor']
    const ids = asked.flatMap((subsite) => types(subsite).map((type) => relationId({ subsite: subsite.id, account }, type)))
    const held: ReadonlyMap<string, RelationDocument> = await documents.getMany(relations, ids)
    for (const { id } of asked) {
      const as = (type: RelationType) => held.get(relationId({ subsite: id, account }, type))
      standings.set(id, {
        ...stranger,
        admin,
        permissions: as('moderator')?.permissions,
        invited: as('moderator_invite') !== undefined,
        contributor: as('contributor') !== undefined,
      })
    }
  }

  const places = async (asked: Iterable<SubsiteId>) => {
    const unknown = [...new Set(asked)].filter((id) => !known.has(id))
    if (unknown.length === 0) return
    const fresh = await documents.getMany(subsites, unknown)
    for (const [id, subsite] of fresh) known.set(id, subsite)
    await stand([...fresh.values()])
  }

  const shelved = async (things: readonly ThingId[]) => {
    if (account === undefined) return none
    const unknown = things.filter((thing) => !shelvesAsked.has(thing))
    for (const shelf of (
      await documents.getMany(
        shelves,
        unknown.map((thing) => shelfId(account, thing)),
      )
    ).values())
      shelfOf.set(shelf.thing, shelf)
    for (const thing of unknown) shelvesAsked.add(thing)
    return shelfOf
  }

  const moderates = (subsite: SubsiteId) => admin || holds(standings.get(subsite)?.permissions, 'posts')

  const viewable = (subsite: SubsiteId) => {
    const place = known.get(subsite)
    const standing = standings.get(subsite)
    return place !== undefined && standing !== undefined && (within?.has(subsite) ?? true) && mayView(place.type, standing)
  }

  const around = async (things: readonly Authored[], threads: readonly LinkId[] = []): Promise<Around> => {
    const ids = things.map(({ id }) => id)
    const [threadOf, voteOf]: [ReadonlyMap<LinkId, LinkDocument>, ReadonlyMap<string, VoteDocument>, ...unknown[]] = await Promise.all([
      documents.getMany(links, threads),
      account === undefined
        ? none
        : documents.getMany(
            votes,
            ids.map((id) => voteId(account, id)),
          ),
      shelved(ids),
      places(things.map(({ subsite }) => subsite)),
    ])
    const voteOn = new Map<ThingId, VoteDocument>()
    for (const vote of voteOf.values()) voteOn.set(vote.thing, vote)
    const moderated = things.filter(({ subsite }) => moderates(subsite)).map(({ id }) => id)
    const concerns = moderated.length === 0 ? none : await concerning(documents, moderated)
    const people = new Set<AccountId>()
    for (const { byModerators } of concerns.values()) for (const { account: reporter } of byModerators) people.add(reporter)
    for (const { author, subsite, removed, approved } of things) {
      people.add(author)
      if (!moderates(subsite)) continue
      if (removed?.by) people.add(removed.by)
      if (approved?.by) people.add(approved.by)
    }
    for (const { author } of threadOf.values()) people.add(author)
    return {
      reader: { account, admin },
      now,
      base: config.publicUrl,
      subsites: known,
      links: threadOf,
      names: await namesOf(documents, [...people]),
      voteOn: (thing) => voteOn.get(thing),
      shelfOf: (thing) => shelfOf.get(thing),
      reportsOn: (thing) => concerns.get(thing),
      moderates,
    }
  }

  return {
    reader: { account, admin },
    now,
    places,
    subsite: (id) => known.get(id),
    mayView: viewable,
    moderates,
    isModerator: (subsite) => admin || standings.get(subsite)?.permissions !== undefined,
    shelved,
    around,
  }
}
