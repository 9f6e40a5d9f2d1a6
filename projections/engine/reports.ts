import { ERASED_PLACEHOLDER } from '../../src/domain/event.ts'

/** Why an account reported a thing. */
export type Report = { readonly account: string; readonly reason: string }

const MAX_REPORTS_PER_THING = 200

/**
 * Only the first ones are kept. Which ones does not depend on their reasons: a rebuild after an erasure reads other reasons and must
 * keep the same reports.
 */
export const withReport = (reports: readonly Report[], report: Report): readonly Report[] =>
  reports.length < MAX_REPORTS_PER_THING ? [...reports, report] : reports

/** Marks the reason that an account gave as erased. */
export const withErasedReason = (reports: readonly Report[], account: string): readonly Report[] =>
  reports.map((report) => (report.account === account ? { account, reason: ERASED_PLACEHOLDER } : report))
