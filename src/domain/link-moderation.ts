import { type Decide, nothing, record, refuse } from './decision.ts'
import type { Distinction } from './distinction.ts'
import type { AccountId } from './ids.ts'
import { ignoringReports } from './ignored-reports.ts'
import {
  type Link,
  LinkApproved,
  LinkDistinguished,
  type LinkEvent,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkUnlocked,
  targetOf,
} from './link.ts'
import { linkOptions } from './link-options.ts'
import { isArchived } from './vote.ts'

/** Each removal is a decision and an event, also if the link was already removed. */
export const removeLink =
  (spam: boolean): Decide<Link, LinkEvent> =>
  (link) => {
    if (!link) return refuse('FORBIDDEN')
    if (link.deleted) return nothing
    return record(LinkRemoved({ subsite: link.subsite, target: targetOf(link), spam, before: link.removed }))
  }

/** Each approval is a decision and an event, also if the link was not removed. */
export const approveLink: Decide<Link, LinkEvent> = (link) => {
  if (!link) return refuse('FORBIDDEN')
  if (link.deleted) return nothing
  return record(LinkApproved({ subsite: link.subsite, target: targetOf(link), before: link.removed }))
}

export const { ignore: ignoreLinkReports, heed: unignoreLinkReports } = ignoringReports<Link, LinkEvent>(targetOf, {
  ignored: LinkReportsIgnored,
  heeded: LinkReportsUnignored,
})

export const { markNsfw, setContestMode, suggestSort, setLinkReplies } = linkOptions<Link>(targetOf)

/** For the author only; the permission to be distinguished has been checked. */
export const distinguishLink =
  (account: AccountId, after: Distinction | null): Decide<Link, LinkEvent> =>
  (link) => {
    if (!link || link.deleted) return refuse('NOT_FOUND')
    if (link.author !== account) return refuse('FORBIDDEN')
    const { distinguished: before, subsite } = link
    return before === after ? nothing : record(LinkDistinguished({ subsite, target: targetOf(link), before, after }))
  }

/** No new comments; existing ones can still be voted on, edited and deleted. */
export const lockLink =
  (at: number): Decide<Link, LinkEvent> =>
  (link) => {
    if (!link) return refuse('FORBIDDEN')
    if (isArchived(link.created, at)) return refuse('BAD_REQUEST')
    if (link.locked) return nothing // asking twice is not an error, and not news
    return record(LinkLocked({ subsite: link.subsite, target: targetOf(link) }))
  }

export const unlockLink =
  (at: number): Decide<Link, LinkEvent> =>
  (link) => {
    if (!link) return refuse('FORBIDDEN')
    if (isArchived(link.created, at)) return refuse('BAD_REQUEST')
    if (!link.locked) return nothing
    return record(LinkUnlocked({ subsite: link.subsite, target: targetOf(link) }))
  }
