// Decisions 33 and 64.

import { placesOf } from '../src/domain/account.ts'
import { isLinkId, kindOf, numberOf } from '../src/domain/ids.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, type Touch } from './engine/projection.ts'
import { type ReportByAccount, withErasedReason, withReport } from './engine/reports.ts'

/** The decision on a thing: `filtered` by the spam settings of its subsite, or made by a moderator or an admin. */
type QueueVerdict = 'nothing' | 'filtered' | 'removed' | 'approved'

type State = {
  readonly deleted: boolean
  readonly decided: QueueVerdict
  /** The number of reports since the last decision. */
  readonly reports: number
  /** True if one of them was made while reports were not ignored. */
  readonly marked: boolean
  readonly ignoresReports: boolean
  /** Milliseconds since 1970; 0: never. */
  readonly editedAt: number
}

/** The reasons why a link or a comment concerns the moderators, and the queues it is in. Comments that never did have no document. */
export type ModQueueDocument = Document &
  State & {
    readonly seq: number
    readonly subsite: string
    readonly author: string
    readonly kind: 'link' | 'comment'
    /** The first reports since the last decision, by others than moderators and by moderators. */
    readonly byUsers: readonly ReportByAccount[]
    readonly byModerators: readonly ReportByAccount[]
    readonly inReports: boolean
    readonly inSpam: boolean
    readonly inModqueue: boolean
    readonly inUnmoderated: boolean
    readonly inEdited: boolean
  }

export const modQueues = collection<ModQueueDocument>({
  name: 'mod_queues',
  version: 3,
  indexes: [
    ...(['inReports', 'inSpam', 'inModqueue'] as const).flatMap((queue) => [
      { fields: ['subsite', queue, '-seq', '-id'] as const },
      { fields: ['subsite', queue, 'kind', '-seq', '-id'] as const },
    ]),
    { fields: ['subsite', 'inUnmoderated', '-seq', '-id'] },
    { fields: ['subsite', 'inEdited', '-editedAt', '-seq', '-id'] },
    { fields: ['subsite', 'inEdited', 'kind', '-editedAt', '-seq', '-id'] },
  ],
})

const queuesOf = (kind: 'link' | 'comment', { deleted, decided, reports, marked, editedAt }: State) => {
  const isRemoved = decided === 'filtered' || decided === 'removed'
  const isReported = marked && reports > 0 && !isRemoved
  return {
    inReports: !deleted && isReported,
    inSpam: !deleted && isRemoved,
    inModqueue: !deleted && (isReported || decided === 'filtered'),
    inUnmoderated: !deleted && kind === 'link' && (decided === 'nothing' || decided === 'filtered'),
    inEdited: !deleted && editedAt > 0,
  }
}

type QueuedThing = { readonly id: string; readonly subsite: string; readonly author: string }

const blank = ({ id, subsite, author }: QueuedThing): Omit<ModQueueDocument, `in${string}`> => ({
  id,
  seq: numberOf(id),
  subsite,
  author,
  kind: isLinkId(id) ? 'link' : 'comment',
  deleted: false,
  decided: 'nothing',
  reports: 0,
  marked: false,
  ignoresReports: false,
  editedAt: 0,
  byUsers: [],
  byModerators: [],
})

const concern = (
  place: QueuedThing,
  update: (state: Omit<ModQueueDocument, `in${string}`>) => Partial<Omit<ModQueueDocument, `in${string}`>>,
): Touch<ModQueueDocument> => ({
  id: place.id,
  change: (document) => {
    const before = document ?? blank(place)
    const after = { ...before, ...update(before) }
    return { ...after, ...queuesOf(after.kind, after) }
  },
})

/** Records a decision on the thing, which settles all reports on it. */
const decide = (place: QueuedThing, decided: QueueVerdict) => concern(place, () => ({ decided, ...settled }))
const settled = { reports: 0, marked: false, byUsers: [], byModerators: [] } as const

type OnThing = { readonly subsite: string; readonly target: { readonly id: string; readonly author: string } }
const toQueuedThing = ({ subsite, target: { id, author } }: OnThing): QueuedThing => ({ id, subsite, author })
const linkOf = ({ link: id, subsite, author }: Omit<QueuedThing, 'id'> & { readonly link: string }): QueuedThing => ({
  id,
  subsite,
  author,
})
const commentOf = ({ comment: id, subsite, author }: Omit<QueuedThing, 'id'> & { readonly comment: string }): QueuedThing => ({
  id,
  subsite,
  author,
})

const edit = (place: QueuedThing, at: number) => concern(place, () => ({ editedAt: at, ignoresReports: false }))
const erase = (place: QueuedThing) => concern(place, () => ({ deleted: true, ...settled }))

export const modQueuesProjection: Projection<ModQueueDocument> = {
  collection: modQueues,
  on: {
    LinkSubmitted: ({ data }) => [decide(linkOf(data), data.filtered ? 'filtered' : 'nothing')],
    LinkEdited: ({ data, at }) => [edit(linkOf(data), at)],
    LinkDeleted: ({ data }) => [erase(linkOf(data))],
    LinkRemoved: ({ data }) => [decide(toQueuedThing(data), 'removed')],
    LinkApproved: ({ data }) => [decide(toQueuedThing(data), 'approved')],
    LinkReportsIgnored: ({ data }) => [concern(toQueuedThing(data), () => ({ ignoresReports: true }))],
    LinkReportsUnignored: ({ data }) => [concern(toQueuedThing(data), () => ({ ignoresReports: false }))],
    CommentPosted: ({ data }) => (data.filtered ? [decide(commentOf(data), 'filtered')] : []),
    CommentEdited: ({ data, at }) => [edit(commentOf(data), at)],
    CommentDeleted: ({ data }) => [erase(commentOf(data))],
    CommentRemoved: ({ data }) => [decide(toQueuedThing(data), 'removed')],
    CommentApproved: ({ data }) => [decide(toQueuedThing(data), 'approved')],
    CommentReportsIgnored: ({ data }) => [concern(toQueuedThing(data), () => ({ ignoresReports: true }))],
    CommentReportsUnignored: ({ data }) => [concern(toQueuedThing(data), () => ({ ignoresReports: false }))],
    ThingReported: ({ data: { thing, subsite, author, account, moderator, reason } }) => [
      concern({ id: thing, subsite, author }, ({ deleted, decided, reports, marked, ignoresReports, byUsers, byModerators }) => {
        if (deleted || decided === 'filtered' || decided === 'removed') return {} // a report asks for a removal
        return {
          reports: reports + 1,
          marked: marked || !ignoresReports,
          ...(moderator
            ? { byModerators: withReport(byModerators, { account, reason }) }
            : { byUsers: withReport(byUsers, { account, reason }) }),
        }
      }),
    ],
    AccountTextsErased: ({ data }) =>
      placesOf(data, 'report')
        .filter((thing) => kindOf(thing) !== 'message')
        .map((thing) =>
          change(thing, ({ byUsers, byModerators, ...queues }) => ({
            ...queues,
            byUsers: withErasedReason(byUsers, data.account),
            byModerators: withErasedReason(byModerators, data.account),
          })),
        ),
  },
}
