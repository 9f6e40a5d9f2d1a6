import type { Envelope } from '../../domain/event.ts'
import type { EventName, Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import { dueAfter, dueOf, system } from './due.ts'
import { entry, type LedgerRules } from './rule.ts'

// The consequences for stickied links and comments.

type Slot = { readonly slot: number | null; readonly removed: object | null; readonly deleted: boolean }

/** Expects a removed or deleted link to lose its slot, if it has one. */
const leaves = (cause: Envelope & Logged, link: string, subsite: string, reason: 'removed' | 'deleted'): readonly LedgerEntry[] => {
  const key = `LinkUnstickied ${link}`
  const by = reason === 'removed' ? cause.by : system
  const due = dueOf(cause, key, { by, data: { subsite, reason }, repeats: true })
  return dueAfter<Slot>(['links', link], (row) => ({ ...due, required: typeof row?.slot === 'number' }), due.id)
}

type CommentState = { readonly removed: object | null; readonly deleted: boolean; readonly distinguished: string | null }
type LeadingComment = { readonly stickyComment?: string }

/** Expects a comment that is removed, deleted or no longer distinguished to be unstickied, if it was stickied. */
const yields = (
  cause: Envelope & Logged,
  { comment, link, subsite }: { readonly comment: string; readonly link: string; readonly subsite: string },
  reason: 'asked' | 'removed' | 'deleted',
): readonly LedgerEntry[] => {
  const by = reason === 'deleted' ? system : cause.by
  const due = dueOf(cause, `CommentUnstickied ${comment}`, { by, data: { subsite, link, reason }, repeats: true })
  return dueAfter<LeadingComment>(['links', link], (row) => ({ ...due, required: row?.stickyComment === comment }), due.id)
}

/** Expects a thing to lose its slot if it became unfit between the decision to sticky it and the event. */
const takes = <R extends object>(
  cause: Logged<'LinkStickied' | 'CommentStickied'>,
  [book, category]: readonly [book: string, category: string],
  back: EventName,
  isUnfit: (row: R) => boolean,
): readonly LedgerEntry[] => {
  const { id } = cause.data.target
  const due = dueOf(cause, `${back} ${id}`)
  const isTold = cause.meta.seen[`${category}-${id}`] !== undefined
  let gone = false
  return [
    ...dueAfter<R>(
      [book, id],
      (row) => {
        gone = row !== undefined && isUnfit(row)
        return gone && isTold ? due : undefined
      },
      due.id,
    ),
    entry('audit_slots', id, () => ({ position: cause.position, gone })),
  ]
}

export const stickyCauses: LedgerRules = {
  LinkRemoved: (cause) => leaves(cause, cause.data.target.id, cause.data.subsite, 'removed'),
  LinkDeleted: (cause) => leaves(cause, cause.data.link, cause.data.subsite, 'deleted'),
  LinkStickied: (cause) => takes(cause, ['links', 'link'], 'LinkUnstickied', (link: Slot) => link.removed !== null || link.deleted),
  CommentRemoved: (cause) => yields(cause, { ...cause.data, comment: cause.data.target.id }, 'removed'),
  CommentDeleted: (cause) => yields(cause, cause.data, 'deleted'),
  CommentDistinguished: (cause) => {
    const { target, subsite, after } = cause.data
    return after === null && target.link !== undefined ? yields(cause, { comment: target.id, link: target.link, subsite }, 'asked') : []
  },
  // the comment may also have lost its distinction in between
  CommentStickied: (cause) =>
    takes(
      cause,
      ['comments', 'comment'],
      'CommentUnstickied',
      (comment: CommentState) => comment.removed !== null || comment.deleted || comment.distinguished === null,
    ),
}
