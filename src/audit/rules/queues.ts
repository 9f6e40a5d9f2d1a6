import { type Entry, short } from '../ledger.ts'
import { entry, isLinkName, type Rules, serialOf } from './rule.ts'

// What concerns the moderators of each subsite, and which of their queues it stands in.

type Place = { readonly id: string; readonly subsite: string; readonly author: string }
type Reason = { readonly reason: string; readonly count: number }

type Books = {
  readonly deleted: boolean
  readonly decided: string
  readonly reports: number
  readonly marked: boolean
  readonly ignoresReports: boolean
  readonly editedAt: number
  readonly reasons: readonly Reason[]
  readonly byModerators: readonly object[]
}

const MOST = 50

const fresh: Books = {
  ...{ deleted: false, decided: 'nothing', reports: 0, marked: false, ignoresReports: false, editedAt: 0 },
  ...{ reasons: [], byModerators: [] },
}
const none = { reports: 0, marked: false, reasons: [], byModerators: [] }

const standing = (kind: string, { deleted, decided, reports, marked, editedAt }: Books) => {
  const out = ['filtered', 'removed'].includes(decided)
  const open = !deleted && !out && marked && reports !== 0
  return {
    inReports: open,
    inSpam: out && !deleted,
    inModqueue: open || (!deleted && decided === 'filtered'),
    inUnmoderated: !deleted && kind === 'link' && !['removed', 'approved'].includes(decided),
    inEdited: !deleted && editedAt !== 0,
  }
}

const book = ({ id, subsite, author }: Place, change: (before: Books) => Partial<Books>): Entry => {
  const kind = isLinkName(id) ? 'link' : 'comment'
  return entry<Books>('mod_queues', id, (row = fresh) => {
    const { deleted, decided, reports, marked, ignoresReports, editedAt, reasons, byModerators } = { ...row, ...change(row) }
    const after = { deleted, decided, reports, marked, ignoresReports, editedAt, reasons, byModerators }
    return { id, seq: serialOf(id), subsite, author, kind, ...after, ...standing(kind, after) }
  })
}

/** One more for a reason; the most frequent are first, equals in the order in which they came, and the last gives way to a new one. */
const counted = (reasons: readonly Reason[], reason: string): readonly Reason[] => {
  const at = reasons.findIndex((one) => one.reason === reason)
  if (at < 0) return [...(reasons.length < MOST ? reasons : reasons.slice(0, -1)), { reason, count: 1 }]
  const count = (reasons[at]?.count ?? 0) + 1
  const others = reasons.filter((_, place) => place !== at)
  // a reason that has caught up with an earlier one stays behind it
  const to = reasons.findIndex((one, place) => one.count < count || (one.count === count && place > at))
  const place = to < 0 || to > at ? at : to
  return [...others.slice(0, place), { reason, count }, ...others.slice(place)]
}

type Acted = { readonly subsite: string; readonly target: { readonly id: string; readonly author: string } }
const acted = ({ subsite, target: { id, author } }: Acted): Place => ({ id, subsite, author })
const link = ({ link: id, subsite, author }: { link: string; subsite: string; author: string }): Place => ({ id, subsite, author })
const comment = ({ comment: id, subsite, author }: { comment: string; subsite: string; author: string }): Place => ({ id, subsite, author })

export const queueRules: Rules = {
  LinkSubmitted: ({ data }) => [book(link(data), () => (data.filtered ? { decided: 'filtered' } : {}))],
  LinkEdited: ({ data, at }) => [book(link(data), () => ({ editedAt: at, ignoresReports: false }))],
  LinkDeleted: ({ data }) => [book(link(data), () => ({ ...none, deleted: true }))],
  LinkRemoved: ({ data }) => [book(acted(data), () => ({ ...none, decided: 'removed' }))],
  LinkApproved: ({ data }) => [book(acted(data), () => ({ ...none, decided: 'approved' }))],
  LinkReportsIgnored: ({ data }) => [book(acted(data), () => ({ ignoresReports: true }))],
  LinkReportsUnignored: ({ data }) => [book(acted(data), () => ({ ignoresReports: false }))],
  CommentPosted: ({ data }) => (data.filtered ? [book(comment(data), () => ({ decided: 'filtered' }))] : []),
  CommentEdited: ({ data, at }) => [book(comment(data), () => ({ editedAt: at, ignoresReports: false }))],
  CommentDeleted: ({ data }) => [book(comment(data), () => ({ ...none, deleted: true }))],
  CommentRemoved: ({ data }) => [book(acted(data), () => ({ ...none, decided: 'removed' }))],
  CommentApproved: ({ data }) => [book(acted(data), () => ({ ...none, decided: 'approved' }))],
  CommentReportsIgnored: ({ data }) => [book(acted(data), () => ({ ignoresReports: true }))],
  CommentReportsUnignored: ({ data }) => [book(acted(data), () => ({ ignoresReports: false }))],
  ThingReported: ({ data: { thing: id, subsite, author, account, moderator, reason } }) => [
    book({ id, subsite, author }, (row) => {
      if (row.deleted || row.decided === 'removed' || row.decided === 'filtered') return {}
      const more = { reports: row.reports + 1, marked: row.marked || !row.ignoresReports }
      if (!moderator) return { ...more, reasons: counted(row.reasons, short(reason)) }
      return row.byModerators.length < MOST ? { ...more, byModerators: [...row.byModerators, { account, reason: short(reason) }] } : more
    }),
  ],
}

/** What was reported of a message, for the admins. */
export const reportedMessage = (
  row: { readonly reporters: readonly string[]; readonly reasons: readonly Reason[] },
  account: string,
  reason: string,
) => ({
  isReported: true,
  reporters: row.reporters.length < MOST ? [...row.reporters, account] : row.reporters,
  reasons: counted(row.reasons, short(reason)),
})
