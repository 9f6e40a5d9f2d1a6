import { type LinkDocument, links } from '../../projections/links.ts'
import type { ModQueueDocument } from '../../projections/mod-queues.ts'
import type { ShelfDocument } from '../../projections/shelves.ts'
import type { SubsiteDocument } from '../../projections/subsites.ts'
import type { VoteDocument } from '../../projections/votes.ts'
import type { Flair } from '../domain/flair.ts'
import type { AccountId, LinkId, SubsiteId, ThingId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { type Names, namesOf } from './accounts.ts'
import { flairsOf } from './flairs.ts'
import { queueRecordsOf } from './mod-queues.ts'

/** The facts about the viewer of a request that visibility depends on. */
export type ReadingViewer = {
  readonly account: AccountId | undefined
  readonly admin: boolean
  /** The only subsites that this viewer can access; undefined means all. */
  readonly within?: ReadonlySet<SubsiteId>
}

export type SubsiteThing = { readonly id: ThingId; readonly subsite: SubsiteId }

/** The subsites and authors of a page of things, and the viewer's votes and marks on them. */
export type ThingSurroundings = {
  readonly viewer: ReadingViewer
  readonly now: number
  /** Base of absolute addresses. */
  readonly base: string
  readonly subsites: ReadonlyMap<SubsiteId, SubsiteDocument>
  readonly links: ReadonlyMap<LinkId, LinkDocument>
  readonly names: Names
  readonly voteOn: (thing: ThingId) => VoteDocument | undefined
  readonly shelfOf: (thing: ThingId) => ShelfDocument | undefined
  /** The subsites of the page that the viewer muted. */
  readonly muted: ReadonlySet<SubsiteId>
  /** The links that the viewer visited lately; empty where there are no links. */
  readonly visited: ReadonlySet<LinkId>
  /** Returns the reports on a thing, if the viewer sees them. */
  readonly reportsOn: (thing: ThingId) => Pick<ModQueueDocument, 'reports' | 'byUsers' | 'byModerators'> | undefined
  /** Tells whether the viewer sees a subsite as moderators do: as a moderator with `posts`, or as an admin. */
  readonly moderates: (subsite: SubsiteId) => boolean
  /** Returns the flair that the author of a thing shows beside it. */
  readonly flairOf: (thing: ThingId) => Flair | undefined
}

export type AuthoredThing = SubsiteThing & {
  readonly author: AccountId
  readonly removed: { readonly by: AccountId | null } | null
  readonly approved: { readonly by: AccountId | null } | null
}

/** The viewer's marks on some things and on their subsites. */
export type ViewerMarks = {
  readonly votes: ReadonlyMap<ThingId, VoteDocument>
  readonly shelves: ReadonlyMap<ThingId, ShelfDocument>
} & Pick<ThingSurroundings, 'muted' | 'visited'>

type SurroundingsReads = Pick<ThingSurroundings, 'viewer' | 'now' | 'base' | 'subsites' | 'moderates'> & {
  readonly documents: DocumentStore
  /** Loads these subsites into `subsites`. */
  readonly loadSubsites: (subsites: Iterable<SubsiteId>) => Promise<void>
  readonly marksOn: (things: readonly SubsiteThing[]) => Promise<ViewerMarks>
  readonly isSuspended: () => Promise<boolean>
}

/** Loads everything that the presentation of some things to the viewer needs. `threads` are the ids of the links of comments among them. */
export const loadSurroundings = async (
  { documents, viewer, now, base, subsites, loadSubsites, marksOn, moderates, isSuspended }: SurroundingsReads,
  things: readonly AuthoredThing[],
  threads: readonly LinkId[] = [],
): Promise<ThingSurroundings> => {
  const [linksOfComments, flairs, { votes, shelves, muted, visited }] = await Promise.all([
    documents.getMany(links, threads),
    flairsOf(documents, things),
    marksOn(things),
    loadSubsites(things.map(({ subsite }) => subsite)),
  ])
  const moderated = things.filter(({ subsite }) => moderates(subsite)).map(({ id }) => id)
  const queueRecords = moderated.length === 0 ? undefined : await queueRecordsOf(documents, moderated)
  // a suspended moderator sees the number of reports, but not their reasons
  const readsReasons = queueRecords !== undefined && queueRecords.size > 0 && !(await isSuspended())
  const people: AccountId[] = []
  if (readsReasons)
    for (const { byModerators } of queueRecords.values()) for (const { account: reporter } of byModerators) people.push(reporter)
  for (const { author, subsite, removed, approved } of things) {
    people.push(author)
    if (!moderates(subsite)) continue
    if (removed?.by) people.push(removed.by)
    if (approved?.by) people.push(approved.by)
  }
  for (const { author } of linksOfComments.values()) people.push(author)
  return {
    viewer,
    now,
    base,
    subsites,
    links: linksOfComments,
    names: await namesOf(documents, people),
    voteOn: (thing) => votes.get(thing),
    shelfOf: (thing) => shelves.get(thing),
    muted,
    visited,
    reportsOn: (thing) => {
      const record = queueRecords?.get(thing)
      return record && !readsReasons ? { ...record, byUsers: [], byModerators: [] } : record
    },
    moderates,
    flairOf: (thing) => flairs.get(thing),
  }
}
