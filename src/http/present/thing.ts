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
const seen = '"num_reports":0,"report_reasons":[],"user_reports":[],"mod_reports":[]'

type Judged = { readonly subsite: string; readonly removed: Removal | null; readonly approved: Approval | null }

/** Who judged a thing, as JSON members: for moderators, null for everybody else. A filter's or an admin's removal is `true`. */
export const moderation = ({ subsite, removed, approved }: Judged, { moderates, names }: Around): string => {
  if (!moderates(subsite)) return unseen
  const remover = removed && (removed.by === null ? true : names(removed.by))
  const approver = approved?.by ? names(approved.by) : null
  return `${seen},"approved_by":${JSON.stringify(approver)},"banned_by":${JSON.stringify(remover)}`
}
