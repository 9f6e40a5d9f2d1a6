import { type AccountDocument, accounts } from '../../projections/accounts.ts'
import { type ShelfDocument, shelfId, shelves } from '../../projections/shelves.ts'
import { type SubsiteDocument, subsites } from '../../projections/subsites.ts'
import type { VoteDocument } from '../../projections/votes.ts'
import type { Audience } from '../domain/audience.ts'
import { type AccountId, isLinkId, type LinkId, type SubsiteId, type ThingId } from '../domain/ids.ts'
import { holds } from '../domain/moderators.ts'
import type { RelationType } from '../domain/relation-types.ts'
import { type ShownStanding, shownStanding, stranger } from '../domain/standing.ts'
import { asksForGold, mayView } from '../domain/subsite-access.ts'
import { listVisited } from '../domain/visits.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import type { Vault } from '../ports/vault.ts'
import { preferencesOf } from './accounts.ts'
import { audiencesOf } from './audiences.ts'
import { selectBlocked } from './blocked-accounts.ts'
import { selectMuted } from './mutes-and-blocks.ts'
import { relationsAmong } from './relations.ts'
import {
  type AuthoredThing,
  loadSurroundings,
  type ReadingViewer,
  type SubsiteThing,
  type ThingSurroundings,
  type ViewerMarks,
} from './surroundings.ts'
import { visitsOf } from './visits.ts'
import { votesOn } from './votes.ts'

/** One viewer's view of the read models for one request. Each document is looked up once. */
export type Reading = {
  readonly viewer: ReadingViewer
  readonly now: number
  /** Loads these subsites and the viewer's relationships with them. */
  readonly loadSubsites: (subsites: Iterable<SubsiteId>) => Promise<void>
  readonly subsite: (subsite: SubsiteId) => SubsiteDocument | undefined
  /** Tells, after `loadSubsites`, whether the viewer may view the subsite; false for unknown ones. */
  readonly mayView: (subsite: SubsiteId) => boolean
  readonly moderates: (subsite: SubsiteId) => boolean
  /** Tells whether the viewer is a moderator there, with any permissions, or an admin. */
  readonly isModerator: (subsite: SubsiteId) => boolean
  /** Tells whether the viewer moderates the wiki there. */
  readonly moderatesWiki: (subsite: SubsiteId) => boolean
  /** Tells whether the viewer has gold now. */
  readonly hasGold: () => Promise<boolean>
  /** Returns the audiences that the viewer belongs to. `ranked` leaves out those of subsites that rankings of all subsites leave out. */
  readonly audiences: (ranked?: boolean) => Promise<readonly Audience[]>
  /** Returns the viewer's shelf (saved, hidden) for these things. */
  readonly shelvesOf: (things: readonly ThingId[]) => Promise<ReadonlyMap<ThingId, ShelfDocument>>
  /** Returns the viewer's votes on these things. */
  readonly ownVotesOn: (things: readonly ThingId[]) => Promise<ReadonlyMap<ThingId, VoteDocument>>
  /** Returns the links that the viewer visited lately, if the viewer prefers to have them shown. */
  readonly visitedLinks: () => Promise<ReadonlySet<LinkId>>
  /** Returns the authors among some that the viewer blocks, except where the viewer moderates; none for admins. */
  readonly blockedAuthors: (authors: readonly AccountId[]) => Promise<ReadonlySet<AccountId>>
  /** Returns the subsites among some that the viewer muted; none for admins. */
  readonly mutedSubsites: (subsites: readonly SubsiteId[]) => Promise<ReadonlySet<SubsiteId>>
  /** Returns everything that the presentation of these things needs. */
  readonly loadSurroundings: (things: readonly AuthoredThing[], threads?: readonly LinkId[]) => Promise<ThingSurroundings>
}

const none: ReadonlyMap<string, never> = new Map<string, never>()
const nobody: ReadonlySet<string> = new Set<string>()
const unmarked: ViewerMarks = { votes: none, muted: nobody, visited: nobody, shelves: none }

type ReadingPorts = {
  readonly documents: DocumentStore
  readonly vault: Vault
  readonly config: { readonly publicUrl: string }
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

export const openReading = ({ documents, vault, config, clock }: ReadingPorts, { account, admin, within }: ReadingViewer): Reading => {
  const now = clock()
  const known = new Map<SubsiteId, SubsiteDocument>()
  const standings = new Map<SubsiteId, ShownStanding>()
  const shelfOf = new Map<ThingId, ShelfDocument>()
  const shelvesAsked = new Set<ThingId>()

  let ownAccount: Promise<AccountDocument | undefined> | undefined
  const loadOwnAccount = async () => {
    if (account === undefined) return undefined
    ownAccount ??= getOne(documents, accounts, account)
    return ownAccount
  }
  const hasGold = async () => ((await loadOwnAccount())?.goldUntil ?? 0) > now
  const isSuspended = async () => {
    const { suspended = false, suspendedUntil = null } = (await loadOwnAccount()) ?? {}
    return suspended && (suspendedUntil === null || suspendedUntil > now)
  }

  let lately: Promise<ReadonlySet<LinkId>> | undefined
  const visitedLinks = () => {
    const look = async (viewer: AccountId) =>
      (await preferencesOf(documents, viewer)).store_visits ? listVisited((await visitsOf(vault, viewer)).visits, now) : nobody
    lately ??= account === undefined ? Promise.resolve(nobody) : look(account)
    return lately
  }

  const loadStandings = async (found: readonly SubsiteDocument[]) => {
    if (account === undefined) {
      const standing = shownStanding({ admin })
      for (const { id } of found) standings.set(id, standing)
      return
    }
    const relationsIn = (type: RelationType, subsites: readonly SubsiteDocument[]) =>
      relationsAmong(
        documents,
        account,
        type,
        subsites.map(({ id }) => id),
      )
    const closed = found.filter(({ type }) => !mayView(type, stranger))
    const [moderator, invited, contributor] = await Promise.all([
      relationsIn('moderator', found),
      relationsIn('moderator_invite', closed),
      relationsIn('contributor', closed),
    ])
    const gold = found.some(({ type }) => asksForGold(type)) && (await hasGold())
    for (const { id } of found) {
      const permissions = moderator.get(id)?.permissions
      standings.set(id, shownStanding({ admin, gold, permissions, invited: invited.has(id), contributor: contributor.has(id) }))
    }
  }

  const loadSubsites = async (ids: Iterable<SubsiteId>) => {
    const unknown = new Set<SubsiteId>()
    for (const id of ids) if (!known.has(id)) unknown.add(id)
    if (unknown.size === 0) return
    const fresh = await documents.getMany(subsites, [...unknown])
    for (const [id, subsite] of fresh) known.set(id, subsite)
    await loadStandings([...fresh.values()])
  }

  const shelvesOf = async (things: readonly ThingId[]) => {
    if (account === undefined) return none
    const unknown = things.filter((thing) => !shelvesAsked.has(thing))
    const found = await documents.getPairs(shelves, { one: account, idOf: (thing) => shelfId(account, thing) }, unknown)
    for (const [thing, shelf] of found) shelfOf.set(thing, shelf)
    for (const thing of unknown) shelvesAsked.add(thing)
    return shelfOf
  }

  const ownVotesOn = async (things: readonly ThingId[]): Promise<ReadonlyMap<ThingId, VoteDocument>> =>
    account === undefined ? none : votesOn(documents, account, things)

  const blockedAuthors = async (authors: readonly AccountId[]): Promise<ReadonlySet<AccountId>> =>
    account === undefined || admin ? nobody : selectBlocked(documents, account, authors)

  const selectMutedHere = async (ids: readonly SubsiteId[]): Promise<ReadonlySet<SubsiteId>> =>
    account === undefined ? nobody : selectMuted(documents, account, ids)

  const mutedSubsites = async (ids: readonly SubsiteId[]): Promise<ReadonlySet<SubsiteId>> => (admin ? nobody : selectMutedHere(ids))

  const moderates = (subsite: SubsiteId) => admin || holds(standings.get(subsite)?.permissions, 'posts')

  const isViewable = (subsite: SubsiteId) => {
    const document = known.get(subsite)
    const standing = standings.get(subsite)
    return document !== undefined && standing !== undefined && (within?.has(subsite) ?? true) && mayView(document.type, standing)
  }

  const marksOn = async (things: readonly SubsiteThing[]): Promise<ViewerMarks> => {
    if (account === undefined) return unmarked
    const ids = things.map(({ id }) => id)
    const [votes, muted, visited, shelves] = await Promise.all([
      ownVotesOn(ids),
      selectMutedHere(things.map(({ subsite }) => subsite)),
      ids.some(isLinkId) ? visitedLinks() : nobody,
      shelvesOf(ids),
    ])
    return { votes, muted, visited, shelves }
  }

  const viewer = { account, admin }
  const parts = { documents, viewer, now, base: config.publicUrl, subsites: known, loadSubsites, marksOn, moderates, isSuspended }

  return {
    viewer,
    now,
    loadSubsites,
    subsite: (id) => known.get(id),
    mayView: isViewable,
    moderates,
    hasGold,
    audiences: async (ranked = false) => audiencesOf(documents, { account, admin, gold: await hasGold() }, ranked),
    isModerator: (subsite) => admin || standings.get(subsite)?.permissions !== undefined,
    moderatesWiki: (subsite) => admin || holds(standings.get(subsite)?.permissions, 'wiki'),
    shelvesOf,
    ownVotesOn,
    visitedLinks,
    blockedAuthors,
    mutedSubsites,
    loadSurroundings: (things, threads) => loadSurroundings(parts, things, threads),
  }
}
