// Decision 64.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, sealedText } from './event.ts'
import { AccountId, MessageId, SubsiteId, secondPart, ThingId } from './ids.ts'
import type { Message } from './message.ts'

const account = field(AccountId, 'Who reported it.', 'party', { party: true })
export const ThingReported = event(
  'ThingReported',
  'An account reported a link or comment to the moderators. It does so once; the thing is hidden from it, unless it moderates the subsite.',
  {
    account,
    thing: field(ThingId, 'The link or comment.', 'subsite'),
    subsite: field(SubsiteId, 'The subsite that it is in.', 'subsite'),
    author: field(AccountId, 'Who wrote the link or comment.', 'subsite'),
    moderator: field(t.boolean, 'Whether the reporter moderated the subsite then.', 'subsite'),
    reason: field(sealedText('account'), 'Why; empty: no reason was given.', 'subsite'),
  },
  { by: 'party' },
)
export const MessageReported = event(
  'MessageReported',
  'An account reported a message to the admins, once; it is hidden from the reporter.',
  {
    account,
    message: field(MessageId, 'The message.', 'party'),
    subsite: field(t.union([SubsiteId, t.null]), 'The subsite whose mail it is; null: none.', 'party'),
    reason: field(sealedText('account'), 'Why; empty: no reason was given.', 'party'),
  },
  { by: 'party' },
)
export const reportEvents = [ThingReported, MessageReported] as const
export type ReportEvent = OneOf<typeof reportEvents>

/** The most characters of the reason of a report. */
export const MAX_REASON_CHARACTERS = 100

/** The site-wide reasons for reports, beside a subsite's own rules. */
export const SITE_RULES: readonly string[] = [
  'Spam',
  'Personal and confidential information',
  'Threatening, harassing, or inciting violence',
]

/** The report of a thing by an account, on `report-<account>.<thing>`. */
export type Report = { readonly subsite: SubsiteId | null }

export const Report: Aggregate<Report, ReportEvent> = {
  category: 'report',
  subsiteOf: secondPart,
  on: {
    ThingReported: (_, { subsite }) => ({ subsite }),
    MessageReported: (_, { subsite }) => ({ subsite }),
  },
}

type ReportedThing = { readonly id: ThingId; readonly subsite: SubsiteId; readonly author: AccountId; readonly deleted: boolean }
type Reporter = { readonly account: AccountId; readonly moderator: boolean; readonly banned: boolean }

/** Reports a thing. Only the first report of an account counts: a repetition, or a report by a banned account, makes no event. */
export const reportThing =
  (
    { account, moderator, banned }: Reporter,
    { id, subsite, author, deleted }: ReportedThing,
    reason: string,
  ): Decide<Report, ReportEvent> =>
  (report) =>
    report || deleted || banned ? noEvents : decideEvents(ThingReported({ account, thing: id, subsite, author, moderator, reason }))

/** Reports a message. Its recipient may do so, and moderators of the subsite whose mail it is. */
export const reportMessage =
  (
    { account, moderator }: Pick<Reporter, 'account' | 'moderator'>,
    { message, to, subsite }: Message,
    reason: string,
  ): Decide<Report, ReportEvent> =>
  (report) => {
    if (to !== account && !moderator) return refuse('FORBIDDEN')
    return report ? noEvents : decideEvents(MessageReported({ account, message, subsite, reason }))
  }

/** Returns the text that is the reason. Two values of `reason` stand for the other fields. */
export const reasonOf = (sent: { readonly reason: string; readonly site_reason: string; readonly other_reason: string }): string => {
  if (sent.reason === 'site_reason_selected') return sent.site_reason
  return sent.reason === 'other' ? sent.other_reason : sent.reason
}
