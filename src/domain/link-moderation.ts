import { type Decide, nothing, record, refuse } from './decision.ts'
import type { Distinction } from './distinction.ts'
import type { AccountId } from './ids.ts'
import {
  isArchived,
  type Link,
  LinkApproved,
  LinkDistinguished,
  LinkErased,
  type LinkEvent,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkUnlocked,
  targetOf,
} from './link.ts'
import { linkOptions } from './link-options.ts'
import { distinguishing, erasing, moderation } from './thing-moderation.ts'

const verdictOn = (link: Link) => ({ subsite: link.subsite, target: targetOf(link), before: link.removed })

export const linkModeration = moderation<Link, ReturnType<typeof verdictOn>, LinkEvent>({
  targetOf,
  verdictOn,
  removed: LinkRemoved,
  approved: LinkApproved,
  reportsIgnored: LinkReportsIgnored,
  reportsUnignored: LinkReportsUnignored,
})
export const {
  remove: removeLink,
  approve: approveLink,
  ignoreReports: ignoreLinkReports,
  unignoreReports: unignoreLinkReports,
} = linkModeration

export const { markNsfw, setContestMode, suggestSort, setLinkReplies } = linkOptions<Link>(targetOf)

export const distinguishLink = (account: AccountId, after: Distinction | null): Decide<Link, LinkEvent> =>
  distinguishing(account, after, (link, change) => LinkDistinguished({ subsite: link.subsite, target: targetOf(link), ...change }))

export const eraseLink = (reason: string): Decide<Link, LinkEvent> =>
  erasing(({ subsite, id, author }) => LinkErased({ subsite, target: { id, author }, reason }))

const locking =
  (locked: boolean, act: typeof LinkLocked | typeof LinkUnlocked) =>
  (at: number): Decide<Link, LinkEvent> =>
  (link) => {
    if (!link) return refuse('FORBIDDEN')
    if (isArchived(link.created, at)) return refuse('BAD_REQUEST', 'id')
    if (link.locked === locked) return nothing // repeating it is no error and records nothing
    return record<LinkEvent>(act({ subsite: link.subsite, target: targetOf(link) }))
  }

/** No new comments (`parentRefusal` in `comment-posting.ts` refuses them); existing ones can still be voted on, edited and deleted. */
export const lockLink = locking(true, LinkLocked)
export const unlockLink = locking(false, LinkUnlocked)
