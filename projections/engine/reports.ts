import { ERASED_PLACEHOLDER } from '../../src/domain/event.ts'

/** An account's report of a thing, with its reason. */
export type ReportByAccount = { readonly account: string; readonly reason: string }

const MAX_REPORTS_PER_THING = 200

/**
 * Adds a report if there are few. The choice does not depend on reasons: a rebuild after an erasure reads other reasons and must keep the
 * same reports.
 */
export const withReport = (reports: readonly ReportByAccount[], report: ReportByAccount): readonly ReportByAccount[] =>
  reports.length < MAX_REPORTS_PER_THING ? [...reports, report] : reports

/** Marks the reason that an account gave as erased. */
export const withErasedReason = (reports: readonly ReportByAccount[], account: string): readonly ReportByAccount[] =>
  reports.map((report) => (report.account === account ? { account, reason: ERASED_PLACEHOLDER } : report))
