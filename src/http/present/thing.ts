import type { Approval, Removal } from '../../../projections/engine/verdicts.ts'
import type { Around } from '../../queries/reading.ts'
import { Fragment } from '../json.ts'
import { epochText } from './epoch.ts'

export const DELETED = '[deleted]'
export const REMOVED = '[removed]'

/** The members of an object, without its braces: what is shared, to be joined with what is one viewer's. */
export const members = (object: Fragment): Fragment => new Fragment((encoding) => object.text(encoding).slice(1, -1))

/** What the reader did to a thing, as JSON members. */
export const marks = (thing: string, { voteOn, shelfOf }: Around): string => {
  const vote = voteOn(thing)
  return `"likes":${vote?.insightful ? true : null},"dislikes":${vote?.funny ? true : null},"saved":${shelfOf(thing)?.saved ?? false},"muted":false`
}

/** The time of the last edit as a JSON member, or that there was none (to be shown). */
export const edited = ({ edited: at }: { readonly edited: number | null }, shown: boolean): string =>
  `"edited":${at === null || !shown ? false : epochText(at)}`

/** The category under which the reader saved a thing, as a JSON member for lists of saved things. */
export const category = (thing: string, { shelfOf }: Around): string => `,"category":${JSON.stringify(shelfOf(thing)?.category || null)}`

const unseen = '"num_reports":null,"report_reasons":null,"user_reports":[],"mod_reports":[],"approved_by":null,"banned_by":null'
const MOST_REASONS = 20

/** What was reported of a thing since the last decision on it, as JSON members. */
const reported = (thing: string, { reportsOn, names }: Around): string => {
  const { reports = 0, reasons = [], byModerators = [] } = reportsOn(thing) ?? {}
  const byUsers = reasons.slice(0, MOST_REASONS).map(({ reason, count }) => [reason || null, count])
  const named = byModerators.map(({ account, reason }) => [reason || null, names(account)])
  return `"num_reports":${reports},"report_reasons":[],"user_reports":${JSON.stringify(byUsers)},"mod_reports":${JSON.stringify(named)}`
}

type Judged = {
  readonly id: string
  readonly subsite: string
  readonly removed: Removal | null
  readonly approved: Approval | null
}

/** Who judged a thing, as JSON members: for moderators, null for everybody else. A filter's or an admin's removal is `true`. */
export const moderation = ({ id, subsite, removed, approved }: Judged, around: Around): string => {
  const { moderates, names } = around
  if (!moderates(subsite)) return unseen
  const remover = removed && (removed.by === null ? true : names(removed.by))
  const approver = approved?.by ? names(approved.by) : null
  return `${reported(id, around)},"approved_by":${JSON.stringify(approver)},"banned_by":${JSON.stringify(remover)}`
}
