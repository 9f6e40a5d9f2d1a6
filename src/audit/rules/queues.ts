import type { Logged } from '../../domain/events.ts'
import { type Entry, short } from '../ledger.ts'
import { amend, entry, isLinkName, type Rules, serialOf } from './rule.ts'

// The things that concern the moderators of each subsite, and the queues they are in.

type QueuedThing = { readonly id: string; readonly subsite: string; readonly author: string }
/** A report as it is kept of a thing. */
export type Complaint = { readonly account: string; readonly reason: string }

type Books = {
  readonly deleted: boolean
  readonly decided: string
  readonly reports: number
  readonly marked: boolean
  readonly ignoresReports: boolean
  readonly editedAt: number
  readonly byUsers: readonly Complaint[]
  readonly byModerators: readonly Complaint[]
}

/** What an erased text reads as. */
const ERASED = '[erased]'
const MAX_REPORTS_PER_THING = 200

const none = { reports: 0, marked: false, byUsers: [], byModerators: [] }
const fresh: Books = { ...none, deleted: false, decided: 'nothing', ignoresReports: false, editedAt: 0 }

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

const book = ({ id, subsite, author }: QueuedThing, change: (before: Books) => Partial<Books>): Entry => {
  const kind = isLinkName(id) ? 'link' : 'comment'
  return entry<Books>('mod_queues', id, (row = fresh) => {
    const { deleted, decided, reports, marked, ignoresReports, editedAt, byUsers, byModerators } = { ...row, ...change(row) }
    const after = { deleted, decided, reports, marked, ignoresReports, editedAt, byUsers, byModerators }
    return { id, seq: serialOf(id), subsite, author, kind, ...after, ...standing(kind, after) }
  })
}

/** One more report, unless there are many. */
export const filed = (those: readonly Complaint[], account: string, reason: string): readonly Complaint[] =>
  those.length === MAX_REPORTS_PER_THING ? those : [...those, { account, reason: short(reason) }]

/** As if the account had given no reason that anybody can read. */
const unsaid = (those: readonly Complaint[], account: string): readonly Complaint[] =>
  those.map((one) => (one.account === account ? { ...one, reason: ERASED } : one))

/** After an erasure: what the account reported for no reason that can be read. */
const unsayReports = ({ data }: Logged<'AccountTextsErased'>): readonly Entry[] =>
  (data.places ?? [])
    .filter(({ kind }) => kind === 'report')
    .map(({ id }) =>
      id.startsWith('t6_')
        ? amend<{ readonly reports: readonly Complaint[] }>('messages', id, (row) => ({
            ...row,
            reports: unsaid(row.reports, data.account),
          }))
        : amend<Books>('mod_queues', id, (row) => ({
            ...row,
            byUsers: unsaid(row.byUsers, data.account),
            byModerators: unsaid(row.byModerators, data.account),
          })),
    )

type TargetData = { readonly subsite: string; readonly target: { readonly id: string; readonly author: string } }
const acted = ({ subsite, target: { id, author } }: TargetData): QueuedThing => ({ id, subsite, author })
const link = ({ link: id, subsite, author }: { link: string; subsite: string; author: string }): QueuedThing => ({ id, subsite, author })
const comment = ({ comment: id, subsite, author }: { comment: string; subsite: string; author: string }): QueuedThing => ({
  id,
  subsite,
  author,
})

export const queueRules: Rules = {
  AccountTextsErased: unsayReports,
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
      if (moderator) return { ...more, byModerators: filed(row.byModerators, account, reason) }
      return { ...more, byUsers: filed(row.byUsers, account, reason) }
    }),
  ],
}
